"""What a duel has come to: the matches that count, who won them, what the bots did wrong, and what it all says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from backend import duel
from backend.duel import Preset, Standing
from backend.fixtures import Fixture, is_paired
from games.contract import Game
from games.referee import Fault, Record

Ending: TypeAlias = Literal["decided", "repeats", "games", "interrupted", "failed"]
"""Why no more matches are played: the test has decided, they only repeat themselves, all were played, Ctrl-C, or our
side could not go on."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Who meets whom at what. `bots`: as the user wrote them; `names`: the same, short and different."""

    game: Game
    league: int
    seed: int
    bots: tuple[str, str]
    names: tuple[str, str]
    preset: Preset
    games: int
    early_stop: bool

    @property
    def paired(self) -> bool:
        """Whether each seed is played on both seats."""
        return is_paired(self.game)

    @property
    def margin_elo(self) -> float:
        """The difference that is looked for."""
        return duel.MARGIN_ELO[self.preset]


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of one kind of one bot: how many in how many matches, and the first one with its match.

    `bot`: 0 for the duel's first, 1 for its second.
    """

    bot: int
    count: int
    matches: int
    fixture: Fixture
    example: Fault

    def with_later(self, other: Faults) -> Faults:
        """These and those of later matches."""
        return replace(self, count=self.count + other.count, matches=self.matches + other.matches)


@dataclass(frozen=True, slots=True)
class Result:
    """A match that was played. `seats`: seat -> 0 for the first bot, 1 for the second.

    `points`: of the first bot. `digest`: of the record. `voids`: why earlier attempts at it do not count.
    """

    fixture: Fixture
    seats: tuple[int, ...]
    points: float
    reason: str
    turns: int
    faults: tuple[Faults, ...]
    digest: str
    voids: tuple[str, ...]


def result_of(fixture: Fixture, seats: tuple[int, ...], record: Record, voids: Sequence[str]) -> Result:
    """What a duel keeps of a match."""
    ranks = record.outcome.ranks
    points = duel.points(ranks[seats.index(0)], ranks[seats.index(1)])
    faults: dict[tuple[int, str], Faults] = {}
    for fault in record.faults:
        bot = seats[fault.seat]
        known = faults.get((bot, fault.kind), Faults(bot, 0, 1, fixture, fault))
        faults[bot, fault.kind] = replace(known, count=known.count + 1)
    reason, turns = record.outcome.reason, len(record.turns)
    return Result(fixture, seats, points, reason, turns, tuple(faults.values()), record.digest, tuple(voids))


@dataclass(slots=True)
class Score:
    """All results of whole trials so far, in order."""

    duel: Duel
    results: list[Result] = field(default_factory=list)
    _counts: tuple[int, ...] = field(init=False)
    _digests: set[str] = field(default_factory=set)
    _faults: dict[tuple[int, str], Faults] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._counts = duel.no_trials(self.duel.paired)

    def add(self, trial: Sequence[Result]) -> Ending | None:
        """Counts a whole trial. Returns why there should be no other, if so."""
        for result in trial:
            self._add(result)
        self._counts = duel.with_trial(self._counts, [result.points for result in trial])
        if not self.duel.early_stop:
            return None
        if duel.verdict(self._counts, margin_elo=self.duel.margin_elo) != "open":
            return "decided"
        return "repeats" if self.only_repeats else None

    def _add(self, result: Result) -> None:
        self.results.append(result)
        self._digests.add(result.digest)
        for faults in result.faults:
            key = faults.bot, faults.example.kind
            self._faults[key] = self._faults[key].with_later(faults) if key in self._faults else faults

    def standing(self) -> Standing:
        """What it all says."""
        return duel.standing(self._counts, margin_elo=self.duel.margin_elo)

    @property
    def different(self) -> int:
        """How many matches are no repetition of an earlier one."""
        return len(self._digests)

    @property
    def only_repeats(self) -> bool:
        """See duel.only_repeats."""
        return duel.only_repeats(len(self.results), self.different)

    def won_drawn_lost(self, *, seat_0: bool | None = None) -> tuple[int, int, int]:
        """Of the first bot; in all matches, or in those in which seat 0 was (or was not) its own."""
        points = [result.points for result in self.results if seat_0 is None or (result.seats[0] == 0) is seat_0]
        return points.count(1.0), points.count(0.5), points.count(0.0)

    def voids(self) -> list[str]:
        """Why matches were played again, one text for each time."""
        return [void for result in self.results for void in result.voids]

    def faults(self) -> list[Faults]:
        """What the bots did wrong: the first one's before the second one's, the most frequent kind first."""
        return sorted(self._faults.values(), key=lambda one: (one.bot, -one.count, one.example.kind))

    def sentence(self) -> str:
        """The verdict, for people."""
        if self.only_repeats:
            return duel.repeats_in_words(len(self.results), self.different)
        return duel.in_words(self.standing(), *self.duel.names, margin_elo=self.duel.margin_elo)


def as_json(score: Score, ending: Ending) -> dict[str, object]:
    """The whole duel as scripts read it: the same for the same matches. Infinite numbers are null."""
    of, standing = score.duel, score.standing()
    won, drawn, lost = score.won_drawn_lost()
    return {
        "game": of.game.id,
        "league": of.league,
        "seed": of.seed,
        "bots": list(of.bots),
        "margin_elo": of.margin_elo,
        "verdict": standing.verdict,
        "ending": ending,
        "sentence": score.sentence(),
        "games": len(score.results),
        "different": score.different,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "score": standing.score,
        "elo": _finite(standing.elo),
        "elo_low": _finite(standing.elo_low),
        "elo_high": _finite(standing.elo_high),
        "llr": standing.llr,
        "llr_decides": duel.DECIDED,
        "void": score.voids(),
        "faults": [
            {
                "bot": faults.bot,
                "kind": faults.example.kind,
                "count": faults.count,
                "matches": faults.matches,
                "example": {
                    "match": faults.fixture.number,
                    "turn": faults.example.turn,
                    "message": faults.example.message,
                },
            }
            for faults in score.faults()
        ],
        "matches": [
            {
                "match": result.fixture.number,
                "seed": result.fixture.seed,
                "seats": list(result.seats),
                "points": result.points,
                "turns": result.turns,
                "reason": result.reason,
            }
            for result in score.results
        ],
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
