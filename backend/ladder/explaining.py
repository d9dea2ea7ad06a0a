"""Explains a rating: which opponents and matches it comes from, and how certain its place is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import TypeGuard

import numpy as np
from scipy.special import expit
from sqlalchemy import ARRAY, BigInteger, any_, func, literal, select, true, tuple_
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import fitting, placement, seasons, standings, stored_fits, tallies
from hexarena.backend.ladder.played import rankings
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.ladder.stored_fits import Fitted
from hexarena.backend.models import Ladder, League, Match, MatchSeat, SeatResult, Standing, Submission, User
from hexarena.backend.rating import fit as rating, influences
from hexarena.backend.runtime.db import allow_long_transaction
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import Game

SHOWN = 10
"""Opponents and matches that an explanation lists."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The bot above or below. `above`: P(the explained one is stronger). `games_to_tell`: until that is certain."""

    standing: Standing
    above: float
    games_to_tell: int


@dataclass(frozen=True, slots=True)
class Against:
    """All games against the version `submission_id`. `moved`: Elo. `next_game`: share of the variance it would take.

    `repeats`: more games of the two would only repeat earlier ones, whoever begins.
    """

    submission_id: int
    games: int
    points: float
    expected: float
    moved: float
    next_game: float
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class MovingMatch:
    """A match that moved the rating by itself, Elo, when it was counted. `opponents`: submissions."""

    match_id: int
    opponents: tuple[int, ...]
    rank: int
    moved: float
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a standing is based on. `boss`: the submission that guards its league."""

    standing: Standing
    boss: int | None
    above: Neighbour | None
    below: Neighbour | None
    against: tuple[Against, ...]
    matches: tuple[MovingMatch, ...]

    def submission_ids(self) -> list[int]:
        """Everything that it mentions, in order of ids."""
        ids = {one.submission_id for one in self.against} | {one for match in self.matches for one in match.opponents}
        ids |= {one.standing.submission_id for one in (self.above, self.below) if one is not None}
        ids |= {one for one in (self.boss, self.standing.parent_id) if one is not None}
        ids.add(self.standing.submission_id)
        return sorted(ids)


State = tuple[datetime | None, int]
_fits: dict[str, tuple[State, Fitted]] = {}
"""Game -> (refit and number of results, fit). Cached, as there are many requests between two refits."""
_fitting: defaultdict[str, Lock] = defaultdict(Lock)
"""Game -> held while its fit is made: requests that come together wait for it instead of making it each."""


def _latest(session: Session, game: Game) -> Fitted:
    """The fit of the ladder as its last refit left it, made again only if there was a refit since it was asked for."""
    state, kept = _state(session, game), _cached(session, game) or stored_fits.stored(session, game.id)
    rated = fitting.rate(session, game, known=kept)
    _fits[game.id] = (state, Fitted.of(rated.fit, rated.competitors))
    return _fits[game.id][1]


def _state(session: Session, game: Game) -> State:
    row = session.get(Ladder, game.id)
    return (None, 0) if row is None else (row.refitted_at, row.results)


def _cached(session: Session, game: Game) -> Fitted | None:
    """The fit that this process made since the last refit."""
    kept = _fits.get(game.id)
    return kept[1] if kept is not None and kept[0] == _state(session, game) else None


def explain(session: Session, submission_id: int) -> Explanation:
    """Explains a rating by the fit of the last refit: as it was kept, or made again. Raises: NotFound."""
    own = session.get(Standing, submission_id)
    if own is None:
        raise NotFound(f"Submission {submission_id} has no rating: it was never on a ladder.")
    try:
        game = find_game(own.game)
    except UnknownGame as unknown:
        raise NotFound(unknown.message, got=own.game) from None
    if own.settled:
        # No result of this season can concern it, and no fit has it.
        return Explanation(own, _boss(session, own), None, None, (), _matches(session, own))
    above, below = _beside(session, own)
    fitted = fit_of(session, game, [one for one in (own, above, below) if one is not None])
    return Explanation(
        own,
        _boss(session, own),
        None if above is None else _neighbour(fitted, own, above),
        None if below is None else _neighbour(fitted, own, below),
        _with_repeats(session, game, own, _against(session, game, fitted, own)),
        _matches(session, own),
    )


def fit_of(session: Session, game: Game, mentioned: Sequence[Standing]) -> Fitted:
    """A fit that was made since the last refit, if it has all of these; whoever came later needs a new one."""

    def has_all(fitted: Fitted | None) -> TypeGuard[Fitted]:
        return fitted is not None and all(one.competitor_id in fitted.node_of for one in mentioned)

    for kept in (_cached(session, game), stored_fits.stored(session, game.id)):
        if has_all(kept):
            return kept
    allow_long_transaction(session)
    with _fitting[game.id]:
        made = _cached(session, game)
        return made if has_all(made) else _latest(session, game)


def _beside(session: Session, own: Standing) -> tuple[Standing | None, Standing | None]:
    """The next above and below on the board, without copies of its code, if it is there itself."""
    key = tuple_(Standing.league, Standing.rating, Standing.submission_id)
    mine = (own.league, own.rating, own.submission_id)
    board = (
        select(Standing)
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(own.game))
        .limit(1)
    )
    if session.scalar(board.where(Standing.submission_id == own.submission_id)) is None:
        return None, None
    board = board.where(Standing.competitor_id != own.competitor_id)
    above = board.where(key > mine).order_by(Standing.league, Standing.rating, Standing.submission_id)
    below = board.where(key < mine)
    down = below.order_by(Standing.league.desc(), Standing.rating.desc(), Standing.submission_id.desc())
    return session.scalar(above), session.scalar(down)


def _boss(session: Session, own: Standing) -> int | None:
    """The submission that guards its league, if it is on the board."""
    return session.scalar(
        select(Submission.id)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .join(League, League.boss_bot_id == Submission.bot_id)
        .where(standings.on_board(own.game), League.game == own.game, League.position == own.league)
    )


def _neighbour(fitted: Fitted, own: Standing, other: Standing) -> Neighbour:
    me, them = fitted.node_of[own.competitor_id], fitted.node_of[other.competitor_id]
    return Neighbour(other, fitted.fit.stronger(me, them), placement.games_to_tell_apart(fitted.fit, me, them))


def _against(session: Session, game: Game, fitted: Fitted, own: Standing) -> tuple[Against, ...]:
    """Opponents, those first whose games moved the rating most."""
    if not game.for_two:
        return _first(_met(session, game, fitted, own))
    me = fitted.node_of[own.competitor_id]
    counts, weighed = _own_counts(session, game, fitted, own)
    influence = influences.influences(fitted.fit, weighed, me)
    rows = np.flatnonzero((counts.first == me) | (counts.second == me))
    first, second = counts.first[rows], counts.second[rows]
    strengths, begins = fitted.fit.strengths, first == me
    share = expit(strengths[first] - strengths[second] + fitted.fit.seat)
    games, points = counts.games[rows], counts.points[rows]
    expected, scored = games * np.where(begins, share, 1 - share), np.where(begins, points, games - points)
    columns = (np.where(begins, second, first), games, scored, expected, influence.elo[rows], influence.next_game[rows])
    found: dict[int, Against] = {}
    for other, *more in zip(*[one.tolist() for one in columns], strict=True):
        opponent = fitted.competitors[other]
        before = found.get(opponent, Against(opponent, 0, 0.0, 0.0, 0.0, 0.0))
        found[opponent] = Against(
            opponent,
            before.games + int(more[0]),
            before.points + more[1],
            before.expected + more[2],
            before.moved + more[3],
            max(before.next_game, more[4]),
        )
    return _first(found.values())


def _with_repeats(session: Session, game: Game, own: Standing, against: Sequence[Against]) -> tuple[Against, ...]:
    if not against:
        return ()
    among = [own.competitor_id, *[one.submission_id for one in against]]
    pairs = fitting.repeating(tallies.read(session, game, among=among))
    return tuple(replace(one, repeats=(own.competitor_id, one.submission_id) in pairs) for one in against)


def _first(found: Iterable[Against]) -> tuple[Against, ...]:
    return tuple(sorted(found, key=lambda one: (-abs(one.moved), one.submission_id))[:SHOWN])


def _met(session: Session, game: Game, fitted: Fitted, own: Standing) -> Iterator[Against]:
    """Whom it met in games of many, each with a team of its own; the better place of two is a point.

    `moved` is what its games do where all count in full, also those with several bots of one owner, and where the
    others of a game have not met elsewhere.
    """
    played = tallies.results_with(session, game, own.competitor_id)
    node = fitting.nodes_of(fitted.node_of, played.competitor)
    met = influences.meetings(
        fitted.fit, rankings(game, played, node).of_single_nodes(), fitted.node_of[own.competitor_id]
    )
    columns = (met.games, met.points, met.expected, met.elo, met.next_game)
    for opponent, *values in zip(met.node.tolist(), *[one.tolist() for one in columns], strict=True):
        yield Against(fitted.competitors[opponent], *values)


def _own_counts(session: Session, game: Game, fitted: Fitted, own: Standing) -> tuple[rating.Counts, rating.Counts]:
    """The tallies of a competitor and of all others of its owner, as they are and as the fit weighs them.

    How much a game weighs depends on the opponent's games with all bots of the owner, and on no others.
    """
    owner = int(_owners(session, [own.competitor_id])[1][0])
    theirs = select(Standing.competitor_id).join(Submission, Submission.id == Standing.submission_id)
    theirs = theirs.where(Submission.user_id == owner, Standing.game == game.id).distinct()
    ids = [own.competitor_id] if owner == HOUSE else session.scalars(theirs).all()
    counts, _ = fitting.tallied(session, game, fitted.node_of, [one for one in ids if one in fitted.node_of])
    nodes = np.unique(np.concatenate((counts.first, counts.second)))
    bots, owners = np.zeros(len(fitted.competitors), np.int64), np.full(len(fitted.competitors), HOUSE)
    bots[nodes], owners[nodes], _ = _owners(session, [fitted.competitors[node] for node in nodes.tolist()])
    bots[nodes] += 1  # 0: all others
    return counts, counts.shared_out(bots, owners)


def _owners(session: Session, competitors: Sequence[int]) -> tuple[rating.IntArray, rating.IntArray, rating.BoolArray]:
    """As the fit has them, of each of these."""
    shared = select(Standing.submission_id, Standing.competitor_id)
    rows = session.execute(shared.where(Standing.competitor_id == any_(literal(list(competitors), ARRAY(BigInteger)))))
    return fitting.owners_of(session, {one: at for at, one in enumerate(competitors)}, dict(rows.all()))


def _matches(session: Session, own: Standing) -> tuple[MovingMatch, ...]:
    """The matches of this competitor that moved its rating most when they were counted.

    Of this season, unless it has no part in it: then nothing moves its rating any more.
    """
    began = literal(0) if own.settled else seasons.began_after(own.game)
    shared = select(Standing.submission_id).where(Standing.competitor_id == own.competitor_id)
    change = func.abs(SeatResult.rating_change).desc()
    most = (
        select(SeatResult.match_id, SeatResult.rank, SeatResult.rating_change)
        .where(SeatResult.submission_id == Standing.submission_id, SeatResult.rating_change.is_not(None))
        .where(SeatResult.match_id > began)
        .order_by(change, SeatResult.match_id)
        .limit(SHOWN)
        .lateral()
    )
    strongest = session.execute(
        select(most, Match.finished_at)
        .select_from(Standing)
        .join(most, true())
        .join(Match, Match.id == most.c.match_id)
        .where(Standing.competitor_id == own.competitor_id)
        .order_by(func.abs(most.c.rating_change).desc(), most.c.match_id)
        .limit(SHOWN)
    ).all()
    opponents: dict[int, set[int]] = {}
    rows = session.execute(
        select(MatchSeat.match_id, MatchSeat.submission_id).where(
            MatchSeat.match_id.in_([row.match_id for row in strongest]), MatchSeat.submission_id.not_in(shared)
        )
    )
    for match_id, submission_id in rows:
        opponents.setdefault(match_id, set()).add(submission_id)
    return tuple(
        MovingMatch(
            row.match_id, tuple(sorted(opponents.get(row.match_id, ()))), row.rank, row.rating_change, row.finished_at
        )
        for row in strongest
    )


def submissions_named(session: Session, ids: Sequence[int]) -> dict[int, Submission]:
    """Submissions with their bots, by id."""
    rows = session.scalars(select(Submission).where(Submission.id.in_(ids)).options(joinedload(Submission.bot)))
    return {row.id: row for row in rows}
