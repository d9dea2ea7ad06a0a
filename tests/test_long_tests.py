"""Long tests take turns, and each of them has one."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.long_tests import part_of, whose_turn_it_is

PARTS = 8
CASES = [f"tests/test_a.py::test_many[{case}]" for case in range(20)]
SINGLE = [f"tests/test_{name}.py::test_once" for name in "abcdefghijklmnopqrstuvwxyz"]
FILES = {
    "conftest.py": """\
from tests import long_tests

def pytest_addoption(parser):
    long_tests.add_option(parser)

def pytest_report_header(config):
    return long_tests.headline(config)

def pytest_collection_modifyitems(config, items):
    long_tests.leave_others_out(config, items)
""",
    "pytest.ini": "[pytest]\nmarkers =\n  long: takes its turn\n",
    "test_some.py": """\
import pytest

def test_always():
    pass

@pytest.mark.long
@pytest.mark.parametrize("case", range(7))
def test_many(case):
    pass
""",
    "test_shared.py": """\
import pytest

pytestmark = pytest.mark.long

def test_one():
    pass

def test_other():
    pass
""",
}


def test_each_has_exactly_one_turn() -> None:
    turns = Counter(name for part in range(PARTS) for name in whose_turn_it_is(CASES + SINGLE, part + 1, PARTS))
    assert turns == Counter(CASES + SINGLE)


def test_the_cases_of_one_test_are_spread_over_all_parts() -> None:
    sizes = [len(whose_turn_it_is(CASES, part + 1, PARTS)) for part in range(PARTS)]
    assert sorted(sizes) == [2] * 4 + [3] * 4


def test_single_tests_are_spread_too() -> None:
    assert all(whose_turn_it_is(SINGLE, part + 1, 3) for part in range(3))


def test_the_tests_of_a_long_file_have_their_turn_together() -> None:
    names = [f"tests/test_shared.py::test_{name}" for name in "abcdefgh"]
    turns = [whose_turn_it_is(CASES + names, part + 1, PARTS, files={"tests/test_shared.py"}) for part in range(PARTS)]
    assert sorted(len(turn & set(names)) for turn in turns) == [0] * 7 + [8]
    assert set.union(*turns) == set(CASES + names)


@pytest.mark.parametrize("text", ["", "3", "0/8", "9/8", "1/0", "a/b", "1/8 ", "-1/8", "none"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(pytest.UsageError, match="expected all, or the part and their number like 3/8"):
        part_of(text)


@pytest.mark.long
def test_a_run_has_its_part_beside_all_other_tests(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    ran = Counter[str]()
    for option in ("1/2", "2/2", "all"):
        command = (sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(tmp_path))
        done = subprocess.run(
            (*command, "--long", option, str(tmp_path)),
            check=False,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parent.parent,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert ("part 1 of 2" in done.stdout) == (option == "1/2")
        ran.update(line.split()[0].split("::")[1] for line in done.stdout.splitlines() if "PASSED" in line)
        shared = {"test_one", "test_other"}
        assert all(name in done.stdout for name in shared) or not any(name in done.stdout for name in shared)
    assert ran == {"test_always": 3, "test_one": 2, "test_other": 2} | {f"test_many[{case}]": 2 for case in range(7)}
