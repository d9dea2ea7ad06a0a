"""A bot that was written for the input of simpler rules is told so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.matches import queue
from hexarena.backend.models import Match, Result, Usage
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.languages import PYTHON, by_ending
from hexarena.games.catalogue import find_game, game_file
from hexarena.games.contract import Game
from hexarena.games.lines import Player
from hexarena.worker import tasks
from hexarena.worker.diagnosis import explain_clear_loss, explain_early_fault
from hexarena.worker.lending import MatchSlots
from hexarena.worker.play import ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import LanguageMissing, Sandbox
from tests.conftest import CLEAR_SEEDED_MATCHES

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


def hint_for(sandbox: Sandbox, source: str, *, hours: float = 0.0) -> str | None:
    """After a match of this bot against the starter in the full game. `hours`: that pass whenever the clock is read."""
    times = iter(range(1_000_000))
    starter = game_file(ANTS, "bots/starter.py").read_text()
    programs = [build_bot(ANTS, sandbox, PYTHON, one.encode()) for one in (source, starter)]
    entrants = [ReadyBot(program, Player("bot")) for program in programs]
    record = play_match(ANTS, sandbox, entrants, seed=1, league=ANTS.top_level).record
    return explain_early_fault(ANTS, sandbox, entrants, {0}, record, clock=lambda: 3600 * hours * next(times))


@pytest.mark.sandbox
def test_a_bot_that_fails_now_and_then_is_told_nothing_about_levels(sandbox: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "it failed"
    fails_once = f"""
import pathlib
mark = pathlib.Path({str(mark)!r})
if not mark.exists():
    mark.touch()
    raise SystemExit
"""
    assert hint_for(sandbox, fails_once + game_file(ANTS, "bots/starter.py").read_text()) is None
    assert mark.exists()


@pytest.mark.sandbox
def test_a_bot_that_reads_the_input_of_a_lower_level_learns_which_one(sandbox: Sandbox) -> None:
    assert hint_for(sandbox, READS_LEVEL_3) == (
        "Your bot plays without a fault at level 3 of the rules. The ladder plays level 4, whose input differs: "
        "from level 4 on, each turn begins with a line of both scores."
    )
    assert hint_for(sandbox, READS_LEVEL_3, hours=1) is None, "there is no time to look for it"


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source",
    ["print('nonsense')", READS_LEVEL_3.replace("while True:\n", f"while True:\n{SCORE_LINE}"),
     READS_LEVEL_3.replace("while True:\n", "for _ in range(9):\n" + SCORE_LINE)],
)  # fmt: skip
def test_other_bots_hear_nothing_of_levels(sandbox: Sandbox, source: str) -> None:
    """Wrong at every level; without a fault; or wrong later on."""
    assert hint_for(sandbox, source) is None


TARGETS = "for target in targets[:3]"
"""What Ants' starter goes for."""
READS_WORDS_OF_LEVEL_3 = """
import sys
words = (int(word) for line in sys.stdin for word in line.split())
cells = next(words)
for _ in range(8 * cells):
    next(words)
bases = next(words)
mine = [next(words) for _ in range(bases)]
theirs = [next(words) for _ in range(bases)]
while True:
    left = [[next(words), next(words), next(words)][0] for _ in range(cells)]
    targets = [cell for cell in range(cells) if left[cell] > 0]
    print(";".join(f"LINE {mine[0]} {cell} 1" for cell in targets[:3]) or "WAIT", flush=True)
"""


def built(game: Game, sandbox: Sandbox, source: bytes, ending: str = ".py") -> ReadyBot:
    return ReadyBot(build_bot(game, sandbox, by_ending(ending), source), Player("bot"))


def hint_after_loss(game: Game, sandbox: Sandbox, bot: ReadyBot, *, seed: int = 1, hours: float = 0.0) -> str | None:
    """After a check match of this bot. `hours`: that pass whenever the clock is read."""
    starter = built(game, sandbox, game_file(game, "bots/starter.py").read_bytes())
    entrants = [bot, starter]
    times = iter(range(1_000_000))
    record = play_match(game, sandbox, entrants, seed=seed, league=game.top_level).record
    return explain_clear_loss(game, sandbox, entrants, {0}, record, clock=lambda: 3600 * hours * next(times))


@pytest.mark.sandbox
def test_a_bot_that_plays_nonsense_as_it_reads_the_input_of_a_lower_level_learns_which_one(sandbox: Sandbox) -> None:
    bot = built(ANTS, sandbox, READS_WORDS_OF_LEVEL_3.encode())
    assert hint_after_loss(ANTS, sandbox, bot) == (
        "Your bot passed its check, but seems to read the input of level 3 of the rules: with the same seed it has "
        "304:238 points there, and 6:310 at level 4. The ladder plays level 4, whose input differs: "
        "from level 4 on, each turn begins with a line of both scores."
    )


@pytest.mark.sandbox
def test_the_search_for_the_level_ends_with_its_time(sandbox: Sandbox) -> None:
    bot = built(ANTS, sandbox, READS_WORDS_OF_LEVEL_3.encode())
    assert hint_after_loss(ANTS, sandbox, bot, hours=1) is None


@pytest.mark.sandbox
def test_a_weak_bot_that_is_better_at_simpler_rules_hears_nothing_of_levels(sandbox: Sandbox) -> None:
    """With seed 1 it has 48:311 points at levels 3 and 4, but 480:463 at level 2."""
    source = game_file(ANTS, "bots/starter.py").read_text()
    assert TARGETS in source
    bot = built(ANTS, sandbox, source.replace(TARGETS, "for target in targets[-1:]").encode())
    assert hint_after_loss(ANTS, sandbox, bot) is None


@pytest.mark.sandbox
def test_a_bot_that_was_only_unlucky_hears_nothing_of_levels(sandbox: Sandbox, tmp_path: Path) -> None:
    """It waits in its first match, and plays in all later ones."""
    source = game_file(ANTS, "bots/starter.py").read_text()
    first = f"from pathlib import Path\nlater = (past := Path({str(tmp_path / 'past')!r})).exists()\npast.touch()\n"
    bot = built(ANTS, sandbox, (first + source.replace(TARGETS, "for target in targets[: 3 * later]")).encode())
    assert hint_after_loss(ANTS, sandbox, bot) is None


@pytest.mark.sandbox
@pytest.mark.long
@pytest.mark.parametrize("name", ["ants", "tryangle"])
def test_no_house_bot_and_no_starter_hears_of_levels(sandbox: Sandbox, name: str) -> None:
    """The other games have one level."""
    game = find_game(name)
    for file in [*(one.file for one in game.house_bots), *game.starters]:
        try:
            bot = built(game, sandbox, game_file(game, f"bots/{file}").read_bytes(), Path(file).suffix)
        except LanguageMissing:
            continue
        assert hint_after_loss(game, sandbox, bot) is None, file


@pytest.mark.sandbox
def test_whoever_loses_a_game_of_one_level_hears_nothing_of_levels(sandbox: Sandbox) -> None:
    game = find_game("yavalath")
    bot = built(game, sandbox, game_file(game, "bots/hotspur.py").read_bytes())
    assert hint_after_loss(game, sandbox, bot) is None


@pytest.mark.long
@pytest.mark.sandbox
def test_the_hint_is_with_the_version_that_passed_its_check(client: TestClient, settings: Settings) -> None:
    context = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    with context.database.transaction() as session:
        session.execute(CLEAR_SEEDED_MATCHES)
    body = {"game": "ants", "bot": "Mine", "language": "python", "source": READS_WORDS_OF_LEVEL_3}
    submitted = client.post("/api/v1/submissions", json=body).json()
    with context.database.transaction() as session:
        session.execute(update(Match).values(seed=1))
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=context.settings.max_attempts)
    tasks.run(context, lease.match_id, lease.token)
    with context.database.transaction() as session:
        charged_s = session.scalars(select(func.sum(Usage.cpu_s))).one()
        counted_s = session.scalars(select(Result.cpu_ms / 1000)).one()
    context.close()
    assert charged_s > 2 * counted_s, "the matches that explain it are charged, too"
    found = client.get(f"/api/v1/submissions/{submitted['id']}").json()
    assert found["state"] == "live"
    assert found["problem"].startswith("Your bot passed its check, but seems to read the input of level 3 of the rules")
