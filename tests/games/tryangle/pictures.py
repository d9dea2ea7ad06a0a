"""Positions of TryAngle Catch as text pictures.

A word is a house: `.` an empty one, `a2` two units of seat 0, `b1` one of seat 1, `a2/b1` both. Its place is where the
word begins, 20 to the right for each column and 100 down for each line; houses are numbered in reading order. Paths
are pairs of digits: `01 02`. Triangles are free to both seats; `owners` says otherwise: `024=a` belongs to seat 0, and
`024=2` is free to the seats of that bit set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hexarena.games.contract import BotFault, Seat, TimedOut
from hexarena.games.referee import read_replies
from hexarena.games.tryangle import GAME, rules
from hexarena.games.tryangle.board import BOTH, SEATS, Triangle
from hexarena.games.tryangle.land import Place, survey
from hexarena.games.tryangle.mapmaking import Map
from hexarena.games.tryangle.network import network_of
from hexarena.games.tryangle.rules import Events, State

_UNITS = re.compile(r"([ab])(\d+)")

BOWTIE = "02 04 24 23 13 15 35"
"""The paths of `bowtie`."""


def figure(picture: str, paths: str) -> Map:
    """The map that a picture shows."""
    words: list[tuple[Place, str]] = [
        ((20 * word.start(), 100 * row), word[0])
        for row, line in enumerate(picture.strip("\n").splitlines())
        for word in re.finditer(r"\S+", line)
    ]
    counts = [{letter: int(number) for letter, number in _UNITS.findall(word)} for _, word in words]
    pairs = [(int(pair[0]), int(pair[1])) for pair in paths.split()]
    land = survey([place for place, _ in words], paths=pairs)
    first, second = (tuple(count.get(letter, 0) for count in counts) for letter in "ab")
    return Map(land, network_of(land, pairs), (first, second))


def position(
    picture: str, paths: str, *, owners: str = "", league: int = 4, points: tuple[int, int] = (0, 0), turn: int = 0
) -> State:
    """The state that a picture shows, at the beginning of a turn."""
    shown = figure(picture, paths)
    said = dict(word.split("=") for word in owners.split())
    triangles = tuple(_triangle(corners, said) for corners in shown.network.triangles)
    assert not said, f"no such triangles: {said}"
    return State(
        land=shown.land,
        network=shown.network,
        league=league,
        turn=turn,
        units=shown.units,
        triangles=triangles,
        scores=points,
        eliminated=(None, None),
        over=False,
        frames=0,
        events=Events(shown.network, triangles),
    )


def bowtie_picture(words: str) -> str:
    """Two triangles, 024 and 135, with a path from 2 to 3 between them. `words`: for the six houses.

    0                       1
            2       3
    4                       5
    """
    a, b, c, d, e, f = words.split()
    return f"{a:24}{b}\n{'':8}{c:8}{d}\n{e:24}{f}"


def bowtie(words: str, *, owners: str = "", points: tuple[int, int] = (0, 0), turn: int = 0, league: int = 4) -> State:
    """The position that `bowtie_picture` shows."""
    return position(bowtie_picture(words), BOWTIE, owners=owners, points=points, turn=turn, league=league)


def _triangle(corners: tuple[int, int, int], said: dict[str, str]) -> Triangle:
    word = said.pop("".join(map(str, corners)), str(BOTH))
    if word in "ab":
        owner = "ab".index(word)
        return Triangle(corners, owner, BOTH ^ 1 << owner)
    return Triangle(corners, may_capture=int(word))


def after(state: State, *replies: str | None) -> State:
    """One turn, the seats writing these lines; WAIT if there are fewer. None: no reply in time."""
    asked = rules.to_act(state)
    lines = {seat: replies[seat] if seat < len(replies) else "WAIT" for seat in asked}
    moves, bad = read_replies(GAME, state, {seat: line for seat, line in lines.items() if line is not None})
    late: dict[Seat, BotFault] = {seat: TimedOut("too late") for seat, line in lines.items() if line is None}
    return rules.step(state, moves, bad | late)


def houses(state: State) -> str:
    """Who is where, a word for each house."""
    words = ["/".join(f"{'ab'[seat]}{state.units[seat][house]}" for seat in SEATS if state.units[seat][house])
             for house in range(len(state.land.places))]  # fmt: skip
    return " ".join(word or "." for word in words)


def paths(state: State) -> str:
    """The paths, as `position` takes them."""
    return " ".join(f"{a}{b}" for i, (a, b) in enumerate(state.land.pairs) if state.network.paths >> i & 1)


def owners(state: State) -> str:
    """All triangles, as `position` takes them."""
    return " ".join(
        f"{''.join(map(str, one.corners))}={'ab'[one.owner] if one.owner >= 0 else one.may_capture}"
        for one in state.triangles
    )


def said(state: State) -> Sequence[str]:
    """The notes of the last step as the reference prints them."""
    return [f"${note.seat}: {note.message}" for note in rules.notes(state)]
