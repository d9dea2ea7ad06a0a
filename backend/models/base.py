"""What all tables share: names of constraints, types of columns."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, DateTime, Enum
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.schema import MetaData
from sqlalchemy.types import UserDefinedType

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class TransactionId(UserDefinedType[str]):
    """Postgres' xid8: the number of the transaction that wrote a row."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The column's type in DDL."""
        return "xid8"


class Base(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {int: BigInteger, datetime: DateTime(timezone=True), dict[str, Any]: JSONB}  # noqa: RUF012


def one_of(kind: type[StrEnum], name: str) -> Enum:
    """Text that must be one of the values."""
    return Enum(
        kind,
        native_enum=False,
        create_constraint=True,
        length=16,
        name=name,
        values_callable=lambda members: [member.value for member in members],
    )
