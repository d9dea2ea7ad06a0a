"""Alembic migrations: the only way in which the schema changes. `hexarena db upgrade` runs them."""
