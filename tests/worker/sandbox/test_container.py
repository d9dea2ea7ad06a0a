"""The worker's container: its seccomp profile, and that the self-test passes behind it and without any capability.

Docker itself is not needed: the profile is tried on an ordinary process, and in a container that runc makes after a
configuration like the one that Docker would write for docker-compose.yml.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from hexarena.backend.submissions.languages import LANGUAGES
from scripts import seccomp_profile

ROOT = Path(__file__).parents[3]
PROFILE: dict[str, Any] = json.loads(seccomp_profile.PROFILE.read_text())
HEXARENA = str(Path(sys.executable).with_name("hexarena"))
BOT = ROOT / "games" / "yavalath" / "bots" / "starter.py"
WORKER_USER = 10001

Run = Callable[..., subprocess.CompletedProcess[str]]

HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))
NEWER_THAN_HEADERS = {
    *("cachestat", "fchmodat2", "file_getattr", "file_setattr", "futex_requeue", "futex_wait", "futex_wake"),
    *("listmount", "lsm_get_self_attr", "lsm_list_modules", "lsm_set_self_attr", "map_shadow_stack", "mseal"),
    *("open_tree_attr", "statmount", "uprobe", "uretprobe"),
}
ANSWERED_AS_UNKNOWN = {
    *("afs_syscall", "arch_specific_syscall", "create_module", "epoll_ctl_old", "epoll_wait_old", "fstatat"),
    *("get_kernel_syms", "getpmsg", "putpmsg", "query_module", "security", "sync_file_range2", "syscalls", "tuxcall"),
    "vserver",
}
"""No calls of these machines, whatever the headers say."""


def named() -> list[str]:
    """All names of calls in the profile."""
    return [name for rule in PROFILE["syscalls"] for name in rule["names"]]


# --- The file ----------------------------------------------------------------------------------------------------


def test_the_profile_is_what_the_tables_make() -> None:
    assert seccomp_profile.profile() == PROFILE, "run python scripts/seccomp_profile.py"


def test_the_profile_has_the_form_that_docker_reads() -> None:
    assert set(PROFILE) == {"defaultAction", "defaultErrnoRet", "archMap", "syscalls"}
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert [machine["architecture"] for machine in PROFILE["archMap"]] == ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"]
    for rule in PROFILE["syscalls"]:
        assert set(rule) <= {"names", "action", "errnoRet", "args", "comment"}
        assert rule["names"]
        assert rule["comment"]
        assert rule["action"] in {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"}
        assert ("errnoRet" in rule) == (rule["action"] == "SCMP_ACT_ERRNO")
        for argument in rule.get("args", []):
            assert set(argument) == {"index", "value", "valueTwo", "op"}
            assert argument["op"] in {"SCMP_CMP_EQ", "SCMP_CMP_MASKED_EQ"}


def test_a_call_is_in_one_group() -> None:
    by_argument = {"clone", "socket"}
    once = [name for name in named() if name not in by_argument]
    assert len(once) == len(set(once))


@pytest.mark.skipif(not all(header.exists() for header in HEADERS), reason="needs the kernel's headers")
def test_somebody_looked_at_every_call() -> None:
    known = {name for header in HEADERS for name in re.findall(r"#define __NR\w*?_(\w+) \d+", header.read_text())}
    of_32_bits = {name for name in known if name.endswith(("_time64", "gettime64", "settime64", "adjtime64"))}
    assert set(named()) - NEWER_THAN_HEADERS <= known, "misspelt"
    assert known - of_32_bits - NEWER_THAN_HEADERS - set(named()) == ANSWERED_AS_UNKNOWN & known


# --- Isolation behind it -----------------------------------------------------------------------------------------


def ordinary() -> list[str]:
    """The words that make the rest of a command an ordinary user without a single capability."""
    if os.geteuid() != 0:
        return ["setpriv", "--no-new-privs"]
    user = [f"--reuid={WORKER_USER}", f"--regid={WORKER_USER}", "--clear-groups"]
    return ["setpriv", *user, "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def behind_the_profile(_: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command behind the profile, in no container. Its folder is one that an ordinary user can get to."""
    try:
        ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("needs libseccomp")
    reached = [*ordinary(), "sh", "-c", 'exec "$0" --help', HEXARENA]
    if subprocess.run(reached, capture_output=True, check=False).returncode != 0:
        pytest.skip("other users than root cannot read this Python, or this project")
    with TemporaryDirectory(prefix="hexarena-test-") as folder:
        if os.geteuid() == 0:
            os.chown(folder, WORKER_USER, WORKER_USER)
        loader = str(Path(__file__).with_name("behind_profile.py"))
        return subprocess.run(
            [*ordinary(), sys.executable, loader, str(seccomp_profile.PROFILE), *command],
            env={"PATH": os.environ["PATH"], "HEXARENA_DATA_FOLDER": folder, "PYTHONPATH": str(ROOT)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )


TRY = """
import ctypes, errno, os, socket
library = ctypes.CDLL(None, use_errno=True)
def say(name, result):
    print(name, 'worked' if result >= 0 else errno.errorcode[ctypes.get_errno()])
def say_socket(name, make, family):
    try:
        make(family)
    except OSError as error:
        print(name, errno.errorcode[error.errno])
    else:
        print(name, 'worked')
say('ptrace', library.ptrace(0, 0, 0, 0))
say('network namespace', library.unshare(0x40000000))
say('join a namespace', library.setns(0, 0))
say('keyring', library.syscall({'x86_64': 250, 'aarch64': 219}[os.uname().machine], 0, -3, 0))
say('io_uring', library.syscall(425, 8, 0))
say('clone3', library.syscall(435, 0, 0))
say('user namespace', library.unshare(0x10000000))
say_socket('AF_INET', socket.socket, socket.AF_INET)
say_socket('AF_VSOCK', socket.socket, socket.AF_VSOCK)
say_socket('pair', socket.socketpair, socket.AF_UNIX)
say_socket('pair of TIPC', socket.socketpair, socket.AF_TIPC)
"""


SELF_TEST = """
from pathlib import Path
from hexarena.worker.sandbox import require_self_test
from hexarena.worker.sandbox import Sandbox
with Sandbox.open('bwrap', folder=Path('sandbox')) as sandbox:
    print(sandbox.describe())
    require_self_test(sandbox)
"""
ANSWERS = [
    "ptrace EPERM",
    "network namespace ENOSYS",
    "join a namespace EPERM",
    "keyring EPERM",
    "io_uring EPERM",
    "clone3 ENOSYS",
    "user namespace worked",
    "AF_INET worked",
    "AF_VSOCK ENOSYS",
    "pair worked",
    "pair of TIPC ENOSYS",
]


# --- A container ---------------------------------------------------------------------------------------------------


def bind(path: str) -> dict[str, object]:
    """A folder or file of this machine, in the same place, read-only."""
    return {"destination": path, "source": path, "type": "bind", "options": ["rbind", "ro", "nosuid", "nodev"]}


def mount(path: str, kind: str, *options: str) -> dict[str, object]:
    """A file system of the container's own."""
    return {"destination": path, "source": kind, "type": kind, "options": ["nosuid", "noexec", *options]}


def bundle(folder: Path, *command: str) -> Path:
    """A container as the compose file asks for it, on this machine's own system instead of an image."""
    root = folder / "root"
    (root / "tmp").mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    for name in ("bin", "lib", "lib64", "sbin"):
        if (Path("/") / name).is_symlink():
            (root / name).symlink_to(f"usr/{name}")
    shared = {"/usr", sys.prefix, sys.base_prefix, str(ROOT), "/etc/ld.so.cache", "/etc/alternatives"}
    shared |= set(map(str, Path("/etc").glob("java*")))
    inside = [path for path in shared if not any(str(parent) in shared for parent in Path(path).parents)]
    configuration = {
        "ociVersion": "1.0.2",
        "root": {"path": "root", "readonly": True},
        "process": {
            "user": {"uid": WORKER_USER, "gid": WORKER_USER},
            "args": command,
            "cwd": "/data",
            "env": [
                f"PATH={Path(HEXARENA).parent}:/usr/local/bin:/usr/bin:/bin",
                *("HEXARENA_DATA_FOLDER=/data", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={ROOT}"),
            ],
            "noNewPrivileges": True,
            "capabilities": {},
        },
        "mounts": [
            mount("/proc", "proc", "nodev"),
            mount("/dev", "tmpfs", "mode=755"),
            mount("/dev/shm", "tmpfs", "nodev", "mode=1777"),
            mount("/sys", "sysfs", "nodev", "ro"),
            mount("/tmp", "tmpfs", "nodev", "mode=1777"),
            mount("/data", "tmpfs", "nodev", f"uid={WORKER_USER}", f"gid={WORKER_USER}"),
            *map(bind, sorted(inside)),
        ],
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts", "network")],
            "cgroupsPath": f"/hexarena-test-{uuid.uuid4().hex}",
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
            "seccomp": {
                "defaultAction": PROFILE["defaultAction"],
                "defaultErrnoRet": PROFILE["defaultErrnoRet"],
                "architectures": [machine["architecture"] for machine in PROFILE["archMap"]],
                "syscalls": [
                    {name: value for name, value in rule.items() if name != "comment"} for rule in PROFILE["syscalls"]
                ],
            },
        },
    }
    (folder / "config.json").write_text(json.dumps(configuration))
    return folder


def contained(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a container."""
    if os.geteuid() != 0 or shutil.which("runc") is None:
        pytest.skip("needs runc, and to be root")
    empty = run_bundle(bundle(folder / "empty", "true"))
    if empty.returncode != 0:
        pytest.skip(f"runc makes no containers here: {empty.stderr}")
    return run_bundle(bundle(folder / "full", *command))


def run_bundle(where: Path) -> subprocess.CompletedProcess[str]:
    """Runs a container to its end and leaves nothing of it."""
    name = f"hexarena-test-{uuid.uuid4().hex}"
    runc = ["runc", "--root", str(where / "state")]
    try:
        return subprocess.run([*runc, "run", "--bundle", str(where), name], capture_output=True, text=True, check=False)
    finally:
        subprocess.run([*runc, "delete", "--force", name], capture_output=True, check=False)


@pytest.fixture(params=[behind_the_profile, contained])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """Both ways of running a command as the worker would."""
    return partial(request.param, tmp_path)


@pytest.mark.sandbox
def test_what_the_worker_itself_may_do(run: Run) -> None:
    said = run(sys.executable, "-c", TRY)
    assert said.stderr == ""
    assert said.stdout.splitlines() == ANSWERS


@pytest.mark.sandbox
def test_the_self_test_passes(run: Run) -> None:
    said = run(sys.executable, "-c", SELF_TEST)
    assert said.stderr == ""
    assert "in user namespaces of the worker's own user" in said.stdout


@pytest.mark.sandbox
def test_a_match_is_played(run: Run) -> None:
    said = run(HEXARENA, "match", "yavalath", "--bot", str(BOT), "--bot", str(BOT), "--seed", "1")
    assert said.returncode == 0, said.stdout + said.stderr
    assert "turns" in said.stdout


# --- The image -----------------------------------------------------------------------------------------------------


def test_the_image_has_what_every_language_needs() -> None:
    image = (ROOT / "Dockerfile").read_text().partition("AS worker")[2]
    installed = set(re.findall(r"[\w.+-]+", image.partition("apt-get install")[2].partition("&&")[0]))
    brought = {"python3", *(["nodejs"] if "/usr/local/bin/node /usr/local/bin/node" in image else [])}
    for language in LANGUAGES.values():
        found = re.findall(r"([\w.+-]+(?: and [\w.+-]+)*) from the system's packages", language.install)
        packages = {package for packages in found for package in packages.split(" and ")}
        assert packages, language.name
        assert packages <= installed | brought, language.name


def test_the_container_has_no_more_rights_than_it_needs() -> None:
    worker = (ROOT / "docker-compose.yml").read_text().partition("\n  worker:\n")[2].partition("\n\n")[0]
    assert "<<: *part" in worker
    assert "seccomp=docker/worker-seccomp.json" in worker
    assert "no-new-privileges:true" in worker
    assert not re.search(r"privileged:|cap_add|user:|docker\.sock|pid:|network_mode", worker)
