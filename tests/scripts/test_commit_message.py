"""The check of commit messages that pre-commit runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "commit_message.py"


def check(tmp_path: Path, message: str) -> tuple[int, str]:
    """Exit code, and what was said."""
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message)
    done = subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "message",
    [
        "Add a glossary",
        "Pass seeds on\n\nBecause somebody must.\n# a comment of git's\n",
        "Need fewer files",
        "Discuss fewer things",
        "Show " + "a" * 67,
        "Merge branch 'other'",
        'Revert "Add a glossary"',
        "fixup! Add a glossary",
    ],
)
def test_a_good_subject_passes(tmp_path: Path, message: str) -> None:
    assert check(tmp_path, message) == (0, "")


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("Show " + "a" * 68, "at most 72 characters; got 73"),
        ("Added a glossary", "imperative"),
        ("Adding a glossary", "imperative"),
        ("Adds a glossary", "imperative"),
        ("The glossary is new", "imperative"),
        ("add a glossary", "capital letter"),
        ("Ladder: add a glossary", "begins with a verb"),
        ("", "begins with a verb"),
        ("Add a glossary.", "no full stop"),
        ("Add a glossary\nand more", "an empty line"),
    ],
)
def test_a_bad_subject_is_refused_with_its_reason(tmp_path: Path, message: str, says: str) -> None:
    code, said = check(tmp_path, message)
    assert code == 1
    assert says in said
