"""Makes a similarity report: each source becomes tokens in a sandbox of its own, then each language is compared in one.

A source that a lexer cannot take, or that would take too long, is named in the report; the others are compared.
"""

from __future__ import annotations

import functools
import importlib.metadata
import io
import json
import threading
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.classes import similarity
from hexarena.backend.classes.similarity import Code, Work
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.languages import find_language
from hexarena.backend.submissions.sources import BadArchive, as_one_text
from hexarena.games.catalogue import find_game, game_file
from hexarena.worker.sandbox import BuildFailed, BuildLimits, HostOverloaded, LanguageMissing, Sandbox, SandboxError
from hexarena.worker.sandbox.limits import MIB
from hexarena.worker.similar import matching
from hexarena.worker.similar.program import LEXERS

log = structlog.get_logger()
HERE = Path(__file__).parent
LEASE_S = 30.0
READ_LIMITS = BuildLimits(
    cpu_s=5.0, wall_s=20.0, memory_bytes=512 * MIB, processes=8, file_bytes=16 * MIB, artefact_bytes=8 * MIB
)
COMPARE_LIMITS = replace(
    READ_LIMITS, cpu_s=600.0, wall_s=900.0, memory_bytes=2048 * MIB, file_bytes=512 * MIB, artefact_bytes=32 * MIB
)
NOTHING = "There is nothing in it but the starter's code."
TOO_LONG = f"It is too long to be compared: at most {matching.MOST_TOKENS:,} tokens."
STOPPED = "It cannot be read within the limits of time and memory."
UNREADABLE = "It cannot be read as code."


class Lost(Exception):
    """Somebody else has the report, or it is gone."""


def make(database: Database, sandbox: Sandbox, report_id: int) -> str | None:
    """Makes a report that is due. Returns how that ended, or None if it is not to be made now."""
    with database.transaction() as session:
        work = similarity.claim(session, report_id, seconds=LEASE_S)
    if work is None:
        return None
    try:
        with _lease(database, work) as step:
            sources, pairs = compare(sandbox, work, step)
        with database.transaction() as session:
            return "done" if similarity.finish(session, work, sources, pairs) else "lost"
    except Lost:
        return "lost"
    except LanguageMissing as missing:
        problem = f"This worker cannot compare sources: {missing}."
    except BuildFailed as failure:
        log.error("a similarity report failed", report=report_id, error=failure.log)
        problem = f"The comparison did not end within its limits: {failure.log.splitlines()[0]}"
    except (HostOverloaded, SandboxError) as failure:
        log.error("a similarity report failed", report=report_id, error=str(failure))
        problem = "The machine could not run the comparison. Try again later."
    with database.transaction() as session:
        similarity.fail(session, work, problem)
    return "failed"


@contextmanager
def _lease(database: Database, work: Work) -> Iterator[Callable[[int], None]]:
    """Renews the lease while the block runs. Yields what is called with the number of sources read. It raises: Lost."""
    over, lost, done = threading.Event(), threading.Event(), 0

    def renew() -> None:
        while True:
            try:
                with database.transaction() as session:
                    if not similarity.renew(session, work, done=done, seconds=LEASE_S):
                        lost.set()
                        return
            except SQLAlchemyError as error:
                log.warning("could not renew a report's lease", report=work.report_id, error=str(error))
            if over.wait(LEASE_S / 15):
                return

    def step(count: int) -> None:
        nonlocal done
        done = count
        if lost.is_set():
            raise Lost

    renewing = threading.Thread(target=renew, name=f"lease of report {work.report_id}", daemon=True)
    renewing.start()
    try:
        yield step
    finally:
        over.set()
        renewing.join()


def compare(
    sandbox: Sandbox, work: Work, step: Callable[[int], None] = lambda _: None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(sources, pairs) as `similarity.finish` stores them. Raises: SandboxError, and what `step` raises."""
    listed: list[dict[str, Any]] = []
    read: defaultdict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for count, code in enumerate(work.codes):
        step(count)
        row = _row(code)
        listed.append(row)
        try:
            tokens = _tokens(sandbox, code.language, code.body)
        except Unreadable as why:
            row["problem"] = str(why)
            continue
        row["tokens"] = len(tokens["kinds"])
        read[LEXERS[code.language]].append((row, tokens))
    step(len(work.codes))
    pairs: list[dict[str, Any]] = []
    for lexer, those in read.items():
        base = _base(sandbox, work, lexer)
        step(len(work.codes))
        pairs += _compared(sandbox, those, base)
        step(len(work.codes))
    pairs.sort(key=lambda pair: (-pair["similarity"], -pair["longest"]))
    return listed, pairs[: matching.MOST_PAIRS]


def _row(code: Code) -> dict[str, Any]:
    return {
        "submission": code.submission_id,
        "group": code.group,
        "language": code.language,
        "tokens": 0,
        "own": 0,
        "problem": None,
    }


def _compared(
    sandbox: Sandbox, those: Sequence[tuple[dict[str, Any], dict[str, Any]]], base: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """The pairs of sources that one lexer reads. Adds `own` to their rows."""
    task = {"base": base, "sources": [tokens | {"group": row["group"]} for row, tokens in those]}
    files = {"tool.zip": tool(), "task.json": json.dumps(task).encode()}
    arguments = ("-I", "-B", "{bot}/tool.zip", "compare", "{bot}/task.json")
    found = json.loads(sandbox.run_tool(find_language("python"), arguments, files, COMPARE_LIMITS))
    for (row, _), own in zip(those, found["own"], strict=True):
        row["own"] = own
        if own < matching.GRAM:
            row["problem"] = NOTHING
    for pair in found["pairs"]:
        pair["one"], pair["other"] = (those[pair[side]][0]["submission"] for side in ("one", "other"))
    return list(found["pairs"])


def _base(sandbox: Sandbox, work: Work, lexer: str) -> list[list[str]]:
    """The tokens of what does not count: the game's starters, and the code of earlier classes."""
    game = find_game(work.game)
    starters = [
        (language, game_file(game, "bots", name).read_bytes())
        for name in game.starters
        for language in LEXERS
        if name.endswith(find_language(language).endings)
    ]
    found = []
    for language, body in sorted({*starters, *work.earlier}):
        if LEXERS.get(language) == lexer:
            try:
                found.append(_tokens(sandbox, language, body)["kinds"])
            except Unreadable as why:
                log.warning("code that should not count cannot be read", language=language, problem=str(why))
    return found


class Unreadable(Exception):
    """A source that cannot be compared. The message says why, to organisers."""


def _tokens(sandbox: Sandbox, language: str, body: bytes) -> dict[str, Any]:
    """`kinds` and `lines` of a source's tokens. Raises: Unreadable. SandboxError."""
    if language not in LEXERS:
        raise Unreadable(UNREADABLE)
    try:
        text = as_one_text(find_language(language), body)
    except BadArchive:
        raise Unreadable(UNREADABLE) from None
    files = {"tool.zip": tool(), "source": text.encode()}
    arguments = ("-I", "-B", "{bot}/tool.zip", "read", language, "{bot}/source")
    try:
        found = json.loads(sandbox.run_tool(find_language("python"), arguments, files, READ_LIMITS))
    except BuildFailed as failure:
        log.info("a source cannot be read", language=language, error=failure.log[-400:])
        raise Unreadable(STOPPED) from None
    except ValueError:
        raise Unreadable(UNREADABLE) from None
    if len(found["kinds"]) > matching.MOST_TOKENS:
        raise Unreadable(TOO_LONG)
    return dict(found)


@functools.cache
def tool() -> bytes:
    """The program with Pygments, as a zip that Python runs."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(HERE / "program.py", "__main__.py")
        for package in ("hexarena", "hexarena/worker", "hexarena/worker/similar"):
            archive.writestr(f"{package}/__init__.py", "")
        archive.write(HERE / "matching.py", "hexarena/worker/similar/matching.py")
        for file in importlib.metadata.files("pygments") or ():
            if file.suffix == ".py" and file.parts[0] == "pygments":
                archive.writestr(file.as_posix(), file.read_binary())
    return packed.getvalue()
