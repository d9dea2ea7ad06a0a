"""`hexarena user …`: the first organiser, classes, forgotten passwords, invitations."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress
from rich.table import Table

from hexarena.backend.accounts.secrets import new_code
from hexarena.backend.errors import Invalid
from hexarena.cli.connection import COMMAND_LINE, errors_printed, failed, open_database
from hexarena.cli.output import cell, private_file

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from hexarena.backend.models import User, UserRole

app = typer.Typer(help="Accounts: add, list, import a CSV, set passwords and roles, invite.", no_args_is_help=True)
console = Console()
NameArgument = Annotated[str, typer.Argument(help="The account's name.")]
RoleOption = Annotated[str, typer.Option("--role", help="user or organiser.")]
COLUMNS = ("name", "email", "role", "password")
Row: TypeAlias = tuple[int, dict[str, str]]
"""A line's number, and what it has in each column."""


@app.command()
def add(
    name: NameArgument,
    role: RoleOption = "user",
    email: Annotated[str | None, typer.Option(help="A mail address; nothing is sent to it.")] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for a password instead of making one.")] = False,
) -> None:
    """Make an account, and print its password."""
    from hexarena.backend.accounts import life as accounts

    chosen = _role(role)
    password = _asked_password() if ask else new_code()
    with errors_printed(), open_database().transaction() as session:
        user = accounts.sign_up(session, None, name=name, password=password, email=email, role=chosen)
        made = user.name
        if chosen == "organiser":
            _record_role(session, user)
    shown = "" if ask else f" Password: {password}"
    console.print(f"{made} can sign in.{shown}", highlight=False, markup=False)


@app.command("list")
def list_users(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Rows.")] = 1000,
) -> None:
    """Print all accounts, oldest first."""
    from sqlalchemy import func, select

    from hexarena.backend.models import Bot, User, UserKind, UserSession

    with errors_printed(), open_database().transaction() as session:
        bots = select(func.count()).where(Bot.owner_id == User.id, Bot.name_key.is_not(None)).scalar_subquery()
        seen = select(func.max(UserSession.seen_at)).where(UserSession.user_id == User.id).scalar_subquery()
        query = select(User, bots, seen).where(User.kind == UserKind.ACCOUNT).order_by(User.id).limit(limit)
        table = Table("id", "name", "role", "mail", "bots", "since", "last seen")
        for user, count, seen_at in session.execute(query):
            table.add_row(
                str(user.id), cell(user.name), user.role, cell(user.email or ""), str(count),
                f"{user.created_at:%Y-%m-%d}", "" if seen_at is None else f"{seen_at:%Y-%m-%d %H:%M}",
            )  # fmt: skip
    console.print(table)


@app.command()
def password(
    name: NameArgument,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for a password instead of making one.")] = False,
) -> None:
    """Give an account another password, and end its sessions."""
    from hexarena.backend.accounts import life as accounts, sessions
    from hexarena.backend.accounts.passwords import hash_password

    chosen = _asked_password() if ask else new_code()
    with errors_printed(), open_database().transaction() as session:
        user = accounts.named(session, name)
        user.password_hash = hash_password(chosen, name=user.name)
        ended = sessions.end_others(session, user.id, None)
    sessions_ended = "1 session has" if ended == 1 else f"{ended} sessions have"
    shown = "" if ask else f" Password: {chosen}"
    console.print(f"{user.name} has a new password; {sessions_ended} ended.{shown}", highlight=False, markup=False)


@app.command()
def role(name: NameArgument, role: Annotated[str, typer.Argument(help="user or organiser.")]) -> None:
    """Make somebody an organiser, or no longer one."""
    from hexarena.backend.accounts import life as accounts

    chosen = _role(role)
    with errors_printed(), open_database().transaction() as session:
        user = accounts.set_role(session, accounts.named(session, name).id, chosen)
        _record_role(session, user)
    now = "an organiser" if chosen == "organiser" else "a user"
    console.print(f"{user.name} is now {now}.", highlight=False, markup=False)


@app.command()
def invite(
    uses: Annotated[int, typer.Option(min=1, max=10_000, help="How many people can sign up with it.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=365, help="How long it is valid.")] = 14,
    note: Annotated[str, typer.Option(help="What it is for.")] = "",
    role: RoleOption = "user",
) -> None:
    """Make a code to sign up with."""
    from hexarena.backend.accounts import invites

    chosen = _role(role)
    with errors_printed(), open_database().transaction() as session:
        row, code = invites.create(session, uses=uses, days=days, note=note, role=chosen)
    people = "1 person" if uses == 1 else f"{uses:,} people"
    console.print(f"{code}  for {people}, until {row.expires_at:%Y-%m-%d %H:%M} UTC", highlight=False, markup=False)


@app.command("import")
def import_users(
    file: Annotated[Path, typer.Argument(help="A CSV with a column name, and perhaps email, role, password.")],
    out: Annotated[Path | None, typer.Option(help="Write names and passwords here instead of to the screen.")] = None,
) -> None:
    """Make an account for each row, all or none. Prints names and passwords as CSV, to hand out."""
    from hexarena.backend.accounts import importing, life as accounts

    people = [
        importing.Newcomer(
            line, row.get("name", ""), row.get("password") or new_code(), row.get("email"), row.get("role") or "user"
        )
        for line, row in _read_rows(file)
    ]
    database = open_database()
    with errors_printed():
        with database.transaction() as session:
            importing.check(session, people)
        with nullcontext(sys.stdout) if out is None else private_file(out, "passwords") as written:
            hashed = list(_with_progress(importing.hashes(people), len(people)))
            with database.transaction() as session:
                names = importing.make(session, people, hashed)
                for name, one in zip(names, people, strict=True):
                    if accounts.role_named(one.role) == "organiser":
                        _record_role(session, accounts.named(session, name))
                rows = zip(names, people, strict=True)
                lines = [f"{_quoted(name)},{_quoted(one.password)}\n" for name, one in rows]
                # Before the commit: accounts whose passwords nobody has would be of no use.
                written.write("name,password\n" + "".join(lines))
                written.flush()
    if out is not None:
        said = (
            "1 account was made. Its password is"
            if len(people) == 1
            else (f"{len(people):,} accounts were made. Their passwords are")
        )
        console.print(f"{said} in {out}.", highlight=False, markup=False)


def _record_role(session: Session, user: User) -> None:
    """In the log, also of an account that begins with this role."""
    from hexarena.backend import audit

    audit.record(session, None, "change role", person=user.name, person_id=user.id, role=user.role, by=COMMAND_LINE)


def _with_progress(hashed: Iterable[str], count: int) -> Iterator[str]:
    """Says on a terminal how far it is: each password takes a moment, and a year of students minutes."""
    shown = Console(stderr=True)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as progress:
        yield from progress.track(hashed, total=count, description="Making accounts")


def _read_rows(file: Path) -> list[Row]:
    """Spreadsheets write UTF-8 with a mark, and semicolons in half of Europe. Raises: Exit."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise failed(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise failed(f"{file} is not UTF-8 text: byte {error.start:,} is wrong. Save it as CSV UTF-8.") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter, strict=True)
    try:
        columns = [column.strip().lower() for column in reader.fieldnames or ()]
    except csv.Error as error:
        raise failed(f"{file}, line 1: {error}. Is a quotation mark not closed?") from None
    if "name" not in columns or set(columns) - set(COLUMNS):
        raise failed(f"expected a first line with some of the columns {', '.join(COLUMNS)}; got {first.strip()!r}")
    reader.fieldnames = columns
    rows: list[Row] = []
    try:
        for row in reader:
            more = row.pop(None, None)  # DictReader's key of what no column has
            if more and any(one.strip() for one in more):
                got = len(columns) + len(more)
                raise failed(f"{file}, line {reader.line_num}: expected {len(columns)} cells, as in line 1; got {got}.")
            rows.append((reader.line_num, {key: (value or "").strip() for key, value in row.items()}))
    except csv.Error as error:
        raise failed(f"{file}, line {reader.line_num}: {error}. Is a quotation mark not closed?") from None
    kept = [(number, row) for number, row in rows if any(row.values())]
    if not kept:
        raise failed(f"{file} has no rows.")
    return kept


def _role(written: str) -> UserRole:
    """Raises: Exit."""
    from hexarena.backend.accounts.life import role_named

    try:
        return role_named(written)
    except Invalid as error:
        raise failed(f"expected {error.expected}; got {error.got}") from None


def _asked_password() -> str:
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text
