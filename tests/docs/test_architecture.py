"""What docs/architecture.md lists is what there is."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from hexarena.backend.models import Base

ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"


def test_the_table_under_data_has_each_table_of_the_database_once() -> None:
    section = ARCHITECTURE.read_text(encoding="utf-8").partition("\n## Data\n")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert Counter(name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)) == Counter(
        list(Base.metadata.tables)
    )
