"""One person asks for 120 practice matches with 120 fresh cookies. Where is the next visitor in the queue?"""

from __future__ import annotations

import asyncio

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, STRANGER, Person

NAME = "120 practice matches by 120 fresh cookies"
BEFORE = "the next visitor was 113th"
GOAL = "the next visitor is first or second"
COOKIES = 120
AT_ONCE = 8
MOST_PLACE = 2


async def run(base_url: str) -> Outcome:
    """Asks for all of them, then for one match as somebody else."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def ask() -> int:
        async with gate:
            return (await Person(base_url, ATTACKER).practise()).status

    return await next_visitor(base_url, await asyncio.gather(*(ask() for _ in range(COOKIES))))


async def next_visitor(base_url: str, codes: list[int]) -> Outcome:
    """Where somebody else is who asks for a match after the attack. `codes`: what the attacker's requests got."""
    stranger = Person(base_url, STRANGER)
    match = (await stranger.practise()).body
    place = match.get("queue_place")
    waited_s = await stranger.wait_to_start(match["id"])
    taken, refused = codes.count(201), codes.count(429)
    now = f"{taken} of {len(codes)} matches were taken, {refused} ({refused / max(1, len(codes)):.0%}) got 429"
    now += f"; the next visitor was no. {place or 0}"
    return Outcome(f"{now} and waited {waited_s:.1f} s", place is None or place <= MOST_PLACE)
