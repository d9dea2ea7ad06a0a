"""What must hold when an arena is quiet, whatever was done to it: docs/architecture.md, as questions to rows and files.

Each check returns what is wrong, in words; nothing where all is well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from hexarena.backend.ladder import refits
from hexarena.backend.matches import causes, life as matches
from hexarena.backend.matches.blobs import Blobs, StoreError
from hexarena.backend.models import (
    RATED,
    Job,
    Ladder,
    Match,
    MatchSeat,
    MatchState,
    PairTally,
    PendingResult,
    PlaceCount,
    Result,
    SeatResult,
    Standing,
    Submission,
    SubmissionState,
    VoidAttempt,
)
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from hexarena.games.ghosts import NotRepeated, recorded
from hexarena.games.lines import is_cut, parsed_lines
from hexarena.games.records import Saved, play_again

OUR_BUGS = ("bug", "game", causes.WITHDRAWN)
"""Causes of a void match that no kill explains."""
REFUSALS = frozenset({0, 201, 429, 503, 507})
"""What the API may answer while everything around it goes away; 0: nothing."""
STANDING = ("rating", "deviation", "games", "league")


@dataclass(frozen=True, slots=True)
class Found:
    """The arena when it is quiet.

    `accepted`, `uploads`: ids that the API promised. `answers`: status -> how often. `said`: status -> the last body.
    """

    database: Database
    blobs: Blobs
    accepted: Collection[int] = ()
    uploads: Collection[int] = ()
    answers: Mapping[int, int] = field(default_factory=dict)
    said: Mapping[int, str] = field(default_factory=dict)
    store_folder: Path | None = None


Check = Callable[[Session, Found], list[str]]


def every_match_is_over(session: Session, _: Found) -> list[str]:
    """Done or void, with an end; nobody has a lease."""
    open_ones = session.execute(select(Match.id, Match.state).where(Match.state.in_(("queued", "running")))).all()
    jobs = session.execute(select(Job.match_id, Job.token, Job.attempts)).all()
    return [f"match {one.id} is {one.state}" for one in open_ones] + [
        f"match {job.match_id} has a job, {'leased' if job.token else 'free'}, attempts {job.attempts}" for job in jobs
    ]


def every_match_ended_once(session: Session, _: Found) -> list[str]:
    """A result where it is done, none where it is void, of an attempt after those that were void."""
    rows = session.execute(
        select(Match.id, Match.state, func.count(Result.match_id).label("results"))
        .outerjoin(Result, Result.match_id == Match.id)
        .group_by(Match.id)
    )
    wrong = [
        f"match {one.id} is {one.state} and has {one.results} results"
        for one in rows
        if one.results != (one.state == MatchState.DONE)
    ]
    later = select(VoidAttempt.match_id, VoidAttempt.attempt, Result.attempt.label("counted"))
    later = later.join(Result, Result.match_id == VoidAttempt.match_id).where(VoidAttempt.attempt >= Result.attempt)
    return wrong + [
        f"match {one.match_id}: attempt {one.attempt} is void, {one.counted} counts" for one in session.execute(later)
    ]


def every_seat_has_its_result(session: Session, _: Found) -> list[str]:
    """And the ranks are places."""
    seats: dict[int, list[int]] = {}
    for match_id, seat in session.execute(select(MatchSeat.match_id, MatchSeat.seat)):
        seats.setdefault(match_id, []).append(seat)
    ranks: dict[int, dict[int, int]] = {}
    for match_id, seat, rank in session.execute(select(SeatResult.match_id, SeatResult.seat, SeatResult.rank)):
        ranks.setdefault(match_id, {})[seat] = rank
    wrong = []
    for match_id, game in session.execute(select(Match.id, Match.game).where(Match.state == MatchState.DONE)):
        had, found = sorted(seats.get(match_id, ())), ranks.get(match_id, {})
        if len(had) not in find_game(game).seats or had != sorted(found):
            wrong.append(f"match {match_id} of {game} has seats {had}, results of {sorted(found)}")
        elif min(found.values()) != 0 or max(found.values()) >= len(found):
            wrong.append(f"match {match_id} has ranks {found}")
    return wrong


def nothing_accepted_is_lost(session: Session, found: Found) -> list[str]:
    """What the API answered with 201 is there."""
    there = set(session.scalars(select(Match.id)))
    uploads = set(session.scalars(select(Submission.id)))
    lost = [f"match {one} was accepted and is not there" for one in found.accepted if one not in there]
    return lost + [f"submission {one} was accepted and is not there" for one in found.uploads if one not in uploads]


def uploads_are_judged(session: Session, _: Found) -> list[str]:
    """None is under way, and none failed, since all of them were good."""
    good = (SubmissionState.LIVE, SubmissionState.SUPERSEDED, SubmissionState.DRAFT)
    rows = session.execute(
        select(Submission.id, Submission.state, Submission.problem).where(Submission.state.not_in(good))
    )
    excused = ("could not be played",)
    return [f"submission {one.id} is {one.state}: {one.problem}" for one in rows if not _excused(one.problem, excused)]


def _excused(problem: str | None, words: tuple[str, ...]) -> bool:
    """A check of which all attempts were void fails the upload: that is said, and it can be sent again."""
    return problem is not None and any(word in problem for word in words)


def void_matches_are_explained(session: Session, _: Found) -> list[str]:
    """By what was done to the arena, not by a bug."""
    cause = causes.cause_of(Match.void_reason)
    rows = session.execute(select(Match.id, Match.void_reason, cause.label("cause")).where(Match.state == "void"))
    return [f"match {one.id} is void: {one.void_reason}" for one in rows if one.cause in OUR_BUGS]


def no_bot_is_blamed(session: Session, _: Found) -> list[str]:
    """All bots are good ones: whatever ended them was done to them."""
    rows = session.execute(select(SeatResult.match_id, SeatResult.seat, SeatResult.fault).where(SeatResult.fault != ""))
    return [f"match {one.match_id}, seat {one.seat}: {one.fault}" for one in rows]


def counters_are_counts(session: Session, _: Found) -> list[str]:
    """The number of matches on a game's page, and that of results of a ladder."""
    shown = {game: count for game, count in matches.counts(session).items() if count}
    done = select(Match.game, func.count()).where(
        Match.state == MatchState.DONE, Match.kind.not_in(matches.UNCOUNTED), ~Match.held
    )
    counted = dict(session.execute(done.group_by(Match.game)).all())
    wrong = [] if shown == counted else [f"games show {shown} matches; there are {counted}"]
    results = Counter(_rated(session).values())
    for game, count in session.execute(select(Ladder.game, Ladder.results)):
        if count != results[game]:
            wrong.append(f"the ladder of {game} is based on {count} results; there are {results[game]}")
    return wrong


def every_result_is_counted(session: Session, _: Found) -> list[str]:
    """By one refit: nothing is pending, and each rated seat knows the rating that it had."""
    wrong = [f"match {one} waits for a refit" for one in session.scalars(select(PendingResult.match_id))]
    rated = _rated(session)
    without = select(SeatResult.match_id, SeatResult.seat).where(SeatResult.rating.is_(None))
    return wrong + [
        f"match {match_id}, seat {seat} has no rating"
        for match_id, seat in session.execute(without)
        if match_id in rated
    ]


def _rated(session: Session) -> dict[int, str]:
    """Match -> its game, of those that ladders count: by all of the rules."""
    done = select(Match.id, Match.game, Match.league).where(Match.state == MatchState.DONE, Match.kind.in_(RATED))
    return {one.id: one.game for one in session.execute(done) if one.league == find_game(one.game).top_level}


def ratings_follow_from_results(session: Session, _: Found) -> list[str]:
    """To the last bit, with all that they are counted from: a recompute changes nothing."""
    live = _counted(session)
    for game in session.scalars(select(Ladder.game)).all():
        refits.recompute(session, find_game(game))
    session.flush()
    session.expire_all()
    fresh = _counted(session)
    wrong = [f"{key}: {live.get(key)}, recomputed {fresh.get(key)}" for key in sorted({*live, *fresh}, key=str)
             if live.get(key) != fresh.get(key)]  # fmt: skip
    session.rollback()
    return wrong


def _counted(session: Session) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in session.scalars(select(Standing)):
        found["standing", row.submission_id] = tuple(getattr(row, name) for name in STANDING)
    for tally in session.scalars(select(PairTally)):
        key = ("pair", tally.first_id, tally.second_id)
        found[key] = (tally.games, tally.half_points, tally.draws, tally.repeats)
    for place in session.execute(select(*(column for column in PlaceCount.__table__.c if column.name != "refit"))):
        found["place", *place] = ()
    return found


def replays_are_those_of_results(session: Session, found: Found) -> list[str]:
    """Each is there, whole, and comes out the same when it is played again; nothing of lost attempts is."""
    wrong = []
    query = select(Match, Result).join(Result, Result.match_id == Match.id).order_by(Match.id)
    kept = set()
    for match, result in session.execute(query).all():
        kept.add(result.replay_key)
        if (what := _wrong_replay(session, found.blobs, match, result)) is not None:
            wrong.append(f"match {match.id}: {what}")
    if found.store_folder is not None:
        stored = {path.relative_to(found.store_folder).as_posix() for path in _files(found.store_folder / "replays")}
        wrong += [f"{one} belongs to no result" for one in sorted(stored - kept)]
    return wrong


def _wrong_replay(session: Session, blobs: Blobs, match: Match, result: Result) -> str | None:
    query = select(SeatResult.rank).where(SeatResult.match_id == match.id).order_by(SeatResult.seat)
    ranks = list(session.scalars(query))
    try:
        replay = blobs.text(result.replay_key)
        logs = [blobs.text(result.replay_key, seat) for seat in range(len(ranks))]
    except StoreError as error:
        return str(error)
    if replay is None or None in logs:
        return "its replay or the log of a seat is not there"
    opening, *_, end = parsed_lines(replay)
    if (opening.get("match"), end.get("ranks")) != (str(match.id), ranks):
        return f"its replay is of {opening.get('match')} and ends with ranks {end.get('ranks')}, not {ranks}"
    return _unlike(match, result, ranks, replay, [log or "" for log in logs])


def _unlike(match: Match, result: Result, ranks: Sequence[int], replay: str, logs: Sequence[str]) -> str | None:
    """How it comes out when it is played again from its replies. Those of a very long match were stored cut."""
    if any(is_cut(line["o"] or "") for log in logs for line in parsed_lines(log)):
        return None
    try:
        past = recorded(replay, logs, result.turns)
        said = tuple(tuple((0, one) for one in of_seat) for of_seat in past.said)
        saved = Saved(match.game, "", match.seed, match.league, {}, (), (), said, past.frames, "")
        again, _ = play_again(find_game(match.game), saved)
    except NotRepeated as error:
        return f"it does not come out the same: {error}"
    if (list(again.outcome.ranks), len(again.turns)) != (list(ranks), result.turns):
        turns = f"{len(again.turns)} turns, not {result.turns}"
        return f"played again as {match.game}, it ends with ranks {again.outcome.ranks}, not {ranks}, after {turns}"
    said = result.record_digest or result.digest
    return None if again.digest == said else "its replies are not those of its digest"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def pages_were_notified(session: Session, _: Found) -> list[str]:
    """The end of each match is an event."""
    unannounced = select(Match.id).where(
        Match.state.in_(("done", "void")),
        text("NOT EXISTS (SELECT FROM change c WHERE c.kind = 'match' AND c.subject_id = match.id"
             " AND c.at >= match.finished_at - interval '1 s')"),
    )  # fmt: skip
    return [f"nobody was notified that match {one} is over" for one in session.scalars(unannounced)]


def nobody_holds_a_transaction(session: Session, _: Found) -> list[str]:
    """No connection is idle in one, and no lock is left."""
    rows = session.execute(
        text(
            "SELECT pid, state, left(query, 60) AS query FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
        )
    )
    return [f"connection {one.pid} is {one.state}: {one.query}" for one in rows]


def the_api_said_why(_: Session, found: Found) -> list[str]:
    """It accepted, or said what was missing."""
    wrong = ((status, count) for status, count in found.answers.items() if status not in REFUSALS)
    return [f"{count} answers {status}, at last: {found.said.get(status, '')}" for status, count in wrong]


CHECKS: Mapping[str, Check] = {
    "every match is over, no lease is open": every_match_is_over,
    "every match ended exactly once": every_match_ended_once,
    "every seat has its result": every_seat_has_its_result,
    "what the API accepted is there": nothing_accepted_is_lost,
    "the API accepted, or said why not": the_api_said_why,
    "uploads are judged": uploads_are_judged,
    "void matches are explained": void_matches_are_explained,
    "no bot is blamed": no_bot_is_blamed,
    "every rated result is counted": every_result_is_counted,
    "ratings follow from results, to the last bit": ratings_follow_from_results,
    "counters are counts": counters_are_counts,
    "replays are whole, repeat themselves, and no others are left": replays_are_those_of_results,
    "pages were notified of every end": pages_were_notified,
    "no transaction is open": nobody_holds_a_transaction,
}


def run(found: Found) -> dict[str, list[str]]:
    """Check -> what is wrong."""
    wrong: dict[str, list[str]] = {}
    for name, check in CHECKS.items():
        with found.database.transaction() as session:
            wrong[name] = check(session, found)
    return wrong


def attempts(session: Session) -> Counter[str]:
    """How the attempts ended: done, or the cause for which they were void."""
    ended = Counter({"done": session.scalar(select(func.count()).select_from(Result)) or 0})
    cause = causes.cause_of(VoidAttempt.reason)
    for name, count in session.execute(select(cause, func.count()).group_by(cause)):
        ended[name] += count
    return ended
