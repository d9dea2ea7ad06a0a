"""Without walls (HEXARENA_SANDBOX=none) only the local user's own code may run."""

from __future__ import annotations

import structlog
from sqlalchemy import func, select

from backend.db import Database
from backend.models import User, UserKind
from backend.settings import Settings
from worker.sandbox import SandboxUnsafe

log = structlog.get_logger()


def refuse_strangers(settings: Settings, database: Database) -> None:
    """Warns at every start without walls. Raises: SandboxUnsafe where others than the local user have accounts."""
    if settings.sandbox != "none":
        return
    with database.transaction() as session:
        own = (UserKind.LOCAL, UserKind.HOUSE)
        strangers = session.scalar(select(func.count()).select_from(User).where(User.kind.not_in(own))) or 0
    if strangers:
        raise SandboxUnsafe(
            f"HEXARENA_SANDBOX=none runs bots without walls, but {strangers} other users have an account here.\n"
            "Unset it, or use another data folder (HEXARENA_DATA_FOLDER) or database."
        )
    log.warning("HEXARENA_SANDBOX=none: bots run WITHOUT WALLS. For your own code on your own machine only.")
