"""Five guests submit bots that lose their games to one bot. How far do these games move it?"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import uuid4

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, Answer, Person
from hexarena.games.catalogue import find_game, game_file

NAME = "5 guests throw their games to one bot"
BEFORE = "49 guests: +17 to +23 places, +166 to +269 Elo"
GOAL = "no game of a guest moves the bot"
GUESTS = 5
GAMES = 8
"""Against guests, to be waited for."""
MOST_WAIT_S = 900.0
LOOK_S = 2.0


async def run(base_url: str) -> Outcome:
    """The bot that gains is an account's: Yavalath's Watcher under another name. The others are weak on purpose."""
    patron = Person(base_url, ATTACKER)
    name = uuid4().hex[:12]
    await patron.sign_up(f"patron-{name}")
    submission_id = (await _submit(patron, "watcher.py", name)).body["id"]
    guests = set()
    for number in range(GUESTS):
        bot = f"thrower-{number}-{name}"
        await _submit(Person(base_url, ATTACKER), "pebble.py", bot)
        guests.add(bot)
    games, moved, points = await _wait_for_games(patron, submission_id, guests)
    now = f"{games} games against guests, {points:g} points, moved it by {moved:+.1f} Elo"
    return Outcome(now, games >= GAMES and moved == 0)


async def _submit(person: Person, file: str, bot: str) -> Answer:
    """A house bot's code, changed in a comment, so that it is another competitor."""
    source = game_file(find_game("yavalath"), f"bots/{file}").read_text() + f"\n# {bot}\n"
    new = {"game": "yavalath", "bot": bot, "language": "python", "source": source}
    answer = await person.post("/submissions", new)
    if answer.status != 201:
        raise SystemExit(f"A bot was refused: {answer.body}")
    return answer


async def _wait_for_games(person: Person, submission_id: int, guests: set[str]) -> tuple[int, float, float]:
    """Games against guests, by how much they moved the rating (the sum of the amounts), and points in them."""
    end, rows = time.monotonic() + MOST_WAIT_S, list[dict[str, Any]]()
    while time.monotonic() < end and sum(row["games"] for row in rows) < GAMES:
        answer = await person.get(f"/submissions/{submission_id}/rating")
        if answer.status == 200:
            rows = [row for row in answer.body["against"] if row["bot"] in guests]
        await asyncio.sleep(LOOK_S)
    return sum(row["games"] for row in rows), sum(abs(row["moved"]) for row in rows), sum(row["points"] for row in rows)
