"""Whether what only some may see can be read where others look: in public headers and frames, and in others' prompts.

Theory of operation. Rules can give a secret away in countless words, and no check knows them all. This one compares
matches that differ in what is hidden. In each of them a secret is a value that a seat, or nobody, is given in a line;
open values are all those that others find in the same line, each under a path such as `hands.1.0`. If in match after
match an open value is the secret, or reveals it (the same open value always goes with the same secret), that is no
accident: how often it would happen by chance follows from how often two of the matches have the same secret in that
turn. Lists are compared without their order.

Only what is new in a line counts. What a seat knew before, its bot may have revealed by its moves, which is no fault of
the game.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hexarena.cli.check.strength import trial
from hexarena.cli.check.subject import SEED, CheckFailed, CheckSkipped, Scripted, Subject, expect
from hexarena.games.contract import Game, Json
from hexarena.games.referee import HIDDEN, NOBODY, OpenMatch, Record

SET_UPS = 60
"""With the fewest seats, the most, and those of the ladder. They are not played."""
MATCHES = 8
FEW = 3
"""Values of a hand of which none may be missing, for it to be that hand."""
FEWEST = 6
"""Cases below which nothing can be said."""
CHANCE = 1e-9
MOST_OPEN, MOST_SECRET = 200, 40
"""Values of a line that are looked at."""
LIMITS = "what is given away in other words, this check cannot see"


@dataclass(frozen=True, slots=True)
class Case:
    """A line of a match. `turn`: 0 is the header. `open`, `secret`: path -> value, as text, equal for equal ones.

    `known`: all that the seat has been given by now.
    """

    turn: int
    open: Mapping[str, str]
    secret: Mapping[str, str]
    known: frozenset[str] = frozenset()


def hidden(subject: Subject) -> str:
    """What is hidden is under seats of the match, there is something, and others do not find it where they look."""
    game = subject.game
    if game.hidden is None:
        raise CheckSkipped("the game hides nothing")
    for seats in game.seats:
        _expect_seats(seats, subject.record(seats))
    counts = dict.fromkeys((game.seats[0], game.ladder_entrants[0] * game.team_seats, game.seats[-1]))
    for seats in counts:
        set_ups = [_opened(game, seats, SEED + number) for number in range(SET_UPS)]
        for whose, cases in _of_set_ups(seats, set_ups):
            _expect_secret(f"with {seats} seats, the header", whose, cases)
        for whose, reader, cases in _of_prompts(game, seats, set_ups):
            _expect_secret(f"with {seats} seats, the first prompt of seat {reader}", whose, cases, alike_only=True)
    records = [trial(subject, None, number) for number in range(MATCHES)]
    _expect_hands_kept(records)
    for whose, cases in _of_frames(records):
        _expect_secret(f"with {records[0].seats} seats, the frame", whose, cases)
    return f"nothing found in {SET_UPS * len(counts)} set-ups and {MATCHES} matches; {LIMITS}"


def _expect_seats(seats: int, record: Record) -> None:
    parts = [part[HIDDEN] for part in (record.header, *(turn.frame for turn in record.turns)) if _has_hidden(part)]
    expect(bool(parts), f"with {seats} seats, the game says that it hides something; got nothing hidden")
    unknown = {key for part in parts for key in part} - {NOBODY, *map(str, range(seats))}
    expect(not unknown, f"with {seats} seats, something is hidden from all but {', '.join(sorted(unknown))}")


def _has_hidden(part: Json) -> bool:
    return isinstance(part, Mapping) and HIDDEN in part


def _opened(game: Game, seats: int, seed: int) -> OpenMatch:
    return OpenMatch(game, [Scripted([""])] * seats, seed=seed, league=game.top_level)


# --- Cases -----------------------------------------------------------------------------------------------------------


def _of_set_ups(seats: int, set_ups: Sequence[OpenMatch]) -> Iterator[tuple[str, list[Case]]]:
    """(whose secret, its cases): what the public header reveals of it."""
    seen = [_nodes(_open_part(one.header), MOST_OPEN) for one in set_ups]
    for whose in (*map(str, range(seats)), NOBODY):
        yield whose, [Case(0, found, _secret(one.header, whose)) for found, one in zip(seen, set_ups, strict=True)]


def _of_prompts(game: Game, seats: int, set_ups: Sequence[OpenMatch]) -> Iterator[tuple[str, int, list[Case]]]:
    """(whose secret, who reads, the cases): what first prompts reveal of it. A seat may know what it is given."""
    for reader in range(seats):
        acting = [one for one in set_ups if reader in one.to_act()]
        read = [_nodes(_words(game.protocol.prompt(one.state, reader, True)), MOST_OPEN) for one in acting]
        own = [set(_secret(one.header, str(reader)).values()) for one in acting]
        for whose in (*map(str, range(seats)), NOBODY):
            if whose != str(reader):
                secret = [_but(_secret(one.header, whose), knows) for one, knows in zip(acting, own, strict=True)]
                yield whose, reader, [Case(0, *one) for one in zip(read, secret, strict=True)]


def _of_frames(records: Sequence[Record]) -> Iterator[tuple[str, list[Case]]]:
    """(whose secret, its cases): what public frames reveal of what is new in them."""
    for whose in (*map(str, range(records[0].seats)), NOBODY):
        cases: list[Case] = []
        for record in records:
            known = frozenset(_secret(record.header, whose).values())
            for turn in record.turns:
                new = _but(_secret(turn.frame, whose), known)
                known |= set(new.values())
                cases.append(Case(turn.number, _nodes(_open_part(turn.frame), MOST_OPEN), new, known))
        yield whose, cases


def _secret(line: Json, whose: str) -> dict[str, str]:
    return _nodes(_hidden_part(line, whose), MOST_SECRET)


def _but(secret: Mapping[str, str], known: Container[str]) -> dict[str, str]:
    return {path: value for path, value in secret.items() if value not in known}


def _hidden_part(line: Json, whose: str) -> Json:
    return line[HIDDEN].get(whose) if _has_hidden(line) else None


def _open_part(line: Json) -> Json:
    """Without what the arena keeps from others, and its own numbers."""
    if not isinstance(line, Mapping):
        return line
    return {key: value for key, value in line.items() if key not in {HIDDEN, "t", "notes", "faults", "left"}}


def _words(prompt: str) -> Json:
    """Numbers as such, as frames have them."""
    lines = enumerate(prompt.splitlines())
    return {f"line {at}": [int(one) if one.isdecimal() else one for one in line.split()] for at, line in lines}


def _nodes(value: Json, most: int) -> dict[str, str]:
    """Path -> text, of the value and all that is in it, outer ones first; "" is the value itself."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [("", value)]
    for path, one in waiting:
        if len(found) >= most:
            break
        if one is None or one in ("", [], (), {}):
            continue
        found[path] = _text(one)
        inner = one.items() if isinstance(one, Mapping) else enumerate(one) if isinstance(one, list | tuple) else ()
        waiting += [(f"{path}.{key}".lstrip("."), part) for key, part in inner]
    return found


def _text(value: Json) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(sorted(map(_text, value)))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{key}: {_text(part)}' for key, part in value.items()))}}}"
    return str(value) if type(value) is int else json.dumps(value)


# --- What is no accident ---------------------------------------------------------------------------------------------


def _expect_secret(where: str, whose: str, cases: Sequence[Case], *, alike_only: bool = False) -> None:
    """Raises: CheckFailed, with the path of an open value that reveals a secret."""
    who = "no seat" if whose == NOBODY else f"only seat {whose}"
    for path in dict.fromkeys(path for case in cases for path in case.secret):
        having = [case for case in cases if path in case.secret]
        chance = _same_by_chance([(case.turn, case.secret[path]) for case in having])
        # Even if all of them agreed, that could be an accident.
        if len(having) < FEWEST or chance ** len(having) >= CHANCE:
            continue
        signs = [(*_sign(having, path, place, alike_only=alike_only), place) for place in _always(having)]
        sure = [(how, place) for how, times, place in signs if times >= FEWEST and chance**times < CHANCE]
        if sure:
            # The plainest, and of values within each other the innermost.
            how, place = min(sure, key=lambda one: (list(Sign).index(one[0]), -len(one[1])))
            part = f" (its {path!r})" if path else ""
            leak = f"{where} has under {place or 'its top'!r} {how.value} {who} may see{part}"
            raise CheckFailed(f"{leak}: {having[0].secret[path][:60]}, in each of {len(having)} cases")


def _always(cases: Sequence[Case]) -> Iterator[str]:
    """The paths that every case has among its open values."""
    yield from (path for path in cases[0].open if all(path in case.open for case in cases))


def _same_by_chance(found: Sequence[tuple[int, str]]) -> float:
    """How probably two cases of one turn have the same secret; 1 where no two are of one turn."""
    by_turn: dict[int, Counter[str]] = defaultdict(Counter)
    for turn, secret in found:
        by_turn[turn][secret] += 1
    pairs = sum(counted.total() * (counted.total() - 1) for counted in by_turn.values())
    same = sum(times * (times - 1) for counted in by_turn.values() for times in counted.values())
    return max(same / pairs, 1 / (len(found) + 1)) if pairs else 1.0


class Sign(Enum):
    """How an open value reveals a secret, the plainest first."""

    SAME = "what"
    REVEALS = "what reveals what"
    AMONG = "among others what"


def _sign(cases: Sequence[Case], path: str, place: str, *, alike_only: bool) -> tuple[Sign, int]:
    """How the open values at a place reveal the secrets, and in how many cases that could have been otherwise."""
    first = cases[0]
    if first.open[place] == first.secret[path] and all(case.open[place] == case.secret[path] for case in cases):
        return Sign.SAME, len(cases)
    if alike_only:
        return Sign.SAME, 0
    revealed: dict[str, str] = {}
    reveals = all(revealed.setdefault(case.open[place], case.secret[path]) == case.secret[path] for case in cases)
    if reveals and len(cases) - len(revealed) >= FEWEST:
        return Sign.REVEALS, len(cases) - len(revealed)
    among = first.turn > 0 and all(_holds(case, place, case.secret[path]) for case in cases)
    return Sign.AMONG, len(cases) if among else 0


def _scalars(open_values: Mapping[str, str], place: str) -> list[str]:
    """What is in a list or object."""
    return [value for path, value in open_values.items() if path.startswith(f"{place}.") and value[0] not in "[{"]


def _holds(case: Case, place: str, secret: str) -> bool:
    """Whether a list or object has the secret in it, and hardly anything but what the same seat was given.

    A list of all cards that are still out reveals to nobody who has which.
    """
    inner = _scalars(case.open, place)
    return secret in inner and 4 * sum(value in case.known for value in inner) >= 3 * len(inner)


def _expect_hands_kept(records: Sequence[Record]) -> None:
    """That the first frame has no list of all that a seat was given before, but for what its bot has just revealed.

    Raises: CheckFailed.
    """
    for seat in range(records[0].seats):
        held = [_held(record, seat) for record in records]
        seen = [_nodes(_open_part(record.turns[0].frame), MOST_OPEN) for record in records]
        for place in (path for path in seen[0] if all(path in one for one in seen)):
            lists = [set(_scalars(one, place)) for one in seen]
            if not all(_is_hand(one, hand) for one, hand in zip(lists, held, strict=True)):
                continue
            pairs = [(one, hand) for at, one in enumerate(lists) for by, hand in enumerate(held) if at != by]
            chance = max(sum(_is_hand(*pair) for pair in pairs), 1) / len(pairs)
            if chance ** len(records) < CHANCE:
                leak = f"what only seat {seat} may see, given in the header: {', '.join(sorted(held[0]))[:60]}"
                raise CheckFailed(f"with {records[0].seats} seats, the first frame has under {place!r} {leak}")


def _held(record: Record, seat: int) -> set[str]:
    """What a seat was given before the first turn, without what bots wrote in it."""
    said = {word for one in record.turns[0].exchanges for word in _words(one.reply or "").get("line 0", ())}
    values = _secret(record.header, str(seat)).values()
    return {value for value in values if value[0] not in "[{"} - {_text(word) for word in said}


def _is_hand(found: Collection[str], held: Collection[str]) -> bool:
    """Whether these are the values that were held, one of many missing at most, and few others."""
    missing = sum(value not in found for value in held)
    return len(held) > 1 and missing <= int(len(held) > FEW) and 2 * len(found) < 3 * len(held)
