"""Hostile bots. Each folder of `hostile/` is a promise: a bot that attacks it, and `expected.toml`.

promise: the sentence. needs: what the sandbox must promise here, else the test is skipped and says so.
replies: what the bot answers, turn by turn; "held" is its own word for an attack that failed.
fault: the kinds of fault that may come in the turn after these replies; says: a part of its message.
memory_bytes: less memory than usual.

Whatever the bot does, its neighbour in the same match answers every turn, nothing of the bot is left when the match
is over, and the worker plays the next match.
"""

from __future__ import annotations

import os
import select
import tomllib
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from backend.languages import PYTHON
from games.contract import BotFault
from worker.sandbox import BotProcess, Program, Sandbox

FOLDER = Path(__file__).with_name("hostile")
CPU_S = 0.7
NEIGHBOUR = b"while True:\n    input()\n    print('unharmed')\n"


@dataclass(frozen=True, slots=True)
class Promise:
    """One folder."""

    name: str
    promise: str
    needs: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    fault: tuple[str, ...] = ()
    says: str = ""
    memory_bytes: int = PYTHON.memory_bytes

    @property
    def source(self) -> bytes:
        """The bot."""
        return (FOLDER / self.name / "bot.py").read_bytes()


def promises() -> list[Promise]:
    """All folders, by name."""
    found = []
    for file in sorted(FOLDER.glob("*/expected.toml")):
        values = tomllib.loads(file.read_text())
        tuples = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        found.append(Promise(file.parent.name, **tuples))
    return found


def processes_with(mark: str) -> set[int]:
    """Those that have this word in their command line, as all processes of a marked bot do."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def answers(bot: BotProcess, promise: Promise, neighbour: BotProcess, prompt: str) -> None:
    """Plays the turns that the promise tells of."""
    for reply in promise.replies:
        assert bot.ask(prompt, CPU_S).line == reply
        assert neighbour.ask("\n", CPU_S).line == "unharmed"
    if promise.fault:
        with pytest.raises(BotFault) as fault:
            bot.ask(prompt, CPU_S)
        assert fault.value.kind in promise.fault
        assert promise.says in fault.value.message
        assert neighbour.ask("\n", CPU_S).line == "unharmed"


@pytest.mark.parametrize("promise", promises(), ids=lambda promise: promise.name)
def test_the_platform_holds(sandbox: Sandbox, promise: Promise, tmp_path: Path) -> None:
    missing = set(promise.needs) - sandbox.promises
    if missing:
        pytest.skip(f"not promised here: {', '.join(sorted(missing))} ({sandbox.describe()})")
    mark = f"mark-{uuid.uuid4()}"
    secret = tmp_path / "secret"
    secret.write_text("the other bot's source")
    neighbours = sandbox.build(PYTHON, NEIGHBOUR)
    built = sandbox.build(PYTHON, promise.source)
    order = replace(built.order, argv=(*built.order.argv, mark))
    program = Program(promise.name, order, promise.memory_bytes)
    prompt = "\t".join(map(str, (secret, sandbox.folder, neighbours.order.home, built.order.home, FOLDER))) + "\n"
    with ExitStack() as stack:
        neighbour = stack.enter_context(sandbox.start(neighbours, reply_bytes=100))
        bot = stack.enter_context(sandbox.start(program, reply_bytes=1000))
        answers(bot, promise, neighbour, prompt)
        assert len(bot.log()) < sandbox.limits.stderr_turn_bytes + 100
        bot.close()
        if sandbox.promises & {"walls", "processes"}:
            assert processes_with(mark) == set(), "nothing of it is left"
        assert neighbour.ask("\n", CPU_S).line == "unharmed"
    with sandbox.start(neighbours, reply_bytes=100) as next_bot:
        assert next_bot.ask("\n", CPU_S).line == "unharmed"


def test_a_bot_that_waits_is_not_asked_and_not_running(jail: Sandbox) -> None:
    """A child that the bot leaves behind to think stands still too, and what it used is the bot's to pay."""
    if "freezer" not in jail.promises:
        pytest.skip("not promised here: freezer")
    source = (
        b"import os, sys\nreading, writing = os.pipe()\n"
        b"if os.fork() == 0:\n    while True: os.write(writing, b'x' * 1000); os.read(reading, 1000)\n"
        b"while True:\n    input()\n    print('done')\n"
    )
    busy = b"import time\nwhile True:\n    input()\n    end = time.process_time() + 0.2\n    while time.process_time() < end: pass\n    print('done')\n"  # noqa: E501
    with (
        jail.start(jail.build(PYTHON, source), reply_bytes=100) as bot,
        jail.start(jail.build(PYTHON, busy), reply_bytes=100) as neighbour,
    ):
        bot.ask("\n", CPU_S)
        neighbour.ask("\n", CPU_S)
        used = bot._tree.cpu_s()
        neighbour.ask("\n", CPU_S)
        assert bot._tree.cpu_s() - used < 0.05, "it pondered while the neighbour used 0.2 s"
        gone = os.pidfd_open(bot.pid)
    assert select.select([gone], [], [], 0)[0]
    os.close(gone)
