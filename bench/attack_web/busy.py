"""Two guests of two networks keep both slots with matches that compute, or build, for long. How long does a stranger
wait?
"""

from __future__ import annotations

from textwrap import dedent

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, STRANGER, Person

NAME = "matches of two networks that compute in every turn, or build, for long"
BEFORE = "a stranger waited 23 s"
GOAL = "a stranger waits at most 2 s longer"
MORE_S = 2.0
SECOND_ATTACKER = "127.0.2.1"
COMPUTER = dedent(
    """
    import time

    houses = int(input())
    for _ in range(houses):
        input()
    while True:
        for _ in range(1 + houses):
            input()
        for _ in range(3):
            for _ in range(int(input())):
                input()
        end = time.process_time() + 0.04
        while time.process_time() < end:
            pass
        print("WAIT")
    """
)
BUILDER = 'BEGIN { 1 while times < 15 } <STDIN> while print "WAIT\\n";'


async def run(base_url: str) -> Outcome:
    """Measures a stranger's wait before and during the attacks, several times each."""
    stranger = Person(base_url, STRANGER)
    usual_s = await _wait_s(stranger)
    attackers = [Person(base_url, address) for address in (ATTACKER, SECOND_ATTACKER)]
    waits_s = dict[str, float]()
    for what, language, source in (("computing", "python", COMPUTER), ("building", "perl", BUILDER)):
        running = [await one.practise(source, game="tryangle", language=language) for one in attackers]
        for attacker, answer in zip(attackers, running, strict=True):
            await attacker.wait_to_start(answer.body["id"])
        waits_s[what] = max([await _wait_s(stranger) for _ in range(3)])
        for attacker, answer in zip(attackers, running, strict=True):
            await attacker.wait_to_end(answer.body["id"])
    waits = ", ".join(f"{seconds:.1f} s ({what})" for what, seconds in waits_s.items())
    now = f"the stranger waited {waits} at most, and {usual_s:.1f} s without the attack"
    return Outcome(now, max(waits_s.values()) <= usual_s + MORE_S)


async def _wait_s(person: Person) -> float:
    return await person.wait_to_start((await person.practise()).body["id"])
