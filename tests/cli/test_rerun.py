"""`hexarena rerun` and `hexarena fork`, as a user calls them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import forking

pytestmark = pytest.mark.sandbox


def hexarena(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return forking.run("hexarena.cli.app", *words, cwd=folder, env=os.environ | {"COLUMNS": "200"})


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder with the record and the replay of a match."""
    files = ("--record", "match.rec", "--replay", "match.jsonl")
    played = hexarena(
        "match", "yavalath", "--bot", "Keystone", "--bot", "Pebble", "--seed", "3", *files, folder=tmp_path
    )
    assert played.returncode == 0, played.stderr
    return tmp_path


def test_a_match_is_played_again_without_its_bots(recorded: Path) -> None:
    again = hexarena("rerun", "match.rec", "--replay", "again.jsonl", folder=recorded)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.startswith("The same match: ")
    assert (recorded / "again.jsonl").read_bytes() == (recorded / "match.jsonl").read_bytes()


@pytest.mark.long
def test_from_a_turn_on_another_bot_plays(recorded: Path) -> None:
    words = ("fork", "match.rec", "--turn", "4", "--seat", "1", "--bot", "starter", "--replay", "fork.jsonl")
    forked = hexarena(*words, "--record", "fork.rec", folder=recorded)
    assert forked.returncode == 0, forked.stderr
    assert "starter" in forked.stdout
    old, new = ((recorded / file).read_text().splitlines() for file in ("match.jsonl", "fork.jsonl"))
    moves = [line.split(',"cpu"')[0] for line in old], [line.split(',"cpu"')[0] for line in new]
    assert moves[0][1:5] == moves[1][1:5]
    assert moves[0][5:] != moves[1][5:]
    assert hexarena("rerun", "fork.rec", folder=recorded).returncode == 0


def test_no_replay_and_no_record_goes_to_a_file_called_like_standard_output(recorded: Path) -> None:
    pair = ("match", "yavalath", "--bot", "Keystone", "--bot", "Pebble")
    fork = ("fork", "match.rec", "--turn", "2", "--bot", "starter")
    referee = ("referee", "yavalath", "-p1", "Keystone", "-p2", "Pebble")
    for words, option in (
        ((*pair, "--replay", "-"), "--replay"),
        ((*pair, "--record", "-"), "--record"),
        ((*fork, "--replay", "-"), "--replay"),
        ((*fork, "--record", "-"), "--record"),
        (("rerun", "match.rec", "--replay", "-"), "--replay"),
        ((*referee, "-l", "-"), "-l"),
        ((*referee, "--replay", "-"), "--replay"),
    ):
        refused = hexarena(*words, folder=recorded)
        assert (refused.returncode, refused.stdout) == (2, ""), words
        assert f"{option}: expected a file, not standard output; got -" in refused.stderr
    assert not (recorded / "-").exists()


@pytest.mark.long
def test_what_cannot_be_played_is_refused_in_words(recorded: Path) -> None:
    for words, said in (
        (("fork", "match.rec", "--turn", "99", "--bot", "starter"), "expected a turn from 0 to"),
        (("fork", "match.rec", "--turn", "2", "--seat", "2", "--bot", "starter"), "expected a seat from 0 to 1"),
        (("fork", "match.rec", "--turn", "2", "--bot", "nobody.py"), "there is no file nobody.py"),
        (("rerun", "match.jsonl"), "expected a file that `hexarena match --record` wrote; got a replay, which lacks"),
        (("rerun", "nowhere.rec"), "No such file"),
    ):
        refused = hexarena(*words, folder=recorded)
        assert refused.returncode == 2, words
        assert said in refused.stderr, refused.stderr


def test_nothing_is_written_over_the_record_or_over_another_file(recorded: Path) -> None:
    before = (recorded / "match.rec").read_bytes()
    (recorded / "my.py").write_text("print(4, 4)")
    fork = ("fork", "match.rec", "--turn", "2", "--bot", "starter")
    pair = ("match", "yavalath", "--bot", "Keystone", "--bot", "Pebble")
    for words, said in (
        (("rerun", "match.rec", "--replay", "match.rec"), "--replay: expected another file than the file that is read"),
        ((*fork, "--record", "./match.rec"), "--record: expected another file than the file that is read"),
        ((*fork[:-1], "my.py", "--replay", "my.py"), "--replay: expected another file than the file that is read"),
        ((*pair, "--replay", "new", "--record", "new"), "--record: expected another file than that of --replay"),
    ):
        refused = hexarena(*words, folder=recorded)
        assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr
    assert (recorded / "match.rec").read_bytes() == before
    assert (recorded / "my.py").read_text() == "print(4, 4)"
    assert not (recorded / "new").exists()
    assert hexarena("rerun", "match.rec", "--replay", "/dev/null", folder=recorded).returncode == 0


def test_other_rules_are_noticed(recorded: Path) -> None:
    """A reply that means something else today: here because the record was changed."""
    text = (recorded / "match.rec").read_text()
    (recorded / "match.rec").write_text(text.replace('"digest":"', '"digest":"0'))
    other = hexarena("rerun", "match.rec", folder=recorded)
    assert (other.returncode, "does not come out as it was" in other.stderr) == (1, True)
