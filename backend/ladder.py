"""What a result means for a bot's way up the ladder. Values in, values out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from games.referee import Fault


def check_problem(seats: Collection[int], faults: Sequence[Fault]) -> str | None:
    """Why the bot in these seats fails its check match, or None if it passes: it may lose, but must play legally."""
    own = [fault for fault in faults if fault.seat in seats and fault.kind != "warning"]
    if not own:
        return None
    first = own[0]
    return f"In the check match, turn {first.turn}: {first.kind}: {first.message}"


def is_placing(games: int, placement_matches: int) -> bool:
    """Whether a submission is still being placed."""
    return games < placement_matches
