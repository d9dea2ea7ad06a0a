"""Places as rewards for programs that learn: 1 for the first, -1 for the last, in equal steps between them.

Those who tie share what their places are worth, so that the rewards of a match add up to 0. Teams count as one. Whoever
is out gets the reward at once, if the game's machine view says that the place is certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from hexarena.games.contract import Game, Outcome, Seat
from hexarena.games.referee import BadOutcome


def rewards(ranks: Sequence[int], team_seats: int = 1) -> tuple[float, ...]:
    """Seat -> reward. `ranks`: of an Outcome. All 0 in a match of one team.

    >>> rewards((0, 3, 1, 1))
    (1.0, -1.0, 0.0, 0.0)
    """
    teams = ranks[::team_seats]
    return tuple(_worth(sum(other < rank for other in teams), teams.count(rank), len(teams)) for rank in ranks)


def of_leaving(game: Game, state: Any, left: Mapping[Seat, float], seats: int) -> dict[Seat, float]:
    """Seat -> reward, of those who have gone out since. `left`: whoever did before. In teams nobody leaves early."""
    if game.machine is None or game.team_seats > 1:
        return {}
    gone = [seat for seat in game.machine.out(state) if seat not in left]
    return dict.fromkeys(gone, _worth(seats - len(left) - len(gone), len(gone), seats))


def of_the_end(game: Game, outcome: Outcome, left: Mapping[Seat, float]) -> dict[Seat, float]:
    """Seat -> reward, of those who were still in.

    Raises: BadOutcome, if somebody who had left has another place than `out` said.
    """
    final = rewards(outcome.ranks, game.team_seats)
    for seat, reward in left.items():
        if not isclose(final[seat], reward, abs_tol=1e-9):
            problem = f"{game.id} said that seat {seat} was out, when its place was worth {reward:g}"
            raise BadOutcome(f"{problem}; its place at the end is worth {final[seat]:g}")
    return {seat: reward for seat, reward in enumerate(final) if seat not in left}


def _worth(before: int, sharing: int, of: int) -> float:
    """The mean of the places that are shared, of `of` places."""
    place = before + (sharing - 1) / 2
    return 1 - 2 * place / (of - 1) if of > 1 else 0.0
