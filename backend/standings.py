"""Counting results, and the board that comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session, joinedload

from backend import live, rating, workers
from backend.models import Bot, League, MatchSeat, Result, Standing, Submission, SubmissionState, User, UserKind
from backend.pairing import Entrant
from games.contract import Game


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the leaderboard. `submission` comes with its bot and the bot's owner."""

    rank: int
    submission: Submission
    standing: Standing
    low: float
    high: float
    boss_of: str | None
    last_match_id: int | None


def count(session: Session, game: Game, seats: Sequence[int], ranks: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Applies a match to its entrants' standings. `seats`: seat -> submission. Returns seat -> rating before and after.

    A submission that fills several seats, all of one team, counts once.
    Rows are locked in the order of their ids, so that matches that end together wait instead of failing.
    """
    locked = (
        select(Standing).where(Standing.submission_id.in_(seats)).order_by(Standing.submission_id).with_for_update()
    )
    by_id = {standing.submission_id: standing for standing in session.scalars(locked)}
    first_seats = {submission_id: seat for seat, submission_id in reversed(list(enumerate(seats)))}
    entrants = sorted(first_seats, key=first_seats.__getitem__)
    places = [ranks[first_seats[one]] for one in entrants]
    after = rating.after_match(
        [rating.Rated(by_id[one].rating, by_id[one].games) for one in entrants],
        places,
        [game.team(first_seats[one]) for one in entrants],
    )
    changes = {}
    for submission_id, place, new_rating in zip(entrants, places, after, strict=True):
        row = by_id[submission_id]
        changes[submission_id] = (row.rating, new_rating)
        row.rating = new_rating
        row.games += 1
        lost, tied = any(rank < place for rank in ranks), ranks.count(place) > game.team_seats
        row.losses += lost
        row.wins += not lost and not tied
        row.draws = row.games - row.wins - row.losses
        live.publish(session, game.id, "standing", submission_id)
    return {seat: changes[submission_id] for seat, submission_id in enumerate(seats)}


def enter(session: Session, submission: Submission, previous_id: int | None) -> None:
    """Gives a submission that goes live a standing: its predecessor's rating, or the start."""
    inherited = None if previous_id is None else session.get(Standing, previous_id)
    start = rating.START if inherited is None else inherited.rating
    session.add(Standing(submission_id=submission.id, game=submission.game, rating=start))
    session.flush()
    live.publish(session, submission.game, "standing", submission.id)


def field(session: Session, game: str) -> list[Entrant]:
    """All live submissions of a game's ladder, as far as the workers that are up know their languages."""
    query = (
        select(Submission.id, Submission.user_id, Standing.rating, Standing.games, User.kind)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(Submission.game == game, Submission.state == SubmissionState.LIVE)
        .order_by(Submission.id)
    )
    if able := workers.languages(session):
        query = query.where(Submission.language.in_(able))
    return [
        Entrant(row.id, row.user_id, row.rating, row.games, house=row.kind == UserKind.HOUSE)
        for row in session.execute(query)
    ]


def leaderboard(
    session: Session, game: str, *, limit: int, after: tuple[float, int] | None = None, only: Sequence[int] = ()
) -> list[Row]:
    """The board from the top, or from after a (rating, submission id). `only`: these submissions alone."""
    key = (Standing.rating, Standing.submission_id)
    query = (
        select(Submission, Standing)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(Submission.game == game, Submission.state == SubmissionState.LIVE)
        .options(joinedload(Submission.bot).joinedload(Bot.owner))
        .order_by(Standing.rating.desc(), Standing.submission_id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*key) < after)
    if only:
        query = query.where(Submission.id.in_(only))
    found = session.execute(query).all()
    bosses = dict(session.execute(select(League.boss_bot_id, League.name).where(League.game == game)).all())
    latest = _latest_matches(session, [submission.id for submission, _ in found])
    rows: list[Row] = []
    for index, (submission, standing) in enumerate(found):
        rank = rows[-1].rank + 1 if index and not only else _rank(session, standing)
        low, high = rating.interval(rating.Rated(standing.rating, standing.games))
        boss_of = None if submission.bot_id is None else bosses.get(submission.bot_id)
        rows.append(Row(rank, submission, standing, low, high, boss_of, latest.get(submission.id)))
    return rows


def _rank(session: Session, row: Standing) -> int:
    """Place on the board, counted from 1."""
    better = (
        select(func.count())
        .select_from(Standing)
        .join(Submission, Submission.id == Standing.submission_id)
        .where(
            Standing.game == row.game,
            Submission.state == SubmissionState.LIVE,
            tuple_(Standing.rating, Standing.submission_id) > (row.rating, row.submission_id),
        )
    )
    return (session.scalar(better) or 0) + 1


def _latest_matches(session: Session, submission_ids: Sequence[int]) -> dict[int, int]:
    """Submission -> its newest match that has a result."""
    latest = (
        select(MatchSeat.submission_id, func.max(MatchSeat.match_id))
        .join(Result, Result.match_id == MatchSeat.match_id)
        .where(MatchSeat.submission_id.in_(submission_ids))
        .group_by(MatchSeat.submission_id)
    )
    return dict(session.execute(latest).all())
