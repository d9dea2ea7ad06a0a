"""How recordings of the reference referee are compared with these rules. Source: the spec, section 0."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.games.contract import Json
from hexarena.games.tryangle import protocol, rules
from hexarena.games.tryangle.land import survey
from hexarena.games.tryangle.mapmaking import Map
from hexarena.games.tryangle.network import network_of
from hexarena.games.tryangle.rules import Elimination, State

_MAP_LEAGUE = 4
_RESULT = ("final_scores", "winner", "end", "frames")


def setup(game: Mapping[str, Json]) -> State:
    """The map of the recording's seed, or its own one (`params`; the spec, section 12)."""
    league = game.get("league", _MAP_LEAGUE)
    if not game.get("params"):
        return rules.setup(2, game["seed"], league)
    return rules.opening(_custom_map(game["params"]), league)


def expected(game: Mapping[str, Json], turn: int) -> Mapping[str, Json]:
    """Scores and errors of the turn; after the last one how the game ended, unless the reference crashed.

    A rule eliminates a seat at the beginning of a turn, and thus in the state after the turn before. Nothing is
    compared in a turn in which the reference crashed while it read the replies.
    """
    recorded = game["turns"][turn]
    if recorded["scores"] is None:
        return {}
    said = {"errors": _errors_after(game, turn), "scores": recorded["scores"]}
    if turn + 1 < len(game["turns"]) or game["final_scores"] is None:
        return said
    return {**said, **{key: game[key] for key in _RESULT}}


def got(game: Mapping[str, Json], turn: int, state: State) -> Mapping[str, Json]:
    """The same, of our state."""
    if game["turns"][turn]["scores"] is None:
        return {}
    notes = [f"${note.seat}: {note.message}" for note in state.events.notes]
    said: dict[str, Json] = {"errors": notes, "scores": state.events.scores}
    if turn + 1 < len(game["turns"]) or game["final_scores"] is None:
        return said
    first, second = state.scores
    ends = [f"p{seat} {_end_words(out)}" for seat, out in enumerate(state.eliminated) if out]
    return {
        **said,
        "final_scores": state.scores,
        "winner": -1 if first == second else int(second > first),
        "end": ", ".join(ends) or ("max turns" if state.over else "not over"),
        "frames": state.frames,
    }


def expected_map(game: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a bot in seat 0 reads in the first turn of league 4."""
    return {key: game[key] for key in ("houses", "init", "turn1")}


def got_map(game: Mapping[str, Json], state: State) -> Mapping[str, Json]:
    """The same, of our state."""
    houses = len(state.land.places)
    lines = protocol.prompt(state, 0, True).splitlines()
    return {"houses": houses, "init": lines[: houses + 1], "turn1": lines[houses + 1 :]}


def _custom_map(params: Mapping[str, str]) -> Map:
    """Numbers are joined by commas, groups of them by underscores."""
    places, edges, units = (
        [tuple(map(int, group.split(","))) for group in params[key].split("_")] for key in ("nodes", "edges", "units")
    )
    paths = {(min(edge), max(edge)) for edge in edges}
    land = survey([(x, y) for x, y in places], paths=paths)
    first, second = zip(*units, strict=True)
    return Map(land, network_of(land, paths), (first, second))


def _errors_after(game: Mapping[str, Json], turn: int) -> list[str]:
    """The errors of the turn's replies, then the eliminations at the start of the next one."""
    split = [error.partition(" ") for error in game["errors"]]
    errors = [(int(index), words) for index, _, words in split]
    return [
        *(words for index, words in errors if index == turn and not _is_by_rule(words)),
        *(words for index, words in errors if index == turn + 1 and _is_by_rule(words)),
    ]


def _is_by_rule(words: str) -> bool:
    return words.partition(": ")[2] in (rules.NOTHING_LEFT, rules.NO_HOPE, rules.DOMINATED)


def _end_words(out: Elimination) -> str:
    return "unknown command" if out.fault in ("invalid", "illegal") else out.words
