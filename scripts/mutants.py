"""Mutation run over the pure modules: `make mutants [ONLY="NAME ..."] [SAMPLE=N]`. docs/mutants.md says why.

Theory of operation: mutmut changes one spot of a module at a time and runs those tests that reach the changed function;
a mutant that no test notices survives. mutmut copies a tree and cannot do with links, so it works in `.mutants/`, on a
copy whose `src/hexarena/` has real folders. Tests there are fast and always the same: Hypothesis draws the same
examples, recordings are cut to their first games, and simulations that take seconds are left out. mutmut forks when all
modules are imported; functions that run during the import are tried in new processes instead. Progress goes to stderr,
the table to stdout; `cd .mutants && ../.venv/bin/mutmut show NAME` shows a survivor (`mutmut results` has the names).
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.stats import status_by_exit_code

ROOT = Path(__file__).parents[1]
WORK = ROOT / ".mutants"
PARTS = ("backend", "worker", "cli", "environments", "bench", "games", "migrations")
EXAMPLES = "docs/examples"
"""Games that tests play, too."""
RECORDED_GAMES = 6
"""Of each file of recordings."""
NO_TESTS = 33
"""mutmut's exit code for a mutant that no test reaches."""
TIMEOUT_FACTOR, TIMEOUT_S = 10.0, 10.0
"""A mutant may take (tests' time + TIMEOUT_S) * TIMEOUT_FACTOR: a busy machine may take three times as long."""


class Group(NamedTuple):
    """Modules below `src/hexarena/`, and the tests that are to notice their mutants."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


def _doctest(module: str) -> str:
    return f"tests/test_doctests.py::test_the_examples_of_a_module_are_right[hexarena.{module}]"


def _game(game: str, *more: str) -> Group:
    tests = (f"tests/games/{game}/test_{name}.py" for name in ("rules", "statement", *more))
    return Group((f"games/{game}/rules.py",), (*tests, *RECORDINGS.get(game, ())))


RECORDINGS = {
    game: tuple(
        f"tests/games/test_verify.py::test_recordings_of_the_reference_are_reproduced[{game}_{name}.jsonl.gz]"
        for name in names
    )
    for game, names in {"yavalath": ("dev",), "ants": ("dev",), "tryangle": ("dev", "custom_dev", "crash")}.items()
}
GROUPS = {
    "rating": Group(
        tuple(f"backend/rating/{path.name}" for path in sorted((ROOT / "backend" / "rating").glob("[!_]*.py"))),
        ("tests/backend/rating", "tests/backend/ladder/test_placement.py", "tests/backend/ladder/test_played.py"),
    ),
    "ladder": Group(
        tuple(f"backend/ladder/{name}.py" for name in ("rules", "pairing", "placement", "played")),
        (
            *(f"tests/backend/ladder/test_{name}.py" for name in ("pairing", "placement", "rules", "played")),
            "tests/backend/events/test_even_ladder.py",
            _doctest("backend.ladder.rules"),
        ),
    ),
    "duels": Group(("backend/duels/fixtures.py",), ("tests/backend/duels/test_fixtures.py",)),
    "queue": Group(("backend/matches/fair.py",), ("tests/backend/matches/test_fair.py",)),
    "events": Group(
        tuple(
            f"backend/events/{name}.py"
            for name in ("brackets", "draws", "forms", "games", "stages", "strengths", "swiss", "tables")
        ),
        tuple(f"tests/backend/events/test_{name}.py" for name in ("stages", "heats", "strengths")),
    ),
    "classes": Group(("backend/classes/rosters.py",), ("tests/backend/classes/test_rosters.py",)),
    "referee": Group(
        ("games/referee.py",),
        tuple(f"tests/games/test_{name}.py" for name in ("referee", "hidden", "records", "rewards")),
    ),
    "yavalath": _game("yavalath", "protocol"),
    "ants": _game("ants"),
    "tryangle": _game("tryangle", "network", "replay"),
    "battlegrounds": _game("battlegrounds", "life"),
    "tron": _game("tron", "protocol"),
}
LEFT_OUT = (
    "tests/backend/rating/test_sprt.py::test_duels_go_wrong_as_seldom_as_they_promise",
    "tests/backend/rating/test_sprt.py::test_the_interval_covers_the_truth_as_often_as_it_says",
    "tests/backend/rating/test_sprt.py::test_draws_make_no_duel_longer",
)
"""Tests that take seconds."""

AT_IMPORT = {"games/yavalath/rules.py": ("x__column", "x__ray")}
"""Module -> functions that run only while it is imported."""


def copy_tree(groups: list[Group]) -> None:
    """Makes `.mutants/` anew: the tree without links, and with a configuration for mutmut."""
    shutil.rmtree(WORK, ignore_errors=True)
    package = WORK / "src" / "hexarena"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "src" / "hexarena" / "__init__.py", package)
    unneeded = shutil.ignore_patterns("__pycache__", "fuzz")
    for part in PARTS:
        shutil.copytree(ROOT / part, package / part, ignore=unneeded)
    shutil.copytree(ROOT / "tests", WORK / "tests", ignore=unneeded)
    shutil.copytree(ROOT / EXAMPLES, WORK / EXAMPLES, ignore=unneeded)
    for recordings in (WORK / "tests" / "games" / "golden").glob("*.jsonl.gz"):
        _cut(recordings)
    (WORK / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + _configuration(groups))


def _cut(recordings: Path) -> None:
    with gzip.open(recordings, "rt", encoding="utf-8") as lines:
        kept = "".join(islice(lines, RECORDED_GAMES))
    with gzip.open(recordings, "wt", encoding="utf-8") as file:
        file.write(kept)


def _arguments() -> list[str]:
    """Of pytest. Hypothesis' profile "ci" draws the same examples each time."""
    return ["-p", "no:cacheprovider", "--hypothesis-profile=ci", *(f"--deselect={test}" for test in LEFT_OUT)]


def _configuration(groups: list[Group]) -> str:
    values = {
        "source_paths": ["src"],
        "only_mutate": [f"src/hexarena/{module}" for group in groups for module in group.modules],
        "also_copy": [EXAMPLES],
        "pytest_add_cli_args": _arguments(),
        "pytest_add_cli_args_test_selection": sorted({test for group in groups for test in group.tests}),
        "timeout_multiplier": TIMEOUT_FACTOR,
        "timeout_constant": TIMEOUT_S,
        "track_dependencies": False,
        "use_git_change_detection": False,
    }
    return "\n[tool.mutmut]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def drawn(module: str, sample: int) -> list[str]:
    """The names of `sample` mutants of the module, always the same ones; of all if there are no more."""
    source = WORK / "src" / "hexarena" / module
    names = mutate_file_contents(str(source), source.read_text()).mutant_names
    prefix = f"hexarena.{module.removesuffix('.py').replace('/', '.')}."
    return [prefix + name for name in Random(module).sample(sorted(names), min(sample, len(names)))]


def run_mutmut(names: list[str]) -> None:
    """Tries these mutants, or all if there are none, as many at a time as there are processors, at low priority.

    Raises: SystemExit if mutmut fails, e.g. because a test fails without any mutant.
    """
    command = ["nice", str(Path(sys.executable).parent / "mutmut"), "run", *names]
    if subprocess.run(command, cwd=WORK, env=_environment(), stdout=sys.stderr, check=False).returncode:
        raise SystemExit("mutmut failed; its last words are above")


def retry_at_import(group: Group) -> None:
    """Tries the survivors among the functions that run during the import, each in a new process."""
    for module in group.modules:
        meta = _meta(module)
        found = json.loads(meta.read_text())
        codes = found["exit_code_by_key"]
        for name, code in codes.items():
            if code in (0, NO_TESTS) and name.split(".")[-1].partition("__mutmut_")[0] in AT_IMPORT.get(module, ()):
                print(f"{name}: trying in a new process", file=sys.stderr)
                environment = _environment() | {"MUTANT_UNDER_TEST": name, "PYTHONPATH": "src"}
                command = ["nice", sys.executable, "-m", "pytest", "-x", "-q", *_arguments(), *group.tests]
                tried = subprocess.run(command, cwd=WORK / "mutants", env=environment, stdout=sys.stderr, check=False)
                # An error while tests are collected is a kill.
                codes[name] = min(tried.returncode, 1)
        meta.write_text(json.dumps(found))


def _environment() -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def _meta(module: str) -> Path:
    """mutmut's results for a module."""
    return WORK / "mutants" / "src" / "hexarena" / f"{module}.meta"


def table(modules: list[str]) -> str:
    """The results, as rows of Markdown. Mutants that no test reaches have survived; a timeout is a kill."""
    rows = [
        "| module | mutants | tried | killed | survived | timeout | suspicious | killed % | ± |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for module in modules:
        codes = json.loads(_meta(module).read_text())["exit_code_by_key"].values()
        by_status = Counter(status_by_exit_code[code] for code in codes)
        total, tried = by_status.total(), by_status.total() - by_status["not checked"]
        killed, timeout = by_status["killed"], by_status["timeout"]
        survived = by_status["survived"] + by_status["no tests"]
        share = (killed + timeout) / tried
        error = (share * (1 - share) / tried * (total - tried) / max(total - 1, 1)) ** 0.5
        rows.append(
            f"| `{module}` | {total} | {tried} | {killed} | {survived} | {timeout} "
            f"| {tried - killed - timeout - survived} | {100 * share:.1f} | {100 * error:.1f} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Raises: SystemExit for a group or module that is not there."""
    parser = ArgumentParser(description="Counts the mutants of the pure modules that no test notices.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"a group of {', '.join(GROUPS)}, or a module; without one: all groups"
    )
    parser.add_argument("--sample", type=int, help="at most so many mutants of each module, drawn at random")
    arguments = parser.parse_args()
    known = {name: group for group in GROUPS.values() for name in group.modules} | GROUPS
    unknown = set(arguments.names) - known.keys()
    if unknown:
        parser.error(f"expected groups among {', '.join(GROUPS)}, or their modules; got {', '.join(sorted(unknown))}")
    groups = [
        known[name]._replace(modules=(name,)) if name in known[name].modules else known[name]
        for name in arguments.names or GROUPS
    ]
    modules = [module for group in groups for module in group.modules]
    copy_tree(groups)
    run_mutmut([name for module in modules for name in drawn(module, arguments.sample)] if arguments.sample else [])
    for group in groups:
        retry_at_import(group)
    print(table(modules))


if __name__ == "__main__":
    main()
