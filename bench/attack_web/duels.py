"""Ten guests of one address start two long duels each. Can a stranger still start one, and is it played?"""

from __future__ import annotations

import asyncio
import time

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, LOOK_S, MOST_WAIT_S, STRANGER, Person

NAME = "10 guests start 2 long duels each"
BEFORE = "20 of 20 duels of the arena taken; the stranger gets none"
GOAL = "a stranger's duel starts, and plays its first match within 30 s"
GUESTS, EACH = 10, 2
MOST_S = 30.0


async def run(base_url: str) -> Outcome:
    """Starts all of them, then one as somebody else; cancels them in the end."""
    attackers = [Person(base_url, ATTACKER) for _ in range(GUESTS)]
    stranger = Person(base_url, STRANGER)
    board = (await stranger.get("/games/yavalath/leaderboard?limit=2")).body["items"]
    candidate, baseline = (one["submission_id"] for one in board)
    body = {"game": "yavalath", "candidate": candidate, "baseline": baseline, "preset": "fine"}
    begun = []
    for attacker in attackers:
        answers = [await attacker.post("/duels", body) for _ in range(EACH)]
        begun += [(attacker, answer.body["id"]) for answer in answers if answer.status == 201]
    own = await stranger.post("/duels", body)
    waited_s = await _wait_for_match(stranger, own.body["id"]) if own.status == 201 else MOST_WAIT_S
    if own.status == 201:
        begun.append((stranger, own.body["id"]))
    for person, duel_id in begun:
        await person.post(f"/duels/{duel_id}/cancel", {})
    taken = sum(person is not stranger for person, _ in begun)
    answer = f"its first match was played after {waited_s:.1f} s" if own.status == 201 else f"got {own.status}"
    now = f"{taken} of {GUESTS * EACH} duels were started; the stranger's: {answer}"
    return Outcome(now, own.status == 201 and waited_s <= MOST_S)


async def _wait_for_match(person: Person, duel_id: int) -> float:
    """Seconds until a match of the duel is running or done."""
    began = time.monotonic()
    while time.monotonic() < began + MOST_WAIT_S:
        for state in ("running", "done"):
            if (await person.get(f"/matches?duel={duel_id}&state={state}&limit=1")).body["items"]:
                return time.monotonic() - began
        await asyncio.sleep(LOOK_S)
    return MOST_WAIT_S
