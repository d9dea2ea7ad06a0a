"""A game's twenty bots against each other, to know what a ladder should say of them: `hexarena bench round-robin`.

Real matches in real sandboxes, one on each core; the file of results grows match by match, and what it has is not
played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from backend.languages import find_language
from backend.settings import Settings
from bench.real import facts, variants
from bench.real.played import Played, by_teams, read_lines, write_line
from bench.real.round_robin import Fixture, fixtures
from games.contract import Game
from games.lines import Player
from worker.benches.tables import print_table
from worker.crew import Crew, usable_cores
from worker.local_match import ready_entrant
from worker.play import Entrant, Watch, build_bot, play_match, play_until_it_counts
from worker.sandbox import Sandbox

ATTEMPTS = 5
"""At a match that our side spoils, before the round robin gives up."""
TOLD_EVERY = 50
"""Matches between two lines of progress."""
console = Console(stderr=True)


def round_robin(game: Game, level: int, *, rounds: int, folder: Path, jobs: int, only_report: bool) -> None:
    """Plays what the file of results lacks, then prints the tables. Ctrl-C ends the playing.

    Raises: SandboxError, OSError, ValueError without any match.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (f"{game.id}.jsonl" if level == game.levels[-1] else f"{game.id}-{level}.jsonl")
    if not only_report:
        with suppress(KeyboardInterrupt):
            _play_all(game, level, rounds, path, usable_cores()[:jobs])
    print_tables(game, read_lines(path))


def ready_bots(game: Game, sandbox: Sandbox) -> dict[str, Entrant]:
    """All twenty bots of a game, built."""
    made = {variant.name: variant for variant in variants.VARIANTS[game.id]}
    found: dict[str, Entrant] = {}
    for name in variants.names(game):
        if name in made:
            language = variants.language_of(game, made[name])
            program = build_bot(game, sandbox, find_language(language), variants.source_of(game, made[name]).encode())
            found[name] = Entrant(program, Player(bot=name, language=language))
        else:
            found[name] = ready_entrant(game, sandbox, name)
    return found


def _play_all(game: Game, level: int, rounds: int, path: Path, cores: Sequence[int]) -> None:
    names = variants.names(game)
    planned = fixtures(game, names, rounds)
    known = {one.number for one in read_lines(path)}
    missing = [fixture for fixture in planned if fixture.number not in known]
    if not missing:
        return
    mode, folder = Settings().sandbox, Settings().data_folder / "local"
    with Sandbox.open(mode, folder=folder) as sandbox:
        sandbox.require()
        bots = ready_bots(game, sandbox)
    with Crew(cores, partial(Sandbox.open, mode, folder=folder), partial(_play, game, level, bots)) as crew:
        for one in _told(game, crew.in_order(missing, tick=lambda: None), len(planned) - len(missing), len(planned)):
            write_line(path, one)


def _told(game: Game, played: Iterator[Played], before: int, planned: int) -> Iterator[Played]:
    cpu_s = 0.0
    for count, one in enumerate(played, start=1):
        yield one
        cpu_s += one.cpu_s
        if count % TOLD_EVERY == 0:
            console.print(f"{game.title}: {before + count} of {planned}, {cpu_s / count:.2f} s of bots' CPU a match")


def _play(game: Game, level: int, bots: dict[str, Entrant], sandbox: Sandbox, fixture: Fixture, watch: Watch) -> Played:
    """Plays a match until it counts, in one of the crew's processes. Raises: SandboxFailed when it never does."""
    seats = game.seated(fixture.entrants, fixture.seed)
    seated = [bots[name] for name in seats]
    attempt = partial(play_match, game, sandbox, seated, seed=fixture.seed, league=level, watch=watch)
    done = play_until_it_counts(attempt, lambda _: None, attempts=ATTEMPTS)
    faults: dict[str, list[str]] = {}
    for fault in done.record.faults:
        if fault.kind != "warning":
            faults.setdefault(seats[fault.seat], []).append(f"{fault.kind}: {fault.message}"[:100])
    teams, ranks = by_teams(game, seats, done.record.outcome.ranks)
    return Played(
        number=fixture.number,
        seed=fixture.seed,
        teams=tuple(teams),
        ranks=tuple(ranks),
        turns=len(done.record.turns),
        cpu_s=round(done.cpu_ms / 1000, 3),
        level=level,
        faults={name: told[:3] for name, told in faults.items()},
    )


def print_tables(game: Game, played: Sequence[Played]) -> None:
    """A line a bot, best first, and the facts below. Raises: ValueError without any match."""
    names = variants.names(game)
    table = Table(
        title=f"{game.title}: round robin of {len(names)} bots, {len(played)} matches, level {game.levels[-1]}"
    )
    for heading in ("bot", "score", "Elo", "±", "matches", "faulty"):
        table.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=True)
    for line in facts.lines(played, names):
        table.add_row(
            line.bot, f"{line.score:.3f}", f"{line.elo:+.0f}", f"{line.reach:.0f}", str(line.games), str(line.faulty)
        )
    print_table(table)
    for told in facts.told(game, played):
        Console().print(told, markup=False, highlight=False, soft_wrap=True)
