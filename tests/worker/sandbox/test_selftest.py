"""The self-test: it passes here, and fails where isolation is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hexarena.backend.submissions.languages import LANGUAGES
from hexarena.worker.sandbox import LanguageMissing, Sandbox, SandboxUnsafe, require_self_test, self_test
from hexarena.worker.sandbox.bubblewrap import BubblewrapLauncher
from tests.worker.sandbox.conftest import TOOLCHAINS


def test_the_self_test_passes_here(isolated: Sandbox) -> None:
    checks = self_test(isolated)
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
        *(["a root of its own"] if TOOLCHAINS else []),
    }
    require_self_test(isolated)


def test_a_sandbox_says_what_it_is(isolated: Sandbox, plain: Sandbox) -> None:
    assert isolated.describe().startswith("bubblewrap ")
    assert "isolation" in isolated.promises
    assert plain.describe().startswith("NO ISOLATION")
    assert "isolation" not in plain.promises


def test_mode_none_never_passes_but_only_warns(plain: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    assert [check.passed for check in self_test(plain)] == [False]
    require_self_test(plain)
    assert "NO ISOLATION" in caplog.text


class Gaps:
    """A launcher with a gap: it does everything that the isolated does, but for some words of the command."""

    isolates = True

    def __init__(self, isolated: BubblewrapLauncher, without: str) -> None:
        isolated._before = tuple(word for word in isolated._before if word != without)
        self.isolated = isolated

    def __getattr__(self, name: str) -> object:
        return getattr(self.isolated, name)


@pytest.mark.parametrize(
    ("without", "found"), [("--unshare-net", "own namespaces: net"), ("--unshare-pid", "can be set up")]
)
def test_a_missing_isolation_is_found(isolated: Sandbox, without: str, found: str) -> None:
    memory_limited = "memory" in isolated.promises
    broken = replace(
        isolated, _launcher=Gaps(BubblewrapLauncher(memory_limited=memory_limited, mark=isolated.mark), without)
    )
    with pytest.raises(SandboxUnsafe, match=f"self-test failed on this machine(.|\n)*{found}"):
        require_self_test(broken)


@pytest.mark.long
def test_a_language_without_its_tools_is_said_to_be_missing(isolated: Sandbox) -> None:
    cobol = replace(LANGUAGES["cpp"], name="COBOL", version_commands=(("no-such-compiler",),), install="gnucobol")
    with pytest.raises(
        LanguageMissing, match=f"expected no-such-compiler for COBOL{' in' if TOOLCHAINS else '; install gnucobol'}"
    ):
        isolated.version(cobol)
    assert set(isolated.languages()) <= set(LANGUAGES.values())
    assert [language for language, _ in isolated.toolchains()] == list(LANGUAGES.values())
