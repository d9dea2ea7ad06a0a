"""Runs the migrations on the connection that the caller gives, else on the configured database."""

from alembic import context
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.dialects.postgresql.base import ischema_names

from hexarena.backend.models import Base, TransactionId
from hexarena.backend.runtime import partitions
from hexarena.backend.runtime.db import COMPUTES_MS
from hexarena.backend.runtime.migrate import lock
from hexarena.backend.runtime.settings import Settings

ischema_names["xid8"] = TransactionId  # so that a comparison of schemas knows the type


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_server_default=True,
        include_object=partitions.include_object,
    )
    with context.begin_transaction():
        # Another process may be migrating, however long that takes.
        lock(connection)
        connection.execute(text("SET LOCAL lock_timeout = '10s'"))
        # Between its statements a migration may compute, or wait for a busy machine.
        connection.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = {COMPUTES_MS}"))
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with create_engine(Settings().sqlalchemy_url()).connect() as own:
        run(own)
