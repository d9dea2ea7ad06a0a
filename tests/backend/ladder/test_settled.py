"""What is not on the board when a season begins costs its refits nothing, and is known again when it comes back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import hypot

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts import presence
from hexarena.backend.ladder import boards, explaining, matchups, past, standings
from hexarena.backend.ladder.rules import HIDDEN_AFTER_DAYS, SEASON_ELO
from hexarena.backend.matches.quotas import NO_QUOTAS
from hexarena.backend.models import Bot, League, SeasonStanding, Standing, StandingHistory, Submission, User, UserKind
from hexarena.backend.moderation.seasons import start_season
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions, seeding
from hexarena.backend.submissions.adoption import adopt
from tests.backend.ladder.ladders import GAME, board, enter, now, play, recompute, refit, season, standing, user
from tests.conftest import Servers, new_template

CODE = "print('the second version')"


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is on a ladder at the end of its first season; all but the rivals belong to the owner.

    `climber`, `rivals`: versions of a bot, of which the last is live. `away`: live, but its owner did nothing with it
    for long. `oldest`, `stopped`: disabled. `third`: of somebody else.
    """

    owner: int
    oldest: int
    away: int
    stopped: int
    climber: list[int]
    rivals: list[int]
    third: int

    def gone(self) -> set[int]:
        return {self.oldest, self.away, self.stopped, *self.climber[:-1], self.rivals[0]}


@pytest.fixture(scope="module")
def template(servers: Servers, template: str) -> Iterator[str]:
    """An arena at the end of their season."""
    with new_template(servers, template, _play_a_season) as name:
        yield name


def _play_a_season(database: Database) -> None:
    with database.transaction() as session:
        owner, other = user(session), user(session)
        oldest, away, stopped = (enter(session, owner, name) for name in ("oldest", "away", "stopped"))
        third = enter(session, user(session), "third")
        climber = [enter(session, owner, "climber", body) for body in ("", CODE, "")]
        rivals = [enter(session, other, "rival") for _ in range(2)]
    # Those that are superseded have played as well.
    season(database, [oldest, away, third, rivals[0], stopped, *climber, rivals[1]], 40)
    with database.transaction() as session:
        for one in (oldest, stopped):
            standings.disable(session, one, "It was stopped.")
        long_ago = text(f"now() - interval '{HIDDEN_AFTER_DAYS + 1} days'")
        session.execute(update(Standing).where(Standing.submission_id == away).values(active_at=long_ago))


@pytest.fixture
def cast(database: Database) -> Cast:
    versions: dict[str, list[int]] = defaultdict(list)
    with database.transaction() as session:
        of_bots = select(Bot.name, Submission.id).join(Submission, Submission.bot_id == Bot.id)
        for name, version in session.execute(of_bots.order_by(Submission.id)):
            versions[name].append(version)
        owner = session.get_one(Submission, versions["oldest"][0]).user_id
    (oldest,), (away,), (stopped,), (third,) = (versions[name] for name in ("oldest", "away", "stopped", "third"))
    return Cast(owner, oldest, away, stopped, versions["climber"], versions["rival"], third)


def begin(database: Database) -> None:
    with database.transaction() as session:
        start_season(session, None, GAME)


def settled(database: Database) -> set[int]:
    with database.transaction() as session:
        return set(session.scalars(select(Standing.submission_id).where(Standing.settled)))


@pytest.mark.long
def test_who_is_not_on_the_board_settles(database: Database, cast: Cast) -> None:
    assert not settled(database)
    begin(database)
    assert settled(database) == cast.gone()
    newest = select(StandingHistory.live).where(StandingHistory.submission_id == cast.away)
    with database.transaction() as session:
        shown = session.scalars(newest.order_by(StandingHistory.id.desc())).first()
    assert shown is False, "the last refit of the season sees that its owner is away"


def test_code_that_somebody_else_has_on_the_board_does_not_settle(database: Database, cast: Cast) -> None:
    with database.transaction() as session:
        enter(session, user(session), "copy", CODE)
    begin(database)
    assert settled(database) == cast.gone() - {cast.climber[1]}


def test_the_house_s_bots_stay_even_those_that_left_the_board(database: Database, cast: Cast) -> None:
    with database.transaction() as session:
        house = select(User.id).where(User.kind == UserKind.HOUSE)
        of_house = select(Submission.id).where(Submission.game == GAME.id, Submission.user_id.in_(house))
        first = session.scalars(of_house.order_by(Submission.id)).first()
        assert first is not None
        standings.disable(session, first, "It was stopped.")
    begin(database)
    assert settled(database) == cast.gone()


@pytest.mark.long
def test_refits_leave_them_as_they_are_a_little_less_sure_each_season(database: Database, cast: Cast) -> None:
    for _ in range(2):
        refit(database)
        before = {one: standing(database, one) for one in cast.gone()}
        begin(database)
        season(database, [cast.third, cast.rivals[1], cast.climber[-1]], 15)
        for one, was in before.items():
            found = standing(database, one)
            assert found.rating == was.rating
            assert found.deviation == pytest.approx(hypot(was.deviation, SEASON_ELO))
            assert found.variance == pytest.approx(was.variance + square_logits(SEASON_ELO))
            assert (found.games, found.settled) == (0, True)
    done, live = refit(database), board(database)
    assert done.competitors == len(live) - len(cast.gone())
    assert recompute(database).competitors == done.competitors
    assert board(database) == live, "to the last bit"


@pytest.mark.long
def test_the_others_are_rated_as_if_none_had_settled(database: Database, cast: Cast) -> None:
    begin(database)
    season(database, [cast.third, cast.rivals[1], cast.climber[-1]], 20)
    refit(database)
    live = board(database)
    with database.transaction() as session:
        session.execute(update(Standing).values(settled=False))
    recompute(database)
    everybody = board(database)
    for one in live.keys() - cast.gone():
        assert everybody[one] == pytest.approx(live[one], abs=1e-4)
    with database.transaction() as session:
        today = past.read(session, GAME, now(session))
    assert set(today.index) == set(everybody)


def by_going_back(session: Session, cast: Cast) -> set[int]:
    submissions.restore(session, session.get_one(User, cast.owner), cast.climber[1])
    return {cast.climber[1]}


def by_the_same_code(session: Session, cast: Cast) -> set[int]:
    return {cast.climber[1], enter(session, user(session), "copy", CODE)}


def by_its_next_version(session: Session, cast: Cast) -> set[int]:
    return {cast.stopped, enter(session, session.get_one(User, cast.owner), "stopped")}


def by_a_new_name(session: Session, cast: Cast) -> set[int]:
    return {cast.oldest, enter(session, session.get_one(User, cast.owner), "new")}


def by_its_owner_s_return(session: Session, cast: Cast) -> set[int]:
    submissions.restore(session, session.get_one(User, cast.owner), cast.away)
    return {cast.away}


@pytest.mark.long
@pytest.mark.parametrize(
    "come_back", [by_going_back, by_the_same_code, by_its_next_version, by_a_new_name, by_its_owner_s_return]
)
def test_who_comes_back_is_rated_from_the_last_table(
    database: Database, cast: Cast, come_back: Callable[[Session, Cast], set[int]]
) -> None:
    begin(database)
    refit(database)
    with database.transaction() as session:
        back = come_back(session, cast)
    assert settled(database) == cast.gone() - back
    play(database, [cast.third, cast.rivals[1]])
    play(database, [max(back), cast.rivals[1]])
    refit(database)
    live = board(database)
    assert live[max(back)][2] == 1
    with database.transaction() as session:
        session.execute(update(Standing).values(settled=False))
    recompute(database)
    everybody = board(database)
    for one in back:
        assert everybody[one] == pytest.approx(live[one], abs=1e-4)


@pytest.mark.long
def test_a_guest_s_new_bot_follows_the_account_s_oldest_one(database: Database, cast: Cast) -> None:
    begin(database)
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest")
        session.add(guest)
        session.flush()
        enter(session, guest, "brought along")
        assert cast.oldest in session.scalars(select(Standing.submission_id).where(Standing.settled)).all()
        adopt(session, session.get_one(User, cast.owner), guest, NO_QUOTAS)
    assert settled(database) == cast.gone() - {cast.oldest}


def test_its_rating_is_explained_by_what_moved_it_once(database: Database, cast: Cast) -> None:
    begin(database)
    play(database, [cast.third, cast.rivals[1]])
    refit(database)
    with database.transaction() as session:
        found = explaining.explain(session, cast.climber[0])
    assert found.matches
    assert (found.against, found.above, found.below) == ((), None, None)


def test_ratings_and_match_ups_are_explained_before_the_first_refit_of_a_season(database: Database, cast: Cast) -> None:
    begin(database)
    with database.transaction() as session:
        found = explaining.explain(session, cast.third)
        assert (found.against, found.matches) == ((), ())
        assert len(matchups.matchups(session, GAME).bots) > 2


def test_a_rating_is_explained_by_matches_of_its_own_season(database: Database, cast: Cast) -> None:
    begin(database)
    new = play(database, [cast.third, cast.rivals[1]])
    refit(database)
    with database.transaction() as session:
        assert [one.match_id for one in explaining.explain(session, cast.third).matches] == [new]


def note_presence(database: Database, user_id: int) -> bool:
    """Whether the bot that was away is on the board then."""
    with database.transaction() as session:
        presence.note(session, user_id)
    return "away" in {bot.name for bot in on_board(database)}


def on_board(database: Database) -> list[Bot]:
    with database.transaction() as session:
        rows = boards.leaderboard(session, GAME.id, limit=100)
        return [row.submission.bot for row in rows if row.submission.bot is not None]


def test_who_is_here_again_is_on_the_board_again(database: Database, cast: Cast) -> None:
    with database.transaction() as session:
        stranger = user(session).id
    assert not note_presence(database, stranger)
    assert note_presence(database, cast.owner)


def test_who_was_left_out_of_a_season_comes_back_by_going_back(database: Database, cast: Cast) -> None:
    begin(database)
    assert not note_presence(database, cast.owner)
    with database.transaction() as session:
        submissions.restore(session, session.get_one(User, cast.owner), cast.away)
    assert "away" in {bot.name for bot in on_board(database)}
    assert cast.away not in settled(database)


def test_the_only_user_of_an_arena_is_never_away(database: Database, cast: Cast) -> None:
    with database.transaction() as session:
        session.execute(update(User).where(User.id == cast.owner).values(kind=UserKind.LOCAL))
    assert "away" in {bot.name for bot in on_board(database)}


def test_tables_of_seasons_keep_the_names_of_their_leagues(database: Database, cast: Cast) -> None:
    begin(database)
    with database.transaction() as session:
        rows = session.scalars(select(League).where(League.game == GAME.id).order_by(League.position)).all()
        old, (boss, *bosses) = [row.name for row in rows], [row.boss_bot_id for row in rows]
        of_third = SeasonStanding.submission_id == cast.third
        session.execute(update(SeasonStanding).where(of_third).values(league=2))
        wanted = [(old[0], boss), ("New", boss), *zip(old[1:], bosses, strict=True)]
        seeding._change_leagues(session, GAME, old, wanted)
        assert session.scalars(select(SeasonStanding.league).where(of_third)).one() == 3


def test_a_result_of_this_season_is_counted_whatever_settled_its_bots(database: Database, cast: Cast) -> None:
    begin(database)
    play(database, [cast.third, cast.rivals[1]])
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id == cast.third).values(settled=True))
    refit(database)
    assert (standing(database, cast.third).games, cast.third in settled(database)) == (1, False)
