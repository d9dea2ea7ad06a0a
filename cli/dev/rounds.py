"""Plays and builds again what a save has changed, for as long as `hexarena dev` runs.

Theory of operation. Events of the file system only say that it is time to look; what counts is the digest of the files
(`sources`), so that no save is missed that comes while something is under way, and none is played twice. A match or
build whose files have changed meanwhile is ended and begun again, since rules may be in a loop without end.

What is shown is a pair, a match and a viewer, that fit each other: the viewer has drawn every turn of it. Whatever goes
wrong is reported, and the last pair stays.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console

from hexarena.backend.runtime.pages import SHIPPED_VIEWER
from hexarena.backend.runtime.parent import PARENT
from hexarena.cli.dev.sources import match_digest, viewer_digest
from hexarena.cli.dev.state import PROBLEM, Shown, State
from hexarena.cli.output import turns_text

LOOK_S = 0.1
STOP_S = 5.0
"""How long a process may take to end its bots, before it is killed."""
LAST = 6000
"""Characters of a problem, from its end."""


class Superseded(Exception):
    """What was begun is no longer wanted."""


class Problem(Exception):
    """Why something failed, for the author of the game."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is played. `elsewhere`: files and folders of bots that are not the game's."""

    game: str
    folder: Path
    bots: tuple[str, ...] = ()
    seats: int | None = None
    seed: int = 1
    no_sandbox: bool = False
    elsewhere: tuple[Path, ...] = ()


@dataclass(slots=True)
class _Made:
    """What there is by now. `match`, `viewer`: the newest that are sound, as numbers and files."""

    played: str = ""
    built: str = ""
    match: int = 0
    viewer: int = 0
    own_bots: frozenset[str] = frozenset()
    files: dict[str, Path] = field(default_factory=dict)
    """What is in `match` and in `viewer`, for drawing."""
    drawn: tuple[int, int] = (0, 0)


class Rounds:
    """One thread calls `run`; `wake` and `stop` may be called by any."""

    def __init__(self, wanted: Wanted, state: State, console: Console) -> None:
        self._wanted, self._state, self._console = wanted, state, console
        self._changed, self._stopping = Event(), Event()
        self._made = _Made()

    def wake(self) -> None:
        """Files may have changed."""
        self._changed.set()

    def stop(self) -> None:
        """Ends `run`, and what it has begun."""
        self._stopping.set()
        self._changed.set()

    def run(self) -> None:
        """Until `stop`."""
        with tempfile.TemporaryDirectory(prefix="hexarena-dev-") as folder:
            while not self._stopping.is_set():
                self._changed.clear()
                with suppress(Superseded):
                    self._round(Path(folder))
                    self._show(doing="")
                    self._changed.wait()

    def _round(self, scratch: Path) -> None:
        made = self._made
        if (now := self._match_digest()) != made.played:
            self._act("match", "Playing the match", lambda: self._play(scratch))
            made.played = now
        if (now := self._viewer_digest()) != made.built:
            self._act("viewer", "Building the viewer", lambda: self._build(scratch))
            made.built = now
        if (made.match, made.viewer) != made.drawn:
            self._act("picture", "Drawing the match", lambda: self._settle(scratch))
            made.drawn = (made.match, made.viewer)

    def _act(self, about: str, doing: str, act: Callable[[], None]) -> None:
        """Reports a problem, or that it is gone."""
        self._show(doing=doing)
        try:
            act()
        except (Problem, OSError) as problem:  # a file may be gone again when it is read
            self._tell(about, str(problem))
        else:
            self._tell(about, "")

    def _tell(self, about: str, problem: str) -> None:
        """On the page and in the terminal; empty: there is none any more."""
        others = {name: text for name, text in self._state.shown.problems.items() if name != about}
        self._show(problems={**others, about: problem} if problem else others)
        if problem:
            self._say(f"{about}: {problem}", "red")

    def _play(self, scratch: Path) -> None:
        """Raises: Problem, Superseded."""
        wanted, replay = self._wanted, scratch / "replay.jsonl"
        order = {"bots": wanted.bots, "seats": wanted.seats, "seed": wanted.seed, "no_sandbox": wanted.no_sandbox}
        before = self._match_digest()
        done = self._do("play", {**order, "into": str(replay)}, scratch, lambda: self._match_digest() == before)
        number = self._state.add_match(replay.read_text())
        self._made.own_bots = frozenset(done["own"])
        self._say(f"Match {number}: {turns_text(done['turns'])}; {done['reason']}")
        self._tell("bots", done["faults"])
        if not done["faults"] or not self._made.match:
            self._made.match = number
            self._made.files["match"] = replay.rename(scratch / "shown.jsonl")
        self._show(aside=number if done["faults"] and self._made.match != number else 0)

    def _build(self, scratch: Path) -> None:
        """Raises: Problem, Superseded."""
        folder = self._wanted.folder
        before, note = self._viewer_digest(), ""
        built = scratch / f"{self._wanted.game}.js"
        if (folder / "viewer.ts").is_file():
            still = lambda: self._viewer_digest() == before  # noqa: E731
            note = self._do("build", {"into": str(scratch)}, scratch, still).get("missing", "")
        if note or not (folder / "viewer.ts").is_file():
            built = folder / SHIPPED_VIEWER
            self._show(note=self._note(note, built))
            if not built.is_file():
                self._made.viewer = 0
                return
        else:
            self._show(note="")
        module = built.read_bytes()
        self._made.viewer = self._state.add_viewer(module)
        self._made.files["viewer"] = scratch / "shown.mjs"
        self._made.files["viewer"].write_bytes(module)
        self._say(f"Viewer {self._made.viewer}")

    def _note(self, missing: str, shipped: Path) -> str:
        """What this machine or the game lacks."""
        if missing:
            shown = f"{SHIPPED_VIEWER} is shown" if shipped.is_file() else "the viewer that was built last is shown"
            note = (
                f"A change of viewer.ts will not be seen, {shown}: {missing.removeprefix('the viewer was not run: ')}"
            )
        else:
            note = "" if shipped.is_file() else "There is no viewer.ts yet, so that the match cannot be shown."
        if note and note != self._state.shown.note:
            self._say(note, "yellow")
        return note

    def _settle(self, scratch: Path) -> None:
        """Shows the newest match and viewer, if they fit each other; the first ones in any case.

        Raises: Problem, Superseded.
        """
        made = self._made
        pair = {"match": made.match, "viewer": made.viewer}
        if made.match and made.viewer:
            before = (self._match_digest(), self._viewer_digest())
            files = {"viewer": str(made.files["viewer"]), "replay": str(made.files["match"])}
            try:
                self._do("draw", files, scratch, lambda: (self._match_digest(), self._viewer_digest()) == before)
            except Problem:
                if not self._state.shown.match:
                    self._show(**pair)
                raise
        if made.match:
            self._show(**pair)

    def _do(
        self, what: str, order: Mapping[str, object], scratch: Path, still: Callable[[], bool]
    ) -> Mapping[str, Any]:
        """Runs a job in a process of its own. `still`: whether it is wanted.

        Raises: Problem, Superseded.
        """
        answer, output, ordered = (scratch / name for name in ("answer.json", "output.txt", "order.json"))
        answer.unlink(missing_ok=True)
        named = {"what": what, "game": self._wanted.game, "folder": str(self._wanted.folder), "answer": str(answer)}
        ordered.write_text(json.dumps({**order, **named}))
        # Bytecode is stamped in seconds: of two saves within one, the older could be run.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", PARENT: str(os.getpid())}
        with output.open("w") as written, ordered.open() as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "hexarena.cli.dev.jobs"],
                stdin=said,
                stdout=sys.stderr,
                stderr=written,
                env=environment,
                start_new_session=True,
            )
        try:
            self._wait(process, still)
        finally:
            _end(process)
        if process.returncode != 0 or not answer.exists():
            # What the rules, or ours, wrote to standard error before it is of use only here.
            wrote = output.read_text(errors="replace").strip()[-LAST:]
            raise Problem(f"the process ended with {process.returncode}" + f"\n{wrote}" * bool(wrote))
        answered: dict[str, Any] = json.loads(answer.read_text())
        if PROBLEM in answered:
            raise Problem(answered[PROBLEM][-LAST:])
        return answered

    def _wait(self, process: subprocess.Popen[bytes], still: Callable[[], bool]) -> None:
        """Until the process ends. Raises: Superseded."""
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
                return
            if self._stopping.is_set() or (self._changed.is_set() and not still()):
                raise Superseded

    def _match_digest(self) -> str:
        return match_digest(self._wanted.folder, self._wanted.elsewhere, self._made.own_bots)

    def _viewer_digest(self) -> str:
        return viewer_digest(self._wanted.folder, self._made.own_bots)

    def _show(self, **changes: Any) -> None:
        shown: Shown = replace(self._state.shown, **changes)
        self._state.show(shown)

    def _say(self, what: str, style: str | None = None) -> None:
        self._console.print(what, style=style, markup=False, highlight=False, soft_wrap=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process with all that it has started."""
    with suppress(ProcessLookupError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def bots_elsewhere(bots: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Those of the bots that are files or folders outside the game's own."""
    paths = (Path(os.path.expanduser(bot)).absolute() for bot in bots)  # noqa: PTH111 - a user may not exist
    # A command line may be longer than a name can be: Path.exists would raise an OSError.
    return tuple(path for path in paths if os.path.exists(path) and not path.is_relative_to(folder))  # noqa: PTH110
