"""Games of any bots: the teams of a match and their ranks, as a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hexarena.games.contract import Game


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A match. `teams`: team -> its bots, with duplicates; `ranks`: team -> 0 for the best, equal ranks tie.

    number: its place in the schedule. faults: bot -> what it did wrong, warnings left out. level: of the rules; 0 if
    nobody wrote it down.
    """

    number: int
    seed: int
    teams: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]
    turns: int = 0
    cpu_s: float = 0.0
    level: int = 0
    faults: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def share(self, team: int) -> float:
        """The share of the other teams that a team was better than; a tie counts half. 0 to 1."""
        own, others = self.ranks[team], [rank for index, rank in enumerate(self.ranks) if index != team]
        return sum((rank > own) + (rank == own) / 2 for rank in others) / len(others)


def by_teams(game: Game, seats: Sequence[str], ranks: Sequence[int]) -> tuple[list[tuple[str, ...]], list[int]]:
    """(team -> bots, team -> rank), from what each seat has."""
    firsts = range(0, len(seats), game.team_seats)
    return [tuple(seats[first : first + game.team_seats]) for first in firsts], [ranks[first] for first in firsts]


def shares(played: Iterable[PlayedGame], names: Sequence[str]) -> dict[str, float]:
    """Bot -> its mean share over its matches, each counted once; NaN for a bot without any."""
    sums = {name: [0.0, 0.0] for name in names}
    for one in played:
        for team, bots in enumerate(one.teams):
            for bot in set(bots):
                sums[bot][0] += one.share(team)
                sums[bot][1] += 1
    return {name: total / count if count else float("nan") for name, (total, count) in sums.items()}


def games(played: Iterable[PlayedGame], names: Sequence[str]) -> dict[str, int]:
    """Bot -> how many matches it was in."""
    counts = dict.fromkeys(names, 0)
    for one in played:
        for bot in {bot for bots in one.teams for bot in bots}:
            counts[bot] += 1
    return counts


def write_line(path: Path, one: PlayedGame) -> None:
    """Appends a match to a file."""
    with path.open("a") as file:
        file.write(json.dumps(asdict(one), separators=(",", ":")) + "\n")


def read_lines(path: Path) -> list[PlayedGame]:
    """All matches of a file, in order; none if there is no file. A line that was cut off at the end is left out."""
    if not path.exists():
        return []
    whole = path.read_text().rpartition("\n")[0]
    return [_read(json.loads(line)) for line in whole.splitlines()]


def _read(line: dict[str, Any]) -> PlayedGame:
    teams = tuple(map(tuple, line.pop("teams")))
    return PlayedGame(teams=teams, ranks=tuple(line.pop("ranks")), **line)


def halves(played: Sequence[PlayedGame]) -> tuple[list[PlayedGame], list[PlayedGame]]:
    """The matches of rounds by turns, so that both halves have every pair if there are two rounds or more."""
    mask = np.random.default_rng(1).permutation(len(played)) % 2
    return [one for one, half in zip(played, mask, strict=True) if half], [
        one for one, half in zip(played, mask, strict=True) if not half
    ]
