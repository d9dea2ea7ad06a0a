"""Who plays whom."""

from collections import Counter
from random import Random

from backend.pairing import Entrant, may_meet, next_pair, opponents

HOUSE = 1


def entrant(submission_id: int, owner_id: int, rating: float = 1000, games: int = 0) -> Entrant:
    return Entrant(submission_id, owner_id, rating, games, house=owner_id == HOUSE)


def test_nobody_meets_himself_or_his_own() -> None:
    assert not may_meet(entrant(1, HOUSE), entrant(1, HOUSE))
    assert not may_meet(entrant(1, 7), entrant(2, 7))
    assert may_meet(entrant(1, 7), entrant(2, 8))


def test_house_bots_meet_each_other() -> None:
    assert may_meet(entrant(1, HOUSE), entrant(2, HOUSE))


def test_a_newcomer_meets_everybody_about_equally_often() -> None:
    field = [entrant(number, HOUSE, rating=1000 + number) for number in range(2, 6)]
    met = Counter(one.submission_id for one in opponents(entrant(1, 7), field, 10, Random(1)))
    assert sum(met.values()) == 10
    assert set(met.values()) == {2, 3}


def test_an_empty_field_gives_no_opponents() -> None:
    assert opponents(entrant(1, 7), [entrant(1, 7)], 10, Random(1)) == []


def test_whoever_has_played_least_plays_next() -> None:
    field = [entrant(number, HOUSE, games=10) for number in range(1, 9)] + [entrant(9, HOUSE, games=2)]
    for seed in range(50):
        pair = next_pair(field, Random(seed))
        assert pair is not None
        assert 9 in {one.submission_id for one in pair}


def test_near_opponents_are_likelier() -> None:
    field = [entrant(1, 7, games=0), entrant(2, 8, rating=1010, games=9), entrant(3, 9, rating=1800, games=9)]
    random = Random(1)
    met = Counter(one.submission_id for _ in range(300) for one in next_pair(field, random) or ())
    assert met[2] > 4 * met[3] > 0


def test_a_lonely_field_gives_no_pair() -> None:
    assert next_pair([], Random(1)) is None
    assert next_pair([entrant(1, 7)], Random(1)) is None
    assert next_pair([entrant(1, 7), entrant(2, 7)], Random(1)) is None
