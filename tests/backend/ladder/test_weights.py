"""Who may move others' ratings: guests nobody but guests, all bots of an owner as much as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from sqlalchemy import select, update

from hexarena.backend.ladder import fitting, refits
from hexarena.backend.matches import life as matches
from hexarena.backend.models import MatchKind, MatchSeat, SeatResult, Standing, Submission, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion
from hexarena.games.catalogue import find_game
from tests.backend.ladder.ladders import (
    GAME,
    board,
    enter,
    finish,
    newcomers,
    numbers,
    play,
    recompute,
    refit,
    season,
    shown,
    user,
)


@pytest.mark.long
def test_results_of_guests_move_nobody_but_guests(database: Database) -> None:
    one, other, guest, friend = newcomers(database, 4)
    with database.transaction() as session:
        owners = select(Submission.user_id).where(Submission.id.in_([guest, friend]))
        session.execute(update(User).where(User.id.in_(owners)).values(kind=UserKind.GUEST))
    season(database, [one, other], 10)
    recompute(database)
    before = board(database)
    for _ in range(20):
        play(database, (one, guest))
        play(database, (guest, friend))
    refit(database)
    after = board(database)
    for bot in (one, other):
        assert after[bot][:2] == before[bot][:2], "rating and deviation"
    assert after[one][2] == before[one][2] + 20, "they are shown"
    assert after[one][0] > after[guest][0] > after[friend][0], "guests are rated by all their games"
    with database.transaction() as session:
        moved = select(SeatResult.rating_change).join(MatchSeat, (MatchSeat.match_id == SeatResult.match_id)
            & (MatchSeat.seat == SeatResult.seat)).where(MatchSeat.submission_id == one)  # fmt: skip
        assert session.scalars(moved.order_by(SeatResult.match_id.desc())).first() == 0
        session.execute(update(User).values(kind=UserKind.ACCOUNT).where(User.kind == UserKind.GUEST))
    recompute(database)
    assert board(database)[one][0] != before[one][0], "with an account their results count"


def test_a_ladder_of_nothing_but_guests_has_an_order(database: Database) -> None:
    bots = newcomers(database, 3)
    with database.transaction() as session:
        session.execute(update(User).values(kind=UserKind.GUEST))
    for _ in range(5):
        for worse, better in pairwise(bots):
            play(database, (better, worse))
    recompute(database)
    ratings = [board(database)[bot][0] for bot in bots]
    assert ratings == sorted(ratings)


@pytest.mark.long
def test_all_bots_of_an_owner_weigh_as_much_as_one(database: Database) -> None:
    """Two throw their games, to the same bot."""
    target, other, *throwers = newcomers(database, 6)
    season(database, [target, other], 6)
    for thrower in throwers:
        for _ in range(3):
            play(database, (target, thrower))
            play(database, (other, thrower), (1, 0))
    recompute(database)
    by_many = board(database)
    with database.transaction() as session:
        one = session.scalars(select(Submission.user_id).where(Submission.id == throwers[0])).one()
        mine = update(Submission).where(Submission.id.in_(throwers))
        session.execute(mine.values(user_id=one).execution_options(synchronize_session=False))
    recompute(database)
    by_one = board(database)
    assert by_one[target][0] - by_one[other][0] < by_many[target][0] - by_many[other][0] - 30
    assert by_one[target][2] == by_many[target][2], "all games are shown"


@pytest.mark.long
def test_all_bots_of_an_owner_weigh_as_much_as_one_where_four_play(database: Database) -> None:
    """A team of each side by side, as on the ladder: three lose to the same bot, and beat the others."""
    game = find_game("battlegrounds")
    with database.transaction() as session:
        target, *others = [enter(session, user(session), f"bot {number}", game=game.id) for number in range(4)]
        throwers = [enter(session, user(session), f"thrower {number}", game=game.id) for number in range(3)]
    for number in range(4):
        for order in (
            [target, *throwers],
            [throwers[number % 3], *others],
            [*others[number % 3 :], *others[: number % 3], target],
        ):
            with database.transaction() as session:
                match_id = matches.schedule(
                    session,
                    game=game.id,
                    kind=MatchKind.LADDER,
                    submission_ids=game.side_by_side(order),
                    seed=number,
                    league=1,
                    priority=0,
                ).id
            finish(database, match_id, [game.team(seat) for seat in range(len(order) * game.team_seats)])

    def lead() -> float:
        with database.transaction() as session:
            refits.recompute(session, game)
            rated = [session.get_one(Standing, one).rating for one in (target, *others)]
        return rated[0] - sum(rated[1:]) / len(others)

    by_many = lead()
    with database.transaction() as session:
        one = select(Submission.user_id).where(Submission.id == throwers[0]).scalar_subquery()
        session.execute(update(Submission).where(Submission.id.in_(throwers)).values(user_id=one))
    assert lead() < by_many - 30


@pytest.mark.long
def test_a_guest_who_is_gone_still_rates_nobody(database: Database) -> None:
    one, other, guest = newcomers(database, 3)
    with database.transaction() as session:
        owner = select(Submission.user_id).where(Submission.id == guest).scalar_subquery()
        session.execute(update(User).where(User.id == owner).values(kind=UserKind.GUEST))
    season(database, [one, other], 10)
    for _ in range(10):
        play(database, (one, guest))
    recompute(database)
    before = board(database)[one][0]
    with database.transaction() as session:
        gone = session.scalars(select(User).join(Submission).where(Submission.id == guest)).one()
        deletion.delete_account(session, gone)
        assert gone.kind == UserKind.DELETED
    recompute(database)
    assert board(database)[one][0] == before


def test_a_competitor_counts_for_others_as_soon_as_one_with_an_account_has_submitted_its_code(
    database: Database,
) -> None:
    def as_guests(bots: Sequence[int]) -> None:
        with database.transaction() as session:
            owners = select(Submission.user_id).where(Submission.id.in_(bots))
            session.execute(update(User).where(User.id.in_(owners)).values(kind=UserKind.GUEST))

    def guests_of(bots: Sequence[int]) -> dict[int, bool]:
        with database.transaction() as session:
            ladder = fitting.rate(session, GAME)
            everybody, place = ladder.standings, {one: at for at, one in enumerate(ladder.competitors)}
            _, _, guests = fitting.owners_of(session, place, {one: row.competitor_id for one, row in everybody.items()})
            return {one: bool(guests[ladder.index[one]]) for one in bots}

    with database.transaction() as session:
        friends = [user(session) for _ in range(4)]
        alone, with_friend, friend = (
            enter(session, owner, f"bot {next(numbers)}", body)
            for owner, body in zip(friends, ("print('alone')", "print('both')", "print('both')"), strict=False)
        )
        of_account = enter(session, user(session), "original", "print('shared')")
        copy = enter(session, friends[3], "copied", "print('shared')")
    as_guests([alone, with_friend, friend, copy])
    bots = [alone, with_friend, friend, of_account, copy]
    assert {one: shown(database, one).guest for one in bots} == guests_of(bots) == {
        alone: True, with_friend: True, friend: True, of_account: False, copy: False,
    }  # fmt: skip
    with database.transaction() as session:
        enter(session, user(session), "made alike", "print('both')")
    assert {one: shown(database, one).guest for one in bots} == guests_of(bots)
    assert not shown(database, friend).guest
