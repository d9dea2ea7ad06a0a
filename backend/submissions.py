"""The life of a submission: taken in, built and checked, then live or failed; later superseded by the next version."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from random import Random

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend import duels, live, matches, pairing, standings, workers
from backend.db import notify
from backend.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge, TooMany, Unavailable
from backend.house import STARTER_BOT
from backend.ladder import check_problem
from backend.languages import Language, UnknownLanguage, find_language
from backend.models import (
    PENDING,
    Bot,
    Job,
    Ladder,
    League,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Source,
    Standing,
    Submission,
    SubmissionState,
    User,
)
from backend.settings import SOURCE_BYTES
from backend.sources import BadArchive, BadSource, is_archive, lay_out, pack, read_archive, text_of
from games.catalogue import UnknownGame, find_game
from games.contract import Game

INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters by the book that nobody can see."""
NAME = re.compile(r"[^\W_](?:[\w .+-]{0,22}[^\W_])?")
OPEN_MATCHES_PER_USER = 3
"""Practice and check matches that a user may have in the queue at once."""


def game_named(game_id: str) -> Game:
    """The game. Raises: NotFound."""
    try:
        return find_game(game_id)
    except UnknownGame as unknown:
        raise NotFound(str(unknown), got=game_id) from None


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


def kept_upload(language: Language, upload: bytes) -> bytes:
    """An upload as it is stored: text, or the one zip that stands for these files. Raises: TooLarge, Invalid."""
    if not is_archive(upload):
        return read_source(upload).encode()
    try:
        files = read_archive(upload)
        lay_out(language, files)
    except BadArchive as bad:
        raise bad_zip(bad) from None
    return pack(files)


def bad_zip(bad: BadArchive) -> Invalid:
    """What a zip is refused with."""
    return Invalid(f"The zip cannot be used: {bad}.", expected=bad.expected, got=bad.got)


def encode_source(source: str) -> bytes:
    """Text from JSON, which may hold what is not text. Raises: Invalid."""
    try:
        encoded = source.encode()
    except UnicodeEncodeError as error:
        got = f"half a surrogate pair at position {error.start:,}"
        raise Invalid("The source is not text.", expected="Unicode text", got=got) from None
    if is_archive(encoded):
        raise Invalid("The source is not text.", expected="text; a zip is sent as a file", got="a zip")
    return encoded


def clean_name(name: str) -> str:
    """A bot's or user's name as it is kept. Raises: Invalid."""
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    if not NAME.fullmatch(tidy) or INVISIBLE & set(tidy):
        expected = "1 to 24 letters, digits, blanks or . _ + - that begin and end with a letter or digit"
        raise Invalid("This name cannot be used.", expected=expected, got=repr(name[:60]))
    return tidy


def submit(
    session: Session, user: User, *, game: Game, name: str, language: str, source: bytes, note: str = ""
) -> Submission:
    """A new version of the user's bot of that name, or the first of a new one; its check match is queued.

    Raises: Invalid, TooLarge, Forbidden (somebody else's bot), Conflict (an older version is still being checked),
    TooMany.
    """
    sha256 = _keep(session, language, source)
    _limit(session, user)
    bot = _bot_of(session, user, game, clean_name(name))
    pending = session.scalar(select(Submission).where(Submission.bot_id == bot.id, Submission.state.in_(PENDING)))
    if pending is not None:
        raise Conflict(f"Version {pending.version} of {bot.name} is still {pending.state}. Wait for it to go live.")
    version = session.scalar(select(func.max(Submission.version)).where(Submission.bot_id == bot.id)) or 0
    submission = Submission(
        user_id=user.id,
        game=game.id,
        bot_id=bot.id,
        version=version + 1,
        language=language,
        source_sha256=sha256,
        note=" ".join(note.split())[:200],
        state=SubmissionState.QUEUED,
    )
    session.add(submission)
    session.flush()
    live.publish(session, game.id, "submission", submission.id)
    _schedule_check(session, user, game, submission)
    return submission


def draft(session: Session, user: User, *, game: Game, language: str, source: bytes) -> Submission:
    """Keeps code for one practice match. Raises: Invalid, TooLarge, TooMany, Unavailable."""
    sha256 = _keep(session, language, source)
    _limit(session, user)
    submission = Submission(
        user_id=user.id, game=game.id, language=language, source_sha256=sha256, state=SubmissionState.DRAFT
    )
    session.add(submission)
    session.flush()
    return submission


def advance(session: Session, submission_id: int, state: SubmissionState) -> None:
    """A pending submission has come further."""
    moved = update(Submission).where(Submission.id == submission_id, Submission.state.in_(PENDING)).values(state=state)
    game = session.scalar(moved.returning(Submission.game))
    if game is not None:
        live.publish(session, game, "submission", submission_id)


def fail(session: Session, submission_id: int, problem: str, *, build_log: str | None = None) -> None:
    """The submission does not go live, and says why. A draft stays a draft; what is live already stays live."""
    submission = session.scalars(select(Submission).where(Submission.id == submission_id).with_for_update()).one()
    submission.problem = problem.replace("\0", "␀")
    submission.build_log = None if build_log is None else build_log.replace("\0", "␀")
    if submission.state in PENDING:
        submission.state = SubmissionState.FAILED
    live.publish(session, submission.game, "submission", submission_id)


def judge_check(session: Session, order: matches.Order, report: matches.Report) -> None:
    """What a finished check match means for the submission under check, which sits in seat 0, perhaps in others too."""
    submission_id = order.seats[0].submission_id
    own_seats = {number for number, seat in enumerate(order.seats) if seat.submission_id == submission_id}
    problem = check_problem(own_seats, report.faults)
    if problem is None:
        go_live(session, submission_id)
    else:
        fail(session, submission_id, problem)


def not_built(
    session: Session, order: matches.Order, submission_id: int, *, problem: str, build_log: str | None
) -> bool:
    """A seat's code cannot be built: the match is void, the submission says why. False: another attempt was first."""
    seat = next(number for number, one in enumerate(order.seats) if one.submission_id == submission_id)
    _lock_ladder(session, order.game)
    if not matches.void(session, order, f"The code of seat {seat} could not be built. {problem}"):
        return False
    duels.not_built(session, order.match_id, submission_id, problem)
    fail(session, submission_id, problem, build_log=build_log)
    standing = session.get(Standing, submission_id)
    if standing is not None and build_log is not None and _is_live(session, submission_id):
        # A new toolchain, perhaps: its matches would be void for ever.
        standings.note(session, standing, live_now=False)
        disable(session, submission_id, problem)
    return True


def _is_live(session: Session, submission_id: int) -> bool:
    return session.scalar(select(Submission.state).where(Submission.id == submission_id)) == SubmissionState.LIVE


def _lock_ladder(session: Session, game: str) -> None:
    """Refits come first: they hold the ladder's row while they touch standings and submissions."""
    session.execute(select(Ladder.game).where(Ladder.game == game).with_for_update())


def fail_void_checks(session: Session) -> None:
    """Submissions whose check match is void will not be judged any more: they fail, and say why."""
    void_checks = (
        select(Submission.id, Match.void_reason)
        .join(MatchSeat, (MatchSeat.submission_id == Submission.id) & (MatchSeat.seat == 0))
        .join(Match, Match.id == MatchSeat.match_id)
        .where(Submission.state.in_(PENDING), Match.kind == MatchKind.CHECK, Match.state == MatchState.VOID)
    )
    for submission_id, reason in session.execute(void_checks).all():
        fail(session, submission_id, f"The check match could not be played: {reason}")


def go_live(session: Session, submission_id: int) -> None:
    """The submission takes its bot's place on the ladder; the dispatcher will have it placed."""
    found = select(Submission.game, Submission.bot_id).where(Submission.id == submission_id)
    game, bot_id = session.execute(found).one()
    _lock_ladder(session, game)
    session.scalars(select(Bot.id).where(Bot.id == bot_id).with_for_update()).one()
    submission = session.scalars(select(Submission).where(Submission.id == submission_id).with_for_update()).one()
    previous_id = _step_down(session, submission, "A newer version took the place of one that was to play.")
    submission.state = SubmissionState.LIVE
    session.flush()
    standings.enter(session, submission, previous_id)
    live.publish(session, submission.game, "submission", submission.id)
    notify(session, "hexarena_jobs")


def _step_down(session: Session, successor: Submission, why: str) -> int | None:
    """The bot's live submission, which makes room: its id, or None if there is none."""
    previous = session.scalar(
        select(Submission).where(Submission.bot_id == successor.bot_id, Submission.state == SubmissionState.LIVE)
    )
    if previous is None:
        return _last_on_ladder(session, successor)
    previous.state = SubmissionState.SUPERSEDED
    session.flush()
    matches.call_off(session, previous.id, why)
    standing = session.get(Standing, previous.id)
    if standing is not None:
        standings.note(session, standing, live_now=False)
    live.publish(session, previous.game, "submission", previous.id)
    return previous.id


def _last_on_ladder(session: Session, successor: Submission) -> int | None:
    """The bot's newest version that was set aside: what a mended one inherits from."""
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


def restore(session: Session, user: User, submission_id: int) -> Submission:
    """Puts an earlier version back on the ladder, with the games that it has played. Repeating it changes nothing.

    Raises: NotFound, Forbidden (somebody else's), Conflict (it was never on the ladder).
    """
    found = session.get(Submission, submission_id)
    if found is None or found.bot_id is None or (found.user_id != user.id and found.state == SubmissionState.DRAFT):
        raise NotFound(f"There is no version with the submission number {submission_id}.")
    if found.user_id != user.id:
        raise Forbidden("Only a bot's owner can go back to an earlier version of it.")
    _lock_ladder(session, found.game)
    session.scalars(select(Bot.id).where(Bot.id == found.bot_id).with_for_update()).one()
    submission = session.scalars(
        select(Submission)
        .where(Submission.id == submission_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    standing = session.get(Standing, submission_id, populate_existing=True)
    if standing is not None:
        standing.active_at = func.now()
    if submission.state == SubmissionState.LIVE:
        return submission
    if standing is None or submission.state not in {SubmissionState.SUPERSEDED, SubmissionState.DISABLED}:
        raise Conflict(f"Version {submission.version} was never on the ladder: it is {submission.state}.")
    previous_id = _step_down(session, submission, "An earlier version took the place of one that was to play.")
    submission.state, submission.problem = SubmissionState.LIVE, None
    previous = None if previous_id is None else session.get(Standing, previous_id)
    standings.raise_to(standing, 1 if previous is None else previous.league)
    session.flush()
    both = Standing.submission_id.in_({submission_id, standing.node_id})
    session.execute(update(Standing).where(both).values(faults_running=0))
    standings.note(session, standing, live_now=True)
    live.publish(session, submission.game, "submission", submission.id)
    live.publish(session, submission.game, "standing", submission.id)
    notify(session, "hexarena_jobs")
    return submission


def disable(session: Session, submission_id: int, problem: str) -> None:
    """Sets a live version aside; its owner is told why. It plays no more, and may be restored."""
    found = select(Submission).where(Submission.id == submission_id).with_for_update()
    submission = session.scalars(found.execution_options(populate_existing=True)).one()
    if submission.state != SubmissionState.LIVE:
        return
    submission.state, submission.problem = SubmissionState.DISABLED, problem
    session.flush()
    matches.call_off(session, submission_id, "A version that was to play was set aside.")
    live.publish(session, submission.game, "submission", submission_id)


def top_level(game: Game) -> int:
    """The rules of the full game."""
    return game.levels[-1]


def boss(session: Session, game: Game) -> Submission:
    """The live submission of the boss of the game's top league. Raises: NotFound before the arena is seeded."""
    found = session.scalar(
        select(Submission)
        .join(League, League.boss_bot_id == Submission.bot_id)
        .where(League.game == game.id, Submission.state == SubmissionState.LIVE)
        .order_by(League.position.desc())
        .limit(1)
    )
    if found is None:
        raise NotFound(f"{game.title} has no boss yet.")
    return found


def _schedule_check(session: Session, user: User, game: Game, submission: Submission) -> None:
    """A match against the starter. The submission under check sits in seat 0."""
    starter = session.scalar(
        select(Submission)
        .join(Bot, (Bot.id == Submission.bot_id) & (Bot.name == STARTER_BOT) & (Bot.game == game.id))
        .where(Submission.state == SubmissionState.LIVE)
    )
    opponent = boss(session, game) if starter is None else starter
    matches.schedule(
        session,
        game=game.id,
        kind=MatchKind.CHECK,
        submission_ids=game.side_by_side([submission.id, opponent.id]),
        seed=pairing.random_seed(Random(submission.id)),
        league=_level_of(session, submission),
        requested_by_id=user.id,
    )


def _level_of(session: Session, submission: Submission) -> int:
    """The rules by which a version will play first: those of its bot's league, the lowest for a new bot."""
    of_bot = (
        select(func.max(Standing.league))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.bot_id == submission.bot_id)
        .scalar_subquery()
    )
    level = select(League.rules_level).where(
        League.game == submission.game, League.position == func.coalesce(of_bot, 1)
    )
    return session.scalars(level).one()


def _keep(session: Session, language: str, source: bytes) -> str:
    """Stores the source once for each content. Returns its SHA-256."""
    try:
        row = find_language(language)
    except UnknownLanguage as unknown:
        raise Invalid(str(unknown), got=language) from None
    able = workers.languages(session)
    if able and language not in able:
        expected = f"one of {', '.join(sorted(able))}"
        raise Unavailable("No worker that is up can run this language.", expected=expected, got=language)
    body = kept_upload(row, source)
    sha256 = hashlib.sha256(body).hexdigest()
    session.execute(insert(Source).values(sha256=sha256, body=body).on_conflict_do_nothing())
    return sha256


def _limit(session: Session, user: User) -> None:
    """One user cannot fill the queue, not even with many requests at once: they take turns."""
    session.execute(select(User.id).where(User.id == user.id).with_for_update())
    open_matches = (
        select(func.count())
        .select_from(Job)
        .join(Match, Match.id == Job.match_id)
        .where(Match.requested_by_id == user.id)
    )
    count = session.scalar(open_matches) or 0
    if count >= OPEN_MATCHES_PER_USER:
        expected = f"fewer than {OPEN_MATCHES_PER_USER} matches of yours in the queue"
        raise TooMany("Wait until your earlier matches are played.", expected=expected, got=str(count))


def _bot_of(session: Session, user: User, game: Game, name: str) -> Bot:
    """The user's bot of that name, made if there is none, and locked so that versions count up one by one."""
    # The database alone says what is the same name: Python's lower() differs from its own for some letters.
    lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:game || '/' || lower(:name), 0))")
    session.execute(lock, {"game": game.id, "name": name})
    found = session.scalar(select(Bot).where(Bot.game == game.id, func.lower(Bot.name) == func.lower(name)))
    if found is None:
        found = Bot(game=game.id, owner_id=user.id, name=name)
        session.add(found)
        session.flush()
    elif found.owner_id != user.id:
        raise Forbidden(f"There is a bot called {found.name} already, and it is not yours. Choose another name.")
    return found
