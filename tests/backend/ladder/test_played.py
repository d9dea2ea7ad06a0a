"""Results as arrays give what the same results give one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hexarena.backend.ladder import fitting, tallies
from hexarena.backend.ladder.lines import Line
from hexarena.backend.ladder.played import Pairs, Places, Played, Tally, rankings
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.models import Standing, TrialState
from hexarena.backend.rating.counts import Counts, Rankings
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from tests.backend.ladder import plain_refits, plain_tallies
from tests.backend.ladder.plain_tallies import RatedResult

GAME = find_game("yavalath")
COMPETITORS = range(1, 7)
counts = ("games", "wins", "draws", "losses")
results = st.integers(2, 6).flatmap(
    lambda seats: st.tuples(
        st.lists(st.sampled_from(COMPETITORS), min_size=seats, max_size=seats),
        st.lists(st.integers(0, 3), min_size=seats, max_size=seats),
        st.lists(st.sampled_from([None, "crash"]), min_size=seats, max_size=seats),
        st.booleans(),
    )
)
seasons = st.lists(results, max_size=12).map(
    lambda found: [
        RatedResult(number, tuple(who), tuple(ranks), tuple(faults), None, repeat)
        for number, (who, ranks, faults, repeat) in enumerate(found)
    ]
)
teams_of = st.integers(1, 3).map(lambda seats: replace(GAME, team_seats=seats))


def arrays(season: list[RatedResult]) -> Played:
    return Played(
        np.array([one.match_id for one in season], np.int64),
        np.array([len(one.ranks) for one in season], np.int64),
        np.array([one.repeat for one in season], np.bool_),
        np.array([who for one in season for who in one.competitors], np.int64),
        np.array([rank for one in season for rank in one.ranks], np.int64),
        np.array([fault is not None for one in season for fault in one.faults], np.bool_),
    )


def line(competitor: int) -> Line:
    return Line(
        competitor, competitor, None, GAME.id, 0, 1000.0, 300.0, 3.0, 0, 0, 0, 0, 1, 0, False, True, TrialState.OPEN,
        None, None, None, competitor,
    )  # fmt: skip


def standing(competitor: int) -> Standing:
    return Standing(
        submission_id=competitor, games=0, wins=0, draws=0, losses=0, consecutive_faults=competitor, competitor_id=0
    )


@pytest.mark.long
@given(seasons, teams_of)
def test_pairs_and_tallies(season: list[RatedResult], game: Game) -> None:
    pairs = Pairs.of(game, arrays(season))
    plain = [(one.match_id, pair, scored) for one in season for pair, scored in plain_tallies.pairs(game, one)]
    met = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    assert list(zip(pairs.match.tolist(), met, (pairs.half_points / 2).tolist(), strict=True)) == plain
    expected: Counter[tuple[int, int, str]] = Counter()
    for match_id, pair, scored in plain:
        if season[match_id].repeat:
            expected[*pair, "repeats"] += 1
        else:
            expected.update({(*pair, "games"): 1, (*pair, "half"): round(2 * scored), (*pair, "draws"): scored == 0.5})
    tally = Tally.of(game, arrays(season))
    found = {
        (first, second, name): value
        for name, values in (
            ("games", tally.games), ("half", tally.half_points), ("draws", tally.draws), ("repeats", tally.repeats)
        )
        for first, second, value in zip(tally.first.tolist(), tally.second.tolist(), values.tolist(), strict=True)
    }  # fmt: skip
    assert {key: value for key, value in found.items() if value} == {
        key: int(one) for key, one in expected.items() if one
    }


@pytest.mark.long
@given(seasons, teams_of)
def test_places(season: list[RatedResult], game: Game) -> None:
    """A place is one more than the teams that were better; a competitor has that of its first seat."""
    expected: Counter[tuple[int, int]] = Counter()
    for one in season:
        teams = one.ranks[:: game.team_seats]
        first = dict(reversed(list(zip(one.competitors, one.ranks, strict=True))))
        if not one.repeat:
            expected.update((who, 1 + sum(other < rank for other in teams)) for who, rank in first.items())
    found = Places.of(game, arrays(season))
    rows = zip(found.competitor.tolist(), found.place.tolist(), found.matches.tolist(), strict=True)
    assert list(rows) == [(*key, matches) for key, matches in sorted(expected.items())]


@pytest.mark.long
@given(seasons, seasons, teams_of)
def test_tallies_add_up(season: list[RatedResult], later: list[RatedResult], game: Game) -> None:
    both = Tally.of(game, arrays(season)).plus(Tally.of(game, arrays(later)))
    together = Tally.of(game, arrays(season).plus(arrays(later)))
    for one in fields(Tally):
        assert getattr(both, one.name).tolist() == getattr(together, one.name).tolist(), one.name


@pytest.mark.long
@given(seasons, teams_of)
def test_records_and_faults(season: list[RatedResult], game: Game) -> None:
    lines, plain = {one: line(one) for one in COMPETITORS}, {one: standing(one) for one in COMPETITORS}
    tallies.add_games(game, lines, arrays(season))
    plain_tallies.add_games(game, plain, season)
    tallies.add_faults(lines, arrays(season))
    plain_tallies.add_faults(plain, season)
    for one in COMPETITORS:
        for name in (*counts, "consecutive_faults"):
            assert getattr(lines[one], name) == getattr(plain[one], name), (one, name)


@pytest.mark.long
@given(seasons, teams_of)
def test_rankings(season: list[RatedResult], game: Game) -> None:
    season = [one for one in season if len(one.ranks) > game.team_seats]
    played = arrays(season)
    games = []
    for one in season:
        if not one.repeat:
            teams: dict[int, tuple[list[int], int]] = {}
            for seat, competitor in enumerate(one.competitors):
                teams.setdefault(game.team(seat), ([], one.ranks[seat]))[0].append(competitor)
            games.append(list(teams.values()))
    expected, found = Rankings.of(games), rankings(game, played, played.competitor)
    for name in ("entrant", "team", "game", "rank"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1]),
        st.tuples(st.integers(1, 3), st.integers(0, 4)),
    ),
    st.lists(st.sampled_from([HOUSE, 1, 2, 3]), min_size=6, max_size=6),
    st.sets(st.integers(0, 5)),
)
def test_who_has_nothing_new_to_show(
    met: dict[tuple[int, int], tuple[int, int]], owners: list[int], board: set[int]
) -> None:
    pairs = sorted(met)
    games = np.array([met[pair][0] for pair in pairs], np.float64)
    first, second = (np.array([pair[end] for pair in pairs], np.int64) for end in (0, 1))
    found = Counts(first, second, games, games / 2, np.zeros(len(pairs)))
    repeats = np.array([met[pair][1] for pair in pairs], np.int64)
    given_ = (found, repeats, np.array(owners), np.array(sorted(board), np.int64))
    assert fitting._spent(*given_).tolist() == plain_refits._spent(*given_).tolist()
