"""Twelve new guests of one address submit a zip of a megabyte of noise each. How much is stored?"""

from __future__ import annotations

import io
import zipfile
from random import Random
from uuid import uuid4

from hexarena.bench.attack_web.attacks import Outcome
from hexarena.bench.attack_web.people import ATTACKER, Person

NAME = "12 MB of random zips by 12 new guests"
BEFORE = "12 MB stored"
GOAL = "at most 8 MB of one address are stored, and all others get 429"
GUESTS = 12
FILES, FILE_BYTES = 11, 90_000
MOST_BYTES = 8_000_000


async def run(base_url: str) -> Outcome:
    """Submits all of them."""
    stored, codes = 0, []
    for _ in range(GUESTS):
        person, name = Person(base_url, ATTACKER), uuid4().hex[:20]
        packed = _noise(name)
        answer = await person.upload("/submissions/file", packed, game="yavalath", bot=name, language="python")
        codes.append(answer.status)
        stored += len(packed) if answer.status == 201 else 0
    taken, refused = codes.count(201), codes.count(429)
    now = f"{taken} of {GUESTS} zips were taken, {stored / 1e6:.1f} MB; {refused} got 429"
    if others := sorted({code for code in codes if code not in {201, 429}}):
        now += f", {GUESTS - taken - refused} got {', '.join(map(str, others))}"
    return Outcome(now, stored <= MOST_BYTES and taken > 0 and refused == GUESTS - taken > 0)


def _noise(seed: str) -> bytes:
    """A bot with files that do not get smaller."""
    random = Random(seed)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("bot.py", f"print(input())  # {seed}")
        for number in range(FILES):
            archive.writestr(f"noise{number}.bin", random.randbytes(FILE_BYTES))
    return packed.getvalue()
