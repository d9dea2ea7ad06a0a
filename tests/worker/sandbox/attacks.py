"""The attacks of `hostile/`, one folder each, and the page that lists them.

    python -m tests.worker.sandbox.attacks      writes the tables of docs/sandbox.md anew

A folder holds a bot and `expected.toml`:

attack, promise: what the bot tries, in a few words; what the platform promises, in a sentence.
stopped_by: one of STOPPERS.
needs: what a sandbox must promise for this to hold; where it does not, the attack is not covered, and the test skipped.
replies: what the bot answers, turn by turn; "held" is its own word for an attack that failed.
fault: the kinds of fault that may come in the turn after these replies; says: a part of its message.
verdict: the kind of fault that a game makes of the replies, where it is not the sandbox that finds one.
log: a part of what the bot's owner reads in the log.
memory_bytes, prompt_bytes: less memory than usual, longer prompts. neighbour_s: what the other bot computes each turn.
turn_s: the CPU seconds that it has for each reply. costs_s: what the first reply costs at least.
servers: whether the arena's servers must be running.
children: whether it begins with a child; where bots have none, it ends with its first attempt to make one.
control: for whom it succeeds without isolation, "anybody" or "root", which proves that the attack is a real one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from hexarena.backend.submissions.languages import MIB, Language, by_ending

FOLDER = Path(__file__).with_name("hostile")
PAGE = Path(__file__).parents[3] / "docs" / "sandbox.md"
BEGIN, END = "<!-- attacks: made by tests/worker/sandbox/attacks.py -->", "<!-- end of attacks -->"

STOPPERS = (
    "mount namespace, empty environment",
    "process namespace",
    "network namespace, system call filter",
    "system call filter",
    "no new privileges, no capabilities",
    "limit on processes",
    "limit on memory",
    "sized tmpfs, read-only root",
    "resource limits",
    "limits on output",
    "parsing of bytes",
    "CPU clock",
    "wall clock",
    "freezer",
    "end of the process",
    "allowed",
)
"""In the order of the page."""

MODES = {
    "full": frozenset({"isolation", "memory", "processes", "cpu", "freezer"}),
    "no control groups": frozenset({"isolation", "processes", "cpu", "freezer"}),
    "no isolation": frozenset[str](),
}
"""What a sandbox promises in each mode."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One folder."""

    name: str
    attack: str
    promise: str
    stopped_by: str
    needs: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    fault: tuple[str, ...] = ()
    says: str = ""
    verdict: str = ""
    log: str = ""
    memory_bytes: int = 768 * MIB
    prompt_bytes: int = 0
    neighbour_s: float = 0.0
    costs_s: float = 0.0
    turn_s: float = 0.6
    servers: bool = False
    children: bool = False
    control: str = ""

    @property
    def language(self) -> Language:
        """Python, but where Python cannot do it."""
        return by_ending(self._file.suffix)

    @property
    def source(self) -> bytes:
        """The bot."""
        return self._file.read_bytes()

    @property
    def _file(self) -> Path:
        (file,) = (FOLDER / self.name).glob("bot.*")
        return file


def attacks() -> list[Attack]:
    """All folders, by name."""
    found = []
    for file in sorted(FOLDER.glob("*/expected.toml")):
        values: dict[str, Any] = tomllib.loads(file.read_text())
        tuples: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        found.append(Attack(file.parent.name, **tuples))
    return found


# --- The page ------------------------------------------------------------------------------------------------------


def tables(found: Sequence[Attack]) -> str:
    """One table for each stopper, and one of what each mode leaves open, in Markdown."""
    ordered = sorted(found, key=lambda attack: STOPPERS.index(attack.stopped_by))
    parts = [f"{len(found)} attacks."]
    for stopper, group in groupby(ordered, key=lambda attack: attack.stopped_by):
        parts.append("\n".join(_table(stopper, list(group))))
    parts.append("\n".join(_left_open(found)))
    return "\n\n".join(parts)


def page(text: str) -> str:
    """The page with its tables made anew."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables(attacks())}\n\n{END}{after}"


def _table(stopper: str, group: Sequence[Attack]) -> Iterator[str]:
    yield f"### {stopper[0].upper()}{stopper[1:]}\n"
    yield "| attack | verdict for the bot | what the record or its log says | not covered |"
    yield "|---|---|---|---|"
    for attack in group:
        link = f"[{attack.attack}](../tests/worker/sandbox/hostile/{attack.name})"
        modes = [mode for mode, promises in MODES.items() if not promises.issuperset(attack.needs)]
        yield f"| {link} | {_verdict(attack)} | {_words(attack)} | {', '.join(modes) or '–'} |"


def _verdict(attack: Attack) -> str:
    kinds = attack.fault or ((attack.verdict,) if attack.verdict else ())
    return " or ".join(f"`{kind}`" for kind in kinds) or "plays on"


def _words(attack: Attack) -> str:
    words = [f"{where}`{text}`" for where, text in (("", attack.says), ("log: ", attack.log)) if text]
    return ", ".join(words) or "–"


def _left_open(found: Sequence[Attack]) -> Iterator[str]:
    yield "### What each mode leaves open\n"
    yield "| mode | promises | attacks that it does not cover |"
    yield "|---|---|---|"
    for mode, promises in MODES.items():
        names = [attack.name for attack in found if not promises.issuperset(attack.needs)]
        held = ", ".join(sorted(promises)) or "nothing"
        covered = len(found) - len(names)
        said = f"all but these {covered}: " if len(names) > covered else ""
        listed = [attack.name for attack in found if attack.name not in names] if said else names
        yield f"| {mode} | {held} | {said}{', '.join(listed) or 'none'} |"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
