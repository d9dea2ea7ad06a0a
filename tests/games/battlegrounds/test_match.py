"""Whole matches with real bots: the statement's own example, a C++ bot on the bare protocol, duplicates in a team."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hexarena.backend.submissions.languages import CPP, PYTHON, Language
from hexarena.games.catalogue import find_game, game_file
from hexarena.games.contract import Clock, Game
from hexarena.games.lines import Player
from hexarena.games.referee import Record, play
from hexarena.worker.play import PlayedMatch, ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import LanguageMissing, Sandbox
from tests.games.pipes import command_of, piped

SEED = 4
SMALL = replace(
    find_game("battlegrounds").with_options(size=40, start_turns=3, main_turns=30),
    clock=Clock(first_s=60.0, turn_s=5.0),
)
"""A busy machine may take long over what is quick: only a bot that hangs reaches these limits."""

RANDOM_BOT = """import random
class RandomBot:
    def __init__(*args): pass
    def parachute(self, team: dict):
        return random.choice([x for x in team.values() if x])
    def start(*args):
        return random.randint(-9, 9)
    def main(*args):
        return RandomBot.start()
"""
"""The example of the public statement, unchanged."""

HOST = """
class Host:
    def __init__(self, num, area): self.num = num
    def parachute(self, team): return (20, 20)
    def start(self, area, turn, chat): return [-4, -6]
    def main(self, area, team, turn, hp, chat): return []
"""
"""Chooses a place and sits in the middle of a blinker."""

CPP_BOT = r"""
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

void need(bool good, const string& what) { if (!good) { cerr << what << endl; exit(1); } }

int main() {
  string call, line;
  int id = 0, size = 0, calls = 0;
  while (cin >> call) {
    if (call == "init") {
      cin >> id >> size;
      for (int y = 0; y < size; y++) { cin >> line; need((int)line.size() == size, "row"); }
      need(line.find_first_not_of("01") == string::npos, "cell");
      cout << "ok" << endl;
      continue;
    }
    if (call == "parachute") {
      int number, member, x, y;
      cin >> number;
      need(number == calls++, "calls");
      for (int i = 2; i <= 5; i++) { cin >> member >> x >> y; need(member == i, "member"); }
      cout << id * 4 << " " << -10 << endl;
      continue;
    }
    int turn, hp = 4, x, y, count;
    cin >> turn;
    if (call == "main") cin >> hp;
    cin >> x >> y;
    vector<string> rows(25);
    for (string& row : rows) { cin >> row; need(row.size() == 25, "view"); }
    need(rows[12][12] == '0' + id, "in the middle");
    if (call == "main") {
      bool found = false;
      cin >> count;
      for (int i = 0; i < count; i++) {
        int member, there_x, there_y;
        cin >> member >> there_x >> there_y;
        found = found || (member == id && there_x == x && there_y == y);
      }
      need(found, "itself in the team");
    }
    cin >> count;
    getline(cin, line);
    for (int i = 0; i < count; i++) { getline(cin, line); need(line.substr(1) == " hp is 4", line); }
    if (call == "start") cout << "-4 -6 say hp is " << hp << endl;
    else cout << endl;
  }
}
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    with Sandbox.open("bwrap", folder=tmp_path_factory.mktemp("sandbox")) as opened:
        yield opened


@pytest.fixture
def match(sandbox: Sandbox) -> Callable[..., PlayedMatch]:
    """Plays a match in real sandboxes. `bots`: seat -> language and source."""

    def play_in_sandboxes(bots: Sequence[tuple[Language, str]], *, game: Game = SMALL) -> PlayedMatch:
        try:
            programs = [build_bot(game, sandbox, language, source.encode()) for language, source in bots]
        except LanguageMissing as missing:
            pytest.skip(str(missing))
        entrants = [ReadyBot(program, Player(f"bot {seat}")) for seat, program in enumerate(programs)]
        return play_match(game, sandbox, entrants, seed=SEED, league=1)

    return play_in_sandboxes


def frames(played: PlayedMatch) -> list[dict[str, Any]]:
    return [json.loads(line) for line in played.replay.splitlines()[1:-1]]


@pytest.mark.sandbox
def test_the_example_of_the_statement_plays_unchanged(match: Callable[..., PlayedMatch]) -> None:
    """Its first call has nothing to choose from and raises; then it goes where its team goes."""
    played = match([(PYTHON, source) for source in (HOST, RANDOM_BOT, RANDOM_BOT, RANDOM_BOT) * 2])
    record = played.record
    assert [(fault.seat, fault.turn, fault.kind) for fault in record.faults] == [
        (seat, 2, "warning") for seat in (1, 2, 3, 5, 6, 7)
    ]
    assert {fault.message for fault in record.faults} == {
        "parachute raised IndexError: Cannot choose from an empty sequence"
    }
    landed = next(frame["land"] for frame in frames(played) if "land" in frame)
    assert len(landed) == 8
    acted = {bot[0] for frame in frames(played) for bot in frame.get("a", ())}
    assert acted >= {1, 2, 3, 5, 6, 7}
    assert "IndexError" in played.seat_logs[1]


@pytest.mark.sandbox
def test_a_team_of_nothing_but_the_example_never_lands(match: Callable[..., PlayedMatch]) -> None:
    record = match([(PYTHON, RANDOM_BOT)] * 4 + [(PYTHON, HOST)] * 4).record
    assert record.outcome.ranks == (1, 1, 1, 1, 0, 0, 0, 0)
    assert len(record.turns) == 11


@pytest.mark.long
@pytest.mark.sandbox
def test_a_cpp_bot_speaks_the_protocol_itself(match: Callable[..., PlayedMatch]) -> None:
    played = match([(CPP, CPP_BOT)] * 4 + [(PYTHON, HOST)] * 4)
    assert played.record.faults == ()
    spoken = [message for frame in frames(played) for message in frame.get("c", ())]
    assert spoken == [[seat, "hp is 4"] for _ in range(3) for seat in range(4)]
    assert len(played.record.turns) > 14


WITNESS = """
import os
made = 0
class Witness:
    def __init__(self, num, area):
        global made
        made += 1
    def parachute(self, team): return (20, 20)
    def start(self, area, turn, chat): return f"{os.getpid()} {made}"
    def main(self, area, team, turn, hp, chat): return []
"""


def test_duplicates_in_a_team_are_processes_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(WITNESS)
    command = command_of(file, tmp_path, game_file(SMALL, SMALL.harness["python"]))
    with piped([command] * 8) as channels:
        record = play(SMALL, channels, seed=SEED, league=1)
    said = next(turn.frame["c"] for turn in record.turns if "c" in turn.frame)
    assert len({text for _, text in said}) == 8
    assert {text.split()[1] for _, text in said} == {"1"}


BUSY = """
import hashlib, time
class Busy:
    def __init__(self, num, area): self.num = num
    def parachute(self, team): return (5 * self.num, 20)
    def start(self, area, turn, chat): return self.main(area, None, turn, 4, chat)
    def main(self, area, team, turn, hp, chat):
        seen = hashlib.sha256(repr((list(area.items()), team, turn, hp, chat)).encode()).digest()
        time.sleep(DELAY * (seen[4] % 3))
        return [seen[0] % 10, -(seen[1] % 10), seen[2] % 10, str(seen[3])]
"""
"""Does something else whenever it sees anything else."""


@pytest.mark.long
def test_how_long_bots_take_changes_nothing(tmp_path: Path) -> None:
    lines = set()
    for delay in ("0", "0.004"):
        file = tmp_path / f"bot{delay}.py"
        file.write_text(BUSY.replace("DELAY", delay))
        command = command_of(file, tmp_path, game_file(SMALL, SMALL.harness["python"]))
        with piped([command] * 8) as channels:
            record = play(SMALL, channels, seed=SEED, league=1)
        lines.add(json.dumps([turn.frame for turn in record.turns]))
    assert len(lines) == 1
    assert len(record.turns) > 20
    assert record.faults == ()


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("crime", "kind"),
    [
        ("while True: pass", "timeout"),
        ("import os; os._exit(0)", "crash"),
        ("import os\n        for fd in range(3, 20):\n            try: os.write(fd, b'x' * 70000)\n"
         "            except OSError: pass", "flood"),
    ],
)  # fmt: skip
def test_a_bot_that_breaks_its_channel_is_removed_and_the_others_play_on(
    match: Callable[..., PlayedMatch], crime: str, kind: str
) -> None:
    source = HOST.replace("return []", f"\n        {crime}\n        return []")
    record: Record = match([(PYTHON, source)] + [(PYTHON, HOST)] * 7).record
    assert [(fault.seat, fault.turn, fault.kind) for fault in record.faults] == [(0, 15, kind)]
    assert record.turns[14].frame["rm"] == [0]
    assert len(record.turns) > 20
