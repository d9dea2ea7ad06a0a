"""The score of a duel: the matches that count, their results, the bots' faults, and the estimate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from hexarena.backend.duels.fixtures import Fixture, is_paired
from hexarena.backend.rating import sprt
from hexarena.backend.rating.sprt import Estimate, Preset, Question
from hexarena.cli.entrants import as_text
from hexarena.cli.statistics import Sums, add_up, duel_json, sums_of
from hexarena.games.contract import Game
from hexarena.games.referee import Fault, Record
from hexarena.games.statistics import seat_statistics

Ending: TypeAlias = Literal["decided", "repeats", "games", "interrupted", "failed"]
"""Why no more matches are played: the test has decided, they only repeat each other, all were played, Ctrl-C, or an
error on our side."""


@dataclass(frozen=True, slots=True)
class LocalDuel:
    """Candidate, baseline and settings of a duel. `bots`: as the user wrote them; `names`: short and different.

    `field`: in a free-for-all the others that play.
    """

    game: Game
    league: int
    seed: int
    bots: tuple[str, str]
    names: tuple[str, str]
    preset: Preset
    games: int
    early_stop: bool
    field: tuple[str, ...] = ()

    @property
    def paired(self) -> bool:
        """Whether each seed is played on both seats."""
        return is_paired(self.game)

    @property
    def question(self) -> Question:
        """What the duel is to find out."""
        return sprt.QUESTIONS[self.preset]


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of one kind of one bot: how many in how many matches, and the first one with its match.

    `bot`: 0 for the candidate, 1 for the baseline.
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
    """A match that was played. `seats`: seat -> 0 for the candidate, 1 for the baseline, 2 and more for the field.

    `points`: of the candidate. `digest`: of the record. `voids`: why earlier attempts at it do not count.
    `statistics`: of candidate and baseline.
    """

    fixture: Fixture
    seats: tuple[int, ...]
    points: float
    reason: str
    turns: int
    faults: tuple[Faults, ...]
    digest: str
    voids: tuple[str, ...]
    statistics: tuple[Sums, Sums] = ({}, {})


def result_of(game: Game, fixture: Fixture, seats: tuple[int, ...], record: Record, voids: Sequence[str]) -> Result:
    """The part of a match that a duel keeps."""
    ranks = record.outcome.ranks
    points = sprt.points(ranks[seats.index(0)], ranks[seats.index(1)])
    faults: dict[tuple[int, str], Faults] = {}
    for fault in record.faults:
        bot = seats[fault.seat]
        if bot > 1:
            continue
        known = faults.get((bot, fault.kind), Faults(bot, 0, 1, fixture, fault))
        faults[bot, fault.kind] = replace(known, count=known.count + 1)
    reason, turns = record.outcome.reason, len(record.turns)
    found = seat_statistics(record)
    candidate, baseline = (sums_of([found[seat] for seat, of in enumerate(seats) if of == bot]) for bot in (0, 1))
    summed = tuple(faults.values())
    return Result(
        fixture, seats, points, reason, turns, summed, record.moves_digest(game), tuple(voids), (candidate, baseline)
    )


@dataclass(slots=True)
class Score:
    """All results of whole trials so far, in order."""

    duel: LocalDuel
    results: list[Result] = field(default_factory=list)
    _counts: tuple[int, ...] = field(init=False)
    _digests: set[str] = field(default_factory=set)
    _faults: dict[tuple[int, str], Faults] = field(default_factory=dict)
    statistics: tuple[Sums, Sums] = field(default_factory=lambda: ({}, {}))
    """Of candidate and baseline."""

    def __post_init__(self) -> None:
        self._counts = sprt.no_trials(self.duel.paired)

    def add(self, trial: Sequence[Result]) -> Ending | None:
        """Counts a whole trial. Returns the reason to stop, if there is one."""
        for result in trial:
            self._add(result)
        self._counts = sprt.with_trial(self._counts, [result.points for result in trial])
        if not self.duel.early_stop:
            return None
        if sprt.verdict(self._counts, self.duel.question, repeats=self.only_repeats) != "open":
            return "decided"
        return "repeats" if self.only_repeats else None

    def _add(self, result: Result) -> None:
        self.results.append(result)
        self._digests.add(result.digest)
        for sums, more in zip(self.statistics, result.statistics, strict=True):
            add_up(sums, more)
        for faults in result.faults:
            key = faults.bot, faults.example.kind
            self._faults[key] = self._faults[key].with_later(faults) if key in self._faults else faults

    def estimate(self) -> Estimate:
        """The estimate from all results."""
        return sprt.estimate(self._counts, self.duel.question, repeats=self.only_repeats)

    @property
    def different(self) -> int:
        """How many matches are no repetition of an earlier one."""
        return len(self._digests)

    @property
    def only_repeats(self) -> bool:
        """See sprt.only_repeats."""
        return sprt.only_repeats(len(self.results), self.different)

    def won_drawn_lost(self, *, seat_0: bool | None = None) -> tuple[int, int, int]:
        """Of the candidate; in all matches, or in those in which it had (or did not have) seat 0."""
        points = [result.points for result in self.results if seat_0 is None or (result.seats[0] == 0) is seat_0]
        return points.count(1.0), points.count(0.5), points.count(0.0)

    def voids(self) -> list[str]:
        """Why matches were played again, one text for each time."""
        return [void for result in self.results for void in result.voids]

    def faults(self) -> list[Faults]:
        """What the bots did wrong: the candidate's before the baseline's, the most frequent kind first."""
        return sorted(self._faults.values(), key=lambda one: (one.bot, -one.count, one.example.kind))

    def sentence(self) -> str:
        """The verdict, for people."""
        if self.only_repeats:
            return sprt.repeats_in_words(len(self.results), self.different)
        return sprt.in_words(self.estimate(), *self.duel.names, self.duel.question)


def as_json(score: Score, ending: Ending) -> dict[str, object]:
    """The whole duel as scripts read it: the same for the same matches. Infinite numbers are null."""
    of, estimate = score.duel, score.estimate()
    won, drawn, lost = score.won_drawn_lost()
    return {
        "game": of.game.id,
        "league": of.league,
        "seed": of.seed,
        "bots": list(map(as_text, of.bots)),
        "field": list(map(as_text, of.field)),
        "margin_elo": of.question.margin_elo,
        "verdict": estimate.verdict,
        "ending": ending,
        "sentence": score.sentence(),
        "games": len(score.results),
        "different": score.different,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "score": estimate.score,
        "elo": _finite(estimate.elo),
        "elo_low": _finite(estimate.elo_low),
        "elo_high": _finite(estimate.elo_high),
        "llr": estimate.llr,
        "llr_decides": of.question.decided,
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
        **duel_json(score.statistics),
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
