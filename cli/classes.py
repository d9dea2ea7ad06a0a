"""`hexarena class …`: rosters in, marks out, without the browser."""

from __future__ import annotations

import csv
import io
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from hexarena.cli.connection import errors_printed, failed, open_database
from hexarena.cli.output import private_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

app = typer.Typer(
    help="Classes: import a roster, export marks. Make the class at /classes first.", no_args_is_help=True
)
console = Console(stderr=True)
ClassOption = Annotated[int, typer.Option("--class", min=1, help="The class's number, as in its address.")]
OutOption = Annotated[Path | None, typer.Option(help="Write the CSV here instead of to the screen.", dir_okay=False)]


@app.command("import")
def import_roster(
    file: Annotated[Path, typer.Argument(help="A CSV with the columns name, mail (or id), group.", dir_okay=False)],
    class_id: ClassOption,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    teams: Annotated[bool, typer.Option("--teams", help="Each group becomes a team.")] = False,
    days: Annotated[int, typer.Option(min=1, max=180, help="How long codes are valid.")] = 14,
    out: OutOption = None,
) -> None:
    """Make an account and a code for each new student, all or none, and print the codes as CSV.

    Repeating it changes nothing, and makes no file. A file that exists is not overwritten: it may have codes.
    """
    from hexarena.backend.classes import life, rosters
    from hexarena.backend.models import Class, User

    try:
        roster = rosters.read(file.read_bytes())
    except OSError as error:
        raise failed(f"{file} cannot be read: {error.strerror}.") from None
    except rosters.BadRoster as bad:
        raise failed(f"{file}: {bad.detail} Expected {bad.expected}; got {bad.got}") from None
    makes = not dry_run and not roster.wrong
    file_of_codes = private_file(out, "codes") if makes and out else nullcontext(sys.stdout)
    with errors_printed(), file_of_codes as written, open_database().transaction() as session:
        found = session.get(Class, class_id)
        if found is None:
            raise failed(f"There is no class {class_id}.")
        codes: Sequence[life.Code] = ()
        if makes:
            organiser = session.get_one(User, found.organiser_id)
            done, codes = life.import_roster(session, organiser, class_id, roster, days=days, teams=teams)
        else:
            done = life.plan(session, found, roster, teams=teams)
        if codes:
            # Before the commit: codes that nobody has would be of no use.
            rows = ((one.name, one.key, one.group, one.sign_in_name, one.code) for one in codes)
            written.write(_csv(("name", "mail or id", "group", "signs in as", "code"), rows))
            written.flush()
    for one in done.problems:
        console.print(
            f"line {one.line}: {one.detail} Expected {one.expected}; got {one.got}", style="red", markup=False
        )
    said = (
        f"{len(done.made)} new, {len(done.changed)} changed, {done.kept} as before, {len(done.absent)} not in the file"
    )
    console.print(f"Read as {done.encoding}, separated by {done.separator}s: {said}.", highlight=False, markup=False)
    if done.wrong:
        raise failed(f"Nothing was imported: {done.wrong} lines cannot be used.")


@app.command()
def marks(
    class_id: ClassOption,
    assignment: Annotated[int, typer.Option(min=1, help="The assignment's number.")],
    out: OutOption = None,
) -> None:
    """Print the marks of an assignment as CSV, a line for each student."""
    from hexarena.backend.api.views import classes as class_views
    from hexarena.backend.classes import assignments
    from hexarena.backend.models import Class

    with errors_printed(), open_database().transaction() as session:
        found = session.get(Class, class_id)
        if found is None:
            raise failed(f"There is no class {class_id}.")
        row = assignments.by_id(session, found, assignment)
        table = class_views.table(class_views.marks(session, row), assignments.rungs(session, row.id))
    _write(table[0], table[1:], out)


@app.command()
def similar(
    class_id: Annotated[int, typer.Argument(metavar="CLASS", min=1, help="The class's number, as in its address.")],
    as_json: Annotated[bool, typer.Option("--json/--csv", help="As JSON, or as CSV: a line for each pair.")] = False,
    out: OutOption = None,
) -> None:
    """Print the newest similarity report of a class: which sources are alike. Ask for one on the class's page."""
    from hexarena.backend.api.routes import similarity as views
    from hexarena.backend.classes import similarity
    from hexarena.backend.models import Class, SimilarityState

    with errors_printed(), open_database().transaction() as session:
        if session.get(Class, class_id) is None:
            raise failed(f"There is no class {class_id}.")
        reports = similarity.of_class(session, class_id)
        done = next((row for row in reports if row.state == SimilarityState.DONE), None)
        if done is None:
            so_far = f" The newest is {reports[0].state.value}." if reports else ""
            raise failed(f'Class {class_id} has no similarity report: use "Compare sources" on its page.{so_far}')
        shown = views.detail(session, done)
    if as_json:
        _save(shown.model_dump_json(indent=1) + "\n", out)
    else:
        header, *rows = views.table(shown)
        _write(header, rows, out)


def _write(header: Sequence[object], rows: Iterable[Sequence[object]], out: Path | None) -> None:
    _save(_csv(header, rows), out)


def _csv(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    from hexarena.backend.api.views.tables import cell

    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([cell(one) for one in row] for row in (header, *rows))
    return text.getvalue()


def _save(text: str, out: Path | None) -> None:
    """Prints it, or writes it to a file that only its owner can read: it has names. Raises: Exit."""
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.touch(mode=0o600)
        out.chmod(0o600)  # also where the file was there
        out.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise failed(f"{out} cannot be written: {error.strerror}.") from None
