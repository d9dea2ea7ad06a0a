"""The compose files fit together: what must be told to each part is told to all."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from hexarena.backend.runtime.settings import Settings

OWN = frozenset(
    {"DATABASE_URL", "REDIS_URL"}
    | {f"HEXARENA_{name}" for name in ("DATABASE_PASSWORD_FILE", "SECRET_KEY_FILE", "DATA_FOLDER", "HOST", "PORT")}
)
"""What the containers are, and not what an organiser chooses."""
ROOT = Path(__file__).parents[1]


def services(file: str) -> dict[str, str]:
    """Name -> text of each service."""
    text = (ROOT / file).read_text().partition("\nservices:\n")[2]
    text = re.split(r"^\S", text, maxsplit=1, flags=re.MULTILINE)[0]
    named = re.split(r"^  ([a-z]+):", text, flags=re.MULTILINE)[1:]
    return dict(zip(named[::2], named[1::2], strict=True))


def test_each_part_of_the_arena_gets_the_games_from_elsewhere() -> None:
    """A part that lacked them would say that their matches' game is gone."""
    ours = {name for name, text in services("docker-compose.yml").items() if "<<: *part" in text}
    assert len(ours) > 5
    assert services("docker/compose.games.yml") == dict.fromkeys(ours, " *games\n")


def test_no_log_of_a_service_fills_the_disk() -> None:
    for file in ("docker-compose.yml", "docker/compose.monitoring.yml"):
        for name, text in services(file).items():
            limited = "<<: *part" in text or "logging:" in text or "image:" not in text
            assert limited, f"{file}: {name} has no limit for its log"
    assert "max-size" in (ROOT / "docker-compose.yml").read_text()


def composed() -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(ROOT / "docker-compose.yml")
    return found


def interpolated(text: str, given: dict[str, str]) -> str:
    """As compose does it: `${NAME:-DEFAULT}`, from the inside out."""
    while (found := re.search(r"\$\{(\w+):-([^${}]*)\}", text)) is not None:
        text = text.replace(found[0], given.get(found[1]) or found[2])
    return text


@pytest.mark.parametrize("part", ["migrate", "api", "dispatcher", "scheduler", "ratings", "webhooks", "worker"])
def test_each_setting_of_the_file_env_reaches_each_part(part: str) -> None:
    service = composed()["services"][part]
    assert service["env_file"] == [{"path": ".env", "required": False}]
    for name, field in Settings.model_fields.items():
        variable = str(field.validation_alias or f"HEXARENA_{name.upper()}")
        given = {variable: "chosen"}
        fixed = {key: interpolated(str(value), given) for key, value in service["environment"].items()}
        assert (given | fixed)[variable] == "chosen" or variable in OWN, variable


def test_a_part_that_is_told_its_listener_is_told_what_the_compose_file_forwards_to() -> None:
    api = composed()["services"]["api"]
    (port,) = api["ports"]
    assert interpolated(port, {}) == "127.0.0.1:8000:8000"
    assert interpolated(port, {"HEXARENA_PORT": "80"}) == "127.0.0.1:80:8000"
    assert (api["environment"]["HEXARENA_HOST"], api["environment"]["HEXARENA_PORT"]) == ("0.0.0.0", "8000")  # noqa: S104


def test_no_container_is_given_the_address_of_the_proxy() -> None:
    """Containers without a fixed address start first: the proxy depends on them."""
    found = composed()
    (network,) = found["networks"]["front"]["ipam"]["config"]
    proxy = ip_address(found["services"]["caddy"]["networks"]["front"]["ipv4_address"])
    assert found["services"]["api"]["environment"]["HEXARENA_PROXIES"] == f"${{HEXARENA_PROXIES:-{proxy}}}"
    assert proxy in ip_network(network["subnet"])
    assert ip_network(network["ip_range"]).subnet_of(ip_network(network["subnet"]))  # type: ignore[arg-type]
    assert proxy not in ip_network(network["ip_range"])
