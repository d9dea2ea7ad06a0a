"""Checks by other programs, where they are there: the type checkers, the linter, the viewer on a recording canvas."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject, expect
from hexarena.games.catalogue import FOLDER as CATALOGUE
from hexarena.games.contract import Game
from hexarena.games.lines import seen_by

ROOT = Path(__file__).resolve().parents[2]
BUILDER = ROOT / "frontend" / "build.py"
LAST = 800
"""Characters of what a program said, from its end."""


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
    _run("mypy", *words, finds="mypy finds", environment={"MYPYPATH": str(_typed(subject))})


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
    source, shipped = subject.folder / "viewer.ts", subject.folder / "viewer.js"
    if not source.is_file() and not shipped.is_file():
        raise CheckFailed("expected a viewer.ts, or a built viewer.js; got none, so that nobody can watch a match")
    builder = find_builder()
    if source.is_file():
        by_builder(builder, "does not type-check", lambda: builder.check_viewer(source))
        by_builder(builder, "cannot be built", lambda: builder.build_viewer(subject.game.id, source, subject.build))
        shipped = subject.build / f"{subject.game.id}.js"
    for seats in subject.game.seats:
        lines = subject.lines(subject.record(seats))
        for seen, whose in _views(subject.game, seats, lines):
            replay = subject.build / f"{seats}.jsonl"
            replay.write_text("".join(seen))
            draw = partial(builder.draw_match, shipped, replay)
            by_builder(builder, f"draws a match with {seats} seats{whose} badly", draw)


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


def by_builder(builder: ModuleType, what: str, act: Callable[[], None]) -> None:
    """Raises: CheckFailed, with `what` the viewer does and what the tool said; CheckSkipped without Node."""
    try:
        act()
    except builder.NoNode as none:
        raise CheckSkipped(f"the viewer was not run: {none}") from None
    except subprocess.CalledProcessError as failed:
        told = ((failed.stdout or "") + (failed.stderr or "")).strip()[-LAST:]
        raise CheckFailed(f"the viewer {what}:\n{told}") from None


TOOLS: Mapping[str, Callable[[Subject], None]] = {"viewer": viewer, "types": types, "lint": lint}
"""Name -> check."""
