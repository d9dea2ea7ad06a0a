"""What the tools read of a match: the scores, the log with CodinGame's keys, or psyleague's line.

Source: the fields that CodinGame's game engine documents for the result of a run. Its log has a list of sub-frames: one
for the start of the match, then one for each player that was asked in each turn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from hexarena.games.contract import Json, Outcome
from hexarena.games.referee import Exchange, Record, Turn
from hexarena.games.statistics import Value, seat_statistics

Texts: TypeAlias = list[str | None]


def whole_scores(outcome: Outcome, disqualified: Collection[int] = ()) -> list[int]:
    """Seat -> score as a whole number, in the order of the ranks, which is all that the tools take from it.

    The game's own scores where they are that already; otherwise the number of seats that a seat is ahead of. -1 for
    seats that were disqualified, which the tools take for an error, unless that would be another order.
    """
    ranks, own = outcome.ranks, [round(score) for score in outcome.scores]
    seats = range(len(ranks))
    ahead = [sum(ranks[one] < ranks[other] for other in seats) for one in seats]

    def agree(scores: Sequence[int]) -> bool:
        return all((scores[one] > scores[other]) == (ranks[one] < ranks[other]) for one in seats for other in seats)

    plain = own if agree(own) else ahead
    marked = [-1 if seat in disqualified else max(score, 0) for seat, score in enumerate(plain)]
    return marked if disqualified and agree(marked) else plain


def disqualified(record: Record) -> set[int]:
    """The seats with a fault that cost them the match."""
    return {fault.seat for fault in record.faults if fault.kind != "warning"}


def log_json(record: Record, names: Sequence[str]) -> dict[str, Json]:
    """The log. `names`: seat -> name."""
    asked = [(turn, exchange) for turn in record.turns for exchange in turn.exchanges]
    seats = range(record.seats)
    return {
        "errors": {
            **{str(seat): _texts(asked, seat, stderr=True) for seat in seats},
            "referee": [None, *(None for _ in asked)],
        },
        "outputs": {
            **{str(seat): _texts(asked, seat, stderr=False) for seat in seats},
            "referee": [None, *(_events(turn) if is_last else None for turn, is_last in _last_of_turns(record))],
        },
        "summaries": ["", *(_events(turn) if is_last else "" for turn, is_last in _last_of_turns(record))],
        "views": [],
        "scores": {str(seat): score for seat, score in enumerate(whole_scores(record.outcome, disqualified(record)))},
        "uinput": [f"seed={record.seed}"],
        "metadata": None,
        "tooltips": [
            {"turn": fault.turn, "text": f"${fault.seat}: {fault.kind}", "event": 0}
            for fault in record.faults
            if fault.kind != "warning"
        ],
        "ids": {str(seat): seat for seat in seats},
        "agents": [{"index": seat, "agentId": seat, "name": name} for seat, name in enumerate(names)],
        "failCause": None,
    }


def psyleague_json(record: Record) -> dict[str, Json]:
    """What psyleague's play_game prints: ranks, errors, and the statistics of the bots."""
    statistics = seat_statistics(record)
    faulty = disqualified(record)
    test_data: dict[str, Json] = {"seed": record.seed, "turns": len(record.turns)}
    for found in statistics:
        test_data |= {key: _readable(values[max(values)]) for key, values in found.turns.items()}
    return {
        "ranks": list(record.outcome.ranks),
        "errors": [int(seat in faulty) for seat in range(record.seats)],
        "test_data": test_data,
        "player_data": [{key: _readable(value) for key, value in found.player.items()} for found in statistics],
    }


def _readable(value: Value) -> Json:
    """As text where psyleague would cut off the fraction of a number; it reads text as a number where it can."""
    return str(value) if isinstance(value, float) else value


def _texts(asked: Sequence[tuple[Turn, Exchange]], seat: int, *, stderr: bool) -> Texts:
    """Sub-frame -> what a seat wrote in it; null where it was not asked."""
    texts: Texts = [None]
    for _, exchange in asked:
        mine = exchange.stderr if stderr else None if exchange.reply is None else f"{exchange.reply}\n"
        texts.append(mine if exchange.seat == seat else None)
    return texts


def _last_of_turns(record: Record) -> list[tuple[Turn, bool]]:
    """A turn for each sub-frame, and whether it is the turn's last one."""
    return [(turn, exchange is turn.exchanges[-1]) for turn in record.turns for exchange in turn.exchanges]


def _events(turn: Turn) -> str:
    """What the rules and the referee reported about a turn, a line each."""
    notes = [f"${seat}: {message}" for seat, _, message in turn.frame.get("notes", ())]
    return "\n".join([*notes, *(f"${fault.seat}: {fault.kind}: {fault.message}" for fault in turn.faults)])
