"""A machine elsewhere: a network namespace with a line to this one, and a store that both see. Only root makes them."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import boto3
from moto.server import ThreadedMotoServer

HOST = "far host"
POSTGRES, VALKEY = 5432, 6379
EVERYWHERE = "0.0.0.0"  # noqa: S104 - for the namespace


@dataclass(frozen=True)
class Network:
    """One line. `number`: which network of its own it is."""

    number: int

    @property
    def address(self) -> str:
        """Of the servers and the API, for all."""
        return f"10.214.{self.number}.1"

    @property
    def line(self) -> str:
        """Its name, which the namespace has as well."""
        return f"hxc{self.number}"

    @property
    def listen(self) -> str:
        """Where the servers listen."""
        return f"{self.address},10.214.{self.number}.5"

    @property
    def trusted(self) -> str:
        """A line for PostgreSQL's rules."""
        return "host all all 10.214.0.0/16 scram-sha-256\n"

    @property
    def inside(self) -> list[str]:
        """What comes before a command: unlike `ip netns exec` it leaves /sys, and so the control groups, alone."""
        return ["nsenter", f"--net=/run/netns/{self.line}", "--"]

    def cut(self) -> None:
        """Nothing comes through any more."""
        _ip("link", "set", self.line, "down")

    def mend(self) -> None:
        """It does again."""
        _ip("link", "set", self.line, "up")

    def make(self) -> None:
        """Raises: subprocess.CalledProcessError, where the machine has no namespaces."""
        here, there = f"10.214.{self.number}.5", f"10.214.{self.number}.6"
        _ip("address", "add", f"{self.address}/32", "dev", "lo")
        _ip("netns", "add", self.line)
        _ip("link", "add", self.line, "type", "veth", "peer", "name", "out", "netns", self.line)
        _ip("address", "add", f"{here}/30", "dev", self.line)
        _ip("link", "set", self.line, "up")
        _ip("-n", self.line, "address", "add", f"{there}/30", "dev", "out")
        _ip("-n", self.line, "link", "set", "out", "up")
        _ip("-n", self.line, "link", "set", "lo", "up")
        _ip("-n", self.line, "route", "add", "default", "via", here)

    def remove(self) -> None:
        """What there is of it."""
        for words in (
            ("netns", "delete", self.line),
            ("link", "delete", self.line),
            ("address", "del", f"{self.address}/32", "dev", "lo"),
        ):
            subprocess.run(["ip", *words], check=False, capture_output=True)


def why_none() -> str | None:
    """Why this machine has no such networks; None: it has."""
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    missing = [name for name in ("ip", "nsenter") if shutil.which(name) is None]
    return f"needs the program {missing[0]}" if missing else None


@contextmanager
def network() -> Iterator[tuple[Network, dict[str, str]]]:
    """A network, and the environment of the arena's parts."""
    made = Network(1 + os.getpid() % 250)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address=EVERYWHERE, port=0, verbose=False)
    try:
        made.make()
        server.start()
        url = f"http://{made.address}:{server.get_host_and_port()[1]}"
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
        os.environ.update({**keys, "AWS_ENDPOINT_URL": url})
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="arena")
        yield (
            made,
            {
                "HEXARENA_STORE": "s3://arena/x",
                "HEXARENA_HOST": EVERYWHERE,
                "HEXARENA_HOSTS": made.address,
                "HEXARENA_JOIN_DATABASE_URL": f"postgresql://{made.address}:{POSTGRES}/hexarena",
                "HEXARENA_JOIN_REDIS_URL": f"redis://{made.address}:{VALKEY}/0",
            },
        )
    finally:
        server.stop()
        made.remove()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
