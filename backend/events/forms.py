"""What a final is made of: stages, pairings, and what they end with. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

MOST_ENTRANTS = 1024
MOST_PAIRINGS = 40_000
"""Pairings of a stage at most: a round robin of 282."""
MOST_STAGES = 4
MOST_PLAYOFFS = 2
"""Play-offs of the same tie. After these the seeding decides."""


class Form(StrEnum):
    """How a stage finds out who is better."""

    ROUND_ROBIN = "round robin"
    GROUPS = "groups"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    """The ladder at the deadline, played on until the places that matter are sure."""
    HEATS = "heats"
    """Matches of more than two, each for itself or with a team of its own."""


PAIR_FORMS = frozenset(Form) - {Form.HEATS}
"""Those in which two meet."""


class BadStage(ValueError):
    """A stage that cannot be played. `expected` and `got` as in answers of the API."""

    def __init__(self, why: str, expected: str, got: str) -> None:
        super().__init__(why)
        self.expected = expected
        self.got = got


class TooLong(BadStage):
    """More entrants or pairings than a stage may have."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and its options. Which of them count depends on the form.

    `seeds`: maps that each pair plays; where the seats differ, each in both. `groups`: how many. `rounds`: of a Swiss
    stage and of heats; at most, where the ladder is played on. `games`: of a heat. `mixed`: each game of a heat deals
    its entrants to teams anew, so that teammates are strangers. `best_of`: games of a knockout pairing at most, before
    a tie is broken. `lives`: 2 for a double elimination. `stop_when_sure`: a knockout pairing also ends when the
    sequential test knows the stronger one. `advance`: how many reach the next stage, of each group where there are
    groups.
    """

    form: Form
    seeds: int = 2
    groups: int = 1
    rounds: int = 0
    games: int = 12
    mixed: bool = False
    best_of: int = 5
    lives: int = 1
    third_place: bool = False
    stop_when_sure: bool = False
    advance: int = 0

    def as_json(self) -> dict[str, Any]:
        """As it is stored and published."""
        return {**asdict(self), "form": self.form.value}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Stage:
        """The inverse. Raises: BadStage, for what is not a stage."""
        known = {one.name for one in fields(cls)}
        try:
            return cls(
                **{name: value for name, value in written.items() if name in known} | {"form": Form(written["form"])}
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BadStage("This is not a stage.", "a form and its options", str(error)) from None


@dataclass(frozen=True, slots=True)
class Prior:
    """What the ladder knew of an entrant at the deadline, in Elo: its rating and that rating's standard deviation."""

    rating: float
    deviation: float

    @classmethod
    def of(cls, rating: float | None, deviation: float | None) -> Prior | None:
        """None where it had no rating."""
        return None if rating is None or deviation is None else cls(rating, deviation)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two entrants who are to play. `number`: in its stage, from 0. `round`: from 1. `playoff`: 0: none.

    `part`: the group, or the part of the bracket: "main", "lower", "final", "third".
    """

    number: int
    round: int
    part: str
    first: int
    second: int
    playoff: int = 0


@dataclass(frozen=True, slots=True)
class Heat:
    """Two or more who play the same matches. `number`: in its stage, from 0. `round`: from 1. `playoff`: 0: none.

    `entrants`: in the order in which they are dealt, from which their seats follow.
    """

    number: int
    round: int
    entrants: tuple[int, ...]
    playoff: int = 0


@dataclass(frozen=True, slots=True)
class HeatOutcome:
    """How a heat ended, in the order of its entrants. `points`: half points, two for each who was beaten in a game and
    one for each tie. `wins`: games in which everybody else was beaten, or that one's team had the first place.
    """

    points: tuple[int, ...]
    wins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a pairing ended. Half points, so that a draw is 1; `wins`: games that each won. `winner`: who advances."""

    first: int
    second: int
    first_wins: int
    second_wins: int
    winner: int | None = None


def group_name(index: int) -> str:
    """A, B, … Z, AA, …"""
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
