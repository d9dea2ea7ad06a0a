"""Who plays whom."""

from collections import Counter
from random import Random

from backend.pairing import Entrant, may_meet, next_match, opponents

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
        pair = next_match(field, (2,), Random(seed))
        assert len(pair) == 2
        assert 9 in {one.submission_id for one in pair}


def test_near_opponents_are_likelier() -> None:
    field = [entrant(1, 7, games=0), entrant(2, 8, rating=1010, games=9), entrant(3, 9, rating=1800, games=9)]
    random = Random(1)
    met = Counter(one.submission_id for _ in range(300) for one in next_match(field, (2,), random))
    assert met[2] > 4 * met[3] > 0


def test_a_lonely_field_gives_no_pair() -> None:
    assert next_match([], (2,), Random(1)) == ()
    assert next_match([entrant(1, 7)], (2,), Random(1)) == ()
    assert next_match([entrant(1, 7), entrant(2, 7)], (2,), Random(1)) == ()


def test_a_match_of_many_takes_the_best_number_that_the_ladder_has() -> None:
    sizes = (8, 4, 3, 2)
    for there, wanted in ((20, 8), (8, 8), (7, 4), (3, 3), (2, 2), (1, 0)):
        field = [entrant(number, owner_id=100 + number) for number in range(there)]
        chosen = next_match(field, sizes, Random(there))
        assert len({one.submission_id for one in chosen}) == wanted


def test_nobody_meets_his_own_other_bot_in_a_match_of_many() -> None:
    field = [entrant(number, owner_id=100 + number % 3) for number in range(12)]
    for seed in range(30):
        owners = [one.owner_id for one in next_match(field, (4, 3, 2), Random(seed))]
        assert len(owners) == len(set(owners)) == 3
