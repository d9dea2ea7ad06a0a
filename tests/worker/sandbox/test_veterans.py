"""Bots as their authors wrote them for CodinGame, one for each habit, unchanged: they build, and answer at once.

`veterans/` holds one file or folder for each. All of them answer `REPLY <n>` to a line with a number.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON, RUST, by_ending
from hexarena.backend.submissions.sources import infer_language, pack, read_folder
from hexarena.worker.sandbox import BuildFailed, Sandbox
from tests.worker.sandbox.conftest import need, need_dotnet, patient

VETERANS = sorted((Path(__file__).parent / "veterans").iterdir())
NUMPY = Path("/usr/lib/python3/dist-packages/numpy")
CRATES = Path("/usr/share/cargo/registry")
OF_DOTNET = ("csharp-12.cs",)
"""What Mono cannot build."""


@pytest.mark.long
@pytest.mark.parametrize("veteran", VETERANS, ids=lambda path: path.name)
def test_a_bot_from_codingame_runs_unchanged(isolated: Sandbox, veteran: Path) -> None:
    files = read_folder(veteran) if veteran.is_dir() else {f"main{veteran.suffix}": veteran.read_bytes()}
    language = infer_language(files) if veteran.is_dir() else by_ending(veteran.suffix)
    if veteran.name in OF_DOTNET:
        need_dotnet(isolated)
    need(isolated, language)
    if language is PYTHON and "numpy" in veteran.name and not NUMPY.exists():
        pytest.skip("toolchain missing: python3-numpy")
    if language is RUST and any(b"rand" in text for text in files.values()) and not CRATES.exists():
        pytest.skip("toolchain missing: librust-*-dev")
    with isolated.start(patient(isolated).build(language, pack(files)), reply_bytes=100) as bot:
        for turn in (1, 22):
            assert bot.ask(f"{turn}\n", 10.0).line == f"REPLY {turn}"


def test_a_crate_that_is_not_there_is_named_with_those_that_are(isolated: Sandbox) -> None:
    need(isolated, RUST)
    with pytest.raises(BuildFailed) as failure:
        isolated.build(RUST, b"use serde::Serialize;\nfn main() { println!(); }\n")
    assert "unresolved import `serde`" in failure.value.log
    assert failure.value.log.endswith("There are the crates chrono, itertools, libc, rand, regex, time.")
