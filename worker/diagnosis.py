"""Why a bot does badly in its check match: perhaps it was written for the input of simpler rules.

Such a bot fails at once, or takes one number for another and plays nonsense without a fault. The first is clear. Of the
second, only matches at a level whose rules are the same are evidence: a bot may be better at simpler rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from hexarena.games.contract import Game
from hexarena.games.referee import Event, Record
from hexarena.worker.play import ReadyBot, play_match
from hexarena.worker.sandbox import Sandbox

FIRST_TURNS = 5
"""A bot that reads another input than it gets goes wrong in one of these."""
CLEAR_LOSS = 0.5
"""A bot with less than this share of its opponent's points lost clearly, one with at least as much did not."""
MUCH_BETTER = 2.0
"""How many times as large that share must be at a lower level, too."""
SEARCH_S = 60.0
"""No further match is played to explain a fault or a clear loss after this long."""


def explain_early_fault(
    game: Game,
    sandbox: Sandbox,
    entrants: Sequence[ReadyBot],
    own_seats: Collection[int],
    record: Record,
    *,
    see: Callable[[Event], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> str | None:
    """What to report to the owner of a bot that is disqualified in the first turns of the full game, if anything.

    It plays again at each lower level of the rules, the highest first, and then once more in the full game, as it may
    fail by chance. `own_seats`: its seats in the match; `see`: gets each event; `clock`: seconds. Raises: what
    `play_match` raises.
    """
    first, end = _first_fault(record, own_seats), clock() + SEARCH_S
    if first is None or first > FIRST_TURNS:
        return None
    for place in range(len(game.levels) - 1, 0, -1):
        level = game.levels[place - 1]
        if clock() > end:
            return None
        tried = play_match(game, sandbox, entrants, seed=record.seed, league=level, see=see).record
        if _first_fault(tried, own_seats) is None:
            again = play_match(game, sandbox, entrants, seed=record.seed, league=game.top_level, see=see).record
            if _first_fault(again, own_seats) is None:
                return None  # It fails now and then, whatever it reads.
            return f"Your bot plays without a fault at level {level} of the rules. {_what_differs(game, level)}"
    return None


def explain_clear_loss(
    game: Game,
    sandbox: Sandbox,
    entrants: Sequence[ReadyBot],
    own_seats: Collection[int],
    record: Record,
    *,
    see: Callable[[Event], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> str | None:
    """What to report to the owner of a bot that lost the full game clearly and without a fault, if anything.

    It plays the same seed again at lower levels with other input, the highest first, as long as the opponent's match
    against itself is the same there as in the full game. `own_seats`: its seats in the match; `see`: gets each event;
    `clock`: seconds. Raises: what `play_match` raises.
    """
    share, end = _share(record, own_seats), clock() + SEARCH_S
    other_inputs = [level for level in reversed(game.levels) if level + 1 in game.level_news]
    if share is None or share >= CLEAR_LOSS or not other_inputs:
        return None

    def replayed(level: int, bots: Sequence[ReadyBot]) -> Record | None:
        """The match at a level, if there is time for it."""
        if clock() > end:
            return None
        return play_match(game, sandbox, bots, seed=record.seed, league=level, see=see).record

    opponent = next(bot for seat, bot in enumerate(entrants) if seat not in own_seats)
    control = replayed(game.top_level, [opponent] * len(entrants))
    for level in other_inputs:
        same = replayed(level, [opponent] * len(entrants))
        if control is None or same is None or same.outcome != control.outcome or len(same.turns) != len(control.turns):
            return None  # Other rules; those of lower levels differ even more.
        tried = replayed(level, entrants)
        there = None if tried is None else _share(tried, own_seats)
        if tried is None or there is None or there < max(CLEAR_LOSS, MUCH_BETTER * share):
            continue
        again = replayed(game.top_level, entrants)  # Its bad luck is no evidence.
        lost_again = None if again is None else _share(again, own_seats)
        if lost_again is None or there < max(CLEAR_LOSS, MUCH_BETTER * lost_again):
            return None
        return (
            f"Your bot passed its check, but seems to read the input of level {level} of the rules: with the same seed "
            f"it has {_points(tried, own_seats)} points there, and {_points(record, own_seats)} at level "
            f"{game.top_level}. {_what_differs(game, level)}"
        )
    return None


def _what_differs(game: Game, level: int) -> str:
    """What the input of the full game has that this level's has not."""
    added = [f"from level {new} on, {news}" for new, news in sorted(game.level_news.items()) if new > level]
    differs = f": {'; '.join(added)}" if added else ""
    return f"The ladder plays level {game.top_level}, whose input differs{differs}."


def _share(record: Record, seats: Collection[int]) -> float | None:
    """The points of these seats, as a share of the best opponent's. None after a fault, and if either has no score."""
    own, other = _scores(record, seats)
    return None if _first_fault(record, seats) is not None or other <= 0 or own < 0 else own / other


def _scores(record: Record, seats: Collection[int]) -> tuple[float, float]:
    """The best score of these seats, and of the others."""
    scores = record.outcome.scores
    return max(scores[seat] for seat in seats), max(one for seat, one in enumerate(scores) if seat not in seats)


def _points(record: Record, seats: Collection[int]) -> str:
    own, other = _scores(record, seats)
    return f"{own:g}:{other:g}"


def _first_fault(record: Record, seats: Collection[int]) -> int | None:
    """The turn of the first fault that disqualifies one of these seats."""
    return min((fault.turn for fault in record.faults if fault.seat in seats and fault.kind != "warning"), default=None)
