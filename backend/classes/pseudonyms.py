"""Names that reveal nothing: what students are called in public, wherever the arena shows an account's name."""

from __future__ import annotations

import secrets

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.life import lock_names
from hexarena.backend.accounts.names import key_of, reserved_by
from hexarena.backend.models import User

ANIMALS = (
    "Badger", "Beaver", "Bison", "Condor", "Coyote", "Crane", "Cricket", "Curlew", "Dingo", "Dolphin", "Eagle",
    "Falcon", "Ferret", "Finch", "Gannet", "Gazelle", "Gecko", "Heron", "Hornet", "Ibex", "Jackal", "Jaguar", "Kestrel",
    "Koala", "Lemur", "Leopard", "Lynx", "Magpie", "Marmot", "Marten", "Moose", "Narwhal", "Ocelot", "Oriole", "Osprey",
    "Otter", "Panther", "Pelican", "Penguin", "Plover", "Puffin", "Quail", "Rabbit", "Raven", "Salmon", "Seal",
    "Sparrow", "Stork", "Swift", "Tapir", "Tern", "Toucan", "Turtle", "Vole", "Walrus", "Weasel", "Wombat", "Zebra",
)  # fmt: skip
DIGITS = "23456789"
"""Without 0 and 1, which look like letters."""


def new_names(session: Session, how_many: int, prefix: str = "") -> list[str]:
    """Free names, drawn at random: nothing about a student can be inferred from theirs. `prefix`: such as "Team"."""
    lock_names(session)
    found: dict[str, str] = {}
    while len(found) < how_many:
        drawn = {key_of(name): name for name in (_drawn(prefix) for _ in range(how_many - len(found)))}
        taken = set(session.scalars(select(User.name_key).where(User.name_key.in_(list(drawn)))))
        found |= {
            key: name for key, name in drawn.items() if key not in taken | found.keys() and reserved_by(name) is None
        }
    return list(found.values())


def _drawn(prefix: str) -> str:
    number = "".join(secrets.choice(DIGITS) for _ in range(4))
    return f"{prefix} {secrets.choice(ANIMALS)} {number}".strip()
