"""What nobody gains by code that somebody else has on the ladder, or by guests and others who play for them."""

from __future__ import annotations

import hashlib
from random import Random

import numpy as np
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.ladder import explaining, fitting, matchups
from hexarena.backend.ladder.roster import Contender
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.models import (
    Bot,
    MatchSeat,
    SeatResult,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import adoption, deletion, life as submissions
from hexarena.games.house import STARTER_BOT
from tests.backend import scheduled
from tests.backend.ladder.ladders import (
    GAME,
    board,
    boss_of,
    code_of,
    enter,
    newcomers,
    numbers,
    play,
    recompute,
    refit,
    shown,
    standing,
    user,
)

THROWERS = 6


def starter(session: Session) -> Submission:
    house = (
        select(Submission).join(Bot, Bot.id == Submission.bot_id).where(Bot.game == GAME.id, Bot.name == STARTER_BOT)
    )
    return session.scalars(house.where(Submission.state == SubmissionState.LIVE)).one()


def guest(session: Session) -> User:
    somebody = User(kind=UserKind.GUEST, name=f"guest {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def again(database: Database, submission_id: int, body: str = "") -> int:
    """The owner's next version of that bot."""
    with database.transaction() as session:
        before = session.get_one(Submission, submission_id)
        name = session.get_one(Bot, before.bot_id).name
        return enter(session, session.get_one(User, before.user_id), name, body)


def put_into(database: Database, league: int, *bots: int) -> None:
    with database.transaction() as session:
        values = {"league": league, "placing": False, "trial": TrialState.STAYS}
        session.execute(update(Standing).where(Standing.submission_id.in_(bots)).values(values))


def parents(database: Database) -> dict[int, int | None]:
    """Competitor -> the one that it follows."""
    with database.transaction() as session:
        rated = fitting.rate(session, GAME)
        lines = rated.standings
        node_of = {one: rated.index[one] for one in rated.competitors}
        owners = rated.owners
        found = fitting.parents_of(lines, node_of, owners).tolist()
        return {one: rated.competitors[at] if at >= 0 else None for one, at in zip(node_of, found, strict=True)}


# --- Whose version it is ----------------------------------------------------------------------------------------------


def test_who_began_with_the_starter_does_not_follow_it(database: Database) -> None:
    with database.transaction() as session:
        house, code = starter(session).id, code_of(session, starter(session).id)
        began = [enter(session, user(session), f"bot {next(numbers)}", code) for _ in range(2)]
    mine, theirs = (again(database, one) for one in began)
    follows = parents(database)
    assert (follows[mine], follows[theirs]) == (None, None)
    assert again(database, mine) != house
    later = again(database, theirs)
    assert parents(database)[later] == theirs


def test_a_rating_is_the_same_whether_one_began_with_the_starter_or_not(database: Database) -> None:
    """Beside people who changed the starter a little, somebody whose second version is far better."""
    with database.transaction() as session:
        code = code_of(session, starter(session).id)
        began = [enter(session, user(session), f"bot {next(numbers)}", code) for _ in range(6)]
    first, *rest = (again(database, one) for one in began)
    (other,) = newcomers(database, 1)
    dice = Random(4)
    for turn in range(60):
        one, another = dice.sample(rest, 2)
        play(database, (one, another), (0, 1) if turn % 2 else (1, 0))
    for turn in range(20):
        for strong in (first, other):
            play(database, (strong, rest[turn % 5]), (1, 0) if turn % 5 == 4 else (0, 1))
    refit(database)
    ratings = board(database)
    assert ratings[first][0] == pytest.approx(ratings[other][0], abs=15)
    assert ratings[first][1] == pytest.approx(ratings[other][1], abs=5)


def test_a_node_follows_its_owner_s_own_version_or_else_the_oldest_bot(database: Database) -> None:
    one, other = newcomers(database, 2)
    second = again(database, one)
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, one).user_id)
        named_anew = enter(session, owner, f"bot {next(numbers)}")
        copy_of_other = enter(session, owner, f"bot {next(numbers)}", code_of(session, other))
    follows = parents(database)
    assert (follows[one], follows[second], follows[named_anew], follows[other]) == (None, one, one, None)
    assert copy_of_other not in follows, "it is the other's competitor"
    third = again(database, copy_of_other)
    assert parents(database)[third] == one


# --- Who moves others' ratings ----------------------------------------------------------------------------------------


def league_of(database: Database, main: int, rivals: list[int]) -> None:
    """An honest ladder in which `main` is in the middle."""
    dice, everybody = Random(3), [*rivals[:3], main, *rivals[3:]]
    for _ in range(60):
        low, high = sorted(dice.sample(range(len(everybody)), 2))
        play(database, (everybody[high], everybody[low]), (0, 1) if dice.random() < 0.7 else (1, 0))
    refit(database)


def thrown(database: Database, throwers: list[int], main: int, rivals: list[int]) -> None:
    """They beat the rivals, and lose to `main`."""
    for number, one in enumerate(throwers):
        for turn in range(4):
            play(database, (main, one))
            play(database, (one, rivals[(number + turn) % len(rivals)]))


def weights(database: Database, main: int, throwers: list[int]) -> tuple[float, float]:
    """Games of `main` against them, and how much these count for."""
    recompute(database)
    with database.transaction() as session:
        rated = fitting.rate(session, GAME)
        rows = np.isin(rated.weighed.second, [rated.index[one] for one in throwers])
        rows &= rated.weighed.first == rated.index[main]
        return float(rated.counts.games[rows].sum()), float(rated.weighed.games[rows].sum())


@pytest.mark.parametrize("versions_first", [True, False])
def test_guests_with_the_code_of_a_person_s_versions_are_that_person_s_bots(
    database: Database, versions_first: bool
) -> None:
    main, *rivals = newcomers(database, 7)
    league_of(database, main, rivals)
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, main).user_id)
        helper = f"helper {next(numbers)}"

        def submit_versions() -> None:
            for number in range(THROWERS):
                enter(session, owner, helper, f"print('thrower {number}')")
            enter(session, owner, helper, "print('the last one')")

        if versions_first:
            submit_versions()
        throwers = [
            enter(session, guest(session), f"thrower {next(numbers)}", f"print('thrower {number}')")
            for number in range(THROWERS)
        ]
        if not versions_first:
            submit_versions()
    with database.transaction() as session:
        owners = {one.submission_id: one.owner_id for one in scheduled.roster(session, GAME).entrants}
    assert {owners[one] for one in throwers if one in owners} == {owners[main]}, "so they do not meet it"
    thrown(database, throwers, main, rivals)
    assert weights(database, main, throwers) == (4 * THROWERS, 0)


def test_guests_make_no_bot_of_another_account_weigh_more_than_one(database: Database) -> None:
    """A friend's bot has all their codes as versions; only the last is on the board by itself."""
    main, friend, *rivals = newcomers(database, 8)
    codes = [f"print('thrower {number}')" for number in range(THROWERS)]
    for code in [*codes, "print('the last one')"]:
        again(database, friend, code)
    with database.transaction() as session:
        throwers = [enter(session, guest(session), f"thrower {next(numbers)}", code) for code in codes]
    thrown(database, throwers, main, rivals)
    assert weights(database, main, throwers) == (4 * THROWERS, pytest.approx(4))


def test_what_a_guest_lost_to_one_counts_for_nothing_once_the_guest_signs_in_to_the_account(
    database: Database,
) -> None:
    main, *rivals = newcomers(database, 7)
    with database.transaction() as session:
        helper = enter(session, guest(session), f"helper {next(numbers)}")
    league_of(database, main, rivals)
    thrown(database, [helper] * THROWERS, main, rivals)
    refit(database)
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, main).user_id)
        somebody = session.get_one(User, session.get_one(Submission, helper).user_id)
        adoption.adopt(session, owner, somebody, NO_QUOTAS)
    assert weights(database, main, [helper]) == (4 * THROWERS, 0)


def test_a_house_bot_stays_the_house_s_whoever_had_its_code_before(database: Database) -> None:
    with database.transaction() as session:
        house = starter(session).id
        enter(session, user(session), f"copy {next(numbers)}", code_of(session, house))
        entrants = {one.submission_id: one.owner_id for one in scheduled.roster(session, GAME).entrants}
    assert entrants[house] == HOUSE


# --- Leagues ----------------------------------------------------------------------------------------------------------


def test_a_copy_of_a_boss_is_where_the_boss_is_and_earns_nothing_for_the_next_version(database: Database) -> None:
    boss = boss_of(database, 3)
    with database.transaction() as session:
        copy = enter(session, user(session), f"jumper {next(numbers)}", code_of(session, boss))
    assert (standing(database, copy).league, standing(database, copy).competitor_id) == (3, boss)
    own = again(database, copy)
    found = standing(database, own)
    assert (found.league, found.parent_id, found.games, found.placing) == (1, None, 0, True)
    put_into(database, 2, own)
    second_copy = again(database, own, "print('something else')")
    assert standing(database, second_copy).league == 2, "what its own version has earned stays"


def test_the_owner_of_a_champion_who_submits_the_starter_is_where_the_starter_is(database: Database) -> None:
    (champion,) = newcomers(database, 1)
    put_into(database, 5, champion)
    with database.transaction() as session:
        house, code = starter(session).id, code_of(session, starter(session).id)
        honest = enter(session, user(session), f"newcomer {next(numbers)}", code)
    (rival,) = newcomers(database, 1)
    ranks = {one: shown(database, one).rank for one in (house, honest)}
    copy = again(database, champion, code)
    assert standing(database, copy).league == standing(database, house).league == 1
    put_into(database, 4, copy)  # as older versions left it
    play(database, (rival, house))
    refit(database)
    assert standing(database, copy).league == 1
    assert {shown(database, one).rank for one in (house, honest, copy)} == {shown(database, house).rank}
    assert ranks[honest] == ranks[house]
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, champion).user_id)
        submissions.restore(session, owner, champion)
    assert standing(database, champion).league == 5
    back = again(database, champion, code)
    assert standing(database, back).league == 1
    next_one = again(database, back)
    assert (standing(database, next_one).league, standing(database, next_one).parent_id) == (5, champion)


def test_a_copy_that_goes_back_gets_no_league_that_it_has_not_earned(database: Database) -> None:
    (mine,) = newcomers(database, 1)
    with database.transaction() as session:
        code = code_of(session, starter(session).id)
    copy = again(database, mine, code)
    strong = again(database, copy)
    put_into(database, 4, strong)
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, mine).user_id)
        submissions.restore(session, owner, copy)
    assert standing(database, copy).league == 1
    with database.transaction() as session:
        submissions.restore(session, session.get_one(User, owner.id), mine)
    assert standing(database, mine).league == 4


def test_match_ups_name_the_bot_that_was_there_first(database: Database) -> None:
    with database.transaction() as session:
        house, code = starter(session).id, code_of(session, starter(session).id)
    (rival,) = newcomers(database, 1)
    for turn in range(4):
        play(database, (rival, house), (0, 1) if turn % 2 else (1, 0))
    refit(database)
    with database.transaction() as session:
        copy = enter(session, user(session), f"copy {next(numbers)}", code)
    refit(database)
    with database.transaction() as session:
        shown_bots = {one.standing.submission_id for one in matchups.matchups(session, GAME).bots}
    assert {house, copy} & shown_bots == {house}


# --- Guests among accounts --------------------------------------------------------------------------------------------


def test_accounts_are_placed_by_games_that_rate_them(database: Database) -> None:
    accounts = newcomers(database, 3)
    with database.transaction() as session:
        guests = [enter(session, guest(session), f"of guest {next(numbers)}") for _ in range(20)]
    pairs: list[list[int]] = []
    for seed in range(4):
        with database.transaction() as session:
            session.execute(text("DELETE FROM match"))
            roster = scheduled.roster(session, GAME)
            shown_as = {one.submission_id: one.guest for one in roster.entrants}
            scheduled.schedule_needed(session, GAME, Random(seed))
            of_match = select(func.array_agg(MatchSeat.submission_id)).group_by(MatchSeat.match_id)
            pairs += session.scalars(of_match)
    assert {shown_as[one] for one in accounts} == {False}
    assert {shown_as[one] for one in guests} == {True}
    of_accounts = [pair for pair in pairs if {*pair} & {*accounts}]
    with_guests = [pair for pair in of_accounts if {*pair} & {*guests}]
    assert len(of_accounts) >= 4 * len(accounts)
    assert len(with_guests) < len(of_accounts) / 3, "those that a guest asked for"
    assert any({*pair} <= {*guests} for pair in pairs)


# --- Versions of house bots -------------------------------------------------------------------------------------------


def house_version(database: Database, position: int | None, body: str) -> int:
    """A new version of the boss of a league, or of the starter, with this code."""
    bot = starter_bot(database) if position is None else boss_of(database, position)
    with database.transaction() as session:
        before = session.get_one(Submission, bot)
        sha256 = hashlib.sha256(body.encode()).hexdigest()
        submissions.keep_source(session, sha256, body.encode())
        new = Submission(
            user_id=before.user_id, game=GAME.id, bot_id=before.bot_id, version=before.version + 1,
            language="python", source_sha256=sha256, note="", state=SubmissionState.QUEUED,
        )  # fmt: skip
        session.add(new)
        session.flush()
        submissions.go_live(session, new.id)
        return new.id


def starter_bot(database: Database) -> int:
    with database.transaction() as session:
        return starter(session).id


def entrants(database: Database) -> dict[int, Contender]:
    with database.transaction() as session:
        return {one.submission_id: one for one in scheduled.roster(session, GAME).entrants}


def test_a_boss_stays_in_its_league_though_somebody_had_its_code_first(database: Database) -> None:
    one, other = newcomers(database, 2)
    with database.transaction() as session:
        code = code_of(session, one)
    boss = house_version(database, 2, code)
    play(database, (one, other))
    refit(database)
    assert (standing(database, boss).competitor_id, standing(database, boss).league) == (one, 2)
    assert standing(database, boss).trial == TrialState.STAYS
    assert standing(database, one).league == 2, "it is a copy now"
    found = entrants(database)
    assert one not in found
    assert (found[boss].house, found[boss].boss) == (True, True)


def test_the_house_s_row_is_the_one_that_plays_whoever_came_first(database: Database) -> None:
    (one,) = newcomers(database, 1)
    with database.transaction() as session:
        code = code_of(session, one)
    new = house_version(database, None, code)
    found = entrants(database)
    assert (one in found, found[new].house) == (False, True)


def test_a_copy_of_what_the_house_played_before_is_on_its_own(database: Database) -> None:
    boss = boss_of(database, 2)
    (other,) = newcomers(database, 1)
    with database.transaction() as session:
        code = code_of(session, boss)
        copy = enter(session, user(session), f"copy {next(numbers)}", code)
    assert standing(database, copy).league == 2
    house_version(database, 2, "print('a new boss')")
    with database.transaction() as session:
        late = enter(session, user(session), f"late copy {next(numbers)}", code)
    assert standing(database, late).league == 1, "it has earned nothing"
    found = entrants(database)
    (mine,) = (one for one in found.values() if one.competitor_id == boss)
    assert not mine.house
    low = boss_of(database, 1)
    for turn in range(20):
        play(database, (low if turn % 2 else other, copy))
    refit(database)
    assert standing(database, copy).league == 1


def test_why_a_rating_is_what_it_is_weighs_games_as_the_fit_does(database: Database) -> None:
    main, other = newcomers(database, 2)
    with database.transaction() as session:
        thrower = enter(session, guest(session), f"thrower {next(numbers)}")
        code = code_of(session, thrower)
    for turn in range(10):
        play(database, (main, thrower))
        play(database, (main, other), (0, 1) if turn % 3 else (1, 0))
    refit(database)
    with database.transaction() as session:
        owner = session.get_one(User, session.get_one(Submission, main).user_id)
        enter(session, owner, f"helper {next(numbers)}", code)
    play(database, (main, thrower))
    refit(database)
    with database.transaction() as session:
        why = {one.submission_id: one.moved for one in explaining.explain(session, main).against}
        last = session.scalars(select(SeatResult.rating_change).order_by(SeatResult.match_id.desc()).limit(2)).all()
    assert (why[thrower], why[other] != 0) == (0, True)
    assert list(last) == [0, 0]


# --- Deleted code -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["its owner", "somebody else"])
def test_code_that_was_deleted_is_the_same_competitor_when_it_comes_again(database: Database, by: str) -> None:
    loser, other = newcomers(database, 2)
    for _ in range(8):
        play(database, (other, loser))
    refit(database)
    before = standing(database, loser)
    with database.transaction() as session:
        owner, code = session.get_one(User, session.get_one(Submission, loser).user_id), code_of(session, loser)
        deletion.delete_bot(session, owner, session.get_one(Submission, loser).bot_id or 0)
    with database.transaction() as session:
        assert session.get_one(Submission, loser).source_sha256 is None
        who = session.get_one(User, owner.id) if by == "its owner" else user(session)
        again = enter(session, who, f"bot {next(numbers)}", code)
        other_code = enter(session, who, f"bot {next(numbers)}", f"{code}\n# Something else.")
    refit(database)
    after = standing(database, again)
    assert (after.competitor_id, after.games, after.losses) == (loser, 8, 8)
    assert after.rating == pytest.approx(before.rating)
    assert standing(database, other_code).competitor_id == other_code


# --- Falling for what one has shown -----------------------------------------------------------------------------------


def test_a_bot_that_loses_to_one_boss_alone_does_not_go_up_and_down(database: Database) -> None:
    target, *bots = newcomers(database, 6)
    low, dice = boss_of(database, 1), Random(3)
    put_into(database, 2, target, *bots)
    for _ in range(12):
        play(database, (low, target))
    leagues = []
    for _ in range(5):
        for _ in range(20):
            play(database, (target, dice.choice(bots)), (0, 1) if dice.random() < 0.95 else (1, 0))
            play(database, (dice.choice(bots), low), (0, 1) if dice.random() < 0.75 else (1, 0))
        refit(database)
        leagues.append(standing(database, target).league)
    assert leagues == [1] * 5


def test_games_of_another_bot_that_still_plays_make_no_new_one_fall(database: Database) -> None:
    bot, *others = newcomers(database, 4)
    boss = boss_of(database, 1)
    put_into(database, 2, bot, *others)
    for turn in range(18):
        play(database, (boss if turn % 2 else others[turn % 3], bot))
        play(database, (others[turn % 3], boss), (0, 1) if turn % 3 else (1, 0))
    with database.transaction() as session:
        owner, code = session.get_one(User, session.get_one(Submission, bot).user_id), code_of(session, bot)
        copy = enter(session, owner, f"second {next(numbers)}", code)
    second = again(database, copy)
    put_into(database, 2, second)
    play(database, (boss, second))
    refit(database)
    assert standing(database, second).league == 2
