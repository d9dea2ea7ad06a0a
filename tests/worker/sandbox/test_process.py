"""A bot as a channel: framing, clocks, ends and logs, with isolation and without it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.contract import BotFault, Crashed, TimedOut, TooMuchOutput
from hexarena.worker.sandbox import BotProcess, HostOverloaded, Sandbox
from tests.worker.sandbox.conftest import need_children

Start = Callable[..., BotProcess]

ECHO = "while True:\n    print('got', input())\n"
BUSY = 0.5


def written(text: str) -> str:
    """A bot that reads a line, then writes this at once."""
    return f"import os\ninput()\nos.write(1, {text!r}.encode())\nwhile True: input()\n"


def children() -> set[str]:
    """The processes that this one has to wait for, dead ones included."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


# --- Framing -------------------------------------------------------------------------------------------------------


def test_a_bot_answers_each_prompt_with_a_line(start: Start) -> None:
    bot = start(ECHO)
    assert [bot.ask(f"{number}\n", BUSY).line for number in range(5)] == [f"got {number}" for number in range(5)]


def test_a_prompt_may_have_many_lines(start: Start) -> None:
    bot = start("while True:\n    print(sum(int(input()) for _ in range(3)))\n")
    assert bot.ask("1\n2\n3\n", BUSY).line == "6"
    assert bot.ask("4\n5\n6\n", BUSY).line == "15"


def test_a_prompt_larger_than_a_pipe_arrives_whole(start: Start) -> None:
    bot = start("import sys\nprint(len(sys.stdin.readline()))\n")
    assert bot.ask("x" * 300_000 + "\n", BUSY).line == "300001"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lf_cr_and_crlf_end_a_line(start: Start, end: str) -> None:
    bot = start(written(f"one{end}two{end}"))
    assert bot.ask("\n", BUSY).line == "one"
    assert bot.ask("\n", BUSY).line == "two"


def test_a_cr_and_an_lf_that_comes_later_are_one_end(start: Start) -> None:
    bot = start("import os\ninput()\nos.write(1, b'one\\r')\ninput()\nos.write(1, b'\\ntwo\\n')\ninput()\n")
    assert bot.ask("\n", BUSY).line == "one"
    assert bot.ask("\n", BUSY).line == "two"


def test_further_lines_are_the_next_answers(start: Start) -> None:
    bot = start(written("1\n2\n\n4\n"))
    replies = [bot.ask("\n", BUSY) for _ in range(4)]
    assert [reply.line for reply in replies] == ["1", "2", "", "4"]
    assert replies[0].stderr == ""
    assert all(reply.stderr.startswith("… this line arrived before the prompt") for reply in replies[1:])


def test_bytes_that_are_no_utf8_are_replaced(start: Start) -> None:
    bot = start("import os\ninput()\nos.write(1, b'a\\xff\\x00b\\n')\ninput()\n")
    assert bot.ask("\n", BUSY).line == "a�\x00b"


def test_a_line_may_be_as_long_as_the_game_allows(start: Start) -> None:
    assert start(written("x" * 100 + "\n")).ask("\n", BUSY).line == "x" * 100


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_longer_line_is_a_fault(start: Start, end: str) -> None:
    bot = start(written("x" * 101 + end))
    with pytest.raises(TooMuchOutput, match="expected a line of at most 100 bytes; got 101 bytes"):
        bot.ask("\n", BUSY)


# --- Clocks --------------------------------------------------------------------------------------------------------


def test_a_bot_that_computes_too_long_is_judged_by_its_cpu_time(start: Start) -> None:
    bot = start("print('ready')\ninput()\ninput()\nwhile True: pass\n")
    bot.ask("\n", BUSY)
    with pytest.raises(TimedOut, match=r"expected a line within 100 ms of CPU time; used 1\d\d(\.\d)? ms$"):
        bot.ask("\n", 0.1)


def test_a_late_line_is_a_fault_although_it_came(start: Start) -> None:
    bot = start(
        "import time\nprint('ready')\ninput()\ninput()\n"
        "end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nprint('late')\ninput()\n"
    )
    bot.ask("\n", BUSY)
    with pytest.raises(TimedOut, match="of CPU time; used"):
        bot.ask("\n", 0.05)


def test_a_bot_that_sleeps_meets_the_cap_of_the_wall_clock(start: Start) -> None:
    bot = start("import time\ninput()\ntime.sleep(1000)\n")
    with pytest.raises(TimedOut, match="but 2 s passed while it slept or waited"):
        bot.ask("\n", 0.2)


def test_the_processes_of_a_bot_pay_together(sandbox: Sandbox, start: Start) -> None:
    need_children(sandbox)

    def bill() -> None:
        bot = start(
            "import os, time\nprint('ready')\ninput()\ninput()\n"
            "os.fork() and os.fork()\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass\ninput()\n"
        )
        bot.ask("\n", BUSY)
        bot.ask("\n", 0.15)

    said = time_out_of(bill)
    assert re.search(r"used (1[5-9]|[2-9]\d)\d", said), said


def time_out_of(attempt: Callable[[], None]) -> str:
    """Where the machine held the bot up, there is no verdict: it is tried again, as a match would be."""
    for _ in range(50):
        with pytest.raises((TimedOut, HostOverloaded)) as ended:
            attempt()
        if ended.type is TimedOut:
            return str(ended.value)
    pytest.fail("the machine was overloaded fifty times")


def test_a_bot_stands_still_between_its_turns(start: Start) -> None:
    """It counts in a loop while it waits; a neighbour's whole match goes by and the count stays what it was."""
    thinker = start(
        "import sys, threading, time\nsys.setswitchinterval(1e-4)\ncount = 0\n"
        "def ponder():\n    global count\n    while True: count += 1\n"
        "threading.Thread(target=ponder, daemon=True).start()\n"
        "while True:\n    input()\n    print(time.process_time())\n"
    )
    neighbour = start("import time\nwhile True:\n    input()\n    end = time.process_time() + 0.2\n"
                      "    while time.process_time() < end: pass\n    print('done')\n")  # fmt: skip
    before = float(thinker.ask("\n", 1.0).line)
    neighbour.ask("\n", 1.0)
    neighbour.ask("\n", 1.0)
    after = float(thinker.ask("\n", 1.0).line)
    assert after - before < 0.2, "it pondered while the neighbour used 0.4 s"


def test_a_reply_says_what_it_cost(start: Start) -> None:
    bot = start("import time\ninput()\nend = time.process_time() + 0.05\nwhile time.process_time() < end: pass\n"
                "print('done')\ninput()\n")  # fmt: skip
    reply = bot.ask("\n", BUSY)
    assert 0.05 <= reply.cpu_s <= BUSY
    assert reply.wall_s > 0


@pytest.mark.parametrize(
    ("bot", "used_s", "waited_s"),
    [("while True: pass", 0.1, 0.1), ("time.sleep(1000)", 0.0, 1.0), ("raise ValueError", 0.0, 0.0)],
    ids=["late", "asleep", "crashed"],
)
def test_a_fault_says_what_it_cost(start: Start, bot: str, used_s: float, waited_s: float) -> None:
    bots = start(f"import time\nprint('ready')\ninput()\ninput()\n{bot}\n")
    bots.ask("\n", BUSY)
    with pytest.raises(BotFault) as fault:
        bots.ask("\n", 0.1)
    assert fault.value.cpu_s >= used_s
    assert fault.value.wall_s > waited_s


@pytest.fixture
def crowded() -> Iterator[Callable[[BotProcess], None]]:
    """Leaves a bot one core, on which something more important is going on."""
    core = min(os.sched_getaffinity(0))
    hog_source = "print(flush=True)\nwhile True: pass"
    # In a session of its own: the kernel shares a core among sessions, and this one may be busy on other cores.
    command = [sys.executable, "-c", hog_source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as hog:
        os.sched_setaffinity(hog.pid, {core})
        assert hog.stdout is not None
        hog.stdout.readline()

        def crowd(bot: BotProcess) -> None:
            os.sched_setaffinity(bot.pid, {core})
            os.sched_setscheduler(bot.pid, os.SCHED_IDLE, os.sched_param(0))
            session = Path(f"/proc/{bot.pid}/autogroup")
            if session.exists():
                session.write_text("19")

        yield crowd
        hog.kill()


WORKS_OR_SLEEPS = """
import time
while True:
    if input() == "work":
        end = time.process_time() + 0.09
        while time.process_time() < end: pass
    else:
        time.sleep(1000)
    print("done")
"""


def test_no_verdict_on_a_bot_that_the_machine_kept_waiting(start: Start, crowded: Callable[[BotProcess], None]) -> None:
    bot = start(WORKS_OR_SLEEPS)
    assert bot.ask("work\n", BUSY).line == "done"
    crowded(bot)
    with pytest.raises(
        HostOverloaded, match=r"expected a line within 1 s, but the machine held the bot up for [01]\.\d s"
    ):
        bot.ask("work\n", 0.1)


def test_a_bot_that_sleeps_is_late_on_a_busy_machine_too(start: Start, crowded: Callable[[BotProcess], None]) -> None:
    def sleep() -> None:
        bot = start(WORKS_OR_SLEEPS)
        assert bot.ask("work\n", BUSY).line == "done"
        crowded(bot)
        bot.ask("sleep\n", 0.1)

    assert "passed while it slept or waited" in time_out_of(sleep)


# --- Ends and logs -------------------------------------------------------------------------------------------------


def test_a_bot_that_ends_before_it_replies_has_crashed(start: Start) -> None:
    bot = start("input()\nraise ValueError('no such ant')\n")
    with pytest.raises(Crashed) as fault:
        bot.ask("\n", BUSY)
    assert fault.value.message == (
        "expected a line; the process ended with exit code 1 before it replied; last stderr: ValueError: no such ant"
    )


def test_a_bot_that_ends_in_the_middle_of_a_match_fails_in_that_turn(start: Start) -> None:
    bot = start("input()\nprint('first')\ninput()\n")
    assert bot.ask("\n", BUSY).line == "first"
    with pytest.raises(Crashed, match="ended with exit code 0 before it replied"):
        bot.ask("\n", BUSY)


def test_the_verdict_names_the_usual_mistake_where_nothing_else_explains_it(start: Start) -> None:
    with pytest.raises(Crashed, match=r"exit code 0 before it replied; a bot replies once a turn, in a loop, until it"):
        start("def main():\n    print(input())\n").ask("\n", BUSY)
    with pytest.raises(TimedOut, match=r"slept or waited; did it read more lines than there were, or not flush its"):
        start("print(input() + input())\n").ask("\n", 0.2)
    with pytest.raises(TimedOut, match=r"of CPU time; used [\d.]+ ms$"):
        start("while True: pass\n").ask("\n", 0.2)
    with pytest.raises(Crashed, match=r"exit code 0 before it replied; last stderr: I give up$"):
        start("import sys\nprint('I give up', file=sys.stderr)\n").ask("\n", BUSY)


def test_a_line_without_its_end_is_in_the_verdict(start: Start) -> None:
    begun = "import sys\ninput()\nsys.stdout.write('4 4')\nsys.stdout.flush()\n"
    with pytest.raises(Crashed, match=r"before it replied; got '4 4' without a line end$"):
        start(begun).ask("\n", BUSY)
    with pytest.raises(TimedOut, match=r"while it slept or waited; got '4 4' without a line end$"):
        start(begun + "input()\n").ask("\n", 0.2)


def test_a_bot_that_closes_its_output_and_lives_has_crashed(start: Start) -> None:
    bot = start("import os, time\nprint('ready')\ninput()\ninput()\nos.close(1)\ntime.sleep(1000)\n")
    bot.ask("\n", BUSY)
    with pytest.raises(Crashed, match="the process closed its output before it replied") as fault:
        bot.ask("\n", 0.05)
    assert fault.value.cpu_s < 0.05


def test_a_child_may_answer_for_a_parent_that_closed_its_output(sandbox: Sandbox, start: Start) -> None:
    need_children(sandbox)
    bot = start("import os, time\nif os.fork():\n    os.close(1)\n    time.sleep(1000)\n"
                "while True:\n    input()\n    time.sleep(0.2)\n    print('done')\n")  # fmt: skip
    assert [bot.ask("\n", seconds).line for seconds in (BUSY, 0.05)] == ["done", "done"]


def test_a_bot_may_answer_and_end(start: Start) -> None:
    assert start("input()\nprint('last words')\n").ask("\n", BUSY).line == "last words"


def test_a_signal_has_a_name(start: Start) -> None:
    bot = start("import ctypes\ninput()\nctypes.string_at(0)\n")
    with pytest.raises(Crashed, match=r"was ended by signal 11 \(SIGSEGV\)"):
        bot.ask("\n", BUSY)


def test_nobody_asks_after_a_fault(start: Start) -> None:
    bot = start("input()\n")
    with pytest.raises(Crashed):
        bot.ask("\n", BUSY)
    with pytest.raises(Crashed, match="it was ended after: expected a line"):
        bot.ask("\n", BUSY)


def test_what_a_bot_logs_comes_with_its_reply(start: Start) -> None:
    bot = start("import sys\nwhile True:\n    n = input()\n    print('thinking', n, file=sys.stderr)\n    print(n)\n")
    assert bot.ask("1\n", BUSY).stderr == "thinking 1\n"
    assert bot.ask("2\n", BUSY).stderr == "thinking 2\n"
    assert bot.log() == ""


def test_what_a_bot_logs_before_a_fault_can_be_taken(start: Start) -> None:
    bot = start("import sys\ninput()\nprint('oh no', file=sys.stderr)\n")
    with pytest.raises(Crashed):
        bot.ask("\n", BUSY)
    assert bot.log() == "oh no\n"


def test_of_a_long_log_the_beginning_is_kept(start: Start) -> None:
    bot = start("import sys\nwhile True:\n    input()\n    print('x' * 999, file=sys.stderr)\n    print('done')\n")
    kept = [bot.ask("\n", BUSY).stderr for _ in range(3)]
    assert kept[0] == "x" * 200 + "\n… 800 more bytes were dropped: at most 200 a turn and 500 a match are kept"
    assert kept[2] == "x" * 100 + "\n… 900 more bytes were dropped: at most 200 a turn and 500 a match are kept", (
        "500 bytes in a match"
    )


# --- Nothing is left -----------------------------------------------------------------------------------------------


def test_nothing_is_left_when_a_match_is_over(sandbox: Sandbox, descriptors: Callable[[], set[str]]) -> None:
    program = sandbox.build(PYTHON, ECHO.encode())
    before, children_before = descriptors(), children()
    with sandbox.start(program, reply_bytes=100) as asked, sandbox.start(program, reply_bytes=100) as never_asked:
        asked.ask("\n", BUSY)
        gone = os.pidfd_open(asked.pid)
    assert select.select([gone], [], [], 0)[0], "the bot's process has ended"
    os.close(gone)
    assert never_asked.pid == 0
    assert descriptors() == before
    assert children() == children_before, "nor a zombie"


def test_closing_twice_is_no_error(start: Start) -> None:
    bot = start(ECHO)
    bot.ask("\n", BUSY)
    bot.close()
    bot.close()
    with pytest.raises(Crashed, match="its match is over"):
        bot.ask("\n", BUSY)


def test_slots_are_used_again(sandbox: Sandbox) -> None:
    program = sandbox.build(PYTHON, ECHO.encode())
    for _ in range(20):
        with sandbox.start(program, reply_bytes=100) as bot:
            assert bot.ask("again\n", BUSY).line == "got again"


def test_a_command_of_the_users_own_runs_in_its_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import helper\ninput()\nprint(helper.WORD)\n")
    (tmp_path / "helper.py").write_text("WORD = '{braces} are only braces'\n")
    program = sandbox.command(["python3", "-u", "mine.py"], tmp_path)
    with sandbox.start(program, reply_bytes=100) as bot:
        assert bot.ask("\n", BUSY).line == "{braces} are only braces"
