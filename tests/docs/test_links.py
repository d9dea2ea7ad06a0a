"""What the documents point to exists: links and their anchors, paths and modules, commands and their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest
import typer

import hexarena as hexarena_package
from hexarena.cli.app import app

ROOT = Path(__file__).parents[2]
TREE = (
    "backend", "bench", "cli", "docker", "docs", "environments", "frontend", "games", "migrations", "scripts", "src",
    "tests", "worker",
)  # fmt: skip
SKIPPED = {"node_modules", "dist", "__pycache__", "hexarena"}
"""Folders that are installed or built, and `src/hexarena`, whose links lead back into the tree."""
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(file for part in ("docs", "bench", "games") for file in (ROOT / part).rglob("*.md"))]
)
EXAMPLES = re.compile(
    r"games/(nim\b|<[a-z]+>)|^bots/counter\.py|^recordings\.|frontend/dist"  # adding-a-game.md; what a build writes
    r"|games/claims\b|^(game|boss)\.py$|^viewer\.js$"  # what new-game writes
    r"|^(backend|worker)/cli\.py$|^duels/sprt\.py$"  # in decisions: places that were planned or left
    r"|^(main|board|bot|my|mine|before|beam)\.(py|c|cpp|hpp|js|ts|rs|sh)$|^(search|my-bot)/"  # the bots of players.md
)
FILE = re.compile(r"[\w.*-]+\.(?:py|ts|svelte|sh|toml|yml|css|svg|md|c|cpp|gz)")


def named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


document = pytest.mark.parametrize("file", DOCUMENTS, ids=named)


@cache
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def tree() -> tuple[str, ...]:
    """All files and folders of the tree, each with a slash in front, so that a whole name can be looked for."""

    def below(folder: Path) -> Iterator[Path]:
        for path in folder.iterdir():
            if path.name not in SKIPPED:
                yield path
                if path.is_dir() and not path.is_symlink():
                    yield from below(path)

    found = [*ROOT.glob("*.*"), *(path for part in TREE for path in below(ROOT / part))]
    return tuple(f"/{named(path)}" for path in found)


def prose_of(text: str) -> str:
    """The text without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(file: Path) -> set[str]:
    """The headings' anchors, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(text_of(file)), re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)|`", r"\1", heading).strip().lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@document
def test_every_relative_link_leads_to_a_file_and_a_heading(file: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", prose_of(text_of(file)))
    for target in (target for target in targets if "://" not in target):
        path, _, anchor = target.partition("#")
        goal = (file.parent / path).resolve() if path else file
        assert goal.exists(), f"{target}: there is no {path}"
        assert not anchor or anchor in anchors(goal), f"{target}: {named(goal)} has no such heading"


def paths_in(text: str) -> Iterator[str]:
    """Paths of the tree, wherever they stand, and names of files in backticks."""
    yield from re.findall(rf"(?<![\w./-])(?:{'|'.join(TREE)})/[\w./*<>-]*\w", text)
    for code in re.findall(r"`([^`\n]+)`", prose_of(text)):
        words = (word.rstrip("/") for word in code.split() if not word.startswith(("/", "*")))
        yield from (word for word in words if FILE.fullmatch(word.rsplit("/", 1)[-1]))


def exists(path: str, near: Path) -> bool:
    """Whether there is such a file: from the top, from the document's folder, or by the end of its path."""
    if any(any(folder.glob(path)) for folder in (ROOT, near)):
        return True
    return any(known.endswith(f"/{path}") for known in tree())


@document
def test_every_path_exists(file: Path) -> None:
    paths = {path for path in paths_in(text_of(file)) if not EXAMPLES.search(path)}
    assert [path for path in sorted(paths) if not exists(path, file.parent)] == []


@document
def test_every_module_exists(file: Path) -> None:
    modules = re.findall(r"\bpython3? -m ((?:tests|hexarena)\.[\w.]+)", text_of(file))
    modules += re.findall(r"`(hexarena(?:\.\w+)+)`", text_of(file))
    functions = {f"hexarena.{name}" for name in hexarena_package.__all__}
    for module in (one for one in modules if one not in functions and not one.startswith("hexarena.games.nim")):
        path = ROOT / module.removeprefix("hexarena.").replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), module


# --- Commands --------------------------------------------------------------------------------------------------------


@cache
def hexarena() -> object:
    return typer.main.get_command(app)


def commands_in(text: str) -> Iterator[list[str]]:
    """The words after `hexarena`, in blocks of code and in backticks."""
    blocks = re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", prose_of(text))
    for line in lines:
        found = re.match(r"(?:[$#] )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?hexarena ([^#]*)", line)
        if found:
            yield found[1].split()


@document
def test_every_command_and_option_of_ours_exists(file: Path) -> None:
    for words in commands_in(text_of(file)):
        command: object = hexarena()
        for word in takewhile(lambda word: re.fullmatch(r"[a-z][a-z-]*", word), words):
            if not hasattr(command, "commands"):  # an argument follows
                break
            assert word in command.commands, f"hexarena {' '.join(words)}: there is no {word}"
            command = command.commands[word]
        known = {option for parameter in getattr(command, "params", ()) for option in parameter.opts} | {
            "--help",
            "--version",
        }
        assert {word for word in words if re.fullmatch(r"--[a-z-]+", word)} <= known, f"hexarena {' '.join(words)}"


@document
def test_every_target_of_make_exists(file: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    lines = re.findall(r"^(?:[A-Z_]+=\S+ )*make ([a-z -]+)", text_of(file), re.MULTILINE)
    lines += re.findall(r"`(?:[A-Z_]+=\S+ )*make ([a-z-]+)`", text_of(file))
    assert {word for line in lines for word in line.split()} <= targets
