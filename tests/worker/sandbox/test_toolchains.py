"""What toolchains say about themselves is asked once, by whichever process is first, until a program is replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hexarena.worker.sandbox import toolchains


class Compiler:
    """A program that prints its version and counts how often it was asked."""

    def __init__(self, folder: Path) -> None:
        self.path, self._asked = folder / "compiler", folder / "asked"
        self.known = folder / "versions.json"

    def install(self, version: str) -> None:
        """As a package manager does: a new file in place of the old one."""
        draft = self.path.with_suffix(".new")
        draft.write_text(f"#!/bin/sh\necho asked >> {self._asked}\necho compiler {version}\n")
        draft.chmod(0o755)
        os.utime(draft, (0, 0))
        draft.rename(self.path)

    def version(self) -> str:
        """As a process that has just started finds it."""
        toolchains._version.cache_clear()
        return toolchains._version((str(self.path),), "compiler", toolchains._stamp(self.path), self.known)

    @property
    def asked(self) -> int:
        return len(self._asked.read_text().split())


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    made = Compiler(tmp_path)
    made.install("1.0")
    return made


def test_a_second_process_knows_what_the_first_was_given(compiler: Compiler) -> None:
    assert [compiler.version(), compiler.version()] == ["compiler 1.0", "compiler 1.0"]
    assert compiler.asked == 1


def test_a_program_that_was_replaced_is_asked_again(compiler: Compiler) -> None:
    compiler.version()
    compiler.install("2.0")
    assert [compiler.version(), compiler.version()] == ["compiler 2.0", "compiler 2.0"]
    assert compiler.asked == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"compiler": 1}', '{"compiler": {"said": "compiler 9"}}', "\0"])
def test_a_broken_file_is_made_anew(compiler: Compiler, content: str) -> None:
    compiler.known.write_text(content.replace('"compiler":', f'"{compiler.path}":'))
    assert [compiler.version(), compiler.version()] == ["compiler 1.0", "compiler 1.0"]
    assert compiler.asked == 1


def test_without_room_for_the_file_the_program_is_asked_each_time(compiler: Compiler) -> None:
    compiler.known = compiler.known.parent / "gone" / "versions.json"
    assert [compiler.version(), compiler.version()] == ["compiler 1.0", "compiler 1.0"]
    assert compiler.asked == 2
