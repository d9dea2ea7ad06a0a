"""The programs of docs/research.md run, and print what stands after them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "research.md"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall(PAGE.read_text())


def test_every_program_says_what_it_prints() -> None:
    assert len(EXAMPLES) == PAGE.read_text().count("```python\n") == 4


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize(("program", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_a_program_of_the_page_prints_what_it_says(program: str, printed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == printed
