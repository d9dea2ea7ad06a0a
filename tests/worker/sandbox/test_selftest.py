"""The self-test: it finds the walls standing here, and says so when they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.languages import LANGUAGES
from worker.sandbox import LanguageMissing, Sandbox, SandboxUnsafe
from worker.sandbox.jail import Jail


def test_the_walls_stand_here(jail: Sandbox) -> None:
    checks = jail.self_test()
    assert [check for check in checks if not check.passed] == []
    assert {check.name for check in checks} == {
        "no network",
        "no unix sockets",
        "no foreign files",
        "read-only root",
        "no new namespaces",
        "no other processes",
        "clean environment",
        "no inherited descriptors",
        "small /tmp",
        "few processes",
        "system calls filtered",
        "no new privileges",
        "no capabilities",
        "an unprivileged user",
        "own namespaces",
        "CPU time is counted",
        "little memory",
    }
    jail.require()


def test_a_sandbox_says_what_it_is(jail: Sandbox, plain: Sandbox) -> None:
    assert jail.describe().startswith("bubblewrap ")
    assert "walls" in jail.promises
    assert plain.describe().startswith("NO WALLS")
    assert "walls" not in plain.promises


def test_mode_none_never_passes_but_only_warns(plain: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    assert [check.passed for check in plain.self_test()] == [False]
    plain.require()
    assert "NO WALLS" in caplog.text


class Gaps:
    """A launcher with a gap: it does everything that the jail does, but for some words of the command."""

    has_walls = True

    def __init__(self, jail: Jail, without: str) -> None:
        jail._before = tuple(word for word in jail._before if word != without)
        self.jail = jail

    def __getattr__(self, name: str) -> object:
        return getattr(self.jail, name)


@pytest.mark.parametrize(
    ("without", "found"), [("--unshare-net", "own namespaces: net"), ("--unshare-pid", "can be set up")]
)
def test_a_wall_that_is_missing_is_found(jail: Sandbox, without: str, found: str) -> None:
    memory_limited = "memory" in jail.promises
    broken = replace(jail, _launcher=Gaps(Jail(memory_limited=memory_limited, mark=jail.mark), without))
    with pytest.raises(SandboxUnsafe, match=f"does not hold on this machine(.|\n)*{found}"):
        broken.require()


def test_a_language_without_its_tools_is_said_to_be_missing(jail: Sandbox) -> None:
    cobol = replace(LANGUAGES["cpp"], name="COBOL", version_commands=(("no-such-compiler",),), install="gnucobol")
    with pytest.raises(LanguageMissing, match="expected no-such-compiler for COBOL; install gnucobol"):
        jail.version(cobol)
    assert set(jail.languages()) <= set(LANGUAGES.values())
    assert [language for language, _ in jail.toolchains()] == list(LANGUAGES.values())
