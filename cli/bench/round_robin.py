"""A game's twenty bots against each other, as the reference for a ladder: `hexarena bench round-robin`.

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

from hexarena.backend.submissions.languages import find_language
from hexarena.bench.real import facts, variants
from hexarena.bench.real.games_played import PlayedGame, by_teams, read_lines, write_line
from hexarena.bench.real.round_robin import Fixture, fixtures
from hexarena.cli.bench.tables import print_table
from hexarena.cli.entrants import Refused, ready_bot
from hexarena.cli.process_pool import ProcessPool, usable_cores
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.contract import Game
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot, Watch, build_bot, play_match, play_with_retries
from hexarena.worker.sandbox import Sandbox, require_self_test

ATTEMPTS = 5
"""Attempts at a match that our side makes void, before the round robin gives up."""
TOLD_EVERY = 50
"""Matches between two lines of progress."""
console = Console(stderr=True)


def round_robin(game: Game, level: int, *, rounds: int, folder: Path, jobs: int, only_report: bool) -> None:
    """Plays what the file of results lacks, then prints the tables. Ctrl-C ends the playing.

    Raises: SandboxError, OSError, ValueError without any match.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (f"{game.id}.jsonl" if level == game.top_level else f"{game.id}-{level}.jsonl")
    if not only_report:
        with suppress(KeyboardInterrupt):
            _play_all(game, level, rounds, path, usable_cores()[:jobs])
    print_tables(game, level, read_lines(path))


def check_variants(game: Game) -> None:
    """Raises: Refused, for a game of which there are no twenty bots, as of one from elsewhere."""
    if game.id not in variants.VARIANTS:
        raise Refused(f"expected a game with twenty bots, one of {', '.join(variants.VARIANTS)}; got {game.id}")


def ready_bots(game: Game, sandbox: Sandbox) -> dict[str, ReadyBot]:
    """All twenty bots of a game, built."""
    made = {variant.name: variant for variant in variants.VARIANTS[game.id]}
    found: dict[str, ReadyBot] = {}
    for name in variants.names(game):
        if name in made:
            language = variants.language_of(game, made[name])
            program = build_bot(game, sandbox, find_language(language), variants.source_of(game, made[name]).encode())
            found[name] = ReadyBot(program, Player(bot=name, language=language))
        else:
            found[name] = ready_bot(game, sandbox, name)
    return found


def _play_all(game: Game, level: int, rounds: int, path: Path, cores: Sequence[int]) -> None:
    names = variants.names(game)
    planned = fixtures(game, names, rounds)
    known = {one.number for one in read_lines(path)}
    missing = [fixture for fixture in planned if fixture.number not in known]
    if not missing:
        return
    played = play_fixtures(game, level, missing, cores)
    for one in _with_progress(game, played, len(planned) - len(missing), len(planned)):
        write_line(path, one)


def play_fixtures(game: Game, level: int, planned: Sequence[Fixture], cores: Sequence[int]) -> Iterator[PlayedGame]:
    """Plays matches of the twenty bots, in order. Raises: SandboxError."""
    with open_sandbox() as sandbox:
        require_self_test(sandbox)
        bots = ready_bots(game, sandbox)
    with ProcessPool(cores, open_sandbox, partial(_play, game, level, bots)) as pool:
        yield from pool.in_order(planned, tick=lambda: None)


def _with_progress(game: Game, played: Iterator[PlayedGame], before: int, planned: int) -> Iterator[PlayedGame]:
    cpu_s = 0.0
    for count, one in enumerate(played, start=1):
        yield one
        cpu_s += one.cpu_s
        if count % TOLD_EVERY == 0:
            console.print(f"{game.title}: {before + count} of {planned}, {cpu_s / count:.2f} s of bots' CPU a match")


def _play(
    game: Game, level: int, bots: dict[str, ReadyBot], sandbox: Sandbox, fixture: Fixture, watch: Watch
) -> PlayedGame:
    """Plays a match, with retries, in a process of the pool. Raises: SandboxFailed when all attempts are void."""
    seats = game.side_by_side(fixture.entrants)
    seated = [bots[name] for name in seats]
    attempt = partial(play_match, game, sandbox, seated, seed=fixture.seed, league=level, watch=watch)
    done = play_with_retries(attempt, lambda _: None, attempts=ATTEMPTS)
    faults: dict[str, list[str]] = {}
    for fault in done.record.faults:
        if fault.kind != "warning":
            faults.setdefault(seats[fault.seat], []).append(f"{fault.kind}: {fault.message}"[:100])
    teams, ranks = by_teams(game, seats, done.record.outcome.ranks)
    return PlayedGame(
        number=fixture.number,
        seed=fixture.seed,
        teams=tuple(teams),
        ranks=tuple(ranks),
        turns=len(done.record.turns),
        cpu_s=round(done.cpu_ms / 1000, 3),
        level=level,
        faults={name: some[:3] for name, some in faults.items()},
    )


def print_tables(game: Game, level: int, played: Sequence[PlayedGame]) -> None:
    """A line a bot, best first, and the facts below. Raises: ValueError without any match."""
    names = variants.names(game)
    table = Table(title=f"{game.title}: round robin of {len(names)} bots, {len(played)} matches, level {level}")
    for heading in ("bot", "score", "Elo", "±", "matches", "faulty"):
        table.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=True)
    for line in facts.lines(played, names):
        table.add_row(
            line.bot, f"{line.score:.3f}", f"{line.elo:+.0f}", f"{line.reach:.0f}", str(line.games), str(line.faulty)
        )
    print_table(table)
    for sentence in facts.sentences(game, played):
        Console().print(sentence, markup=False, highlight=False, soft_wrap=True)
