"""Who may do what: one table, which the API asks and docs/accounts.md shows.

What belongs to somebody is theirs alone, whatever the table says: for others it does not exist (404).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """`visitor`: nobody yet. `worker`: one on another machine, with the token of its host."""

    VISITOR = "visitor"
    GUEST = "guest"
    USER = "user"
    ORGANISER = "organiser"
    WORKER = "worker"


class Action(StrEnum):
    """What an endpoint lets one do.

    `read`: what everybody may see, and one's own code and logs. `submit`: also to restore and delete what one
    submitted. `see own account`: sessions, tokens, the archive of everything. `organise an event`, `organise a class`:
    only those whom its organisers have named for it.
    """

    READ = "read"
    SIGN_IN = "sign in"
    PLAY = "play"
    SUBMIT = "submit"
    RENAME = "change own name"
    READ_EDITOR = "see own code in the editor"
    KEEP_EDITOR = "keep own code in the editor"
    OWN = "see own account"
    ACCOUNT = "change own account"
    LEAVE = "delete own account"
    ORGANISE_EVENT = "organise an event"
    ORGANISE_CLASS = "organise a class"
    ORGANISE = "organise"
    JOIN = "join as a worker"


class Scope(StrEnum):
    """What a personal token is for."""

    READ = "read"
    PLAY = "play"
    SUBMIT = "submit"
    ORGANISE = "organise"


PEOPLE = frozenset(Role) - {Role.WORKER}
KNOWN = PEOPLE - {Role.VISITOR}
MAY: Mapping[Action, frozenset[Role]] = {
    Action.READ: frozenset(Role),
    Action.SIGN_IN: PEOPLE,
    Action.PLAY: PEOPLE,
    Action.SUBMIT: PEOPLE,
    Action.RENAME: PEOPLE,
    Action.READ_EDITOR: KNOWN - {Role.GUEST},
    Action.KEEP_EDITOR: KNOWN - {Role.GUEST},
    Action.OWN: KNOWN,
    Action.ACCOUNT: KNOWN - {Role.GUEST},
    Action.LEAVE: KNOWN,
    Action.ORGANISE_EVENT: KNOWN - {Role.GUEST},
    Action.ORGANISE_CLASS: KNOWN - {Role.GUEST},
    Action.ORGANISE: frozenset({Role.ORGANISER}),
    Action.JOIN: frozenset({Role.WORKER}),
}
"""By playing and submitting, a visitor becomes a guest, where the arena has guests."""
SCOPES: Mapping[Action, frozenset[Scope]] = {
    Action.READ: frozenset(Scope),
    Action.SIGN_IN: frozenset(),
    Action.PLAY: frozenset({Scope.PLAY}),
    Action.SUBMIT: frozenset({Scope.SUBMIT}),
    Action.RENAME: frozenset(),
    Action.READ_EDITOR: frozenset({Scope.READ}),
    Action.KEEP_EDITOR: frozenset({Scope.SUBMIT}),
    Action.OWN: frozenset({Scope.READ}),
    Action.ACCOUNT: frozenset(),
    Action.LEAVE: frozenset(),
    Action.ORGANISE_EVENT: frozenset({Scope.ORGANISE}),
    Action.ORGANISE_CLASS: frozenset({Scope.ORGANISE}),
    Action.ORGANISE: frozenset({Scope.ORGANISE}),
    Action.JOIN: frozenset(),
}
"""The scopes of which a token needs one. None: only somebody who signed in can do it, so that whoever finds a token
cannot take the account."""


def role_may(role: Role, action: Action, *, guests: bool = True) -> bool:
    """Whether the table allows it. `guests`: whether visitors become guests."""
    if role in {Role.VISITOR, Role.GUEST} and not guests and action in {Action.PLAY, Action.SUBMIT, Action.RENAME}:
        return False
    return role in MAY[action]


def table() -> str:
    """The table in Markdown."""
    lines = ["| action | " + " | ".join(Role) + " | scopes of a token |", "|---" * (len(Role) + 2) + "|"]
    for action in Action:
        cells = ["yes" if role in MAY[action] else "" for role in Role]
        lines.append(f"| {action} | " + " | ".join(cells) + f" | {', '.join(sorted(SCOPES[action])) or 'none'} |")
    return "\n".join(lines)
