"""What is wrong with a game's manifest or its files. A game with problems is left out of the arena, which starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hexarena.games.contract import Clock, Game, HouseBot, League, tells_nothing

ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
ENDINGS = frozenset(
    (
        *(".py", ".c", ".cpp", ".cc", ".cxx", ".js", ".ts", ".java", ".rs", ".go", ".cs", ".rb", ".php"),
        *(".kt", ".lua", ".pl", ".pm", ".sh", ".hs", ".ml", ".d", ".pas", ".pp"),
    )
)
"""Of the languages that bots are written in, as `backend/submissions/languages` has them."""
FUNCTIONS = {
    "rules": ("setup", "to_act", "step", "notes", "outcome"),
    "protocol": ("prompt", "parse"),
    "replay": ("header", "frame"),
}
MACHINE_FUNCTIONS = ("actions", "legal", "shape", "observation", "out")
LONGEST_NAME = 40
MOST_TEAMS = 16


def problems(game: object, name: str, folder: Path) -> list[str]:
    """A sentence for each thing without which the arena cannot use the game. `name`: of its folder or entry point."""
    if not isinstance(game, Game):
        return [f"expected GAME to be a Game; got {type(game).__name__}"]
    try:
        found = [*_of_values(game, name), *_of_options(game), *_of_seats(game), *_of_bots(game)]
        return found or list(_of_files(game, folder))
    except Exception as error:  # noqa: BLE001 - a value of another type than it says
        return [f"the manifest cannot be read: {type(error).__name__}: {error}"]


def file_of_bot(folder: Path, file: str) -> Path:
    """A starter's or house bot's file: in `bots/`, or beside the rules where there is no such folder."""
    shipped = folder / "bots" / file
    return shipped if shipped.exists() or (folder / "bots").is_dir() else folder / file


def _of_values(game: Game, name: str) -> Iterator[str]:
    if game.id != name:
        yield f"expected its id to be the name {name!r}; got {game.id!r}"
    if not ID.fullmatch(game.id):
        yield f"expected an id of small letters, digits and _, up to 40, a letter first; got {game.id!r}"
    for value in ("title", "summary", "version"):
        text = getattr(game, value)
        if not isinstance(text, str) or not text.strip():
            yield f"expected a text as {value}; got {text!r}"
    if not isinstance(game.clock, Clock) or not game.clock.first_s >= game.clock.turn_s > 0:
        yield f"expected a clock with first_s >= turn_s > 0; got {game.clock}"
    for value in ("max_turns", "reply_bytes", "team_seats"):
        number = getattr(game, value)
        if not isinstance(number, int) or number < 1:
            yield f"expected {value} to be 1 or more; got {number!r}"
    if not game.levels or list(game.levels) != sorted(set(game.levels)):
        yield f"expected levels in rising order; got {game.levels}"
    optional = {
        **({} if game.hidden is None else {"hidden": ("hidden_header", "hidden_frame")}),
        **({} if game.machine is None else {"machine": MACHINE_FUNCTIONS}),
    }
    for part, functions in {**FUNCTIONS, **optional}.items():
        for function in functions:
            if not callable(getattr(getattr(game, part), function, None)):
                yield f"expected {part}.{function}, a function; got none"
    written = (game.rules, game.protocol, game.replay)
    for value, functions in {
        "hidden": ("hidden_header", "hidden_frame") if game.hidden is None else (),
        "tell": ("tell",) if game.tell is tells_nothing else (),
    }.items():
        forgotten = [one for one in functions if any(hasattr(part, one) for part in written)]
        if forgotten:
            yield f"there is {' and '.join(forgotten)}, but GAME has no {value}=, so nobody calls it"


def _of_options(game: Game) -> Iterator[str]:
    for option, default in game.options.items():
        is_choice = isinstance(default, tuple) and len(default) > 1 and all(isinstance(one, str) for one in default)
        if not is_choice and not isinstance(default, int | str):
            yield f"expected a number, a text or texts to choose from as default of {option}; got {default!r}"


def _of_seats(game: Game) -> Iterator[str]:
    seats, teams = game.seats, game.team_seats
    if not _counts(seats):
        yield f"expected seats, e.g. (2, 3, 4); got {seats!r}"
        return
    if max(seats) > MOST_TEAMS * teams:
        yield f"expected at most {MOST_TEAMS} teams, which have colours; got {max(seats)} seats, {teams} to a team"
    if bad := [one for one in seats if one % teams]:
        yield f"expected seats in whole teams of {teams}; got {bad}"
    if not _counts(game.ladder_entrants):
        yield f"expected ladder_entrants, e.g. (4, 3, 2); got {game.ladder_entrants!r}"
    elif bad := [one for one in game.ladder_entrants if one * teams not in seats]:
        yield f"expected ladder_entrants that fill one of the seats {seats}; got {bad}"


def _counts(numbers: Sequence[int]) -> bool:
    return isinstance(numbers, tuple) and bool(numbers) and all(isinstance(one, int) and one > 0 for one in numbers)


def _of_bots(game: Game) -> Iterator[str]:
    if not all(isinstance(bot, HouseBot) for bot in game.house_bots):
        yield f"expected house_bots to be HouseBots; got {game.house_bots!r}"
    if not game.leagues or not all(isinstance(league, League) for league in game.leagues):
        yield f"expected leagues; got {game.leagues!r}"
    names = [bot.name for bot in game.house_bots]
    for name in names:
        if names.count(name) > 1 or not 0 < len(name) <= LONGEST_NAME:
            yield f"expected house bots with names of their own, up to {LONGEST_NAME} characters; got {name!r}"
    for league in game.leagues[:-1]:
        if league.boss not in names:
            yield f"expected a house bot as the boss of the league {league.name!r}; got {league.boss!r}"
    if game.leagues[-1].boss not in (None, *names):
        yield f"expected a house bot, or None, as the boss of the top league; got {game.leagues[-1].boss!r}"
    if not game.starters:
        yield "expected starters; got none"


def _of_files(game: Game, folder: Path) -> Iterator[str]:
    for file in (*game.starters, *(bot.file for bot in game.house_bots)):
        if Path(file).suffix.lower() not in ENDINGS:
            yield f"expected a bot in a language that is known here; got {file!r}"
        if not file_of_bot(folder, file).is_file():
            yield f"expected the file {file_of_bot(folder, file)}; there is none"
    lessons = [Path("lessons", f"{number}.md") for number, _ in enumerate(game.lessons, start=1)]
    for named in (Path("statement.md"), *lessons, *map(Path, game.harness.values())):
        if not (folder / named).is_file():
            yield f"expected the file {folder / named}; there is none"
