"""Whether the bosses are stronger than the starter, which who begins with it has to get past."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from hexarena.cli.check.subject import SEED, CheckFailed, CheckSkipped, Subject
from hexarena.games.catalogue import bot_file
from hexarena.games.contract import HouseBot
from hexarena.games.referee import Record

FEWEST, MOST = 8, 24
"""Matches: at least, and at most where the two are about equal."""
SECONDS = 6.0
"""After which no further match begins, bosses taken together."""
FEWEST_SLOW = 4
"""Matches that are played in any case."""


@dataclass(slots=True)
class Score:
    """A boss against starters. `met`: starters in its matches, of which it is placed before `won`, and with `drawn`."""

    boss: HouseBot
    several: bool
    matches: int = 0
    met: int = 0
    won: int = 0
    drawn: int = 0

    @property
    def share(self) -> float:
        """Of the points, from 0 to 1; a draw is half a point."""
        return (self.won + self.drawn / 2) / self.met if self.met else 0.0

    @property
    def is_clear(self) -> bool:
        """Whether the share is more than two standard deviations from a half."""
        return self.matches >= FEWEST and abs(self.share - 0.5) > self.matches**-0.5

    def __str__(self) -> str:
        """A clause for people."""
        if self.several:
            lost = self.met - self.won - self.drawn
            met = f"{self.met} comparisons with a starter in {self.matches} matches"
            tied = f", tied {self.drawn}" if self.drawn else ""
            return f"of {met}, {self.boss.name} won {self.won}{tied} and lost {lost}"
        drawn = f" and drew {self.drawn}" if self.drawn else ""
        return f"{self.boss.name} won {self.won}{drawn} of {self.met} against the starter"


def boss(subject: Subject) -> str:
    """The boss of each league gets more than half of the points against the starter, over seeds and seats."""
    game = subject.game
    names = {league.boss for league in game.leagues}
    bosses = [bot for bot in game.house_bots if bot.name in names and bot.file != game.starters[0]]
    if not bosses:
        raise CheckSkipped("the game has no boss but its starter")
    starter = bot_file(game, game.starters[0]).read_bytes()
    for bot in bosses:
        if bot_file(game, bot.file).read_bytes() == starter:
            raise CheckFailed(f"{bot.name} is the same program as the starter: {bot.file} and {game.starters[0]}")
    scores = [_score(subject, bot, SECONDS / len(bosses)) for bot in bosses]
    weak = [score for score in scores if score.share <= 0.5]
    if weak:
        raise CheckFailed(f"{'; '.join(map(str, weak))}; a boss should win more than half")
    return "; ".join(map(str, scores))


def _score(subject: Subject, bot: HouseBot, seconds: float) -> Score:
    score = Score(bot, several=subject.game.ladder_entrants[0] > 2)
    for team, record in _matches(subject, score, seconds):
        size = subject.game.team_seats
        places = list(record.outcome.ranks[::size])
        own = places.pop(team)
        score.matches += 1
        score.met += len(places)
        score.won += sum(place > own for place in places)
        score.drawn += sum(place == own for place in places)
    return score


def _matches(subject: Subject, score: Score, seconds: float) -> Iterator[tuple[int, Record]]:
    """(the boss's team, its match), until the score is clear or time is up."""
    begun = time.monotonic()
    for number in range(MOST):
        late = number >= FEWEST_SLOW and time.monotonic() - begun > seconds
        if late or score.is_clear:
            return
        yield number % subject.game.ladder_entrants[0], trial(subject, score.boss.file, number)


def trial(subject: Subject, file: str | None, number: int) -> Record:
    """A match as on the ladder, each with a seed of its own: this bot and starters, or starters alone.

    From one match to the next the bot moves on by one seat, or by one team.
    """
    game = subject.game
    teams = [game.starters[0]] * game.ladder_entrants[0]
    if file is not None:
        teams[number % len(teams)] = file
    return subject.played(game.side_by_side(teams), game.top_level, seed=SEED + number)
