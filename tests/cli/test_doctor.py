"""`hexarena doctor`: what it says of this machine, and of machines that lack something."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hexarena.backend.submissions.languages import CSHARP, LANGUAGES, TYPESCRIPT
from hexarena.cli import doctor
from hexarena.cli.doctor import LEFT_OPEN, Report, examine, show
from hexarena.worker.sandbox import Check, LanguageMissing
from hexarena.worker.sandbox.dotnet import find_sdk, why_not
from hexarena.worker.sandbox.root import MACHINE
from tests import forking

ROOT = Path(__file__).parents[2]


def hexarena(folder: Path, *words: str, mode: str = "bwrap") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HEXARENA_SANDBOX": mode, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    return forking.run("hexarena.cli.app", "doctor", *words, cwd=folder, env=environment)


def shown(report: Report, width: int) -> str:
    """As it is printed on a terminal of so many columns, with runs of spaces and lines of tables taken out."""
    console = Console(file=StringIO(), width=width)
    show(report, console)
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    return " ".join(" ".join(lines).replace("│", " ").split())


@pytest.fixture(scope="module")
def report() -> Report:
    return examine("none")


@pytest.mark.long
@pytest.mark.sandbox
def test_it_says_what_passed_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = hexarena(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("no network", "system calls filtered", *(language.name for language in LANGUAGES.values())):
        assert name in done.stdout
    assert not any(tmp_path.iterdir()), "it needs no data folder"


@pytest.mark.long
@pytest.mark.sandbox
def test_scripts_read_the_same_as_json(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "--json")
    found = json.loads(done.stdout)
    assert found["sandbox"]["passed"] is True
    assert found["sandbox"]["mode"] == "bwrap"
    assert len(found["sandbox"]["promises"]) + len(found["sandbox"]["left_open"]) == len(LEFT_OPEN)
    assert all(check["passed"] for check in found["self_test"])
    assert (found["sandbox"]["stands"], found["walls"]) == (True, found["self_test"]), "the old names"
    python = found["languages"][0]
    assert (python["id"], python["endings"], python["missing"]) == ("python", [".py"], None)
    assert python["version"].startswith("Python 3.")
    assert [language["id"] for language in found["languages"]] == list(LANGUAGES)
    assert found["limits"]["build"]["cpu_s"] == 20.0


@pytest.mark.long
def test_without_isolation_it_fails_and_says_what_that_means(tmp_path: Path) -> None:
    done = hexarena(tmp_path, mode="none")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "The self-test failed: no worker for other people's bots starts here." in said
    assert LEFT_OPEN["isolation"] in said


@pytest.mark.long
@pytest.mark.sandbox
def test_it_says_whose_programs_bots_get(tmp_path: Path) -> None:
    assert examine("bwrap").programs == "the machine's own /usr"
    wrong = examine("bwrap", tmp_path)
    assert wrong.programs == f"the machine's own /usr; {tmp_path} cannot be used"
    assert not wrong.is_safe
    assert f"got {tmp_path}: no hexarena-toolchains.json in it, but nothing" in wrong.checks[0].detail


@pytest.mark.long
@pytest.mark.parametrize("width", [80, 120])
def test_what_is_missing_is_said_with_what_to_install(report: Report, width: int) -> None:
    lacking = LanguageMissing(f"expected esbuild for TypeScript; install {TYPESCRIPT.install}")
    versions = [
        (language, lacking if language is TYPESCRIPT else "x 1 (of today) [here]") for language, _ in report.versions
    ]
    said = shown(replace(report, versions=versions), width)
    assert "TypeScript .ts 768 MiB missing: expected esbuild for TypeScript; install esbuild from the system's" in said
    assert "Ruby .rb 768 MiB x 1 " in said


@pytest.mark.long
def test_csharp_is_named_by_what_builds_it_and_a_note_says_why_it_is_not_dotnet(report: Report) -> None:
    said = {".NET SDK 8.0.404, runtime 8.0.11": "C# (.NET 8)", "Mono C# compiler version 6.8": "C# (Mono)"}
    for version, name in said.items():
        versions = [(language, version) for language, _ in report.versions if language is CSHARP]
        assert f" {name} .cs 768 MiB {version}" in shown(replace(report, versions=versions), 120)
    assert "the runtime 8 without an SDK" in shown(replace(report, notes=["the runtime 8 without an SDK"]), 80)
    dotnet = find_sdk(MACHINE) is not None
    assert report.notes == ([] if dotnet else [f"C# 8 and newer need .NET, which is not used here: {why_not(MACHINE)}"])


@pytest.mark.long
@pytest.mark.parametrize("width", [80, 120])
def test_a_promise_that_is_not_made_is_a_sentence(report: Report, width: int) -> None:
    standing = replace(report, checks=[Check("no network", True, "none")], promises=frozenset({"isolation", "freezer"}))
    said = shown(standing, width)
    assert "Not covered in this mode:" in said
    for promise, sentence in LEFT_OPEN.items():
        assert (sentence in said) is (promise not in standing.promises)


def test_a_check_is_one_row_with_every_attempt_that_got_past_it(report: Report) -> None:
    tries = [Check("no files", True, "read a"), Check("no files", False, "read b"), Check("no files", False, "read c")]
    said = shown(replace(report, checks=tries), 120)
    assert "no files NO read b; read c" in said
    assert "no files yes read a (and so for 1 more)" in shown(replace(report, checks=[tries[0], tries[0]]), 120)


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("LDC - the LLVM D compiler (1.30.0):; gcc 12.2.0", "LDC - the LLVM D compiler (1.30.0); gcc 12.2.0"),
        ("gcc (Debian 12.2.0-14) 12.2.0", "gcc 12.2.0"),
        ("ruby 3.1.2p20 (2022-04-12 revision 4491bb740a) [x86_64-linux-gnu]", "ruby 3.1.2p20"),
    ],
)
def test_a_version_is_shown_without_what_is_in_brackets_unless_it_is_there(said: str, short: str) -> None:
    assert doctor._short(said) == short
