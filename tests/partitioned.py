"""Tables cut into smaller partitions than an arena has, so that a test need not fill ten million ids."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text

from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.partitions import PARTITIONED, WIDTH

REFERRED_TO_LAST = ("seat_result", "result", "match_seat", "match", "standing_history")


def cut(database: Database, match_ids: Sequence[int], history_ids: Sequence[int]) -> None:
    """Cuts the first partitions at these ids. All that is in them is deleted."""
    assert set(REFERRED_TO_LAST) == set(PARTITIONED)
    with database.engine.begin() as connection:
        connection.execute(text("DELETE FROM pending_result"))
        connection.execute(text("DELETE FROM match"))
        connection.execute(text("DELETE FROM standing_history"))
        for table in REFERRED_TO_LAST:
            connection.execute(text(f"ALTER TABLE {table} DETACH PARTITION {table}_from_0"))
            connection.execute(text(f"DROP TABLE {table}_from_0"))
            ids = history_ids if table == "standing_history" else match_ids
            for begin, end in zip(["MINVALUE", *ids], [*ids, WIDTH], strict=True):
                name = f"{table}_from_{0 if begin == 'MINVALUE' else begin}"
                bounds = f"FOR VALUES FROM ({begin}) TO ({end})"
                connection.execute(text(f"CREATE TABLE {name} PARTITION OF {table} {bounds}"))
