"""Standings of versions: how they come onto the ladder, leave it and come back; and who is on the board."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    any_,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from hexarena.backend.ladder.rules import HIDDEN_AFTER_DAYS
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    Bot,
    Ladder,
    League,
    PlaceCount,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.rating.elo import square_logits

STARTER_RATING = 1000.0
"""The rating of the house's first starter, in every game and for ever, so that numbers keep their meaning."""
DRIFT_ELO = 120.0
"""The standard deviation of a new version's rating from its parent's; the fit assumes the same."""
KNOWN = ("rating", "deviation", "variance")
COUNTS = ("games", "wins", "draws", "losses")
RECORDED = ("submission_id", "rating", "deviation", *COUNTS, "league")
"""What the history keeps of a standing, besides its game."""
ALWAYS_HERE = (UserKind.HOUSE, UserKind.LOCAL)
"""Owners who are never away."""


def enter(session: Session, submission: Submission, previous_id: int | None) -> None:
    """Gives a submission that goes live a standing: its predecessor's rating and league, or the field's mean.

    The same code is the same competitor, whoever submitted it: it shares the games that it has played already. A copy
    of somebody else's code is nobody's predecessor, since its owner has earned none of it.
    """
    previous = _own_predecessor(session, submission, previous_id)
    same = _same_code(session, submission)
    resume(session, [one.competitor_id for one in (previous, same) if one is not None])
    standing = Standing(submission_id=submission.id, game=submission.game, competitor_id=submission.id)
    standing.code_sha256 = submission.source_sha256
    if previous is not None:
        back = same is not None and same.competitor_id == previous.competitor_id
        standing.parent_id = previous.parent_id if back else previous.submission_id
    if same is not None:
        session.get_one(Standing, same.competitor_id).consecutive_faults = 0
        for name in ("competitor_id", *KNOWN, *COUNTS, "placing", "trial"):
            setattr(standing, name, getattr(same, name))
        standing.league_from, standing.consecutive_faults = same.league_from, 0
        standing.league = same.league
        own = session.get_one(Submission, same.submission_id).user_id == submission.user_id
        standing.entered_with = same.games if own else same.entered_with
        # A copy of a house bot is where that one is: the scheduler plays that one, so no copy could fall or rise.
        if not _is_played_by_house(session, same.competitor_id):
            if _owner(session, same.competitor_id)[1] == UserKind.HOUSE:
                standing.league, standing.league_from, standing.trial = 1, standing.games, TrialState.OPEN
            raise_league_to(standing, 1 if previous is None else previous.league)
    elif previous is not None:
        standing.rating, standing.league = previous.rating, previous.league
        standing.deviation = math.hypot(previous.deviation, DRIFT_ELO)
        standing.variance = previous.variance + square_logits(DRIFT_ELO)
    else:
        standing.rating = _mean_rating(session, submission.game)
        resume_oldest(session, submission.user_id)
    boss_of = session.scalar(select(League.position).where(League.boss_bot_id == submission.bot_id))
    if boss_of is not None:
        standing.league, standing.placing, standing.trial = boss_of, False, TrialState.STAYS
    session.add(standing)
    session.flush()
    record_history(session, standing, live_now=True)
    live.publish(session, submission.game, "standing", submission.id)


def _own_predecessor(session: Session, submission: Submission, previous_id: int | None) -> Standing | None:
    """The version before, or where that is somebody else's code as well, the newest one of the bot that is not."""
    if previous_id is None:
        return None
    query = (
        select(Standing)
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.bot_id == submission.bot_id, Submission.id != submission.id)
        .order_by((Standing.submission_id == previous_id).desc(), Standing.submission_id.desc())
    )
    versions = session.scalars(query)
    own = (one for one in versions if _owner(session, one.competitor_id)[0] == submission.user_id)
    return next(own, None)


def _owner(session: Session, competitor_id: int) -> tuple[int, UserKind]:
    """Whose code it is: the house's, else the first's who is no guest, else the first one's (`fitting.owners_of`)."""
    query = (
        select(User.id, User.kind)
        .join(Submission, Submission.user_id == User.id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(Standing.competitor_id == competitor_id)
        .order_by(User.kind != UserKind.HOUSE, (User.kind == UserKind.GUEST) | User.was_guest, Submission.id)
        .limit(1)
    )
    user_id, kind = session.execute(query).one()
    return user_id, kind


def _is_played_by_house(session: Session, competitor_id: int) -> bool:
    """Whether a house bot on the ladder has this code."""
    theirs = select(Submission.id).join(User, User.id == Submission.user_id)
    theirs = theirs.join(Standing, Standing.submission_id == Submission.id)
    house = (User.kind == UserKind.HOUSE) & (Submission.state == SubmissionState.LIVE)
    return session.scalar(theirs.where(Standing.competitor_id == competitor_id, house).limit(1)) is not None


def return_to_ladder(session: Session, submission: Submission, standing: Standing, previous_id: int | None) -> None:
    """Of an earlier version: in the league of the one that it replaces if that is higher; its place is provisional."""
    previous = _own_predecessor(session, submission, previous_id)
    if previous is not None and not _is_played_by_house(session, standing.competitor_id):
        raise_league_to(standing, previous.league)
    standing.entered_with = standing.games


def resume(session: Session, competitor_ids: Collection[int]) -> None:
    """Refits rate these competitors again, those among them that are settled."""
    theirs = Standing.competitor_id == any_(literal(list(competitor_ids), ARRAY(BigInteger)))
    session.execute(
        update(Standing)
        .where(theirs, Standing.settled)
        .values(settled=False)
        .execution_options(synchronize_session="fetch")
    )


def resume_oldest(session: Session, owner_id: int) -> None:
    """The same for an owner's oldest bot in each game, which their bots with new names follow (`ladder.fitting`)."""
    oldest = (
        select(func.min(Standing.competitor_id))
        .join(Submission, Submission.id == Standing.competitor_id)
        .where(Submission.user_id == owner_id)
        .group_by(Standing.game)
    )
    resume(session, session.scalars(oldest).all())


def raise_league_to(standing: Standing, league: int) -> None:
    """Moves it into this league, if that is higher, with a new trial there."""
    if league > standing.league:
        standing.league, standing.league_from, standing.trial = league, standing.games, TrialState.OPEN


def _same_code(session: Session, submission: Submission) -> Standing | None:
    """The standing of the same code, which may have been deleted since: the owner's last one, else the first of all.

    What the owner's bots with it have played in their league counts on, however often it is submitted.
    """
    query = (
        select(func.min(Standing.competitor_id))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(
            Standing.game == submission.game,
            Standing.code_sha256 == submission.source_sha256,
            Submission.language == submission.language,
        )
    )
    first = session.scalar(query)
    if first is None:
        return None
    own = (
        select(func.max(Standing.submission_id))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Standing.competitor_id == first, Submission.user_id == submission.user_id)
    )
    return session.get_one(Standing, session.scalar(own) or first)


def _mean_rating(session: Session, game: str) -> float:
    """The mean rating of a ladder: where a newcomer without a parent begins."""
    mean = session.scalar(select(func.avg(Standing.rating)).where(Standing.game == game, Standing.games > 0))
    return STARTER_RATING if mean is None else float(mean)


def record_history(session: Session, standing: Standing, *, live_now: bool) -> None:
    """Adds a standing to the history. `live_now`: whether it is on the board from now on."""
    values = {name: getattr(standing, name) for name in RECORDED}
    session.add(StandingHistory(**values, game=standing.game, live=live_now))


def was_on_board(moment: datetime) -> ColumnElement[bool | None]:
    """Whether a submission was on the board then; null if it only came onto the ladder later. Needs submission."""
    then = select(StandingHistory.live).where(StandingHistory.submission_id == Submission.id)
    newest_first = (StandingHistory.at.desc(), StandingHistory.id.desc())
    then = then.where(StandingHistory.at <= moment).order_by(*newest_first).limit(1)
    return then.correlate(Submission).scalar_subquery()


def forget_places(session: Session, game: str) -> None:
    """Before all results are counted again, or none."""
    of_game = select(Standing.submission_id).where(Standing.game == game)
    session.execute(delete(PlaceCount).where(PlaceCount.competitor_id.in_(of_game)))


def publish_owner(session: Session, user_id: int) -> None:
    """Publishes that the lines of a user's bots look different: the user has another name, or is no guest any more."""
    theirs = select(Submission.game, Submission.id).join(Bot, Bot.id == Submission.bot_id)
    on_ladder = theirs.where(Bot.owner_id == user_id, Submission.state == SubmissionState.LIVE)
    for game, submission_id in session.execute(on_ladder.order_by(Submission.id)).all():
        live.publish(session, game, "standing", submission_id)


def lock_ladder(session: Session, game: str) -> None:
    """Waits for a running refit: it locks the ladder's row while it changes standings and submissions."""
    session.execute(select(Ladder.game).where(Ladder.game == game).with_for_update())


def disable(session: Session, submission_id: int, problem: str) -> None:
    """Takes a live version off the ladder, with the reason for its owner. It can be restored."""
    found = select(Submission).where(Submission.id == submission_id).with_for_update()
    submission = session.scalars(found.execution_options(populate_existing=True)).one()
    if submission.state != SubmissionState.LIVE:
        return
    submission.state, submission.problem = SubmissionState.DISABLED, problem
    session.flush()
    matches.void_queued(session, submission_id, "A version of this match was disabled.")
    live.publish(session, submission.game, "submission", submission_id)
    # Of the submission only its owner hears; others see it leave the board.
    live.publish(session, submission.game, "ladder", 0)


def on_board(game: str) -> ColumnElement[bool]:
    """Live submissions whose owners are not away. Needs submission, standing and user."""
    awake = or_(User.kind.in_(ALWAYS_HERE), Standing.active_at > func.now() - timedelta(days=HIDDEN_AFTER_DAYS))
    # The standing's game is the submission's; named, it lets the board be read in the order of its index.
    return (Standing.game == game) & (Submission.game == game) & (Submission.state == SubmissionState.LIVE) & awake
