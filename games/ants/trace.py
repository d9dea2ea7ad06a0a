"""How recordings of the reference referee of Ants are compared with these rules. Source: the spec, section 16."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from hexarena.games.ants import protocol, rules
from hexarena.games.ants.mapmaking import EGG
from hexarena.games.ants.routes import routes
from hexarena.games.ants.rules import End, State
from hexarena.games.contract import Json


def setup(game: Mapping[str, Json]) -> State:
    """The map of the recording's seed and league."""
    return rules.setup(2, game["seed"], game["league"])


def expected(game: Mapping[str, Json], turn: int) -> Mapping[str, Json]:
    """All that a turn did; after the last one how the game ended. What has no order is sorted."""
    recorded = game["turns"][turn]
    said = {
        **{key: recorded[key] for key in ("scores", "beacons", "messages")},
        **{key: sorted(recorded[key]) for key in ("moves", "eggs", "crystal")},
        "errors": [
            [error["player"], error["message"], error["fatal"]] for error in game["errors"] if error["turn"] == turn + 1
        ],
    }
    if turn + 1 < len(game["turns"]):
        return said
    return {**said, **{key: game[key] for key in ("final_scores", "winner", "end", "game_over_rule", "turns_played")}}


def got(game: Mapping[str, Json], turn: int, state: State) -> Mapping[str, Json]:
    """The same, of our state."""
    events = state.events
    harvests = [
        (state.board.kinds[harvest.cell], [harvest.seat, harvest.amount, list(way)]) for harvest, way in routes(state)
    ]
    said: dict[str, Json] = {
        "scores": state.points,
        "beacons": events.beacons,
        "messages": events.messages,
        "moves": sorted(list(walk) for walk in events.walks),
        "eggs": sorted(shown for kind, shown in harvests if kind == EGG),
        "crystal": sorted(shown for kind, shown in harvests if kind != EGG),
        "errors": [[note.seat, note.message, note.kind == "fault"] for note in rules.notes(state)],
    }
    if turn + 1 < len(game["turns"]):
        return said
    return {**said, **_result(state)}


def expected_map(game: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a bot in seat 0 reads first, and the numbers that it stands for."""
    return {key: game[key] for key in ("init", "sha256", "turn1_sha256", "cells", "bases", "ants_per_base")}


def got_map(game: Mapping[str, Json], state: State) -> Mapping[str, Json]:
    """The same, of our state."""
    turn_lines = protocol.prompt(state, 0, False).splitlines()
    lines = protocol.prompt(state, 0, True).splitlines()[: -len(turn_lines)]
    return {
        "init": lines,
        "sha256": _digest(lines),
        "turn1_sha256": _digest(turn_lines),
        "cells": len(state.board.kinds),
        "bases": len(state.board.bases[0]),
        "ants_per_base": state.board.ants_per_base,
    }


def _result(state: State) -> Mapping[str, Json]:
    first, second = scores = rules.final_scores(state)
    failed = [
        f"p{seat}_{'invalid' if kind in ('invalid', 'illegal') else 'timeout'}"
        for seat, kind in enumerate(state.events.failed)
        if kind
    ]
    return {
        "final_scores": scores,
        "winner": None if first == second else int(second > first),
        "end": "+".join(failed) or state.end,
        "game_over_rule": None if state.end is End.LAST_TURN else state.end,
        "turns_played": state.turn,
    }


def _digest(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
