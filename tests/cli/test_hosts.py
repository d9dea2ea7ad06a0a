"""`hexarena host …` and `hexarena worker --join`, as they are typed."""

from __future__ import annotations

import os
import subprocess

import pytest
from sqlalchemy import select

from hexarena.backend.hosts import life as hosts, roles
from hexarena.backend.models import Host
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests import forking


def hexarena(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    addresses = {"DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url, "COLUMNS": "200"}
    return forking.run("hexarena.cli.app", *arguments, env={**os.environ, **addresses})


@pytest.mark.long
def test_hosts_are_added_listed_and_removed(settings: Settings, database: Database) -> None:
    made = hexarena(settings, "host", "add", "lab-7")
    assert made.returncode == 0, made.stderr
    token = made.stdout.split()[0]
    with database.transaction() as session:
        found = hosts.find(session, token)
        assert found is not None
        assert found.name == "lab-7"
    listed = hexarena(settings, "host", "list").stdout
    assert "lab-7" in listed
    assert token not in listed
    assert hexarena(settings, "host", "add", "lab-7").returncode == 2
    removed = hexarena(settings, "host", "rm", "lab-7")
    assert removed.stdout == "lab-7 is no longer a host.\n", removed.stderr
    with database.transaction() as session:
        assert hosts.find(session, token) is None
    assert "There is no host lab-7." in hexarena(settings, "host", "rm", "lab-7").stderr


def test_a_host_whose_user_the_broker_may_keep_is_only_removed_when_that_is_said(
    settings: Settings, database: Database
) -> None:
    assert hexarena(settings, "host", "add", "lab-8").returncode == 0
    away = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    refused = hexarena(away, "host", "rm", "lab-8")
    assert (refused.returncode, "--without-broker" in refused.stderr) == (2, True), refused.stderr
    with database.transaction() as session:
        user = roles.name_of(session, session.scalars(select(Host.id).where(Host.name == "lab-8")).one())
    removed = hexarena(away, "host", "rm", "lab-8", "--without-broker")
    assert removed.returncode == 0, removed.stderr
    assert removed.stdout.endswith(f"ACL DELUSER {user}\n")
    assert "There is no host lab-8." in hexarena(settings, "host", "rm", "lab-8").stderr


def test_a_worker_that_joins_needs_a_token(settings: Settings) -> None:
    refused = hexarena(settings, "worker", "--join", "http://127.0.0.1:1")
    assert refused.returncode == 2
    assert "HEXARENA_JOIN_TOKEN" in refused.stderr
