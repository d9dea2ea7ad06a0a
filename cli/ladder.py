"""`hexarena ladder …`: show a ladder, recompute it, begin a season, look for cheating, annul or rerun a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from hexarena.cli.connection import COMMAND_LINE, errors_printed, open_database
from hexarena.cli.output import cell, visible

if TYPE_CHECKING:
    from hexarena.backend.ladder.boards import Row

app = typer.Typer(
    help="Show ladders, recompute them, begin seasons, look for thrown games, annul a wrong result, rerun a match.",
    no_args_is_help=True,
)
console = Console()
MOST_REASON = 400
"""Characters."""
GameOption = Annotated[str, typer.Argument(help="A game's id, e.g. ants.")]


@app.command()
def show(game: GameOption, limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows.")] = 50) -> None:
    """Print a game's board: rating, 95 % interval, league, and how certain each place is."""
    from hexarena.backend.ladder import boards
    from hexarena.backend.submissions.life import game_named

    database = open_database()
    with errors_printed(), database.transaction() as session:
        found = boards.leaderboard(session, game_named(game).id, limit=limit)
        # It fits 80 columns, if need be with remarks on several lines.
        caption = "above: how surely it is stronger than the next; left: games until that is sure"
        table = Table(box=SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
        for heading in ("", "bot", "league", "rating", "95 %", "games"):
            table.add_column(heading, no_wrap=True, justify="left" if heading in {"bot", "league"} else "right")
        table.add_column("above", justify="right")
        table.add_column("left", justify="right")
        table.add_column("remarks", min_width=len("provisional"))
        for row in found:
            own = row.standing
            bot = row.submission.bot
            low, high = boards.interval(own.rating, own.deviation)
            table.add_row(
                str(row.rank),
                f"{'' if bot is None else cell(bot.name)} v{row.submission.version}",
                str(row.league),
                f"{own.rating:.0f}",
                f"{low:.0f}–{high:.0f}",
                str(own.games),
                "" if own.above_next is None else f"{own.above_next:.0%}",
                "" if own.games_left is None else str(own.games_left),
                ", ".join(_remarks(row)),
            )
    console.print(table)


def _remarks(row: Row) -> list[str]:
    """What its place is worth, in the words of the pages (`frontend/src/lib/board.ts`)."""
    words = {
        "boss": row.boss_of is not None,
        "placing": row.standing.placing,
        "guest: does not count for others": row.guest,
        f"shared with {row.shared_with:,}": row.shared_with > 0,
        "all games repeat": row.standing.spent,
        "provisional": row.provisional and not row.standing.placing,
    }
    return [word for word, applies in words.items() if applies]


@app.command()
def recompute(
    games: Annotated[list[str] | None, typer.Argument(help="Games' ids; all of them if left out.")] = None,
) -> None:
    """Recompute ladders from the table of results alone, and report whether anything changed."""
    from sqlalchemy import func, select
    from sqlalchemy.orm import Session

    from hexarena.backend.ladder import refits, standings
    from hexarena.backend.models import PendingResult, Standing
    from hexarena.backend.submissions.life import game_named
    from hexarena.games.catalogue import all_games

    def ratings(session: Session, game: str) -> dict[int, tuple[float, float, int]]:
        rows = session.scalars(select(Standing).where(Standing.game == game))
        return {row.submission_id: (row.rating, row.deviation, row.games) for row in rows}

    database = open_database()
    with errors_printed():
        for game in [game_named(one) for one in games or all_games()]:
            with database.transaction() as session:
                # From here on nobody else counts, and no version comes onto the ladder.
                standings.lock_ladder(session, game.id)
                pending = select(func.count()).where(PendingResult.game == game.id)
                if waiting := session.scalar(pending):
                    console.print(f"{game.title}: {waiting:,} results had not been counted yet.")
                refits.refit(session, game)
                before = ratings(session, game.id)
                done = refits.recompute(session, game)
                session.flush()
                after = ratings(session, game.id)
            changed = sum(before.get(one) != after[one] for one in after)
            same = "all to the last bit as they were" if not changed else f"{changed:,} of them changed"
            rated = f"{done.competitors:,} versions rated in {done.seconds:.2f} s"
            console.print(f"{game.title}: {done.results:,} results, {rated}, {same}.")


@app.command("seasons")
def show_seasons(game: GameOption) -> None:
    """List the seasons of a ladder, with who won those that are over."""
    from hexarena.backend.ladder import seasons
    from hexarena.backend.submissions.life import game_named

    database = open_database()
    with errors_printed(), database.transaction() as session:
        found = seasons.seasons_of(session, game_named(game).id)
        table = Table()
        for heading in ("", "season", "began", "ended", "won by"):
            table.add_column(heading)
        for season in found:
            best = seasons.final_table(session, season, limit=1)
            ended = "" if season.ended_at is None else f"{season.ended_at:%Y-%m-%d %H:%M}"
            winner = best[0].bot if best else ""
            began = f"{season.started_at:%Y-%m-%d %H:%M}"
            table.add_row(str(season.number), cell(season.name), began, ended, cell(winner))
    if found:
        console.print(table)
    else:
        console.print("This ladder is in its first season. `hexarena ladder new-season` ends it.")


@app.command()
def new_season(
    game: GameOption,
    name: Annotated[str | None, typer.Option(help="The new season's name; its number if left out.")] = None,
) -> None:
    """Keep the final table of a ladder's season and begin the next one, in which everybody climbs again."""
    from hexarena.backend.moderation.seasons import start_season
    from hexarena.backend.submissions.life import game_named

    database = open_database()
    with errors_printed(), database.transaction() as session:
        found_game = game_named(game)
        fresh = start_season(session, None, found_game, name)
        said = f"{found_game.title}: {fresh.name} began. Ratings begin from the table of the season before."
        console.print(visible(said), markup=False)


@app.command()
def suspects(game: GameOption) -> None:
    """List bots that scored more against some opponents than all other games explain, as when games are thrown.

    The p-value is of chance doing so to any bot of an honest ladder. It is a reason to look, no proof.
    """
    from hexarena.backend.ladder import fitting
    from hexarena.backend.ladder.explaining import submissions_named
    from hexarena.backend.rating.suspicion import LEVEL, suspicions
    from hexarena.backend.runtime.db import allow_long_transaction
    from hexarena.backend.submissions.life import game_named

    database = open_database()
    with errors_printed(), database.transaction() as session:
        found_game = game_named(game)
        # The fit and the results beside it are those of one moment, however long it computes between them.
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        allow_long_transaction(session)
        rated = fitting.rate(session, found_game)
        counts = fitting.met_each_other(session, rated).without_own(rated.owners)
    with console.status(f"looking at {len(rated.competitors):,} bots"):
        found = suspicions(rated.fit, counts)
    with errors_printed(), database.transaction() as session:
        competitors = [rated.competitors[node] for one in found for node in (one.target, *one.others)]
        bots = submissions_named(session, competitors)

    def title(node: int) -> str:
        submission = bots[rated.competitors[node]]
        return f"{cell(submission.title)} v{submission.version}"

    games = f"{int(counts.games.sum()):,} games" + ("" if found_game.for_two else " of two, of all in a match")
    if not found:
        console.print(f"{found_game.title}: nothing that chance does not explain ({games}).")
        return
    caption = f"p: of chance doing this to some bot of an honest ladder; shown up to {LEVEL:g}."
    if not found_game.for_two:
        caption += " A game here is one opponent in a match; a point is to end above it."
    table = Table(caption=caption)
    for heading in ("bot", "gains against", "games", "points", "expected", "p"):
        table.add_column(heading)
    for one in found:
        others = ", ".join(map(title, one.others))
        table.add_row(
            title(one.target), others, str(one.games), f"{one.points:g}", f"{one.expected:.1f}", f"{one.p:.2g}"
        )
    console.print(table)


@app.command()
def annul(
    match_id: Annotated[int, typer.Argument(min=1, help="A finished match.")],
    reason: Annotated[
        str, typer.Option("--reason", "--why", help="A sentence that everybody can read on the match's page.")
    ],
) -> None:
    """Make a finished match void, because it was our fault; the next refit rates its ladder without it."""
    from hexarena.backend.moderation import annulments

    database = open_database()
    with errors_printed():
        why = _sentence(reason)
        with database.transaction() as session:
            annulments.annul(session, None, match_id, why, by=COMMAND_LINE)
    console.print(f"Match {match_id} is void. The next refit rates its ladder without it.")


@app.command()
def rerun(
    match_id: Annotated[
        int, typer.Argument(min=1, help="One that is over: of a ladder, an event, a duel or for marks.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="A sentence that everybody can read on both matches' pages.")],
) -> None:
    """Play a match again, with the same versions, seats and seed; it counts in place of the first one, which is void.

    Each match can be rerun once. While an event is paused, its reruns wait until it is resumed.
    """
    from hexarena.backend.moderation import reruns

    database = open_database()
    with errors_printed():
        why = _sentence(reason)
        with database.transaction() as session:
            again = reruns.rerun(session, None, match_id, why, by=COMMAND_LINE).id
    console.print(f"Match {match_id} is void. Match {again} is queued, and counts in its place.")


def _sentence(reason: str) -> str:
    """Raises: Invalid."""
    from hexarena.backend.errors import Invalid

    why = reason.strip()
    if not 1 <= len(why) <= MOST_REASON:
        expected = f"a sentence of 1 to {MOST_REASON} characters"
        raise Invalid("Everybody must be able to read why.", expected=expected, got=f"{len(why)} characters")
    return why
