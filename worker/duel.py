"""`hexarena duel`: plays two bots against each other on this machine until it is known whether one is stronger."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from backend import duel as test
from backend.duel import MOST_GAMES, Preset
from backend.fixtures import Fixture, draw, in_whole_trials, is_paired, seating
from backend.settings import Settings
from games.catalogue import UnknownGame, find_game
from worker.crew import Crew, usable_cores
from worker.duel_score import Duel, Ending, Result, Score, as_json, result_of
from worker.duel_view import Scoreboard, print_duel, replay_name
from worker.local_match import Refused, ready_entrant, seed_and_league, with_options, write_to
from worker.play import Entrant, Watch, play_match, play_until_it_counts
from worker.sandbox import Mode, Sandbox, SandboxError

ATTEMPTS = 5
"""At one match that our side spoils, before the duel gives up."""
REFUSED = 2
INTERRUPTED = 130

console = Console(stderr=True)


def duel(
    game: Annotated[str, typer.Argument(help="Which game, e.g. ants.")],
    first: Annotated[
        str, typer.Argument(help="A bot, as for `hexarena match`: is this one stronger? Usually the newer one.")
    ],
    second: Annotated[str, typer.Argument(help="The bot that it is compared with.")],
    games: Annotated[
        int, typer.Option(min=1, help="Matches at most; one more where seats are swapped and the number is odd.")
    ] = MOST_GAMES,
    preset: Annotated[
        Preset, typer.Option(help="Look for a difference of 60, 40 or 20 Elo: the finer, the more matches.")
    ] = "normal",
    no_early_stop: Annotated[
        bool, typer.Option("--no-early-stop", help="Play all matches, also when it is decided.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="The same seed, the same list of matches.")] = None,
    league: Annotated[int | None, typer.Option(help="Rules level; the full game if left out.")] = None,
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
        bool, typer.Option("--no-sandbox", help="Run the bots without walls. For your own code only.")
    ] = False,
) -> None:
    """Find out whether the first bot is stronger than the second, in as few matches as it takes.

    Ctrl-C ends it and prints what is known. Ends with 0 when it was played, 2 when it could not be, 130 after Ctrl-C.
    """
    try:
        chosen = with_options(find_game(game), option or ())
        chosen_seed, chosen_league = seed_and_league(chosen, seed, league)
        bots = (first, second)
        most = in_whole_trials(games, paired=is_paired(chosen))
        of = Duel(chosen, chosen_league, chosen_seed, bots, short_names(*bots), preset, most, not no_early_stop)
        cores = _cores(jobs)
        if replays is not None:
            replays.mkdir(parents=True, exist_ok=True)
        score = Score(of)
        ending = _play(of, score, cores, mode="none" if no_sandbox else Settings().sandbox, replays=replays)
        if str(json_file) != "-":
            again = [word for one in option or () for word in ("--option", one)] + ["--no-sandbox"] * no_sandbox
            print_duel(Console(), score, ending, again=again, replays=replays)
        if json_file is not None:
            write_to(json_file, json.dumps(as_json(score, ending), ensure_ascii=False) + "\n")
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        _complain(error)
        raise typer.Exit(REFUSED) from None
    raise typer.Exit({"interrupted": INTERRUPTED, "failed": REFUSED}.get(ending, 0))


def short_names(first: str, second: str) -> tuple[str, str]:
    """What the bots are called: names of files without their folders where these differ."""
    names = (Path(first).name or first, Path(second).name or second)
    if names[0] != names[1]:
        return names
    return (first, second) if first != second else (f"{names[0]} (A)", f"{names[1]} (B)")


def fixtures(of: Duel) -> Iterator[Fixture]:
    """All matches, in order."""
    return draw(seed=of.seed, paired=of.paired, games=of.games)


def _cores(jobs: int | None) -> Sequence[int]:
    cores = usable_cores()
    if jobs is not None and jobs > len(cores):
        raise Refused(f"expected at most {len(cores)} jobs, one for each core; got {jobs}")
    return cores[:jobs]


def _play(of: Duel, score: Score, cores: Sequence[int], *, mode: Mode, replays: Path | None) -> Ending:
    """Fills `score`, so that what there is stays when it is interrupted."""
    folder = Settings().data_folder / "local"
    try:
        with Sandbox.open(mode, folder=folder) as sandbox:
            sandbox.sweep()
            sandbox.require()
            entrants = [ready_entrant(of.game, sandbox, bot) for bot in of.bots]
        play = partial(_play_fixture, of, entrants, replays)
        with Crew(cores, partial(Sandbox.open, mode, folder=folder), play) as crew, Scoreboard(console) as board:
            return _count(score, crew.in_order(fixtures(of), tick=partial(board.show, score)), board, replays)
    except KeyboardInterrupt:
        return "interrupted"
    except (SandboxError, OSError) as error:
        if not score.results:
            raise
        _complain(error)
        return "failed"


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
    of: Duel, entrants: Sequence[Entrant], replays: Path | None, sandbox: Sandbox, fixture: Fixture, watch: Watch
) -> tuple[Result, str]:
    """Plays a match until it counts, in one of the crew's processes. The replay is empty where nobody wants it.

    Raises: SandboxFailed when it never does.
    """
    seats = seating(of.game, fixture)
    seated = [entrants[bot] for bot in seats]
    attempt = partial(play_match, of.game, sandbox, seated, seed=fixture.seed, league=of.league, watch=watch)
    voids: list[str] = []
    played = play_until_it_counts(attempt, lambda failure: voids.append(str(failure)), attempts=ATTEMPTS)
    return result_of(fixture, seats, played.record, voids), "" if replays is None else played.replay


def _complain(error: Exception) -> None:
    console.print(str(error), style="red", markup=False, highlight=False)
