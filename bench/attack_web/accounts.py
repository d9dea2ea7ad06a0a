"""One person makes 50 accounts and asks for 150 practice matches. Where is the next visitor in the queue?"""

from __future__ import annotations

import asyncio
from uuid import uuid4

from hexarena.bench.attack_web import flood
from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, Person

NAME = "150 practice matches by 50 fresh accounts"
BEFORE = "all were taken, and the next visitor was 51st"
GOAL = f"{flood.GOAL}, and what is beyond the limit of an address got 429"
ACCOUNTS, EACH = 50, 3
SLOW = "import time; time.sleep(1); print(input())"
"""A bot whose match takes a second, so that the queue gets as long as it may."""


async def run(base_url: str) -> Outcome:
    """Makes the accounts, asks for all matches, then for one as somebody else."""
    gate = asyncio.Semaphore(flood.AT_ONCE)

    async def sign_up(person: Person) -> int:
        async with gate:
            return (await person.sign_up(f"flood-{uuid4().hex[:12]}")).status

    async def ask(person: Person) -> int:
        async with gate:
            return (await person.practise(SLOW)).status

    people = [Person(base_url, ATTACKER) for _ in range(ACCOUNTS)]
    made = await asyncio.gather(*(sign_up(person) for person in people))
    known = [person for person, status in zip(people, made, strict=True) if status == 201]
    codes = await asyncio.gather(*(ask(person) for _ in range(EACH) for person in known))
    outcome = await flood.next_visitor(base_url, codes)
    now = f"{len(known)} of {ACCOUNTS} accounts were made; {outcome.now}"
    return Outcome(now, outcome.passed and len(known) > 0 and codes.count(201) + codes.count(429) == len(codes))
