"""A Channel over plain pipes: a real bot without a sandbox, for bots that we wrote ourselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from hexarena.backend.submissions.languages import by_ending
from hexarena.games.contract import Crashed, Reply
from hexarena.worker.sandbox.dotnet import as_here
from hexarena.worker.sandbox.root import MACHINE


class PipeChannel:
    """One process. Nothing is timed: a bot that hangs is for the test's own timeout."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, prompt: str, seconds: float) -> Reply:
        """Raises: Crashed."""
        try:
            self._input.write(prompt)
            self._input.flush()
        except BrokenPipeError:
            raise Crashed("expected a reply, but the bot has ended") from None
        line = self._output.readline()
        if not line.endswith("\n"):
            raise Crashed("expected a reply, but the bot closed its output")
        return Reply(line.removesuffix("\n"))

    def log(self) -> str:
        """Nothing: stderr goes to the test's own."""
        return ""

    @property
    def _input(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout


@contextmanager
def piped(commands: Sequence[Sequence[str]]) -> Iterator[list[PipeChannel]]:
    """Starts one process for each seat, and ends them all."""
    with ExitStack() as stack:
        yield [stack.enter_context(_started(command)) for command in commands]


def can_run(source: Path) -> bool:
    """Whether this machine has what the bot's language needs."""
    return source.suffix == ".py" or all(map(shutil.which, as_here(by_ending(source.suffix), MACHINE).programs))


def command_of(source: Path, build: Path, harness: Path | None = None) -> list[str]:
    """What runs a bot, or the harness that is given its file. What must be compiled is, below the folder `build`."""
    if source.suffix == ".py":
        return [sys.executable, "-I", *([str(harness)] if harness else []), str(source)]
    if source.suffix == ".js":
        return ["node", str(source)]
    language = as_here(by_ending(source.suffix), MACHINE)
    out = build / source.name
    if not out.exists():
        out.mkdir()
        shutil.copy(source, out / language.source_name)
        for name, text in language.beside:
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).write_text(text)
        subprocess.run(_filled_in(language.build_command([language.source_name]), out), check=True)
    return _filled_in(language.run_command(language.source_name), out)


def _filled_in(command: Sequence[str], folder: Path) -> list[str]:
    return [word.replace("{bot}", str(folder)).replace("{out}", str(folder)) for word in command]


@contextmanager
def _started(command: Sequence[str]) -> Iterator[PipeChannel]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    )
    try:
        yield PipeChannel(process)
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue
        process.wait()
