"""`hexarena duel`: plays two bots on this machine until it is known whether the candidate is stronger."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hexarena.backend.duels.fixtures import Fixture, draw, entrants_of, in_whole_trials, is_paired, seating
from hexarena.backend.rating import sprt as test
from hexarena.backend.rating.sprt import MOST_GAMES, Preset
from hexarena.cli.duel.score import Ending, LocalDuel, Result, Score, as_json, result_of
from hexarena.cli.duel.view import Scoreboard, print_duel, replay_name
from hexarena.cli.entrants import (
    Refused,
    as_text,
    check_folders,
    check_outputs,
    files_of,
    named_game,
    ready_bot,
    seed_and_league,
    with_options,
)
from hexarena.cli.output import write_to
from hexarena.cli.process_pool import ProcessPool, naming_faults_of, usable_cores
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import UnknownGame
from hexarena.games.contract import Game
from hexarena.worker.play import ReadyBot, Watch, play_match, play_with_retries
from hexarena.worker.sandbox import Sandbox, SandboxError, require_self_test

ATTEMPTS = 5
"""Attempts at one match that our side makes void, before the duel gives up."""
REFUSED = 2
INTERRUPTED = 130

console = Console(stderr=True)


def duel(
    game: Annotated[str, typer.Argument(help="A game's id, e.g. ants, or the folder of one.")],
    candidate: Annotated[
        str, typer.Argument(help="The bot in question, as for `hexarena match`; usually the newer version.")
    ],
    baseline: Annotated[str, typer.Argument(help="The bot that the candidate is compared with.")],
    games: Annotated[
        int, typer.Option(min=1, help="Matches at most; one more where seats are swapped and the number is odd.")
    ] = MOST_GAMES,
    preset: Annotated[
        Preset,
        typer.Option(
            help="Look for a difference of 60, 40 or 20 Elo: the finer, the more matches. which: the one to choose."
        ),
    ] = "normal",
    no_early_stop: Annotated[
        bool, typer.Option("--no-early-stop", help="Play all matches, even after the duel is decided.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="The same seed, the same list of matches.")] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(help="In a free-for-all: another bot that plays, the house's if left out. May be repeated."),
    ] = None,
    league: Annotated[
        int | None, typer.Option("--level", "--league", help="Rules level; the full game if left out.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="name=value, for games that have options. May be repeated.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Matches at once, each on a core of its own; all cores if left out.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result as JSON to this file; - for standard output.")
    ] = None,
    replays: Annotated[Path | None, typer.Option(help="Write the replay of each match into this folder.")] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
    ] = False,
) -> None:
    """Find out whether the candidate is stronger than the baseline, in as few matches as possible.

    Ctrl-C ends it and prints partial results. Exit codes: 0 if it was played, 2 if it could not be, 130 after Ctrl-C.
    """
    try:
        chosen = with_options(named_game(game), option or ())
        check_folders({"--json": json_file}, or_output=("--json",))
        chosen_seed, chosen_league = seed_and_league(chosen, seed, league)
        bots = (candidate, baseline)
        most = in_whole_trials(games, paired=is_paired(chosen))
        others = field_of(chosen, bots, field or ())
        check_outputs(files_of(chosen, (*bots, *others)), {"--json": json_file, "--replays": replays})
        names = short_names(*bots)
        of = LocalDuel(chosen, chosen_league, chosen_seed, bots, names, preset, most, not no_early_stop, others)
        cores = cores_for(jobs)
        if replays is not None:
            replays.mkdir(parents=True, exist_ok=True)
        score = Score(of)
        ending = _play(of, score, cores, opens=partial(open_sandbox, no_sandbox=no_sandbox), replays=replays)
        if str(json_file) != "-":
            again = [word for one in option or () for word in ("--option", one)] + ["--no-sandbox"] * no_sandbox
            print_duel(Console(), score, ending, again=again, replays=replays)
        if json_file is not None:
            write_to(json_file, json.dumps(as_json(score, ending), ensure_ascii=False) + "\n")
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        _print_error(error)
        raise typer.Exit(REFUSED) from None
    raise typer.Exit({"interrupted": INTERRUPTED, "failed": REFUSED}.get(ending, 0))


def field_of(game: Game, bots: Sequence[str], named: Sequence[str]) -> tuple[str, ...]:
    """The others in the matches of a free-for-all: those that were named, or the house's bots that are not compared.

    Raises: Refused, for a game in which there are none, or too few of them.
    """
    if named and not game.free_for_all:
        raise Refused(f"expected no --field: a match of {game.title} has two sides; got {', '.join(named)}")
    if not game.free_for_all:
        return ()
    others = tuple(named) or tuple(one.name for one in game.house_bots if one.name not in bots)
    try:
        entrants_of(game, len(others))
    except ValueError as error:
        raise Refused(f"{error}: name some with --field") from None
    return others


def short_names(candidate: str, baseline: str) -> tuple[str, str]:
    """Names for the bots: file names without their folders where these differ."""
    candidate, baseline = as_text(candidate), as_text(baseline)
    names = (Path(candidate).name or candidate, Path(baseline).name or baseline)
    if names[0] != names[1]:
        return names
    return (candidate, baseline) if candidate != baseline else (f"{names[0]} (A)", f"{names[1]} (B)")


def fixtures(of: LocalDuel) -> Iterator[Fixture]:
    """All matches, in order."""
    return draw(seed=of.seed, paired=of.paired, games=of.games)


def cores_for(jobs: int | None) -> Sequence[int]:
    """One core for each match at once; all if `jobs` is None. Raises: Refused."""
    cores = usable_cores()
    if jobs is not None and jobs > len(cores):
        raise Refused(f"expected at most {len(cores)} jobs, one for each core; got {jobs}")
    return cores[:jobs]


def _play(
    of: LocalDuel, score: Score, cores: Sequence[int], *, opens: Callable[[], Sandbox], replays: Path | None
) -> Ending:
    """Fills `score`, so that partial results remain after an interruption."""
    try:
        with ExitStack() as held:
            with opens() as sandbox:
                sandbox.sweep()
                require_self_test(sandbox)
                entrants = [_held_bot(of.game, sandbox, bot, held) for bot in (*of.bots, *of.field)]
            play = partial(_play_fixture, of, entrants, replays)
            with ProcessPool(cores, opens, play) as pool, Scoreboard(console) as board:
                return _count(score, pool.in_order(fixtures(of), tick=partial(board.show, score)), board, replays)
    except KeyboardInterrupt:
        return "interrupted"
    except (SandboxError, OSError) as error:
        if not score.results:
            raise
        _print_error(error)
        return "failed"


def _held_bot(game: Game, sandbox: Sandbox, bot: str, held: ExitStack) -> ReadyBot:
    """A bot whose build nobody removes while `held` is open, however long the duel lasts."""
    ready = ready_bot(game, sandbox, bot)
    held.callback(sandbox.hold(ready.program))
    return ready


def _count(score: Score, played: Iterator[tuple[Result, str]], board: Scoreboard, replays: Path | None) -> Ending:
    """`played`: results and replays, in order."""
    trial: list[tuple[Result, str]] = []
    for one in played:
        trial.append(one)
        if len(trial) == len(test.trial_seats(score.duel.paired, 0)):
            ending = score.add([result for result, _ in trial])
            if replays is not None:
                for result, replay in trial:
                    (replays / replay_name(result.fixture)).write_text(replay)
            if ending is not None:
                return ending
            trial = []
            board.show(score)
    return "games"


def _play_fixture(
    of: LocalDuel, entrants: Sequence[ReadyBot], replays: Path | None, sandbox: Sandbox, fixture: Fixture, watch: Watch
) -> tuple[Result, str]:
    """Plays a match, with retries, in a process of the pool. The replay is empty unless `replays` is set.

    Raises: SandboxFailed when all attempts are void, GameFailed.
    """
    seats = seating(of.game, fixture, len(of.field))
    seated = [entrants[bot] for bot in seats]
    attempt = partial(play_match, of.game, sandbox, seated, seed=fixture.seed, league=of.league, watch=watch)
    voids: list[str] = []
    with naming_faults_of(of.game.id):
        played = play_with_retries(attempt, lambda failure: voids.append(str(failure)), attempts=ATTEMPTS)
    return result_of(of.game, fixture, seats, played.record, voids), "" if replays is None else played.replay


def _print_error(error: Exception) -> None:
    console.print(str(error), style="red", markup=False, highlight=False)
