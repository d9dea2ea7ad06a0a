"""How recordings of the reference referee of Yavalath are compared with these rules. Source: the spec, section 0."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.games.contract import Json
from hexarena.games.yavalath import rules
from hexarena.games.yavalath.rules import Cause, State


def setup(game: Mapping[str, Json]) -> State:
    """The empty board."""
    return rules.setup(2, game["seed"], game["league"])


def expected(game: Mapping[str, Json], turn: int) -> Mapping[str, Json]:
    """Scores and messages of the turn; after the last one how the game ended."""
    said = {"scores": game["turns"][turn]["scores"], "errors": _messages(game, turn)}
    if turn + 1 < len(game["turns"]):
        return said
    return {**said, "final_scores": game["final_scores"], "winner": game["winner"], "end": game["end"]}


def got(game: Mapping[str, Json], turn: int, state: State) -> Mapping[str, Json]:
    """The same, of our state."""
    said: dict[str, Json] = {"scores": rules.scores(state), "errors": [note.message for note in rules.notes(state)]}
    if turn + 1 < len(game["turns"]):
        return said
    return {**said, "final_scores": rules.scores(state), "winner": _winner(state), "end": _end(state)}


def expected_map(game: Mapping[str, Json]) -> Mapping[str, Json]:
    """Nothing: there are no maps."""
    return {}


def got_map(game: Mapping[str, Json], state: State) -> Mapping[str, Json]:
    """Nothing, as above."""
    return {}


def _messages(game: Mapping[str, Json], turn: int) -> list[str]:
    split = (error.partition(" ") for error in game["errors"])
    return [message for index, _, message in split if int(index) == turn]


def _winner(state: State) -> int:
    first, second = rules.scores(state)
    return -1 if first == second else int(second > first)


def _end(state: State) -> str:
    if state.end is None:
        return "not over"
    return state.end.cause if state.end.cause is Cause.FULL_BOARD else f"p{state.end.seat} {state.end.cause}"
