"""Sandboxes that end before anything ran in them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.contract import Crashed
from hexarena.worker.sandbox import Sandbox, SandboxFailed

MARK = "/bot/a-sandbox-that-was-closed-early"


def _left() -> list[Path]:
    """Processes of sandboxes that were to run the mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "cmdline").read_bytes():
                found.append(process)
        except OSError:
            continue
    return found


@pytest.mark.sandbox
def test_a_sandbox_that_is_closed_while_it_is_set_up_leaves_nothing(isolated: Sandbox) -> None:
    """The launcher takes some milliseconds, in which it has a child that nobody knows yet."""
    program = isolated.command(("cat", MARK), Path("/usr/share"))
    for step in range(60):
        with isolated.start(program, reply_bytes=100):
            time.sleep(step * 0.00006)
    assert _left() == []


@pytest.mark.sandbox
def test_a_sandbox_that_cannot_be_set_up_is_no_crash_of_its_bot(isolated: Sandbox) -> None:
    program = isolated.build(PYTHON, b"input()\n")
    unmade = replace(program, command=replace(program.command, links={"/usr/not/to/be/written": "/"}))
    with (
        isolated.start(unmade, reply_bytes=100) as bot,
        pytest.raises(SandboxFailed, match='expected a sandbox to be set up; got "bwrap: Can'),
    ):
        bot.ask("\n", 1.0)
    with isolated.start(program, reply_bytes=100) as bot, pytest.raises(Crashed):
        bot.ask("\n", 1.0)


@pytest.mark.sandbox
def test_a_program_that_is_none_is_its_authors_affair(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("not a program")
    tmp_path.chmod(0o755)
    with (
        sandbox.start(sandbox.command(("./bot",), tmp_path), reply_bytes=100) as bot,
        pytest.raises(Crashed, match="before it replied"),
    ):
        bot.ask("\n", 1.0)
