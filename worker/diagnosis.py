"""Why a bot fails its check match at once: perhaps it was written for the input of simpler rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hexarena.games.contract import Game
from hexarena.games.referee import Record
from hexarena.worker.play import ReadyBot, play_match
from hexarena.worker.sandbox import Sandbox

FIRST_TURNS = 5
"""A bot that reads another input than it gets goes wrong in one of these."""


def explain_early_fault(
    game: Game, sandbox: Sandbox, entrants: Sequence[ReadyBot], own_seats: Collection[int], record: Record
) -> str | None:
    """What to report to the owner of a bot that is disqualified in the first turns of the full game, if anything.

    It plays again at each lower level of the rules, the highest first. `own_seats`: its seats in the match.
    Raises: what `play_match` raises.
    """
    first = _first_fault(record, own_seats)
    if first is None or first > FIRST_TURNS:
        return None
    for place in range(len(game.levels) - 1, 0, -1):
        level = game.levels[place - 1]
        tried = play_match(game, sandbox, entrants, seed=record.seed, league=level).record
        if _first_fault(tried, own_seats) is None:
            added = [
                f"from level {new} on, {game.level_news[new]}" for new in game.levels[place:] if new in game.level_news
            ]
            differs = f": {'; '.join(added)}" if added else ""
            return (
                f"Your bot plays without a fault at level {level} of the rules. "
                f"The ladder plays level {game.top_level}, whose input differs{differs}."
            )
    return None


def _first_fault(record: Record, seats: Collection[int]) -> int | None:
    """The turn of the first fault that disqualifies one of these seats."""
    return min((fault.turn for fault in record.faults if fault.seat in seats and fault.kind != "warning"), default=None)
