"""Rows as numpy's columns, from the database and to it, without an object for each row. Of fixed width, never null.

A query's columns come as one value each, the values' bytes behind one another. Rows go by COPY in its binary format.

Source: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql
from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    DateTime,
    Float,
    Integer,
    Select,
    SmallInteger,
    func,
    literal,
    select,
)
from sqlalchemy.orm import Session

from hexarena.backend.models import Base

SENT: Sequence[tuple[type[Any], str, str]] = (
    (SmallInteger, "int2send", ">i2"),
    (BigInteger, "int8send", ">i8"),
    (Integer, "int4send", ">i4"),
    (Boolean, "boolsend", "?"),
    (Float, "float8send", ">f8"),
    (DateTime, "timestamptz_send", ">i8"),
)
"""SQL type, the function that makes bytes of a value, and numpy's name of these; moments are microseconds."""
SIGNATURE = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
END = b"\xff\xff"
ROWS_AT_ONCE = 50_000


def read(session: Session, query: Select[*tuple[Any, ...]]) -> list[NDArray[Any]]:
    """The columns of a query, in any order of rows, but all in the same one.

    Raises: TypeError, for a column that is no number, boolean or moment; ValueError, for one with nulls.
    """
    rows = query.subquery()
    packed: list[ColumnElement[Any]] = []
    kinds: list[str] = []
    for column in rows.c:
        send, kind = _sent(column)
        packed.append(func.string_agg(getattr(func, send)(column), literal(b"")))
        kinds.append(kind)
    found: Sequence[bytes | None] = session.execute(select(*packed)).one()
    arrays = [
        np.frombuffer(one or b"", kind).astype(np.dtype(kind).newbyteorder("="))
        for one, kind in zip(found, kinds, strict=True)
    ]
    # A null has no bytes, so what is behind it would be another row's.
    if len({len(one) for one in arrays}) > 1:
        raise ValueError(f"expected columns without nulls; got {[len(one) for one in arrays]} values")
    return arrays


def _sent(column: ColumnElement[Any]) -> tuple[str, str]:
    for kind, send, written in SENT:
        if isinstance(column.type, kind):
            return send, written
    raise TypeError(f"expected numbers, booleans or moments; got {column.type}")


def insert(session: Session, table: type[Base], columns: Mapping[str, NDArray[Any] | str]) -> None:
    """Stores rows of a table by COPY. A text is the same in all of them."""
    _copy(session, table.__tablename__, columns, _kinds(table, columns))


def stage(session: Session, name: str, table: type[Base], columns: Mapping[str, NDArray[Any]]) -> None:
    """Stores rows for a table in another one of this name, which a statement can read until the transaction ends.

    The connection keeps the table, empty: a new one for each refit would fill the catalogue with rows of dead ones, and
    psycopg forgets all its prepared statements at a DROP. `columns`: the same ones each time.
    """
    like = ", ".join(f'"{column}"' for column in columns)
    connection = session.connection()
    made = f"SELECT {like} FROM {table.__tablename__} WITH NO DATA"  # noqa: S608 - names of our own
    connection.exec_driver_sql(f"CREATE TEMPORARY TABLE IF NOT EXISTS {name} ON COMMIT DELETE ROWS AS {made}")
    connection.exec_driver_sql(f"DELETE FROM pg_temp.{name}")  # noqa: S608 - a name of our own
    _copy(session, name, columns, _kinds(table, columns))


def _kinds(table: type[Base], columns: Mapping[str, NDArray[Any] | str]) -> list[str]:
    """Numpy's names of the bytes of each column."""
    return [
        f"S{len(values.encode())}" if isinstance(values, str) else _sent(table.__table__.c[name])[1]
        for name, values in columns.items()
    ]


def _copy(session: Session, table: str, columns: Mapping[str, NDArray[Any] | str], kinds: Sequence[str]) -> None:
    rows = _rows(list(columns.values()), kinds)
    connection = session.connection().connection.driver_connection
    if not isinstance(connection, psycopg.Connection):
        raise TypeError("expected psycopg's connection")
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(sql.Identifier(table), names)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(SIGNATURE)
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            copy.write(rows[begin : begin + ROWS_AT_ONCE].tobytes())
        copy.write(END)


def _rows(columns: Sequence[NDArray[Any] | str], kinds: Sequence[str]) -> NDArray[Any]:
    """In COPY's format: how many fields, and each field behind its length."""
    fields: list[tuple[str, str]] = [("fields", ">i2")]
    for number, kind in enumerate(kinds):
        fields += [(f"size{number}", ">i4"), (f"value{number}", kind)]
    size = next(len(one) for one in columns if not isinstance(one, str))
    rows = np.zeros(size, np.dtype(fields))
    rows["fields"] = len(columns)
    for number, values in enumerate(columns):
        rows[f"size{number}"] = rows.dtype[f"value{number}"].itemsize
        rows[f"value{number}"] = values.encode() if isinstance(values, str) else values
    return rows
