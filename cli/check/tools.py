"""Checks by other programs, where they are there: the type checkers, the linter, the viewer on a recording canvas."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from hexarena.backend.runtime.pages import SHIPPED_VIEWER
from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject, expect
from hexarena.games.catalogue import FOLDER as CATALOGUE
from hexarena.games.contract import BadReply, Game, IllegalMove, Seat
from hexarena.games.lines import seen_by
from hexarena.games.referee import OpenMatch

ROOT = Path(__file__).resolve().parents[2]
BUILDER = ROOT / "frontend" / "build.py"
MOST_ASKED = 20
"""Turns in which a person is asked."""
ASK = re.compile(r"^ +(async )?ask\b *[:,({]", re.MULTILINE)
"""A member `ask` of the viewer."""
LAST = 800
"""Characters of what a program said, from its end."""

T = TypeVar("T")


def lint(subject: Subject) -> None:
    """ruff, over the game's folder."""
    _run(
        "ruff", "check", "--no-cache", "--output-format=concise", *_own_rules(), str(subject.folder), finds="ruff finds"
    )


def _own_rules() -> Sequence[str]:
    config = ROOT / "pyproject.toml"
    return ("--config", str(config)) if config.is_file() else ()


def types(subject: Subject) -> None:
    """mypy, over the game's modules under the names by which they are imported."""
    others = {*subject.game.starters, *(bot.file for bot in subject.game.house_bots), *subject.game.harness.values()}
    package = f"hexarena.games.{subject.game.id}"
    modules = [path.stem for path in sorted(subject.folder.glob("*.py")) if path.name not in others]
    named = [package if module == "__init__" else f"{package}.{module}" for module in modules]
    flags = ("--strict", "--follow-imports=silent", "--no-error-summary", "--namespace-packages", "--config-file=")
    words = [*flags, "--cache-dir", str(subject.build / "mypy"), *(word for name in named for word in ("-m", name))]
    typed = _typed(subject)
    try:
        _run("mypy", *words, finds="mypy finds", environment={"MYPYPATH": str(typed)})
    except CheckFailed as found:
        raise CheckFailed(str(found).replace(f"{typed / 'hexarena' / 'games' / subject.game.id}/", "")) from None


def _typed(subject: Subject) -> Path:
    """A folder with a package `hexarena` of links, in which the game is, wherever it really is."""
    games = subject.build / "typed" / "hexarena" / "games"
    games.mkdir(parents=True)
    (games.parent / "__init__.py").touch()
    for path in CATALOGUE.iterdir():
        if path.name not in {subject.game.id, "__pycache__"}:
            (games / path.name).symlink_to(path)
    (games / subject.game.id).symlink_to(subject.folder)
    return games.parents[1]


def _run(program: str, *words: str, finds: str, environment: Mapping[str, str] | None = None) -> None:
    if importlib.util.find_spec(program) is None:
        raise CheckSkipped(f"{program} is not installed: pip install {program}")
    done = subprocess.run(
        [sys.executable, "-m", program, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    expect(done.returncode == 0, f"{finds}:\n{(done.stdout + done.stderr).strip()[-LAST:]}")


def viewer(subject: Subject) -> None:
    """The viewer is type-checked, built, and draws every turn of a match with each number of seats."""
    source = subject.folder / "viewer.ts"
    if not source.is_file() and not (subject.folder / SHIPPED_VIEWER).is_file():
        raise CheckFailed("expected a viewer.ts, or a built viewer.js; got none, so that nobody can watch a match")
    builder = find_builder()
    if source.is_file():
        by_builder(builder, "does not type-check", partial(builder.check_viewer, source), source.parent)
    built = _built(subject, builder)
    for seats in subject.game.seats:
        lines = subject.lines(subject.record(seats))
        for seen, whose in _views(subject.game, seats, lines):
            replay = subject.build / f"{seats}.jsonl"
            replay.write_text("".join(seen))
            draw = partial(builder.draw_match, built, replay)
            by_builder(builder, f"draws a match with {seats} seats{whose} badly", draw)


def _built(subject: Subject, builder: ModuleType) -> Path:
    """The viewer as a module. Raises: CheckFailed, CheckSkipped."""
    source, built = subject.folder / "viewer.ts", subject.build / f"{subject.game.id}.js"
    if not source.is_file():
        return subject.folder / SHIPPED_VIEWER
    with subject.building:
        if not built.is_file():
            build = partial(builder.build_viewer, subject.game.id, source, subject.build)
            by_builder(builder, "cannot be built", build, source.parent)
    return built


def in_person(subject: Subject) -> None:
    """A person can play each seat: the viewer's `ask` offers replies that `parse` reads, in turns of a match."""
    game = subject.game
    source = subject.folder / "viewer.ts"
    if not game.in_person:
        if source.is_file() and ASK.search(source.read_text()):
            raise CheckFailed("the viewer has an `ask`, but GAME has no in_person=True, so nobody is asked")
        raise CheckSkipped("the game is not played in person: in_person=False")
    if not any((subject.folder / name).is_file() for name in ("viewer.ts", SHIPPED_VIEWER)):
        raise CheckFailed("in_person=True, but there is no viewer, whose `ask` a person needs")
    builder = find_builder()
    built = _built(subject, builder)
    for seats in game.seats:
        lines = subject.lines(subject.record(seats))
        for seat in dict.fromkeys((0, seats - 1)):
            replay = subject.build / f"{seats}-asked.jsonl"
            replay.write_text("".join(lines if game.hidden is None else (seen_by(seat, line) for line in lines)))
            turns = [turn.number for turn in subject.record(seats).turns if any(o.seat == seat for o in turn.exchanges)]
            ask = partial(builder.ask_person, built, replay, seat, turns[:MOST_ASKED])
            what = f"has in_person=True, but cannot ask a person in seat {seat} of {seats}"
            _expect_readable(subject, seats, seat, by_builder(builder, what, ask) if turns else [])


def _expect_readable(subject: Subject, seats: int, seat: Seat, answers: Sequence[Mapping[str, Any]]) -> None:
    """That `parse` can read the example and what clicks reply. Raises: CheckFailed."""
    record, game = subject.record(seats), subject.game
    match = OpenMatch(game, subject.scripted(seats), seed=record.seed, league=record.league)
    by_turn = {answer["turn"]: answer for answer in answers}
    while match.number < max(by_turn, default=0):
        answer = by_turn.get(match.number + 1, {"example": None, "commands": ()})
        for reply in filter(None, (answer["example"], *answer["commands"])):
            try:
                game.protocol.parse(match.state, seat, reply)
            except IllegalMove:
                continue  # The person sees why, and is asked again.
            except BadReply as bad:
                what = f"turn {match.number + 1}: `ask` offers seat {seat} of {seats} the reply {reply!r}"
                raise CheckFailed(f"{what}, which cannot be read: {bad.message}") from None
        match.play_turn(match.to_act())


def _views(game: Game, seats: int, lines: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """The replay as everybody may see it in the end; then, if something is hidden until then, as it is seen before."""
    yield lines, ""
    if game.hidden is not None:
        yield [seen_by(None, line) for line in lines], " as those see it who watch"
        yield [seen_by(seats - 1, line) for line in lines], f" as seat {seats - 1} sees it"


def find_builder() -> ModuleType:
    """frontend/build.py. Raises: CheckSkipped."""
    spec = importlib.util.spec_from_file_location("hexarena_frontend_build", BUILDER) if BUILDER.is_file() else None
    if spec is None or spec.loader is None:
        raise CheckSkipped("the viewer was not run: that needs a checkout of Hexarena, and Node")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_builder(builder: ModuleType, what: str, act: Callable[[], T], folder: Path | None = None) -> T:
    """What `act` returns. `folder`: the game's, which is left out of the names of its files.

    Raises: CheckFailed, with `what` the viewer does and what the tool said; CheckSkipped without Node.
    """
    try:
        return act()
    except builder.NoNode as none:
        raise CheckSkipped(f"the viewer was not run: {none}") from None
    except subprocess.CalledProcessError as failed:
        output = ((failed.stdout or "") + (failed.stderr or "")).strip()
        if folder is not None:
            # The compilers name files as seen from the frontend's folder.
            output = output.replace(f"{os.path.relpath(folder, BUILDER.parent)}/", "")
        output = output[-LAST:]
        if failed.returncode < 0:
            limit = f"{builder.VIEWER_CPU_S} s of CPU time"
            output = f"stopped by signal {-failed.returncode}, as after {limit}: a loop without end?"
        raise CheckFailed(f"the viewer {what}:\n{output}") from None


TOOLS: Mapping[str, Callable[[Subject], str | None]] = {
    "viewer": viewer,
    "in_person": in_person,
    "types": types,
    "lint": lint,
}
"""Name -> check."""
