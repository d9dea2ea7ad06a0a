"""One guest has two practice matches whose bots sleep for most of each turn. How long does a stranger wait?"""

from __future__ import annotations

from textwrap import dedent

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, STRANGER, Person

NAME = "two practice matches that sleep below the cap of each turn"
BEFORE = "a stranger waited 300 s"
GOAL = "a stranger waits at most 2 s longer"
MORE_S = 2.0
SLEEPER = dedent(
    """
    import time

    input()
    while True:
        rows = [input() for _ in range(int(input()))]
        input()
        time.sleep(0.9)
        empty = [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "0"]
        print(*empty[7 * len(empty) // 11])
    """
)


async def run(base_url: str) -> Outcome:
    """Measures a stranger's wait before and during the attack."""
    stranger = Person(base_url, STRANGER)
    usual_s = await _wait_s(stranger)
    attacker = Person(base_url, ATTACKER)
    sleepers = [(await attacker.practise(SLEEPER)).body["id"] for _ in range(2)]
    await attacker.wait_to_start(sleepers[0])
    waited_s = await _wait_s(stranger)
    now = f"the stranger waited {waited_s:.1f} s, and {usual_s:.1f} s without the attack"
    return Outcome(now, waited_s <= usual_s + MORE_S)


async def _wait_s(person: Person) -> float:
    return await person.wait_to_start((await person.practise()).body["id"])
