"""Tables as CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from fastapi import Response
from pydantic import BaseModel

CSV = "text/csv"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets take a text that begins so for a formula, and run it."""


def wants_csv(written: str | None, accept: str) -> bool:
    """Whether a request asks for CSV: by its `format`, or else by its first kind of `Accept`."""
    return written == "csv" or (
        written is None and accept.split(",", maxsplit=1)[0].split(";", maxsplit=1)[0].strip() == CSV
    )


def csv_response(rows: Iterable[BaseModel], columns: Sequence[str], name: str) -> Response:
    """These columns of the rows, to be saved as `name`."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([cell(getattr(row, column)) for column in columns] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Vary": "Accept"}
    return Response(text.getvalue(), media_type=f"{CSV}; charset=utf-8", headers=headers)


def csv_of_rows(rows: Iterable[Sequence[object]], name: str) -> Response:
    """A table whose columns are known only now, to be saved as `name`; its first row has the headings."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([cell(one) for one in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Vary": "Accept"}
    return Response(text.getvalue(), media_type=f"{CSV}; charset=utf-8", headers=headers)


def cell(value: object) -> object:
    """Text that no spreadsheet runs; numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return value
