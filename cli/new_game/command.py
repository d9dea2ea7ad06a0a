"""`hexarena new-game`: five files that are a game, and pass `hexarena check` as they are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.console import Console

from hexarena.cli.connection import failed
from hexarena.games.catalogue import all_games
from hexarena.games.discovery import reserved
from hexarena.games.manifest import ID

TEMPLATE = Path(__file__).parent / "template"
FILES = ("game.py", "viewer.ts", "statement.md", "starter.py", "boss.py")
CONSTANTS = frozenset({"WIDTH", "CELLS", "FREE", "GONE", "WISHES", "GAME"})
"""Of game.py, beside the rules, which are called as the game."""
SEATS = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")
MARKED = re.compile(r"@([a-z]+)\|(.*\n)")
WISHES = 3
FEW = 4
"""Seats for which a small board is enough."""
MOST_SEATS = 8
"""More colours than that nobody can tell apart."""
console = Console(stderr=True)


def new_game(
    name: Annotated[str, typer.Argument(help="The id of the game: small letters, digits and _.")],
    seats: Annotated[str, typer.Option(help="How many play a match: 2, or 2-4.")] = "2",
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="All seats act at once, instead of one after the other.")
    ] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Each seat has something that the others do not see.")
    ] = False,
    into: Annotated[Path, typer.Option(help="The folder that gets the game's folder.")] = Path(),
) -> None:
    """Write a small game that runs, to change it into yours: rules, viewer, statement, a starter and a boss.

    --simultaneous and --hidden go together, too.
    """
    counts = _counts(seats)
    if not ID.fullmatch(name):
        raise failed(f"expected a name of small letters, digits and _, up to 40, a letter first; got {name!r}")
    if name in all_games():
        raise failed(f"there is a game {name} already")
    if name in reserved():
        raise failed(f"{name} is a part of Hexarena: expected another name")
    if name.upper() in CONSTANTS:
        raise failed(f"{name.upper()} is a constant of every new game: expected another name")
    folder = into / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise failed(f"{folder} exists already") from None
    except OSError as error:
        raise failed(f"{error.filename}: {error.strerror}") from None
    write(name, counts, folder, simultaneous=simultaneous, hidden=hidden)
    named = shlex.quote(str(folder))
    console.print(
        f"{folder} has {', '.join(FILES)}.\n"
        f"Check it:  hexarena check {named}\n"
        f"Write it:  hexarena dev {named}\n"
        f"Play it:   hexarena match {named}"
        f"{' --bot Boss' * counts[0]} --no-sandbox --replay {name}.jsonl",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def _counts(seats: str) -> tuple[int, ...]:
    found = SEATS.fullmatch(seats)
    first, last = (0, 0) if found is None else (int(found[1]), int(found[2] or found[1]))
    if not 2 <= first <= last <= MOST_SEATS:
        raise failed(f"expected seats such as 2, or 2-4, up to {MOST_SEATS}; got {seats!r}")
    return tuple(range(first, last + 1))


def write(name: str, seats: tuple[int, ...], folder: Path, *, simultaneous: bool, hidden: bool = False) -> None:
    """The files of a new game, into a folder that is there."""
    kinds = {"sim" if simultaneous else "turn", "hid" if hidden else "open"}
    words = _words(name, seats, simultaneous=simultaneous, hidden=hidden)
    for file in FILES:
        text = "".join(_lines_for(kinds, (TEMPLATE / f"{file}.txt").read_text()))
        (folder / file).write_text(re.sub(r"@([A-Z_]+)@", lambda found: words.get(found[1], found[0]), text))


def _lines_for(kinds: Collection[str], template: str) -> Iterator[str]:
    """Lines without a mark, and those whose mark, such as `@sim|`, is one of these kinds."""
    for line in template.splitlines(keepends=True):
        marked = MARKED.fullmatch(line)
        if marked is None:
            yield line
        elif marked[1] in kinds:
            yield marked[2]


def _words(name: str, seats: tuple[int, ...], *, simultaneous: bool, hidden: bool) -> Mapping[str, str]:
    """What replaces @KEY@ in the templates."""
    title = name.replace("_", " ").title()
    width = 5 if seats[-1] <= FEW else 8
    aim = "Claim the cells that are worth most"
    if hidden:
        aim += ", to you more than to others"
    return {
        "ID": name,
        "TITLE": title,
        "CLASS": title.replace(" ", "") + "Rules",
        "CONSTANT": name.upper(),
        "SUMMARY": f"{aim}, and not those that everybody wants." if simultaneous else f"{aim}, one after the other.",
        "WIDTH": str(width),
        "CELLS": str(width**2),
        "SEATS": _listed(seats),
        "LADDER": _listed(seats[::-1]),
        "FEWEST": str(seats[0]),
        "EXAMPLE": _first_input(seats[0], width**2, hidden=hidden),
        "TOPIC": "simultaneous turns" if simultaneous else "alternating turns",
        "BOSS": "Takes valuable cells, but not always the one that all others want."
        if simultaneous
        else "Takes the free cell that is worth most.",
        # In each turn a cell is taken or a seat goes out, and the last one is not asked.
        "TURNS": str(width**2 + (0 if simultaneous else seats[-1] - 2)),
    }


def _listed(seats: tuple[int, ...]) -> str:
    """As in the brackets of a tuple."""
    return str(seats)[1:-1]


def _first_input(seats: int, cells: int, *, hidden: bool) -> str:
    """What seat 0 of the template's game reads in the first turn of a match with the seed 1."""
    random = Random(1)
    values = [random.randint(1, 9) for _ in range(cells)]
    lines = [[seats, 0, cells], values, [-1] * cells]
    if hidden:
        lines.insert(2, sorted(random.sample(range(cells), WISHES)))
    return "\n".join(" ".join(map(str, line)) for line in lines)
