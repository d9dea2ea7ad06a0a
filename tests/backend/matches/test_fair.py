"""The fair order: who used least goes first, a flood waits behind itself. Shares are letters, matches are numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unittest import mock

from hypothesis import given, strategies

from hexarena.backend.matches import fair
from hexarena.backend.matches.fair import LENT_S, SHORT_S, Held, Waiting, choose, forecast

PRACTICE, CHECK = 10, 20


def line(text: str, seconds: float = 10.0) -> list[Waiting]:
    """ "A1 B2": match 0 of asker 1 in share A, match 1 of asker 2 in share B; lower case is a check match."""
    return [
        Waiting(number, one[0].upper(), int(one[1:] or 0), PRACTICE if one[0].isupper() else CHECK, seconds)
        for number, one in enumerate(text.split())
    ]


def hold(text: str, left_s: float = 10.0) -> list[Held]:
    """ "A1 -": a match of asker 1 in share A, and one that nobody asked for."""
    return [
        Held(None, 0, left_s) if one == "-" else Held(one[0].upper(), int(one[1:] or 0), left_s) for one in text.split()
    ]


def chosen(
    waiting: str, *, held: str = "", used_s: Mapping[str, float] | None = None, limit: int = 9, most: int = 9
) -> list[int]:
    return [one.match_id for one in choose(line(waiting), hold(held), used_s or {}, limit=limit, most=most)]


def starts(
    waiting: Sequence[Waiting], held: Sequence[Held] = (), *, slots: int = 2, most: int = 1
) -> list[tuple[int, float]]:
    return list(forecast(waiting, held, {}, slots=slots, most=most))


def test_of_strangers_the_older_match_goes_first() -> None:
    assert chosen("A B C") == [0, 1, 2]


def test_a_flood_waits_behind_itself() -> None:
    assert chosen("A A A A A A B", limit=2) == [0, 6]
    assert chosen("A A A A A A B", held="A", limit=1) == [6]


def test_who_used_least_goes_first() -> None:
    assert chosen("A B C", used_s={"A": 30, "B": 20}) == [2, 1, 0]


def test_what_is_chosen_counts_as_used() -> None:
    """A's first match is a long one, so that its second one comes last."""
    first, *others = line("A A B B")
    waiting = [first._replace(seconds=30.0), *others]
    assert [one.match_id for one in choose(waiting, [], {"B": 5.0}, limit=4, most=9)] == [0, 2, 3, 1]


def test_who_holds_no_slot_goes_before_who_used_less_but_holds_one() -> None:
    assert chosen("A B", held="A", used_s={"B": 500}) == [1, 0]


def test_a_match_that_is_chosen_counts_at_once() -> None:
    """Or one share would get all slots that are free at the same time."""
    assert chosen("A A B B", limit=2) == [0, 2]


def test_no_share_holds_more_than_its_slots() -> None:
    assert chosen("A A A B", most=1) == [0, 3]
    assert chosen("A A", held="A", most=1) == []
    assert chosen("A A A", held="A", most=2) == [0]


def test_a_share_may_take_every_slot_with_matches_that_are_over_at_once() -> None:
    def found(seconds: float, waiting: str = "A A B", held: str = "A") -> list[int]:
        return [one.match_id for one in choose(line(waiting, seconds), hold(held), {}, limit=9, most=1)]

    assert found(SHORT_S) == [2, 0, 1], "who holds nothing goes first all the same"
    assert found(SHORT_S + 0.01) == [2]
    long, short = line("A A")
    mixed = [long._replace(seconds=9.0), short._replace(seconds=0.1)]
    assert choose(mixed, hold("A"), {}, limit=9, most=1) == [], "a long match is not passed by a short one of its own"


def test_a_match_that_yields_keeps_none_of_its_share_from_a_slot() -> None:
    held = [one._replace(yields=True) for one in hold("A A")]
    assert [one.match_id for one in choose(line("A A"), held, {}, limit=9, most=1)] == [0]
    assert [one.match_id for one in choose(line("A B"), held, {}, limit=9, most=1)] == [1, 0], "who holds none is first"


def test_matches_that_nobody_asked_for_count_for_no_share() -> None:
    assert chosen("A", held="- -", most=1) == [0]


def test_within_a_network_its_guests_take_turns() -> None:
    assert chosen("A1 A1 A1 A2 A3 A2") == [0, 3, 4, 1, 5, 2]
    assert chosen("A1 A2", held="A1") == [1, 0], "who has one running waits for the others"


def test_of_one_person_a_practice_match_goes_before_a_check_match() -> None:
    assert chosen("a1 A1") == [1, 0]


@given(
    strategies.lists(strategies.sampled_from("ABCDEF"), max_size=30),
    strategies.lists(strategies.sampled_from("ABCDEF-"), max_size=6),
    strategies.integers(1, 4),
)
def test_no_slot_goes_to_somebodys_second_match_while_somebodys_first_one_waits(
    shares: list[str], held: list[str], most: int
) -> None:
    waiting, holds = list(shares), {share: held.count(share) for share in "ABCDEF"}
    for one in choose(line(" ".join(shares)), hold(" ".join(held)), {}, limit=99, most=most):
        assert holds[one.share] == min(holds[share] for share in waiting)
        assert holds[one.share] < most
        holds[one.share] += 1
        waiting.remove(one.share)
    assert all(holds[share] >= most for share in waiting), "whoever still waits has what one share may have"


def test_a_free_slot_is_taken_at_once_and_the_rest_waits_for_ends() -> None:
    assert starts(line("A B C")) == [(0, 0.0), (1, 0.0), (2, 10.0)]


def test_a_stranger_starts_at_once_and_a_flood_one_after_the_other() -> None:
    assert starts(line("A A A B")) == [(0, 0.0), (3, 0.0), (1, 10.0), (2, 20.0)]


def test_what_runs_is_waited_for() -> None:
    assert starts(line("A"), hold("B C", 4.0)) == [(0, 4.0)]
    assert starts(line("A"), hold("A", 4.0)) == [(0, 4.0)], "of the share itself, too, though a slot is free"


def test_who_holds_nothing_is_lent_a_slot_soon() -> None:
    held = [*hold("D", 15.0), *hold("A", 20.0)]

    def found(lent: int) -> list[tuple[int, float]]:
        return list(forecast(line("A B C C"), held, {}, slots=2, most=1, lent=lent))

    assert found(0) == [(1, 15.0), (0, 20.0), (2, 25.0), (3, 35.0)]
    assert found(1) == [(1, LENT_S), (0, 20.0), (2, 25.0), (3, 35.0)]
    assert found(2) == [(1, LENT_S), (0, 20.0), (2, LENT_S), (3, 35.0)]
    assert list(forecast(line("A"), hold("B", 0.5), {}, slots=1, most=1, lent=1)) == [(0, 0.5)]


def test_a_share_is_lent_a_slot_once() -> None:
    """After its first match it holds something, or has held it."""
    found = forecast(line("A A"), hold("B", 10.0), {}, slots=1, most=9, lent=2)
    assert list(found) == [(0, LENT_S), (1, 20.0)]


def test_a_slot_that_becomes_free_as_soon_is_not_lent() -> None:
    """So that the next who holds nothing can have it."""
    held = [*hold("C", LENT_S), *hold("D", 9.0)]
    assert list(forecast(line("A B"), held, {}, slots=2, most=1, lent=1)) == [(0, LENT_S), (1, LENT_S)]


def test_a_match_that_yields_is_not_waited_for_if_it_can_lend_its_slot() -> None:
    held = [one._replace(yields=True) for one in hold("- B", 20.0)]
    assert list(forecast(line("A B"), held, {}, slots=2, most=1, lent=1)) == [(0, 0.0), (1, 0.0)]
    assert list(forecast(line("A B"), held, {}, slots=2, most=1, lent=0)) == [(0, 20.0), (1, 20.0)]


def test_where_more_runs_than_there_are_slots_several_must_end() -> None:
    held = [*hold("B", 3.0), *hold("C", 4.0), *hold("D", 5.0)]
    assert starts(line("A"), held, slots=1) == [(0, 5.0)]


@given(strategies.lists(strategies.sampled_from("ABCD"), max_size=20), strategies.integers(1, 4))
def test_every_match_is_forecast_once_and_in_order(shares: list[str], slots: int) -> None:
    found = starts(line(" ".join(shares)), slots=slots, most=max(1, slots - 1))
    assert sorted(match_id for match_id, _ in found) == list(range(len(shares)))
    assert [start for _, start in found] == sorted(start for _, start in found)


SHARES = strategies.sampled_from("ABCDE")
SECONDS = strategies.sampled_from((SHORT_S, 1.0, 2.0, 5.0))
WAITING = strategies.builds(
    lambda share, asker, urgent, seconds: (share, asker, PRACTICE if urgent else CHECK, seconds),
    SHARES,
    strategies.integers(0, 3),
    strategies.booleans(),
    SECONDS,
)
HELD = strategies.builds(Held, SHARES | strategies.none(), strategies.integers(0, 3), SECONDS, strategies.booleans())


@given(
    rows=strategies.lists(WAITING, max_size=14),
    held=strategies.lists(HELD, max_size=5),
    used_s=strategies.dictionaries(SHARES, SECONDS),
    slots=strategies.integers(1, 5),
    most=strategies.integers(1, 4),
    lent=strategies.integers(0, 2),
)
def test_the_heap_finds_whom_a_look_at_all_shares_would(
    *,
    rows: list[tuple[str, int, int, float]],
    held: list[Held],
    used_s: dict[str, float],
    slots: int,
    most: int,
    lent: int,
) -> None:
    waiting = [Waiting(number, *row) for number, row in enumerate(rows)]

    def found() -> tuple[list[tuple[int, float]], list[Waiting]]:
        forecasts = list(forecast(waiting, held, used_s, slots=slots, most=most, lent=lent))
        return forecasts, choose(waiting, held, used_s, limit=slots, most=most)

    quick = found()
    with mock.patch.object(fair._Line, "take_next", _look_at_all):
        assert found() == quick


def _look_at_all(self: fair._Line) -> Waiting | None:
    able = [share for share in self.queues if self._able(share)]
    return self._take(min(able, key=self._key)) if able else None
