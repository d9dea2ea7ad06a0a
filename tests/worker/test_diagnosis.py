"""A bot that was written for the input of simpler rules is told so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.catalogue import find_game, game_file
from hexarena.games.lines import Player
from hexarena.worker.diagnosis import explain_early_fault
from hexarena.worker.play import ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import Sandbox

ANTS = find_game("ants")
SCORE_LINE = "    input()  # both scores\n"

READS_LEVEL_3 = """
cells = int(input())
for _ in range(cells):
    input()
input(), input(), input()
while True:
    for _ in range(cells):
        kind, mine, theirs = map(int, input().split())
    print("WAIT")
"""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with Sandbox.open("none", folder=tmp_path) as opened:
        yield opened


def hint_for(sandbox: Sandbox, source: str) -> str | None:
    """After a match of this bot against the starter in the full game."""
    starter = game_file(ANTS, "bots/starter.py").read_text()
    programs = [build_bot(ANTS, sandbox, PYTHON, one.encode()) for one in (source, starter)]
    entrants = [ReadyBot(program, Player("bot")) for program in programs]
    record = play_match(ANTS, sandbox, entrants, seed=1, league=ANTS.top_level).record
    return explain_early_fault(ANTS, sandbox, entrants, {0}, record)


@pytest.mark.sandbox
def test_a_bot_that_reads_the_input_of_a_lower_level_learns_which_one(sandbox: Sandbox) -> None:
    assert hint_for(sandbox, READS_LEVEL_3) == (
        "Your bot plays without a fault at level 3 of the rules. The ladder plays level 4, whose input differs: "
        "from level 4 on, each turn begins with a line of both scores."
    )


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source",
    ["print('nonsense')", READS_LEVEL_3.replace("while True:\n", f"while True:\n{SCORE_LINE}"),
     READS_LEVEL_3.replace("while True:\n", "for _ in range(9):\n" + SCORE_LINE)],
)  # fmt: skip
def test_other_bots_hear_nothing_of_levels(sandbox: Sandbox, source: str) -> None:
    """Wrong at every level; without a fault; or wrong later on."""
    assert hint_for(sandbox, source) is None
