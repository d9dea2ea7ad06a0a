"""Ladders on which more than two meet, each for itself: places, and why a rating is what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from hexarena.backend.duels import life as duels
from hexarena.backend.errors import Conflict
from hexarena.backend.ladder import boards, explaining, refits
from hexarena.backend.ladder.field import nearest
from hexarena.backend.ladder.matchups import matchups
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Duel,
    DuelState,
    Match,
    MatchKind,
    MatchSeat,
    PlaceCount,
    SeatResult,
    Standing,
    Submission,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.games.contract import Game
from tests.backend.ladder.ladders import enter, user


@pytest.fixture
def bots(database: Database, claims: Game) -> list[int]:
    """Five versions on the ladder of the game, by strength; the last is the best."""
    with database.transaction() as session:
        return [enter(session, user(session), f"claimer {number}", game=claims.id) for number in range(5)]


def finished(database: Database, seats: Sequence[int], ranks: Sequence[int], digest: str = "") -> int:
    """A finished ladder match: its id. `digest`: of the record; one that no other has where it is left out."""
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game="claims", kind=MatchKind.LADDER, submission_ids=seats, seed=1, league=1, priority=0
        ).id
        (token,) = [one.token for one in queue.lease(session, limit=9, seconds=60, max_attempts=3)]
        order = queue.claim(session, match_id, token, seconds=60)
        assert order is not None
        scores = tuple(-float(rank) for rank in ranks)
        report = matches.Report(tuple(ranks), scores, "it ended", 9, (), 1.0, "test", "x", "1", digest or f"{match_id}")
        assert matches.finish(session, order, report)
    return match_id


def season(database: Database, claims: Game, bots: Sequence[int], many: int = 80) -> list[tuple[list[int], list[int]]]:
    """Matches of two to four, with refits in between: (submissions, ranks) of each."""
    random, played = Random(5), []
    for number in range(many):
        seats = random.sample(list(bots), random.choice((2, 3, 4)))
        shown = [bots.index(one) // 2 + random.choice((0, 0, 1, 2)) for one in seats]
        ranks = [sum(other > mine for other in shown) for mine in shown]
        finished(database, seats, ranks)
        played.append((seats, ranks))
        if number % 30 == 29:
            refit(database, claims)
    refit(database, claims)
    return played


def refit(database: Database, claims: Game) -> None:
    with database.transaction() as session:
        assert refits.refit(session, claims) is not None


def places(session: Session) -> dict[int, dict[int, int]]:
    """Competitor -> place -> matches."""
    found: dict[int, dict[int, int]] = {}
    for row in session.scalars(select(PlaceCount)):
        found.setdefault(row.competitor_id, {})[row.place] = row.matches
    return found


@pytest.mark.long
def test_places_are_counted_and_counted_anew(database: Database, claims: Game, bots: list[int]) -> None:
    played = season(database, claims, bots)
    expected: dict[int, dict[int, int]] = {}
    for seats, ranks in played:
        for who, rank in zip(seats, ranks, strict=True):
            mine = expected.setdefault(who, {})
            mine[rank + 1] = mine.get(rank + 1, 0) + 1
    with database.transaction() as session:
        assert places(session) == expected
        rows = boards.leaderboard(session, claims.id, limit=99)
        shown = {row.submission.id: list(row.places) for row in rows if row.places}
        assert shown == {
            one: [mine.get(place, 0) for place in range(1, max(mine) + 1)] for one, mine in expected.items()
        }
        assert all(sum(shown[row.submission.id]) == row.standing.games for row in rows if row.places)
        assert sum(row.standing.wins for row in rows) > 0
    with database.transaction() as session:
        refits.recompute(session, claims)
        assert places(session) == expected


def test_two_who_meet_have_no_places(database: Database, claims: Game) -> None:
    with database.transaction() as session:
        rows = boards.leaderboard(session, "yavalath", limit=3)
        assert all(not row.places for row in rows)


@pytest.mark.long
def test_an_explanation_lists_whom_it_met_and_what_moved_it(database: Database, claims: Game, bots: list[int]) -> None:
    played = season(database, claims, bots)
    me = bots[2]
    with database.transaction() as session:
        explained = explaining.explain(session, me)
    games: dict[int, int] = {}
    points: dict[int, float] = {}
    for seats, ranks in played:
        if me in seats:
            mine = ranks[seats.index(me)]
            for other, rank in zip(seats, ranks, strict=True):
                if other != me:
                    games[other] = games.get(other, 0) + 1
                    points[other] = points.get(other, 0) + (1.0 if mine < rank else 0.5 if mine == rank else 0.0)
    assert {one.submission_id: one.games for one in explained.against} == games
    assert {one.submission_id: one.points for one in explained.against} == points
    assert all(0 < one.expected < one.games and 0 < one.next_game < 1 for one in explained.against)
    assert [abs(one.moved) for one in explained.against] == sorted(
        (abs(one.moved) for one in explained.against), reverse=True
    )
    stronger = next(one for one in explained.against if one.submission_id == bots[4])
    weaker = next(one for one in explained.against if one.submission_id == bots[0])
    assert stronger.expected / stronger.games < 0.5 < weaker.expected / weaker.games
    assert explained.matches
    assert max(len(one.opponents) for one in explained.matches) == 3


@pytest.mark.long
def test_each_match_says_what_it_did_to_each_of_its_ratings(database: Database, claims: Game, bots: list[int]) -> None:
    season(database, claims, bots, many=30)
    match_id = finished(database, [bots[0], bots[4], bots[2]], [0, 1, 2])
    refit(database, claims)
    with database.transaction() as session:
        rows = session.execute(
            select(SeatResult.rank, SeatResult.rating_change)
            .where(SeatResult.match_id == match_id)
            .order_by(SeatResult.seat)
        ).all()
    first, second, third = (row.rating_change for row in rows)
    assert first > 0 > third
    assert first > second


@pytest.mark.long
def test_the_matrix_of_matchups_has_pairs(database: Database, claims: Game, bots: list[int]) -> None:
    season(database, claims, bots)
    with database.transaction() as session:
        found = matchups(session, claims)
    assert sum(one.games for one in found.pairs) > 0
    both = {(one.submission_id, one.opponent_id): one for one in found.pairs}
    for (one, other), pair in both.items():
        assert pair.games == both[other, one].games
        assert pair.points + both[other, one].points == pair.games
        assert pair.expected + both[other, one].expected == pytest.approx(pair.games)


# --- The field -------------------------------------------------------------------------------------------------------


def test_the_field_is_who_is_nearest_and_neither_the_same_bot_nor_the_same_code(
    database: Database, claims: Game, bots: list[int]
) -> None:
    with database.transaction() as session:
        for number, one in enumerate(bots):
            session.execute(update(Standing).where(Standing.submission_id == one).values(rating=3000.0 + 100 * number))
        assert list(nearest(session, claims, [bots[4]], 3)) == [bots[3], bots[2], bots[1]]
        guest = select(Submission.user_id).where(Submission.id == bots[3]).scalar_subquery()
        session.execute(update(User).where(User.id == guest).values(kind=UserKind.GUEST))
        session.execute(update(Standing).where(Standing.submission_id == bots[2]).values(competitor_id=bots[4]))
        assert list(nearest(session, claims, [bots[4]], 2)) == [bots[1], bots[0]]
        everybody = nearest(session, claims, [], 99)
        assert len(everybody) == 5, "both house bots, too; of equal code one; not the guest's"
        assert bots[3] not in everybody


# --- Duels -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def duel_id(database: Database, claims: Game, bots: list[int]) -> int:
    """A duel of the best version and the worst one."""
    with database.transaction() as session:
        return duels.start(
            session, user(session), game=claims, candidate_id=bots[4], baseline_id=bots[0], preset="quick", games=60,
            league=1, seed=7,
        ).id  # fmt: skip


def waiting(session: Session, duel_id: int) -> Iterator[list[int]]:
    """The submissions of each match of the duel, by seat."""
    ids = session.scalars(select(Match.id).where(Match.duel_id == duel_id).order_by(Match.duel_game, Match.id))
    for match_id in ids:
        of = select(MatchSeat.submission_id).where(MatchSeat.match_id == match_id).order_by(MatchSeat.seat)
        yield list(session.scalars(of))


def play_duel(database: Database, best: Sequence[int]) -> None:
    """Plays all that waits; whoever is earlier in `best` is better, and all others are last."""
    with database.transaction() as session:
        duels.advance_all(session, 2)
        for lease in queue.lease(session, limit=99, seconds=60, max_attempts=3):
            order = queue.claim(session, lease.match_id, lease.token, seconds=60)
            assert order is not None
            known = [best.index(seat.submission_id) if seat.submission_id in best else 9 for seat in order.seats]
            ranks = tuple(sum(other < mine for other in known) for mine in known)
            report = matches.Report(
                ranks, (0.0,) * len(ranks), "ended", 9, (), 1.0, "test", "x", "1", str(order.match_id)
            )
            assert matches.finish(session, order, report)


@pytest.mark.long
def test_a_duel_of_a_free_for_all_is_played_among_bots_of_the_ladder(
    database: Database, bots: list[int], duel_id: int
) -> None:
    for _ in range(9):
        # Between the two, somebody else: the better place counts, not the first one.
        play_duel(database, [bots[1], bots[4], bots[2], bots[0]])
    with database.transaction() as session:
        duels.advance_all(session, 2)
        found = session.get_one(Duel, duel_id)
        assert (found.state, found.verdict, found.losses) == (DuelState.DONE, "stronger", 0)
        lines = list(waiting(session, duel_id))
        assert set(found.field) >= {bots[1], bots[2], bots[3]}
    for straight, swapped in zip(lines[::2], lines[1::2], strict=True):
        assert len(set(straight)) == 4
        assert {bots[0], bots[4]} < set(straight)
        assert straight.index(bots[0]) == swapped.index(bots[4])
    assert len({line.index(bots[4]) for line in lines}) == 4


def test_a_duel_goes_on_without_a_bot_of_its_field(database: Database, bots: list[int], duel_id: int) -> None:
    with database.transaction() as session:
        duels.advance_all(session, 2)
        duels.end_for_deleted_code(session, [bots[1]])
        assert bots[1] not in session.get_one(Duel, duel_id).field
        match_id = session.scalars(select(Match.id).where(Match.duel_id == duel_id)).first()
        assert match_id is not None
        duels.end_for_failed_build(session, match_id, bots[2], "It does not compile.")
        found = session.get_one(Duel, duel_id)
        assert (found.state, bots[2] in found.field) == (DuelState.RUNNING, False)
        left = set(found.field)
    for _ in range(3):
        play_duel(database, [bots[4]])
    with database.transaction() as session:
        later = list(waiting(session, duel_id))[4:]
        assert later
        assert all(set(line) <= {bots[0], bots[4], *left} for line in later)
        duels.end_for_failed_build(session, match_id, bots[4], "It does not compile.")
        assert session.get_one(Duel, duel_id).state == DuelState.VOID


def test_a_game_that_needs_more_bots_than_there_are_has_no_duel(database: Database, claims: Game) -> None:
    with database.transaction() as session:
        two = session.scalars(select(Standing.submission_id).where(Standing.game == claims.id)).all()
        assert len(two) == 2
        four = Game(**{name: getattr(claims, name) for name in claims.__slots__} | {"ladder_entrants": (4,)})
        with pytest.raises(Conflict, match="too few other bots") as refused:
            duels.start(
                session, user(session), game=four, candidate_id=two[0], baseline_id=two[1], preset="quick", games=60,
                league=1, seed=7,
            )  # fmt: skip
        assert refused.value.expected == "expected at least 2 other bots for Claims; got 0"


@pytest.mark.long
def test_whoever_finds_no_line_up_any_more_has_nothing_new_to_show(database: Database, claims: Game) -> None:
    """Four who always play together: where two of them only repeat themselves, no match is possible."""
    four = Game(**{name: getattr(claims, name) for name in claims.__slots__} | {"ladder_entrants": (4,)})
    with database.transaction() as session:
        house = session.scalars(select(Standing.submission_id).where(Standing.game == claims.id)).all()
        one, other = (enter(session, user(session), name, game=claims.id) for name in ("one", "other"))
    for number in range(3):
        finished(database, [one, other, *house], (0, 1, 2, 3), "one begins")
        finished(database, [other, one, *house], (0, 1, 2, 3), "the other begins")
        refit(database, four)
        with database.transaction() as session:
            rows = session.scalars(select(Standing).where(Standing.game == claims.id)).all()
            assert {row.spent for row in rows} == {number == 2}
            assert {row.placing for row in rows if row.submission_id in (one, other)} == {number < 2}
    with database.transaction() as session:
        enter(session, user(session), "a fifth", game=claims.id)
    refit(database, four)
    with database.transaction() as session:
        assert not session.get_one(Standing, house[0]).spent
        assert not session.get_one(Standing, one).spent
