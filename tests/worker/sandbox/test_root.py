"""Roots of their own: which folders are one, what a sandbox sees of it, and that nothing of the machine's is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.languages import LANGUAGES, PYTHON, Language
from hexarena.worker.sandbox import LanguageMissing, Sandbox, SandboxUnsafe, require_self_test
from hexarena.worker.sandbox.root import ARCHITECTURES, LIST, MACHINE, Root, digest_of, open_root
from tests.worker.sandbox.conftest import SMALL, SMALL_BUILD, TOOLCHAINS
from tests.worker.sandbox.test_languages import ECHOES

LINKS: Mapping[str, str] = {
    **{name: f"usr/{name}" for name in ("bin", "lib", "lib64")},
    "usr/bin/javac": "/etc/alternatives/javac",
    "etc/alternatives/javac": "/usr/lib/jvm/default/bin/javac",
    "usr/lib/jvm/default": "java-1",
    "usr/bin/outside": "../../../../../../usr/bin/hello",
    "usr/bin/loop": "loop",
    "usr/bin/absent": "/usr/bin/true",
}
SHELL = Language(
    id="shell",
    name="Shell",
    ending=".sh",
    source_name="bot.sh",
    artefact_name="bot.sh",
    build=("sh", "-n", "{bot}/bot.sh"),
    run=("sh", "{bot}/bot.sh"),
    version_commands=(("sh", "-c", "echo shell /usr/*"),),
    install="a shell",
)
"""All that a small root can run."""
LOOK_AROUND = b"read _; echo /* /usr/* /usr/bin/* /etc/*; read _\n"


def write_list(folder: Path, **other: object) -> str:
    """Writes a root's list. Returns its digest."""
    found: dict[str, object] = {"suite": "made", "architecture": ARCHITECTURES[os.uname().machine], "packages": {}}
    found |= other
    digest = str(found.setdefault("digest", digest_of(found)))
    (folder / LIST).write_text(json.dumps(found))
    return digest


@pytest.fixture
def folder() -> Iterator[Path]:
    """Empty, where everybody can read it: root's bots are other users, who cannot look into pytest's folders."""
    with TemporaryDirectory(prefix="hexarena-root-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def small(folder: Path) -> Path:
    """A root with a shell and its libraries, and a program that only it has."""
    for name in ("usr/bin", "usr/lib64", "usr/lib/jvm/java-1/bin", "etc/alternatives"):
        (folder / name).mkdir(parents=True)
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    shell = MACHINE.find("sh")
    assert shell is not None
    shutil.copy(shell, folder / "usr/bin/sh")
    said = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+)", said):
        place = folder / "usr" / library.removeprefix("/usr").removeprefix("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, place)
    for name in ("usr/bin/hello", "usr/lib/jvm/java-1/bin/javac"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    write_list(folder)
    return folder


def opened(tmp_path: Path, toolchains: Path | None) -> Sandbox:
    """A sandbox with the programs of that root."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    return Sandbox.open("bwrap", folder=tmp_path, toolchains=toolchains, limits=SMALL, build_limits=SMALL_BUILD)


# --- Which folders are a root -----------------------------------------------------------------------------------------


def test_without_the_setting_it_is_the_machines_own() -> None:
    assert open_root(None) is MACHINE
    assert MACHINE.describe() == "the machine's own /usr"


@pytest.mark.parametrize(("text", "expected"), [("", None), ("/opt/tools", Path("/opt/tools"))])
def test_an_empty_setting_is_none(text: str, expected: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXARENA_TOOLCHAINS", text)
    assert Settings().toolchains == expected


def spoil_list(root: Path) -> None:
    (root / LIST).write_text((root / LIST).read_text().replace("made", "changed"))


WRONG: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "missing": (shutil.rmtree, "there is none"),
    "a file": (lambda root: (shutil.rmtree(root), root.write_text("")), "a file"),
    "no list": (lambda root: (root / LIST).unlink(), f"no {LIST} in it, but bin, etc, lib, lib64, usr"),
    "no JSON": (lambda root: (root / LIST).write_text("{"), "cannot be read"),
    "JSON, no list": (lambda root: (root / LIST).write_text("[]"), "its digest is another one"),
    "a changed list": (spoil_list, "its digest is another one"),
    "another machine": (lambda root: write_list(root, architecture="m68k"), "one for m68k, and this machine is"),
    "no programs": (lambda root: shutil.rmtree(root / "usr"), "no folder usr|No such file"),
    "open to everybody": (lambda root: root.chmod(0o777), r"others may write to .* \(mode 777\)"),
    "open to a group": (lambda root: (root / "usr").chmod(0o775), r"others may write to .*/usr \(mode 775\)"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_folder_is_refused_with_what_was_found(small: Path, what: str) -> None:
    spoil, found = WRONG[what]
    spoil(small)
    expected = f"HEXARENA_TOOLCHAINS: expected a folder that `make toolchains` made; got {small}: "
    try:
        with pytest.raises(SandboxUnsafe, match=f"^{re.escape(expected)}.*({found})"):
            open_root(small)
    finally:
        if small.is_file():
            small.unlink()
        small.mkdir(exist_ok=True)


def test_an_empty_folder_is_refused(folder: Path) -> None:
    with pytest.raises(SandboxUnsafe, match=f"no {LIST} in it, but nothing"):
        open_root(folder)


def test_a_folder_beside_which_everybody_may_write_is_refused(small: Path) -> None:
    inner = small / "usr" / "inner"
    shutil.copytree(small, inner, symlinks=True, ignore=lambda *_: ["inner"])
    inner.parent.chmod(0o777)
    with pytest.raises(SandboxUnsafe, match=f"others may write to {inner.parent} "):
        open_root(inner)


def test_a_relative_path_and_a_link_are_followed_once(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small.parent)
    link = small / "current"
    link.symlink_to(".")
    assert open_root(Path(small.name)).folder == small.resolve()
    assert open_root(link).folder == small.resolve()


def test_without_isolation_there_is_no_root(small: Path, tmp_path: Path) -> None:
    with pytest.raises(SandboxUnsafe, match="expected isolation; got HEXARENA_SANDBOX=none"):
        Sandbox.open("none", folder=tmp_path, toolchains=small)


@pytest.mark.sandbox
def test_a_root_that_bots_cannot_read_is_refused(small: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root's bots are other users")
    small.chmod(0o700)
    with pytest.raises(SandboxUnsafe, match="expected a folder that everybody can read"):
        opened(tmp_path, small)


# --- Finding programs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("/usr/bin/javac", "/usr/lib/jvm/java-1/bin/javac"),
        ("/bin/hello", "/usr/bin/hello"),
        ("/usr/bin/outside", "/usr/bin/hello"),
        ("/usr/bin/../lib/none", "/usr/lib/none"),
    ],
)
def test_links_are_followed_inside(small: Path, path: str, real: str) -> None:
    assert open_root(small).resolve(Path(path)) == Path(real)


def test_programs_are_those_of_the_root(small: Path) -> None:
    root = open_root(small)
    assert root.find("javac") == Path("/usr/bin/javac")
    assert root.find("hello") == Path("/usr/bin/hello")
    assert root.outside(Path("/usr/bin/javac")) == small.resolve() / "usr/lib/jvm/java-1/bin/javac"
    for name in ("loop", "absent", "true"):
        assert root.find(name) is None, "the machine may have it; the root has not"


# --- What a sandbox sees ----------------------------------------------------------------------------------------------


@pytest.mark.sandbox
def test_nothing_of_the_machines_is_visible(small: Path, tmp_path: Path) -> None:
    with opened(tmp_path, small) as sandbox:
        with sandbox.start(sandbox.build(SHELL, LOOK_AROUND), reply_bytes=2000) as bot:
            seen = set(bot.ask("1\n", 9.0).line.split())
            assert os.path.samestat(Path(f"/proc/{bot.pid}/root/usr").stat(), (small / "usr").stat())
        assert sandbox.version(SHELL) == "shell /usr/bin /usr/lib /usr/lib64"
    theirs = {f"/{folder}/{path.name}" for folder in ("usr", "usr/bin") for path in (small / folder).iterdir()}
    own = {f"/{name}" for name in ("bin", "bot", "dev", "etc", "lib", "lib64", "tmp", "usr")}
    assert seen == theirs | own | {"/etc/alternatives"}


@pytest.mark.sandbox
def test_a_language_that_the_root_lacks_is_missing_even_if_the_machine_has_it(small: Path, tmp_path: Path) -> None:
    with opened(tmp_path, small) as sandbox:
        with pytest.raises(LanguageMissing, match=f"expected python3 for Python in {small}.*make toolchains"):
            sandbox.version(PYTHON)
        with pytest.raises(LanguageMissing, match="expected node for JavaScript"):
            sandbox.version(LANGUAGES["javascript"])
        with pytest.raises(SandboxUnsafe, match=f"expected python3.*{small}"):
            require_self_test(sandbox)


@pytest.mark.sandbox
def test_builds_of_another_root_are_not_used(small: Path, tmp_path: Path) -> None:
    homes = []
    for suite in ("made", "made", "later"):
        write_list(small, suite=suite)
        with opened(tmp_path, small) as sandbox:
            homes.append(sandbox.build(SHELL, LOOK_AROUND).command.home)
    same, again, other = homes
    assert same == again != other


@pytest.mark.sandbox
def test_a_wrong_usr_is_found_by_the_self_test(isolated: Sandbox, tmp_path: Path) -> None:
    class Elsewhere:
        """A launcher that says it has a root, and uses another one."""

        isolates = True
        root = Root(tmp_path, "digest", "none")

        def __getattr__(self, name: str) -> object:
            return getattr(isolated._launcher, name)

    (tmp_path / "usr" / "bin").mkdir(parents=True)
    python = isolated.root.find("python3")
    assert python is not None
    (tmp_path / "usr" / "bin" / "python3").symlink_to("python")
    shutil.copy("/bin/sh", tmp_path / "usr" / "bin" / "python")
    with pytest.raises(SandboxUnsafe, match=r"a root of its own: expected .*/usr as /usr"):
        require_self_test(replace(isolated, _launcher=Elsewhere()))


# --- A whole one ----------------------------------------------------------------------------------------------------


@pytest.mark.sandbox
@pytest.mark.parametrize("id", ECHOES)
def test_every_language_builds_and_plays_in_a_whole_root(id: str, tmp_path: Path) -> None:
    if TOOLCHAINS is None:
        pytest.skip("needs HEXARENA_TEST_TOOLCHAINS, a root that `make toolchains` made")
    with opened(tmp_path, TOOLCHAINS) as sandbox:
        require_self_test(sandbox)
        program = sandbox.build(LANGUAGES[id], ECHOES[id].encode())
        assert not program.command.tools, "all of it comes from the root"
        with sandbox.start(program, reply_bytes=100) as bot:
            assert bot.ask("word\n", 9.0).line == "word!"
