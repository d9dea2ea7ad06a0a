"""Parameters that many routes share, and the page of a list that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Path, Query

MOST_ID = 2**53 - 1
"""Up to this, JavaScript's numbers are exact."""
IdPath = Annotated[int, Path(ge=1, le=MOST_ID)]
AfterId = Annotated[int | None, Query(ge=1, le=MOST_ID, description="The `next` of an earlier page.")]
Row = TypeVar("Row")


def page(found: Sequence[Row], limit: int, id_of: Callable[[Row], int]) -> tuple[Sequence[Row], str | None]:
    """A page of at most `limit` rows, and its `next`, None for the last one. `found`: also one more, if there is one.

    >>> page([9, 7, 4], 2, int), page([7, 4], 2, int)
    (([9, 7], '7'), ([7, 4], None))
    """
    items = found[:limit]
    return items, str(id_of(items[-1])) if len(found) > limit else None
