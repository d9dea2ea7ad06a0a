"""Who a worker is: a name that no other one has, whatever its machine is called."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from typing import Self

LONGEST_HOST = 60


@dataclass(frozen=True, slots=True)
class Identity:
    """`host`: the machine's name, or that of the joined host. `process`: the main process' id and a random part, since
    containers and machines may share names and numbers. `host_id`: of the host that joined, else None.
    """

    host: str
    process: str
    host_id: int | None = None

    @classmethod
    def of_this_process(cls, host: str = "", host_id: int | None = None) -> Self:
        """For the main process of a worker; its pool processes share it. `host`: the machine's own name if empty."""
        named = (host or socket.gethostname()).replace(":", "-")[:LONGEST_HOST]
        return cls(named, f"{os.getpid()}-{secrets.token_hex(4)}", host_id)

    @property
    def name(self) -> str:
        """As in heartbeats and results."""
        return f"{self.host}:{self.process}"

    @property
    def is_elsewhere(self) -> bool:
        """Whether it joined from another machine."""
        return self.host_id is not None
