"""What docs/architecture.md lists is what there is."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from hexarena.backend.matches.live import EventKind
from hexarena.backend.models import Base

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs" / "architecture.md"


def layers(written: Sequence[str]) -> list[set[str]]:
    """From the top: the packages and modules of each layer."""
    return [{name.strip() for name in layer.split("|")} for layer in written]


def test_the_table_under_data_has_each_table_of_the_database_once() -> None:
    section = ARCHITECTURE.read_text(encoding="utf-8").partition("\n## Data\n")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert Counter(name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)) == Counter(
        list(Base.metadata.tables)
    )


def test_the_table_of_streams_has_each_kind_of_change() -> None:
    (row,) = re.findall(r"^\| `GET /api/v1/feed` .*$", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {f"`{kind}`" for kind in get_args(EventKind)} <= set(re.findall(r"`\w+`", row))


@pytest.mark.parametrize("container", ["hexarena", "hexarena.backend", "hexarena.backend.api"])
def test_the_layers_are_those_of_the_contracts(container: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one.get("containers") == [container])
    text = ARCHITECTURE.read_text(encoding="utf-8")
    drawn = [layers(line.split(">")) for line in re.findall(r"^\w+ +> .+$", text, re.MULTILINE)]
    assert layers(contract["layers"]) in drawn


def test_each_layer_of_the_arena_has_its_row_and_each_part_of_the_api() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    for folder, section in (("backend", text), ("backend/api", text.partition("### Layers of the API")[2])):
        prefix = "backend/" if folder == "backend" else ""
        first_cells = " ".join(re.findall(r"^\|(?: \d+ \|)? (`[^|]*`) \|", section, re.MULTILINE))
        named = set(re.findall(rf"`{prefix}(\w+)(?:\.py|/)`", first_cells))
        there = {path.name.removesuffix(".py") for path in (ROOT / folder).iterdir() if "__" not in path.name}
        assert there - {"web"} <= named, folder
