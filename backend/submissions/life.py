"""The life of a submission: uploaded, built and checked, then live or failed; later superseded by the next version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random

from sqlalchemy import bindparam, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.accounts import owners, presence
from hexarena.backend.accounts.locks import lock
from hexarena.backend.accounts.names import clean_name, key_of, reserved_by, too_near
from hexarena.backend.duels import life as duels
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotFound, Quota, TooLarge, TooMany, Unavailable
from hexarena.backend.events import life as events, quotas as event_quotas
from hexarena.backend.ladder import standings
from hexarena.backend.ladder.rules import check_problem
from hexarena.backend.matches import life as matches, live, workers
from hexarena.backend.matches.backlog import AWAITED
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas, check_bots, check_budget, check_ladder, check_queue
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import (
    PENDING,
    Bot,
    InPerson,
    Job,
    League,
    LessonAttempt,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    NoticeKind,
    Source,
    Standing,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.runtime import locks
from hexarena.backend.runtime.db import notify
from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions import storage
from hexarena.backend.submissions.languages import Language, UnknownLanguage, find_language
from hexarena.backend.submissions.sources import BadArchive, BadSource, is_archive, lay_out, pack, read_archive, text_of
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import Game
from hexarena.games.house import STARTER_BOT
from hexarena.games.seeds import random_seed

OPEN_MATCHES_PER_USER = 3
"""Practice and check matches that a user may have in the queue at once; an attempt at a lesson counts as one."""
_ATTEMPT = (
    select(func.max(LessonAttempt.submission_id))
    .join(MatchSeat, MatchSeat.submission_id == LessonAttempt.submission_id)
    .where(MatchSeat.match_id == Job.match_id)
    .scalar_subquery()
)
_OPEN_MATCHES = (
    select(func.count(func.coalesce(-_ATTEMPT, Job.match_id).distinct()))
    .select_from(Job)
    .join(Match, Match.id == Job.match_id)
    .where(Match.requested_by_id == bindparam("asker"), Job.priority <= AWAITED)
    .where(~exists().where(InPerson.match_id == Job.match_id))
)


def game_named(game_id: str) -> Game:
    """The game. Raises: NotFound."""
    try:
        return find_game(game_id)
    except UnknownGame as unknown:
        raise NotFound(unknown.message, got=game_id) from None


def read_source(body: bytes) -> str:
    """An upload as text. Raises: TooLarge, Invalid."""
    if len(body) > SOURCE_BYTES:
        raise TooLarge(
            "The source is too large.", expected=f"at most {SOURCE_BYTES:,} bytes", got=f"{len(body):,} bytes"
        )
    try:
        return text_of(body)
    except BadSource as bad:
        raise Invalid("The source is not the text of a bot.", expected=bad.expected, got=bad.got) from None


def stored_form(language: Language, upload: bytes) -> bytes:
    """An upload as it is stored: text, or the canonical zip of its files. Raises: TooLarge, Invalid.

    A zip of the entry file alone is its text: the same code is the same competitor.
    """
    if not is_archive(upload):
        return read_source(upload).encode()
    try:
        files = read_archive(upload)
        begun = lay_out(language, files)
    except BadArchive as bad:
        raise bad_zip(bad) from None
    alone = begun.get(language.source_name) if len(begun) == 1 else None
    return pack(files) if alone is None or len(alone) > SOURCE_BYTES else alone


def bad_zip(bad: BadArchive) -> Invalid:
    """The error for a zip that is refused."""
    return Invalid(f"The zip cannot be used: {bad}.", expected=bad.expected, got=bad.got)


def encode_source(source: str) -> bytes:
    """Text from JSON as UTF-8; JSON may contain unpaired surrogates. Raises: Invalid."""
    try:
        encoded = source.encode()
    except UnicodeEncodeError as error:
        got = f"half a surrogate pair at position {error.start:,}"
        raise Invalid("The source is not text.", expected="Unicode text", got=got) from None
    if is_archive(encoded):
        raise Invalid("The source is not text.", expected="text; a zip is sent as a file", got="a zip")
    return encoded


def submit(
    session: Session,
    user: User,
    *,
    game: Game,
    name: str,
    language: str,
    source: bytes,
    note: str = "",
    quotas: Quotas = NO_QUOTAS,
) -> Submission:
    """Creates a new version of the user's bot of that name, or the first of a new bot, and queues its check match.

    The bot may be their team's; if they are in a team, so is a new one (`accounts.owners`).

    Raises: Invalid, TooLarge, Forbidden (somebody else's bot), Conflict (an older version is still being checked, or
    too many bots), TooMany. An event that the bot has entered may allow less than the arena (`events.quotas`).
    """
    # Deadlines wait for those who share it, and it came when they took it, however long they wait for others.
    locks.share(session, locks.AdvisoryLock.UPLOADS)
    received_at = session.scalar(select(func.clock_timestamp()))
    tidy = clean_name(name)
    owner = _owner_of(session, user, game, tidy)
    sha256 = _store_source(session, user, language, source, owner=owner, quotas=quotas)
    bot = _bot_of(session, user, owner, game, tidy)
    check_ladder(session, owner, quotas, game=game.id, bot_id=bot.id)
    event_quotas.check(session, bot.id, sha256)
    pending = session.scalar(select(Submission).where(Submission.bot_id == bot.id, Submission.state.in_(PENDING)))
    if pending is not None:
        raise Conflict(f"Version {pending.version} of {bot.name} is still {pending.state}. Wait for it to go live.")
    version = session.scalar(select(func.max(Submission.version)).where(Submission.bot_id == bot.id)) or 0
    submission = Submission(
        user_id=bot.owner_id,
        game=game.id,
        bot_id=bot.id,
        version=version + 1,
        language=language,
        source_sha256=sha256,
        note=_one_line(note),
        state=SubmissionState.QUEUED,
        created_at=received_at,
    )
    session.add(submission)
    session.flush()
    live.publish(session, game.id, "submission", submission.id)
    _schedule_check(session, user, game, submission)
    presence.note(session, user.id)
    return submission


def draft(
    session: Session, user: User, *, game: Game, language: str, source: bytes, quotas: Quotas = NO_QUOTAS
) -> Submission:
    """Stores code for one practice match. Raises: Invalid, TooLarge, TooMany, Unavailable."""
    sha256 = _store_source(session, user, language, source, owner=user, quotas=quotas)
    submission = Submission(
        user_id=user.id, game=game.id, language=language, source_sha256=sha256, state=SubmissionState.DRAFT
    )
    session.add(submission)
    session.flush()
    return submission


def advance(session: Session, submission_id: int, state: SubmissionState) -> None:
    """Moves a pending submission to its next state."""
    moved = update(Submission).where(Submission.id == submission_id, Submission.state.in_(PENDING)).values(state=state)
    game = session.scalar(moved.returning(Submission.game))
    if game is not None:
        live.publish(session, game, "submission", submission_id)


def fail(session: Session, submission_id: int, problem: str, *, build_log: str | None = None) -> None:
    """Marks a submission as failed, with the reason. A draft stays a draft; a live one stays live.

    One that has failed keeps its reason, and one whose code is deleted gets none: a log quotes the code.
    """
    submission = _locked(session, submission_id)
    if submission.state == SubmissionState.FAILED or submission.source_sha256 is None:
        return
    submission.problem = problem.replace("\0", "␀")
    submission.build_log = None if build_log is None else build_log.replace("\0", "␀")
    if submission.state in PENDING:
        submission.state = SubmissionState.FAILED
        notices.stopped(session, submission_id, NoticeKind.FAILED)
    live.publish(session, submission.game, "submission", submission_id)


def take_off(session: Session, submissions: Sequence[Submission], why: str) -> None:
    """These versions, which the caller has locked, leave the ladder, or never come to it. `why`: for their owners."""
    for one in submissions:
        if one.state == SubmissionState.LIVE:
            standing = session.scalars(select(Standing).where(Standing.submission_id == one.id)).one()
            standings.record_history(session, standing, live_now=False)
            standings.disable(session, one.id, why)
        elif one.state in PENDING:
            one.state, one.problem = SubmissionState.FAILED, why
        live.publish(session, one.game, "submission", one.id)
    session.flush()


def judge_check(
    session: Session, claimed: matches.ClaimedMatch, report: matches.Report, hint: str | None = None
) -> None:
    """Makes the submission of a finished check match live or failed. `hint`: what else its owner should know."""
    problem = check_problem(seats_under_check(claimed), report.faults)
    submission_id = claimed.seats[0].submission_id
    if problem is None:
        go_live(session, submission_id, hint)
    else:
        fail(session, submission_id, problem if hint is None else f"{problem}\n{hint}")


def seats_under_check(claimed: matches.ClaimedMatch) -> set[int]:
    """Those of the submission that a check match is about: seat 0, and perhaps others."""
    submission_id = claimed.seats[0].submission_id
    return {number for number, seat in enumerate(claimed.seats) if seat.submission_id == submission_id}


def is_unproven(session: Session, submission_id: int) -> bool:
    """Whether nobody has built it before: it is a draft, or under its check."""
    state = session.scalar(select(Submission.state).where(Submission.id == submission_id))
    return state == SubmissionState.DRAFT or state in PENDING


def record_failed_build(
    session: Session, claimed: matches.ClaimedMatch, submission_id: int, *, problem: str, build_log: str | None
) -> bool:
    """Makes a match void and fails the submission that cannot be built. False: another attempt was first."""
    seat = next(number for number, one in enumerate(claimed.seats) if one.submission_id == submission_id)
    standings.lock_ladder(session, claimed.game)
    events.lock_unfinished_of_version(session, submission_id)
    if not matches.void(session, claimed, f"The code of seat {seat} could not be built. {problem}"):
        return False
    duels.end_for_failed_build(session, claimed.match_id, submission_id, problem)
    events.end_for_failed_build(session, submission_id, problem)
    fail(session, submission_id, problem, build_log=build_log)
    if session.scalar(select(Submission.state).where(Submission.id == submission_id)) == SubmissionState.DRAFT:
        matches.void_queued_with(session, [submission_id], f"The code could not be built. {problem}")
    standing = session.get(Standing, submission_id)
    if standing is not None and build_log is not None and _is_live(session, submission_id):
        # Perhaps because of a new toolchain: all its matches would be void.
        standings.record_history(session, standing, live_now=False)
        standings.disable(session, submission_id, problem)
        notices.stopped(session, submission_id, NoticeKind.DISABLED)
    return True


def _is_live(session: Session, submission_id: int) -> bool:
    return session.scalar(select(Submission.state).where(Submission.id == submission_id)) == SubmissionState.LIVE


def fail_void_checks(session: Session, *, owners_first: bool = False) -> None:
    """Fails the submissions whose check match is void.

    `owners_first`: locks their owners before them, as whoever locks both does, since a notice holds its owner. A worker
    elsewhere has no right to.
    """
    void_checks = (
        select(Submission.id, Match.void_reason)
        .join(MatchSeat, (MatchSeat.submission_id == Submission.id) & (MatchSeat.seat == 0))
        .join(Match, Match.id == MatchSeat.match_id)
        .where(Submission.state.in_(PENDING), Match.kind == MatchKind.CHECK, Match.state == MatchState.VOID)
        .order_by(Submission.id)
    )
    failed = session.execute(void_checks).all()
    if failed and owners_first:
        theirs = select(Submission.user_id).where(Submission.id.in_([one for one, _ in failed]))
        their_owners = select(User.id).where(User.id.in_(theirs)).order_by(User.id)
        session.scalars(their_owners.with_for_update(read=True, key_share=True)).all()
    for submission_id, reason in failed:
        fail(session, submission_id, f"The check match could not be played: {reason}")


def go_live(session: Session, submission_id: int, hint: str | None = None) -> None:
    """Puts the submission on the ladder in its bot's place; the scheduler plans its placement.

    One that was taken off while its check was played (its owner is banned, or deleted it) stays off. `hint`: what its
    owner should know about it all the same.
    """
    found = select(Submission.game, Submission.bot_id).where(Submission.id == submission_id)
    game, bot_id = session.execute(found).one()
    standings.lock_ladder(session, game)
    session.scalars(select(Bot.id).where(Bot.id == bot_id).with_for_update()).one()
    submission = _locked(session, submission_id)
    if submission.state not in PENDING:
        return
    previous_id = _replace_live(session, submission, "A version of this match was superseded by a newer one.")
    submission.state, submission.problem = SubmissionState.LIVE, hint
    session.flush()
    standings.enter(session, submission, previous_id)
    live.publish(session, submission.game, "submission", submission.id)
    notify(session, "hexarena_jobs")


def _locked(session: Session, submission_id: int) -> Submission:
    """As it is now, until the transaction ends."""
    query = select(Submission).where(Submission.id == submission_id).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one()


def _replace_live(session: Session, successor: Submission, why: str) -> int | None:
    """Supersedes the bot's live submission. Returns its id, else that of the last disabled one, else None."""
    previous = session.scalar(
        select(Submission).where(Submission.bot_id == successor.bot_id, Submission.state == SubmissionState.LIVE)
    )
    if previous is None:
        return _last_disabled(session, successor)
    previous.state = SubmissionState.SUPERSEDED
    session.flush()
    matches.void_queued(session, previous.id, why)
    standing = session.get(Standing, previous.id)
    if standing is not None:
        standings.record_history(session, standing, live_now=False)
    live.publish(session, previous.game, "submission", previous.id)
    return previous.id


def _last_disabled(session: Session, successor: Submission) -> int | None:
    """The bot's newest disabled version: what a fixed one inherits from."""
    query = (
        select(Submission.id)
        .where(
            Submission.bot_id == successor.bot_id,
            Submission.state == SubmissionState.DISABLED,
            Submission.id != successor.id,
        )
        .order_by(Submission.version.desc())
        .limit(1)
    )
    return session.scalar(query)


def restore(session: Session, user: User, submission_id: int, *, quotas: Quotas = NO_QUOTAS) -> Submission:
    """Puts an earlier version back on the ladder, with the games that it has played. Idempotent.

    Raises: NotFound, Forbidden (somebody else's), Conflict (it was never on the ladder, or too many bots).
    """
    submission = _own_version_locked(session, user, submission_id)
    standing = session.get(Standing, submission_id, populate_existing=True)
    if standing is not None:
        standing.active_at = func.now()
        standings.resume(session, [standing.competitor_id])
    if submission.state == SubmissionState.LIVE:
        return submission
    if submission.source_sha256 is None:
        raise Conflict(f"The code of version {submission.version} was deleted.")
    if standing is None or submission.state not in {SubmissionState.SUPERSEDED, SubmissionState.DISABLED}:
        raise Conflict(f"Version {submission.version} was never on the ladder: it is {submission.state}.")
    owner = session.get_one(User, submission.user_id)
    check_bots(session, owner, quotas, game=submission.game, bot_id=submission.bot_id)
    previous_id = _replace_live(session, submission, "A version of this match was replaced by an earlier one.")
    submission.state, submission.problem = SubmissionState.LIVE, None
    standings.return_to_ladder(session, submission, standing, previous_id)
    session.flush()
    both = Standing.submission_id.in_({submission_id, standing.competitor_id})
    session.execute(update(Standing).where(both).values(consecutive_faults=0))
    standings.record_history(session, standing, live_now=True)
    live.publish(session, submission.game, "submission", submission.id)
    live.publish(session, submission.game, "standing", submission.id)
    notify(session, "hexarena_jobs")
    return submission


def describe(
    session: Session, user: User, submission_id: int, *, note: str | None = None, tag: str | None = None
) -> Submission:
    """Gives a version another note or tag, which may be empty. None leaves what there is.

    Raises: NotFound, Forbidden (somebody else's), Conflict (another version of the bot has this tag).
    """
    submission = _own_version_locked(session, user, submission_id)
    if note is not None:
        submission.note = _one_line(note)
    if tag is not None:
        same = (Submission.bot_id == submission.bot_id) & (func.lower(Submission.tag) == tag.lower())
        other = session.scalar(select(Submission.version).where(same, Submission.id != submission_id))
        if other is not None:
            raise Conflict(f"Version {other} has the tag “{tag}”.", expected="a tag of its own", got=tag)
        submission.tag = tag or None
    session.flush()
    live.publish(session, submission.game, "submission", submission.id)
    return submission


def _one_line(note: str) -> str:
    return " ".join(note.split())[:200]


def _own_version_locked(session: Session, user: User, submission_id: int) -> Submission:
    """A version of the user's, read once its ladder, the user, the names of the game's bots, its bot and its row are
    locked.

    Raises: NotFound, Forbidden, BadCookie, NotAllowed (they were deleted or banned meanwhile).
    """
    found = session.get(Submission, submission_id)
    if found is None or found.bot_id is None:
        raise NotFound(f"There is no version with the submission number {submission_id}.")
    if not owners.owns(session, user.id, found.user_id):
        raise Forbidden("Only a bot's owner can do this with a version of it.")
    standings.lock_ladder(session, found.game)
    lock(session, user)
    _lock_names(session, found.game)
    session.scalars(select(Bot.id).where(Bot.id == found.bot_id).with_for_update()).one()
    return _locked(session, submission_id)


def boss(session: Session, game: Game, user: User | None = None) -> int:
    """The live submission of the boss that a user must beat next: that of the league of their best bot, or the lowest.

    In the top league, which has none, it is that of the league below. Raises: NotFound before the arena is seeded.
    """
    query = (
        select(Submission.id, League.position)
        .join(League, League.boss_bot_id == Submission.bot_id)
        .where(League.game == game.id, Submission.state == SubmissionState.LIVE)
        .order_by(League.position)
    )
    bosses = session.execute(query).all()
    if not bosses:
        raise NotFound(f"{game.title} has no boss yet.")
    reached = 1 if user is None else _best_league(session, game, user)
    return next((one for one, position in bosses if position >= reached), bosses[-1][0])


def _best_league(session: Session, game: Game, user: User) -> int:
    query = (
        select(func.max(Standing.league))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.user_id.in_(owners.owned_by(session, user.id)))
        .where(Submission.game == game.id, Submission.state == SubmissionState.LIVE)
    )
    return session.scalar(query) or 1


def _schedule_check(session: Session, user: User, game: Game, submission: Submission) -> None:
    """Queues the check match against the starter: in free-for-alls as many of it as the ladder plays with.

    The submission under check has seat 0.
    """
    starter = session.scalar(
        select(Submission.id)
        .join(Bot, (Bot.id == Submission.bot_id) & (Bot.name == STARTER_BOT) & (Bot.game == game.id))
        .where(Submission.state == SubmissionState.LIVE)
    )
    opponent = boss(session, game) if starter is None else starter
    entrants = game.ladder_entrants[0] if game.free_for_all else 2
    matches.schedule(
        session,
        game=game.id,
        kind=MatchKind.CHECK,
        submission_ids=game.side_by_side([submission.id] + [opponent] * (entrants - 1)),
        seed=random_seed(Random(submission.id)),
        league=game.top_level,
        requested_by_id=user.id,
        share=share_of(user),
    )


def _store_source(session: Session, user: User, language: str, source: bytes, *, owner: User, quotas: Quotas) -> str:
    """Stores the source once for each content, if the owner may have it, and the user a match of it.

    Returns its SHA-256.
    """
    try:
        row = find_language(language)
    except UnknownLanguage as unknown:
        raise Invalid(str(unknown), got=language) from None
    able = workers.languages(session)
    if able and language not in able:
        expected = f"one of {', '.join(sorted(able))}"
        raise Unavailable("No running worker can run this language.", expected=expected, got=language)
    body = stored_form(row, source)
    sha256 = hashlib.sha256(body).hexdigest()
    _limit(session, user, quotas)
    if owner is not user:
        lock(session, owner)
    storage.check(session, owner, quotas, sha256=sha256, size=len(body))
    keep_source(session, sha256, body)
    return sha256


def keep_source(session: Session, sha256: str, body: bytes) -> None:
    """Stores code once for each content."""
    new = insert(Source).values(sha256=sha256, body=body)
    # An update, so that it waits for whoever is deleting the last use of the same code right now.
    session.execute(new.on_conflict_do_update(index_elements=[Source.sha256], set_={"sha256": sha256}))


def _limit(session: Session, user: User, quotas: Quotas) -> None:
    """Limits the matches that a user waits for; serialises requests, so that many at once cannot exceed it."""
    lock(session, user)
    count = session.scalar(_OPEN_MATCHES, {"asker": user.id}) or 0
    if count >= OPEN_MATCHES_PER_USER:
        expected = f"fewer than {OPEN_MATCHES_PER_USER} matches of yours in the queue; an attempt at a lesson is one"
        own = Quota("matches-of-yours", OPEN_MATCHES_PER_USER, unit="concurrent-requests")
        raise TooMany("Wait until your earlier matches are played.", expected=expected, got=str(count), quota=own)
    check_queue(session, user, quotas)
    check_budget(session, user, quotas)


def _owner_of(session: Session, user: User, game: Game, name: str) -> User:
    """Who owns the bot of this name, if the user acts for that owner, or else who would own a new one."""
    theirs = Bot.owner_id.in_(owners.owned_by(session, user.id))
    same = select(User).join(Bot, Bot.owner_id == User.id).where(theirs, Bot.game == game.id)
    found = session.scalar(same.where(func.lower(Bot.name) == func.lower(name)))
    return found or owners.owner_of_new(session, user, game.id)


def _bot_of(session: Session, user: User, owner: User, game: Game, name: str) -> Bot:
    """The bot of that name, made for the owner if there is none, and locked so that versions count up one by one.

    Raises: Forbidden (somebody else's bot, or a name too near to its), Invalid (too near to a reserved name).
    """
    _lock_names(session, game.id)
    # The database alone says what is the same name: Python's lower() differs from its own for some letters.
    named = select(Bot).where(Bot.game == game.id, func.lower(Bot.name) == func.lower(name)).with_for_update()
    # One that was deleted while this waited for it has another name now, and is not found.
    found = session.scalar(named)
    if found is None:
        _check_bot_name(session, user, game, name)
        found = Bot(game=game.id, owner_id=owner.id, name=name, name_key=key_of(name))
        session.add(found)
        session.flush()
    elif not owners.owns(session, user.id, found.owner_id):
        raise Forbidden(f"There is a bot called {found.name} already, and it is not yours. Choose another name.")
    return found


def _lock_names(session: Session, game: str) -> None:
    """Until the end of the transaction nobody else enters a bot of this game, so that its bots can be counted."""
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:game, 1))")
    session.execute(lock, {"game": game})


def _check_bot_name(session: Session, user: User, game: Game, name: str) -> None:
    """One's own bots, and one's team's, may have names that are near to each other."""
    reserved = reserved_by(name)
    if reserved is not None:
        raise too_near(name, reserved)
    near = select(Bot).where(Bot.game == game.id, Bot.name_key == key_of(name))
    others = Bot.owner_id.not_in(owners.owned_by(session, user.id))
    other = session.scalar(near.where(others).limit(1))
    if other is not None:
        raise too_near(name, other.name)
