"""One match, or one build of a viewer, in this process, which reads an order as JSON from standard input.

What came of it is JSON in the order's `answer`; of a failure, the problem in words. A process that ends without
an answer has crashed, and the end of its standard error may say why.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from types import FrameType
from typing import Any

from hexarena.backend.runtime.parent import follow_parent
from hexarena.cli.check.subject import CheckFailed, CheckSkipped
from hexarena.cli.check.tools import by_builder, find_builder
from hexarena.cli.dev.state import PROBLEM
from hexarena.cli.entrants import Refused, bots_by_seat, seed_and_league
from hexarena.cli.match import play_here
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import Game, GameError
from hexarena.games.house import house_bots
from hexarena.games.referee import Record
from hexarena.worker.sandbox import SandboxError

MOST_FAULTS = 8
"""That are reported of one match."""
LAST_OF_STDERR = 1500
"""Characters of what a bot wrote before its fault."""


def main() -> None:
    """Does what the order says, or says what the game has that does not let it."""
    order = json.load(sys.stdin)
    signal.signal(signal.SIGTERM, _end)
    follow_parent()
    try:
        answer = {"play": _play, "build": _build, "draw": _draw}[order["what"]](order)
    except (Refused, SandboxError, GameError, CheckFailed) as error:
        answer = {PROBLEM: str(error)}
    except Exception as error:  # noqa: BLE001 - whatever the code of a game does
        answer = {PROBLEM: _traceback(error, Path(order["folder"]))}
    Path(order["answer"]).write_text(json.dumps(answer))


def _end(number: int, frame: FrameType | None) -> None:
    """Leaves all contexts, which ends the bots."""
    raise SystemExit(128 + number)


def _play(order: Mapping[str, Any]) -> Mapping[str, Any]:
    """Plays a match, and writes its replay to `into`."""
    game = _game(order["game"])
    seed, league = seed_and_league(game, order["seed"], None)
    seated = _seated(game, order["bots"], order["seats"], seed)
    played = play_here(game, seated, seed=seed, league=league, no_sandbox=order["no_sandbox"])
    Path(order["into"]).write_text(played.replay)
    own = [*game.starters, *(bot.file for bot in game.house_bots), *game.harness.values()]
    reason = played.record.outcome.reason
    return {
        "faults": _faults_in_words(played.record, seated),
        "turns": len(played.record.turns),
        "reason": reason,
        "own": own,
    }


def _game(game_id: str) -> Game:
    """Raises: Refused, with what is wrong with the game."""
    try:
        return find_game(game_id)
    except UnknownGame as unknown:
        raise Refused(str(unknown) if unknown.broken is None else unknown.broken.problem) from None


def _seated(game: Game, bots: Sequence[str], seats: int | None, seed: int) -> Sequence[str]:
    """Seat -> bot. Without bots: the starter, then the house bots; with fewer than `seats`, from the first again.

    Raises: Refused.
    """
    if seats is None and bots:
        return bots_by_seat(game, bots, seed)
    wanted = game.ladder_entrants[0] * game.team_seats if seats is None else seats
    if wanted not in game.seats:
        raise Refused(f"expected {' or '.join(map(str, game.seats))} seats, as {game.title} has; got {wanted}")
    if len(bots) > wanted:
        raise Refused(f"expected at most {wanted} bots, one for each seat; got {len(bots)}")
    named = list(bots) or [bot.name for bot in house_bots(game)]
    teams = list(islice(cycle(named), wanted // game.team_seats))
    return list(islice(cycle(named), wanted)) if bots else game.side_by_side(teams)


def _faults_in_words(record: Record, seated: Sequence[str]) -> str:
    """Each fault in a line, with what the bot wrote to standard error before it; empty without one."""
    lines: list[str] = []
    faults = [fault for fault in record.faults if fault.kind != "warning"]
    for fault in faults[:MOST_FAULTS]:
        lines.append(f"turn {fault.turn}, seat {fault.seat} ({seated[fault.seat]}): {fault.kind}: {fault.message}")
        exchanges = record.turns[fault.turn - 1].exchanges
        wrote = "".join(one.stderr for one in exchanges if one.seat == fault.seat).strip()
        if wrote and wrote not in fault.message:
            lines.append(wrote[-LAST_OF_STDERR:])
    if len(faults) > MOST_FAULTS:
        lines.append(f"and {len(faults) - MOST_FAULTS} more")
    return "\n".join(lines)


def _build(order: Mapping[str, Any]) -> Mapping[str, Any]:
    """Type-checks and builds a viewer, as `into`/<game>.js."""
    source, into = Path(order["folder"], "viewer.ts"), Path(order["into"])
    try:
        builder = find_builder()
        by_builder(builder, "does not type-check", lambda: builder.check_viewer(source), source.parent)
        build = partial(builder.build_viewer, order["game"], source, into)
        by_builder(builder, "cannot be built", build, source.parent)
    except CheckSkipped as why:
        return {"missing": str(why)}
    return {}


def _draw(order: Mapping[str, Any]) -> Mapping[str, Any]:
    """Draws each turn of `replay` by the module `viewer`."""
    try:
        builder = find_builder()
        viewer, replay = Path(order["viewer"]), Path(order["replay"])
        by_builder(builder, "draws this match badly", lambda: builder.draw_match(viewer, replay))
    except CheckSkipped as why:
        return {"missing": str(why)}
    return {}


def _traceback(error: Exception, folder: Path) -> str:
    """From the first line of the game's own code on, if it comes to that; else all of it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((at for at, one in enumerate(frames) if Path(one.filename).is_relative_to(folder)), 0)
    return "".join(
        [*traceback.format_list(list(_short(frames[own:], folder))), *traceback.format_exception_only(error)]
    )


def _short(frames: Sequence[traceback.FrameSummary], folder: Path) -> Iterator[traceback.FrameSummary]:
    """Files of the game by their names in its folder."""
    for one in frames:
        path = Path(one.filename)
        name = str(path.relative_to(folder)) if path.is_relative_to(folder) else one.filename
        yield traceback.FrameSummary(name, one.lineno, one.name, line=one.line)


if __name__ == "__main__":
    main()
