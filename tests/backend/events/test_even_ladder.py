"""How evenly the matches of an event's own ladder go to its entrants. Values only: no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from hexarena.backend.events.ladder import EntrantVersion
from hexarena.backend.events.ladder_fit import FIRST_MATCHES, Known, rated
from hexarena.backend.events.ladder_memory import MOST_WAITING
from hexarena.backend.ladder import scheduling
from hexarena.backend.ladder.played import Played
from hexarena.backend.ladder.roster import Roster
from hexarena.backend.ladder.rules import HOUSE
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game

ROUNDS_OF_A_FIT = 4
"""A fit rests for two seconds, a round for half a one."""


def results(game: Game, matches: Sequence[Sequence[int]], strength: Sequence[float], random: Random) -> Played:
    """What these matches ended with, the stronger one before the others more often."""
    ranks = []
    for seats in matches:
        shown = {one: strength[one] + random.gauss(0, 0.5) for one in set(seats)}
        ranks += [sum(other > shown[one] for other in shown.values()) for one in seats]
    seated = np.array([one for seats in matches for one in seats], np.int64)
    ids, sizes = np.arange(len(matches)), np.array([len(seats) for seats in matches], np.int64)
    none = np.zeros(len(matches), np.bool_)
    return Played(ids, sizes, none, seated, np.array(ranks, np.int64), np.zeros(len(seated), np.bool_))


def contest(game: Game, entrants: int, matches: int, *, house: int = 0, owners: int = 10**6) -> list[int]:
    """How many matches each entrant had of so many, where all begin at once."""
    random, strengths = Random(7), Random(8)
    who = [EntrantVersion(one, one, HOUSE if one < house else 1 + one % owners) for one in range(entrants)]
    strength = [strengths.gauss(0, 1) for _ in who]
    played: list[Sequence[int]] = []
    recent: list[Sequence[int]] = []
    roster: Roster | None = None
    number = 0
    while len(played) < matches:
        if roster is None or number % ROUNDS_OF_A_FIT == 0:
            found = results(game, played, strength, Random(9))
            digests = {one: str(one) for one in range(len(played))}
            roster, recent = rated(Known(game, tuple(who), found, digests, "")).roster, []
        roster.queue_anew(recent)
        planned = scheduling.plan_evenly(roster, random, most=MOST_WAITING, enough=FIRST_MATCHES)
        number += 1
        if not planned and number % ROUNDS_OF_A_FIT == 0 and not recent:
            break
        ended = [one.submission_ids for one in planned][: matches - len(played)]
        played += ended
        recent += ended
    had = Counter(one for seats in played for one in set(seats))
    return [had[one] for one in range(entrants)]


def test_all_entrants_have_about_as_many_matches() -> None:
    had = contest(find_game("yavalath"), 64, 320)
    assert sum(had) == 640
    assert min(had) >= 9
    assert max(had) <= 11


def test_house_bots_have_as_many_as_others() -> None:
    had = contest(find_game("yavalath"), 24, 120, house=8)
    assert max(had) - min(had) <= 2


def test_all_have_enough_in_the_end() -> None:
    had = contest(find_game("yavalath"), 9, 10**6)
    assert min(had) >= FIRST_MATCHES
    assert max(had) <= FIRST_MATCHES + 2


@pytest.mark.parametrize("entrants", [5, 22])
def test_so_it_is_where_more_than_two_meet(entrants: int) -> None:
    game = find_game("tron")
    matches = 3 * entrants
    had = contest(game, entrants, matches)
    assert sum(had) == max(game.ladder_entrants) * matches
    assert max(had) - min(had) <= 2


def test_bots_of_one_owner_do_not_keep_others_waiting() -> None:
    """Two owners: everybody meets the other one's bots alone."""
    had = contest(find_game("yavalath"), 10, 60, owners=2)
    assert max(had) - min(had) <= 2


def test_nobody_to_meet_ends_it() -> None:
    assert contest(find_game("yavalath"), 3, 10, owners=1) == [0, 0, 0]
    assert contest(find_game("yavalath"), 1, 10) == [0]
