"""Who ended a bot: itself, which is its crash; or somebody outside of its sandbox, which spoils the attempt."""

from __future__ import annotations

import os
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON, find_language
from hexarena.backend.submissions.languages.scripts import RUBY
from hexarena.games.contract import BotFault, Crashed
from hexarena.worker.sandbox import BotKilled, BotProcess, BuildFailed, Sandbox, SandboxFailed, cgroup, slots
from hexarena.worker.sandbox.calls import MACHINES, NUMBERS
from hexarena.worker.sandbox.cgroup import Group
from hexarena.worker.sandbox.endings import end_of
from hexarena.worker.sandbox.limits import MIB
from tests.conftest import PATIENCE_S, wait_until
from tests.worker.sandbox.conftest import Start, need, need_children
from tests.worker.sandbox.test_hostile import without_groups
from tests.worker.sandbox.test_kill import running_with, token

LONG_S = 5.0
WAITS = "input()\nprint('ready')\ninput()\nwhile True: pass\n"
KERNEL = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
TELLS = pytest.mark.skipif(KERNEL < (6, 15), reason="needs Linux 6.15, which tells how processes of others ended")


@pytest.fixture
def grouped(isolated: Sandbox) -> Sandbox:
    """With isolation, where control groups count whom the kernel killed."""
    if isolated._slots.hierarchies is None:
        pytest.skip("needs control groups")
    return isolated


@pytest.fixture
def running(grouped: Sandbox) -> Iterator[BotProcess]:
    """A bot that has answered once, and is frozen."""
    with grouped.start(grouped.build(PYTHON, WAITS.encode()), reply_bytes=100) as bot:
        assert bot.ask("\n", LONG_S).line == "ready"
        yield bot


def kill(pid: int) -> None:
    """And wait until it has ended, or is a zombie that its launcher has still to take notice of."""
    watched = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    assert select.select([watched], [], [], PATIENCE_S)[0]
    os.close(watched)


# --- From outside ---------------------------------------------------------------------------------------------------


@TELLS
def test_a_bot_that_somebody_kills_between_its_turns_has_not_crashed(running: BotProcess) -> None:
    kill(running.pid)
    with pytest.raises(BotKilled, match="SIGKILL"):
        running.ask("\n", LONG_S)


@TELLS
def test_a_bot_that_somebody_kills_while_it_thinks_has_not_crashed(running: BotProcess) -> None:
    killer = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.3); os.kill({running.pid}, 9)"])
    with pytest.raises(BotKilled):
        running.ask("\n", LONG_S)
    assert killer.wait(PATIENCE_S) == 0


@TELLS
def test_a_bot_whose_whole_group_somebody_kills_has_not_crashed(running: BotProcess) -> None:
    pids = running._tree.pids()
    watched = [os.pidfd_open(pid) for pid in pids]
    running._tree.kill()
    assert all(select.select([one], [], [], PATIENCE_S)[0] for one in watched)
    with pytest.raises(BotKilled):
        running.ask("\n", LONG_S)


def test_a_bot_whose_launcher_somebody_kills_has_not_crashed(running: BotProcess) -> None:
    """On any kernel: nobody in the sandbox can see it."""
    kill(running._process.process.pid)
    with pytest.raises(BotKilled):
        running.ask("\n", LONG_S)


SLOW_TO_COMPILE = "#include <regex>\nint main() {}\n" + "".join(
    f'bool f{n}(const std::string &s) {{ return std::regex_match(s, std::regex("{n}")); }}\n' for n in range(2_000)
)


def first_process_of(sandbox: Sandbox) -> int | None:
    """Of whatever runs in a sandbox now."""
    for pid in running_with(token(sandbox.folder), "environ"):
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            if (found := re.search(r"^NSpid:.*\t1$", status, re.MULTILINE)) is not None and found:
                return pid
    return None


@TELLS
def test_a_build_that_somebody_kills_has_not_failed(grouped: Sandbox) -> None:
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(grouped.build, find_language("cpp"), SLOW_TO_COMPILE.encode())
        wait_until(lambda: first_process_of(grouped) or building.done(), "the build has begun")
        if (pid := first_process_of(grouped)) is not None:
            kill(pid)
        with pytest.raises(SandboxFailed):  # BotKilled, or it had not even begun
            building.result()


RUBY_WAITS = """
STDIN.gets
puts "ready"
STDIN.gets
"""


@pytest.mark.skipif(shutil.which("ruby") is None, reason="needs ruby")
def test_a_bot_in_ruby_has_its_timers_and_a_quiet_log_but_its_kill_is_its_own_affair(grouped: Sandbox) -> None:
    with grouped.start(grouped.build(RUBY, RUBY_WAITS.encode()), reply_bytes=100) as bot:
        exchange = bot.ask("\n", LONG_S)
        assert (exchange.line, exchange.stderr) == ("ready", "")
        kill(bot.pid)
        with pytest.raises(Crashed, match="signal 9"):
            bot.ask("\n", LONG_S)


# --- By itself ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [137, 139, 143])
def test_an_exit_code_that_looks_like_a_signal_is_the_bots_own(start: Start, sandbox: Sandbox, code: int) -> None:
    bot = start(f"import os\ninput()\nos._exit({code})\n")
    with pytest.raises(Crashed) as fault:
        bot.ask("\n", LONG_S)
    if KERNEL >= (6, 15) or sandbox.mode == "none":
        assert f"ended with exit code {code}" in fault.value.message


def test_nothing_is_certain_where_the_kernel_does_not_tell(tmp_path: Path) -> None:
    """As before Linux 6.15: a descriptor of a file stands for a pidfd that knows nothing."""
    with (tmp_path / "file").open("wb") as file:
        end = end_of(137, file.fileno())
    assert (end.certain, end.killed) == (False, False)
    assert str(end) == "the process was ended by signal 9 (SIGKILL)"


HOLES = {
    "kill": "os.kill(1, 9)",
    "kill of its group": "os.kill(0, 9)",
    "kill of a thread": "os.kill(threading.get_native_id(), 9)",
    "tgkill": "call({tgkill}, 1, threading.main_thread().native_id, 9)",
    "tkill": "call({tkill}, 1, 9)",
    "a signal with the kernel's own code": "call({rt_sigqueueinfo}, 1, 9, KERNELS)",
    "the same to a thread": "call({rt_tgsigqueueinfo}, 1, 1, 9, KERNELS)",
    "the same by a pidfd": "call({pidfd_send_signal}, os.pidfd_open(1), 9, KERNELS, 0)",
    "a limit on CPU time": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
    "a child that signals its end by it": "call({clone}, 9, 0, 0, 0, 0)",
    "a timer that sends it": "call({timer_create}, 1, (ctypes.c_int * 16)(0, 0, 9, 0), (ctypes.c_int * 1)())",
}
"""Ways in which a bot could be ended by SIGKILL with nobody outside doing anything. `{name}`: the number of a call."""
SUICIDAL = """
import ctypes, os, resource, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
KERNELS = ctypes.create_string_buffer(struct.pack("<iii", 9, 0, 0x80) + bytes(116))
def call(number, *arguments):
    if libc.syscall(*(one if isinstance(one, ctypes.Array) else ctypes.c_long(one)
                      for one in (number, *arguments))) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    if {clone} == number:
        os._exit(0)
def attempt():
    try:
        {hole}
    except (OSError, ValueError) as error:
        return "refused"
    return "done"
input()
print(attempt())
input()
print("alive")
input()
"""


@pytest.mark.parametrize("hole", HOLES)
def test_a_bot_cannot_be_ended_by_sigkill_from_inside(isolated: Sandbox, hole: str) -> None:
    column = MACHINES[platform.machine()].column
    source = SUICIDAL.replace("{hole}", HOLES[hole])
    for name, numbers in NUMBERS.items():
        source = source.replace(f"{{{name}}}", str(numbers[column]))
    with isolated.start(isolated.build(PYTHON, source.encode()), reply_bytes=100) as bot:
        assert bot.ask("\n", LONG_S).line == "refused"
        assert bot.ask("\n", LONG_S).line == "alive"


RACE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define TIMERS 200
static void *hammer(void *none) { for (;;) kill(1, 9); return none; }
int main(void) {
    char line[99];
    pthread_t threads[2];
    struct timespec begun, now;
    fgets(line, 99, stdin);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int i = 0; i < TIMERS; i++) {
        timer_t timer;
        struct sigevent event;
        struct itimerspec at;
        memset(&event, 0, sizeof event);
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = 9;
        if (timer_create(CLOCK_MONOTONIC, &event, &timer)) break;
        memset(&at, 0, sizeof at);
        at.it_value.tv_sec = begun.tv_sec + (begun.tv_nsec + 3000000 + i * 500) / 1000000000;
        at.it_value.tv_nsec = (begun.tv_nsec + 3000000 + i * 500) % 1000000000;
        timer_settime(timer, TIMER_ABSTIME, &at, 0);
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, hammer, 0);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000000000L + now.tv_nsec - begun.tv_nsec < 3030000);
    *(volatile int *)0 = 1;
}
"""


def test_a_bot_that_dies_while_it_kills_itself_has_crashed(isolated: Sandbox) -> None:
    """In the moment in which SIGSEGV is about to end it, process 1 of a namespace is open to signals of its own."""
    cpp = find_language("cpp")
    need(isolated, cpp)
    program = isolated.build(cpp, RACE.encode())
    for _ in range(20):
        with isolated.start(program, reply_bytes=100) as bot, pytest.raises(Crashed, match=r"signal 11 \(SIGSEGV\)"):
            bot.ask("\n", LONG_S)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('throw std::runtime_error("oops");', "what():  oops"),
        ("throw 5;", "terminate called after throwing an instance of 'int'"),
        ("assert(n == 2);", "Assertion `n == 2' failed."),
        ("char *volatile p = (char *)malloc(9); free(p); free(p);", "free(): double free detected in tcache 2"),
    ],
)
def test_a_bot_that_aborts_is_not_said_to_have_used_a_wrong_address(isolated: Sandbox, code: str, said: str) -> None:
    """As process 1 of its namespace it gets no SIGABRT of its own, and ends by SIGSEGV."""
    cpp = find_language("cpp")
    need(isolated, cpp)
    includes = "".join(f"#include <{one}>\n" for one in ("cassert", "cstdlib", "iostream", "stdexcept"))
    source = f"{includes}int main() {{ int n; std::cin >> n; {code} std::cout << n << std::endl; }}\n"
    program = isolated.build(cpp, source.encode())
    with isolated.start(program, reply_bytes=100) as bot, pytest.raises(Crashed) as crashed:
        bot.ask("1\n", LONG_S)
    assert "the process ended itself with abort() before it replied" in str(crashed.value)
    assert str(crashed.value).endswith(said)


# --- Memory ---------------------------------------------------------------------------------------------------------

HUNGRY = "import sys; sys.stdin.read(1); taken = bytearray(200 << 20); sys.exit(3)"


@pytest.fixture
def crowded_group(grouped: Sandbox) -> Iterator[Callable[[int, int], Group]]:
    """Makes a group that may use so much, in one that may use so much: as in a container that is too small."""
    found = grouped._slots.hierarchies
    assert found is not None
    above = found.memory / f"{slots.PREFIX}test.997.{os.getpid()}"
    above.mkdir()
    made: list[Group] = []

    def make(own_bytes: int, above_bytes: int) -> Group:
        version_2 = found.memory == found.unified
        if version_2:
            cgroup._write(above / "cgroup.subtree_control", "+memory +pids")
        cgroup._write(above / ("memory.max" if version_2 else "memory.limit_in_bytes"), above_bytes)
        inside = replace(found, memory=above, **({"processes": above, "unified": above} if version_2 else {}))
        made.append(Group(inside, f"{slots.PREFIX}test.996.{os.getpid()}"))
        made[0].limit(memory_bytes=own_bytes, processes=20)
        return made[0]

    yield make
    for group in made:
        group.close()
    above.rmdir()


@pytest.mark.parametrize(("own", "above", "by_itself"), [(64 * MIB, 512 * MIB, True), (512 * MIB, 64 * MIB, False)])
def test_a_group_tells_whose_memory_ran_out(
    crowded_group: Callable[[int, int], Group], own: int, above: int, by_itself: bool
) -> None:
    group = crowded_group(own, above)
    with subprocess.Popen([sys.executable, "-c", HUNGRY], stdin=subprocess.PIPE) as hungry:
        group.admit(hungry.pid)
        hungry.communicate(b"x")
    assert hungry.returncode == -signal.SIGKILL
    assert (group.ran_out_of_memory(), group.was_sacrificed()) == (by_itself, not by_itself)


@pytest.mark.parametrize(
    ("own", "above", "error"), [(48 * MIB, 512 * MIB, BuildFailed), (512 * MIB, 48 * MIB, BotKilled)]
)
def test_a_build_fails_only_by_its_own_limit_of_memory(
    grouped: Sandbox,
    crowded_group: Callable[[int, int], Group],
    monkeypatch: pytest.MonkeyPatch,
    *,
    own: int,
    above: int,
    error: type[Exception],
) -> None:
    """The kernel kills the part of the compiler that is the largest, and what is left only says that it failed."""
    group = crowded_group(own, above)
    monkeypatch.setattr(grouped._slots, "tree", lambda *_, **__: group)
    with pytest.raises(error, match="MiB of memory" if error is BuildFailed else "the machine had no memory left"):
        grouped.build(find_language("cpp"), SLOW_TO_COMPILE.encode())


def test_a_bot_that_uses_too_much_memory_has_crashed(grouped: Sandbox) -> None:
    small = replace(grouped, limits=replace(grouped.limits, memory_bytes=64 * MIB))
    program = replace(small.build(PYTHON, b"input()\ntaken = bytearray(200 << 20)\n"), memory_bytes=64 * MIB)
    with small.start(program, reply_bytes=100) as bot, pytest.raises(Crashed, match="for using more than 64 MiB"):
        bot.ask("\n", LONG_S)


# --- Where nobody counts --------------------------------------------------------------------------------------------


def test_without_control_groups_whatever_ends_a_bot_is_its_own_affair(isolated: Sandbox, tmp_path: Path) -> None:
    """There, a bot could use all the memory of the machine, and be ended by its kernel whenever it wants."""
    tmp_path.chmod(0o755)
    with without_groups(tmp_path) as sandbox:
        program = sandbox.build(PYTHON, WAITS.encode())
        with sandbox.start(program, reply_bytes=100) as bot:
            bot.ask("\n", LONG_S)
            kill(bot.pid)
            with pytest.raises(Crashed, match=r"signal 9 \(SIGKILL\)"):
                bot.ask("\n", LONG_S)


def test_without_isolation_whatever_ends_a_bot_is_its_own_affair(plain: Sandbox) -> None:
    source = "import os\ninput()\nos.kill(os.getpid(), 9)\n"
    with plain.start(plain.build(PYTHON, source.encode()), reply_bytes=100) as bot, pytest.raises(BotFault) as fault:
        bot.ask("\n", LONG_S)
    assert "signal 9 (SIGKILL)" in fault.value.message


def test_a_child_that_somebody_kills_is_the_bots_own_affair(grouped: Sandbox) -> None:
    """Nobody can tell who in a sandbox ended a child, so only the end of the first process counts."""
    need_children(grouped)
    source = b"import os\ninput()\nchild = os.fork()\nif not child:\n    while True: pass\nprint(1)\ninput()\n" \
             b"os.waitpid(child, 0)\nprint('alone')\ninput()\n"  # fmt: skip
    with grouped.start(grouped.build(PYTHON, source), reply_bytes=100) as bot:
        bot.ask("\n", LONG_S)
        (child,) = bot._tree.pids() - {bot.pid}
        os.kill(child, signal.SIGKILL)
        assert bot.ask("\n", LONG_S).line == "alone"
