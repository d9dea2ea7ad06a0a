"""`hexarena ladder …`: look at a ladder, rate it anew from its results, and take a wrong result out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from backend.errors import ArenaError
from backend.local import running_database_url
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.db import Database

app = typer.Typer(help="Look at ladders, rate them anew, take a wrong result out.", no_args_is_help=True)
console = Console()
GameOption = Annotated[str, typer.Argument(help="A game's id, e.g. ants.")]


@app.command()
def show(game: GameOption, limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows.")] = 50) -> None:
    """Print a game's board: rating, 95 % interval, league, and how sure each place is."""
    from backend import standings
    from backend.submissions import game_named

    database = _database()
    with _said(), database.transaction() as session:
        found = standings.leaderboard(session, game_named(game).id, limit=limit)
        table = Table()
        for heading in ("", "bot", "league", "rating", "95 %", "games", "surely above next", "games until sure"):
            table.add_column(heading, no_wrap=heading in ("bot", "95 %"))
        for row in found:
            own = row.standing
            bot = row.submission.bot
            low, high = standings.interval(own.rating, own.deviation)
            table.add_row(
                str(row.rank),
                f"{'' if bot is None else bot.name} v{row.submission.version}",
                f"{row.league}{' (boss)' if row.boss_of else ''}",
                f"{own.rating:.0f}",
                f"{low:.0f}–{high:.0f}",
                f"{own.games}{' placing' if own.placing else ''}",
                "" if own.above_next is None else f"{own.above_next:.0%}",
                "" if own.games_left is None else str(own.games_left),
            )
    console.print(table)


@app.command()
def recompute(
    games: Annotated[list[str] | None, typer.Argument(help="Games' ids; all of them if left out.")] = None,
) -> None:
    """Rate ladders anew from the table of results alone, and say whether anything changed."""
    from sqlalchemy import select
    from sqlalchemy.orm import Session

    from backend import refits
    from backend.models import Standing
    from backend.submissions import game_named
    from games.catalogue import all_games

    def ratings(session: Session, game: str) -> dict[int, tuple[float, float, int]]:
        rows = session.scalars(select(Standing).where(Standing.game == game))
        return {row.submission_id: (row.rating, row.deviation, row.games) for row in rows}

    database = _database()
    with _said():
        for game in [game_named(one) for one in games or all_games()]:
            with database.transaction() as session:
                if (pending := refits.refit(session, game)) is not None and pending.counted:
                    console.print(f"{game.title}: {pending.counted:,} results had not been counted yet.")
            with database.transaction() as session:
                before = ratings(session, game.id)
                done = refits.recompute(session, game)
                session.flush()
                after = ratings(session, game.id)
            changed = sum(before[one] != after[one] for one in after)
            same = "all to the last bit as they were" if not changed else f"{changed:,} of them changed"
            rated = f"{done.nodes:,} versions rated in {done.seconds:.2f} s"
            console.print(f"{game.title}: {done.results:,} results, {rated}, {same}.")


@app.command()
def annul(
    match_id: Annotated[int, typer.Argument(min=1, help="A finished match.")],
    why: Annotated[str, typer.Option("--why", help="A sentence that everybody reads on the match's page.")],
) -> None:
    """Make a finished match void, because it was our fault; its ladder is rated anew without it."""
    from backend import matches

    database = _database()
    with _said(), database.transaction() as session:
        matches.annul(session, match_id, why)
    console.print(f"Match {match_id} is void. The next refit rates its ladder without it.")


def _database() -> Database:
    """That of DATABASE_URL, or of the arena that `hexarena up` runs in the data folder. Raises: Exit."""
    from backend.db import Database

    settings = Settings()
    url = settings.database_url or running_database_url(settings.data_folder)
    if url is None:
        raise _failed(
            f"No arena runs in {settings.data_folder}/. Start it with `hexarena up`, name its folder in "
            "HEXARENA_DATA_FOLDER, or set DATABASE_URL."
        )
    return Database(Settings(DATABASE_URL=url).sqlalchemy_url(), pool_size=1)


def _failed(message: str) -> typer.Exit:
    Console(stderr=True).print(message, style="red", markup=False, highlight=False)
    return typer.Exit(2)


@contextmanager
def _said() -> Iterator[None]:
    """Says what was refused, instead of a traceback. Raises: Exit."""
    try:
        yield
    except ArenaError as error:
        raise _failed(str(error)) from None
