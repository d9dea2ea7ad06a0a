"""TryAngle Catch as pictures: the map once, then what each turn did. replay.md describes it."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.games.contract import Json, Seat
from hexarena.games.tryangle.board import BOTH, NOBODY, SEATS, Kind, Triangle, Use
from hexarena.games.tryangle.land import House, members
from hexarena.games.tryangle.rules import Events, State

OWNED = 4
"""The first code of owned triangles. Codes below are of free ones: bit p is set when seat p may capture it."""

_KEYS: Mapping[Kind, str] = {
    Kind.ATTACK: "a",
    Kind.SPAWN: "n",
    Kind.ADD_PATH: "p",
    Kind.REMOVE_PATH: "r",
}


def header(state: State) -> Json:
    """Houses and paths; units by seat and house; triangles with their codes; scores."""
    return {
        "houses": [list(place) for place in state.land.places],
        "paths": [list(state.land.pairs[index]) for index in members(state.network.paths)],
        "units": [list(counts) for counts in state.units],
        "triangles": [[*one.corners, code_of(one)] for one in state.triangles],
        "s": list(state.scores),
    }


def frame(state: State) -> Mapping[str, Json]:
    """What happened, then how the list of triangles changed, the change of the scores, and messages."""
    events = state.events
    frame: dict[str, Json] = {}
    for use in events.uses:
        frame.setdefault(_KEYS[use.kind], []).append([use.seat, use.triangle, *_details(use)])
    before = [one.corners for one in events.triangles]
    after = [one.corners for one in state.triangles]
    changes: dict[str, Json] = {
        "m": [_leaving(events, seat) for seat in SEATS] if events.walks else (),
        "k": [list(kill) for kill in events.surrounded],
        "g": [position for position, corners in enumerate(before) if corners not in after],
        "w": [list(corners) for corners in after if corners not in before],
        "o": _new_codes(state, events),
    }
    frame |= {key: value for key, value in changes.items() if value}
    if state.scores != events.points:
        frame["s"] = [now - then for now, then in zip(state.scores, events.points, strict=True)]
    if any(events.messages):
        frame["msg"] = list(events.messages)
    return frame


def code_of(triangle: Triangle) -> int:
    """Owner and flags in one number. The flags of an owned triangle follow from its owner."""
    return triangle.may_capture if triangle.owner == NOBODY else OWNED + triangle.owner


def _details(use: Use) -> list[int]:
    if use.kind is Kind.ATTACK:
        return [use.target, use.killed]
    return [use.house] if use.kind is Kind.SPAWN else [use.house, use.target]


def _leaving(events: Events, seat: Seat) -> str:
    """For each house, a character for each unit that leaves it: its way's position among the house's neighbours."""
    leaving: dict[House, list[int]] = {}
    for walk in events.walks:
        if walk.seat == seat:
            lower = events.network.neighbours[walk.start] & (1 << walk.end) - 1
            leaving.setdefault(walk.start, []).extend([lower.bit_count()] * walk.units)
    houses = range(max(leaving, default=-1) + 1)
    return ",".join("".join(map(_character, sorted(leaving.get(house, ())))) for house in houses)


def _new_codes(state: State, events: Events) -> str:
    """Position after the turn and code, of all that changed. A new one is free to both at first."""
    known = {one.corners: code_of(one) for one in events.triangles}
    return "".join(
        _character(position) + str(code_of(one))
        for position, one in enumerate(state.triangles)
        if code_of(one) != known.get(one.corners, BOTH)
    )


def _character(number: int) -> str:
    return chr(ord("0") + number)
