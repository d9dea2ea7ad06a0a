"""Without isolation (HEXARENA_SANDBOX=none), only the local user's own code may run."""

from __future__ import annotations

import structlog
from sqlalchemy import func, select

from hexarena.backend.models import User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.worker.sandbox import SandboxUnsafe

log = structlog.get_logger()


def refuse_other_users(settings: Settings, database: Database) -> None:
    """Warns at every start without isolation. Raises: SandboxUnsafe if anyone but the local user has an account."""
    if settings.sandbox != "none":
        return
    with database.transaction() as session:
        own = (UserKind.LOCAL, UserKind.HOUSE)
        strangers = session.scalar(select(func.count()).select_from(User).where(User.kind.not_in(own))) or 0
    if strangers:
        raise SandboxUnsafe(
            f"HEXARENA_SANDBOX=none runs bots without isolation, but {strangers} other users have an account here.\n"
            "Unset it, or use another data folder (HEXARENA_DATA_FOLDER) or database."
        )
    log.warning("HEXARENA_SANDBOX=none: bots run WITHOUT ISOLATION. For your own code on your own machine only.")
