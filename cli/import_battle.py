"""`hexarena import-battle`: a battle of CodinGame's, played again by our referee, becomes a replay for our viewer."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hexarena.cli.entrants import Refused, check_folders, check_outputs, found_through, named_game, seed_and_league
from hexarena.cli.output import turns_text, visible, write_to
from hexarena.cli.process_pool import naming_faults_of
from hexarena.games.battle import BadBattle, Battle, Replayed, game_named, play_again, read_battle
from hexarena.games.catalogue import UnknownGame, all_games
from hexarena.games.contract import Game
from hexarena.worker.sandbox import SandboxError

MOST_BYTES = 32_000_000
"""Of a file; battles have some hundred thousand."""
MOST_SHOWN = 20
"""Differences that are printed."""
DIFFERENT, REFUSED = 1, 2

console = Console(stderr=True)


def import_battle(
    file: Annotated[
        Path,
        typer.Argument(
            help="A gameResult as JSON, alone or within `gameResult` or `success`.", exists=True, dir_okay=False
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="Which game, e.g. ants; left out where the file has a title that names it.")
    ] = None,
    league: Annotated[
        int | None, typer.Option("--level", "--league", help="Rules level; the full game if left out.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(help="Write the replay to this file; if left out, a new one, FILE with the ending .jsonl."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result as JSON to this file; - for standard output.")
    ] = None,
) -> None:
    """Play a battle of CodinGame's again by our rules: write its replay, and name each difference.

    Example: hexarena import-battle battle.json --game ants, then hexarena watch battle.jsonl. Exit codes: 0 if it is
    the same match, 1 if scores, ranks or who was asked differ, 2 if it could not be played.
    """
    try:
        out = replay or file.with_suffix(".jsonl")
        if out.resolve() == file.resolve():
            raise Refused(f"the replay would be written over the battle; say where it goes with --replay, got {out}")
        files = {"--replay": out, "--json": json_file}
        check_folders(files, or_output=("--json",))
        check_outputs([file], files)
        battle = _read(file)
        chosen = _game(battle, game)
        _, level = seed_and_league(chosen, battle.seed, league)
        with naming_faults_of(chosen.id):
            played = play_again(chosen, battle, league=level)
            same_level = None if league is not None else _same_level(chosen, battle, played)
        if replay is None and out.exists() and out.read_bytes() != played.replay.encode():
            raise Refused(f"{out} is there already, with other content; say where the replay goes with --replay")
        out.write_text(played.replay)
        if json_file is not None:
            write_to(json_file, json.dumps(_as_json(chosen, battle, played, level)) + "\n")
    except (BadBattle, Refused, UnknownGame, SandboxError, OSError) as error:
        console.print(f"{file}: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(REFUSED) from None
    if str(json_file) != "-":
        _show(chosen, battle, played, out, same_level)
    raise typer.Exit(DIFFERENT if played.differences else 0)


def _read(file: Path) -> Battle:
    """Raises: BadBattle, OSError."""
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise BadBattle(f"a file of at most {MOST_BYTES:,} bytes", f"{size:,}")
    return read_battle(file.read_bytes())


def _game(battle: Battle, wanted: str | None) -> Game:
    """The game that the user named, or the file does. Raises: BadBattle, UnknownGame."""
    named = game_named(battle, all_games())
    if wanted is None:
        if named is None:
            titles = f"the title {battle.titles[0]!r}" if battle.titles else "a file without a title"
            raise BadBattle(
                f"a battle of {', '.join(one.title for one in all_games().values())}",
                f"{titles}. Name the game: --game ants",
            )
        return named
    chosen = named_game(wanted)
    if named is not None and named.id != chosen.id:
        raise BadBattle(f"a battle of {chosen.title}", f"one of {named.title}: its title is {battle.titles[0]!r}")
    return chosen


def _same_level(game: Game, battle: Battle, played: Replayed) -> int | None:
    """The highest rules level by which it is the same match, where it is not by those of the full game."""
    if not played.differences:
        return None
    lower = (level for level in reversed(game.levels[:-1]))
    return next((level for level in lower if not play_again(game, battle, league=level).differences), None)


def _as_json(game: Game, battle: Battle, played: Replayed, league: int) -> dict[str, object]:
    outcome = played.record.outcome
    return {
        "game": game.id,
        "seed": battle.seed,
        "league": league,
        "names": list(battle.names),
        "turns": len(played.record.turns),
        "scores": list(outcome.scores),
        "ranks": list(outcome.ranks),
        "battle_scores": list(battle.scores),
        "battle_ranks": None if battle.ranks is None else list(battle.ranks),
        "differences": list(played.differences),
    }


def _show(game: Game, battle: Battle, played: Replayed, out: Path, same_level: int | None) -> None:
    record = played.record
    scores = ", ".join(f"{name} {score:g}" for name, score in zip(battle.names, record.outcome.scores, strict=True))
    _print(f"{game.title}, seed {battle.seed}, rules level {record.league}: {turns_text(len(record.turns))}. {scores}.")
    if not played.differences:
        _print("The same match: scores, ranks and who was asked in each turn agree with the battle.", "green")
    for difference in played.differences[:MOST_SHOWN]:
        _print(difference, "red")
    if len(played.differences) > MOST_SHOWN:
        _print(f"… and {len(played.differences) - MOST_SHOWN} more; --json FILE has all of them.", "red")
    if same_level is not None:
        # With --replay, as the file is there now.
        again = f"--level {same_level} --replay {shlex.quote(str(out))}"
        _print(f"By the rules of level {same_level} it is the same match: {again}", "yellow")
    elif played.differences and _unreadable(played):
        _print("No first reply can be read: is it a battle of another game?", "yellow")
    _print(f"Watch it with: {found_through(game)}hexarena watch {shlex.quote(str(out))}")


def _unreadable(played: Replayed) -> bool:
    """Whether nobody's first reply is a move."""
    record = played.record
    first = {seat for seat in range(record.seats) for fault in record.faults if fault.seat == seat and fault.turn <= 2}
    return len(record.turns) <= 2 and bool(first)


def _print(text: str, style: str = "") -> None:
    Console().print(visible(text), style=style, markup=False, highlight=False, soft_wrap=True)
