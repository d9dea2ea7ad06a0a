"""What the scheduler remembers of a ladder between its rounds, so that a round reads only what has changed.

Theory of operation. Each refit numbers the tallies that it writes, so that those after the last one known can be asked
for. `read` runs a few statements and keeps their rows, inside a short transaction; `roster` computes, outside of any.
Nothing here is the truth: whoever starts with an empty memory reads all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, Select, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session

from hexarena.backend.ladder import standings
from hexarena.backend.ladder.roster import Contender, Meetings, Roster, Rung
from hexarena.backend.ladder.rules import HOUSE, only_repeats, provisional
from hexarena.backend.ladder.scheduling import Planned
from hexarena.backend.matches import life as matches, workers
from hexarena.backend.models import (
    RATED,
    Job,
    Ladder,
    League,
    Match,
    MatchSeat,
    PairTally,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.games.contract import Game

ROWS_AT_ONCE = 20_000
"""Tallies that are fetched at a time: as Python's objects they take several times the memory."""


@dataclass(slots=True)
class Tallies:
    """The tallies of pairs in the order of their seats, sorted by `keys`: 2^32 times the first competitor + the second.

    `games`: repeats included. `known`: whether more games only repeat earlier ones. Shapes (n,).
    """

    keys: NDArray[np.int64]
    games: NDArray[np.int64]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Sequence[Row[int, int, int, int]]) -> Tallies:
        """From (first, second, games, repeats) in any order."""
        first, second, games, repeats = np.array([tuple(row) for row in rows], np.int64).reshape(-1, 4).T
        known = np.array([only_repeats(*row) for row in zip(games.tolist(), repeats.tolist(), strict=True)], np.bool_)
        order = np.argsort(keys := (first << 32) + second)
        return cls(keys[order], (games + repeats)[order], known[order])

    def update(self, newer: Tallies) -> None:
        """Takes over what is newer, for pairs that are known already and for others."""
        at = np.searchsorted(self.keys, newer.keys)
        found = np.zeros(len(at), np.bool_)
        inside = at < len(self.keys)
        found[inside] = self.keys[at[inside]] == newer.keys[inside]
        self.games[at[found]], self.known[at[found]] = newer.games[found], newer.known[found]
        new = ~found
        if new.any():
            self.keys = np.insert(self.keys, at[new], newer.keys[new])
            self.games = np.insert(self.games, at[new], newer.games[new])
            self.known = np.insert(self.known, at[new], newer.known[new])

    def between(self, competitors: Sequence[int]) -> Meetings:
        """Those between these competitors, which become entrants in this order."""
        ids = np.array(competitors, np.int64)
        order = np.argsort(ids)
        places = []
        for found in (self.keys >> 32, self.keys & 0xFFFFFFFF):
            at = np.minimum(np.searchsorted(ids[order], found), max(len(ids) - 1, 0))
            here = ids[order][at] == found if len(ids) else np.zeros(len(found), np.bool_)
            places.append(np.where(here, order[at] if len(ids) else -1, -1))
        first, second = places
        both = (first >= 0) & (second >= 0)
        return Meetings(len(ids), first[both], second[both], self.games[both], self.known[both])


@dataclass(frozen=True, slots=True)
class Tokens:
    """Values of a game's ladder that differ whenever something has changed: in its queue, or who plays on it."""

    queue: Hashable
    board: Hashable


class LadderMemory:
    """One game's ladder. Not for several threads."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._tokens: Tokens | None = None
        self._refits, self._recount = -1, -1
        self._tallies = Tallies.of([])
        self._board: _Board | None = None
        self._queued: Sequence[Sequence[int]] | None = None
        self._roster: Roster | None = None

    def doubt(self) -> None:
        """What was planned may not have been queued: `read` looks again, whatever the tokens are."""
        self._tokens = None

    def read(self, session: Session, tokens: Tokens) -> bool:
        """Reads what has changed, if anything has. Returns whether it has."""
        if tokens == self._tokens:
            return False
        before, self._tokens = self._tokens, None
        if before is None or tokens.board != before.board:
            self._read_tallies(session)
            self._board, self._roster = _Board.read(session, self.game), None
        self._queued = _queued(session, self.game)
        self._tokens = tokens
        return True

    def roster(self) -> Roster:
        """The ladder as it was read last, without bots that left the board and bots that no worker can run.

        Matches that were planned with it since then count as queued. Raises: RuntimeError, before the first `read`.
        """
        if self._board is None:
            raise RuntimeError("nothing was read yet")
        if self._roster is None:
            entrants = _entrants(self._board.contenders, self._board.owners)
            bosses = {one.submission_id: place for place, one in enumerate(entrants) if one.boss}
            self._roster = Roster(
                self.game,
                tuple(entrants),
                tuple(Rung(position, bosses.get(boss or 0)) for position, boss in self._board.leagues),
                self._tallies.between([one.competitor_id for one in entrants]),
                self._board.dispersion,
                self._board.matchup_variance,
            )
        if self._queued is not None:
            self._roster.queue_anew(self._queued)
            self._queued = None
        return self._roster

    def _read_tallies(self, session: Session) -> None:
        """Those of refits that are not known yet; all of them after a recount, which may have removed some."""
        terms = session.execute(select(Ladder.refits, Ladder.recount).where(Ladder.game == self.game.id)).one_or_none()
        if terms is None:
            return
        if terms.recount != self._recount:
            self._tallies, self._refits = Tallies.of([]), -1
        columns = (PairTally.first_id, PairTally.second_id, PairTally.games, PairTally.repeats)
        newer = select(*columns).where(PairTally.game == self.game.id, PairTally.refit > self._refits)
        for rows in session.execute(newer, execution_options={"yield_per": ROWS_AT_ONCE}).partitions():
            self._tallies.update(Tallies.of(rows))
        # The number was read first: what a refit writes in between is read once more the next time.
        self._refits, self._recount = terms.refits, terms.recount


_Owner = tuple[int, bool]
"""Its id, or HOUSE; and whether it is a guest."""


@dataclass(frozen=True, slots=True)
class _Board:
    """Rows of a ladder. `leagues`: from the lowest, its position and the submission that guards it.

    `owners`: of competitors that several submissions share.
    """

    contenders: Sequence[Row[*tuple[Any, ...]]]
    owners: Mapping[int, _Owner]
    leagues: Sequence[tuple[int, int | None]]
    dispersion: float
    matchup_variance: float

    @classmethod
    def read(cls, session: Session, game: Game) -> _Board:
        terms = session.get(Ladder, game.id)
        return cls(
            session.execute(_contenders(game, workers.languages(session))).all(),
            _owners_of_shared(session, game),
            _leagues(session, game),
            1.0 if terms is None else terms.dispersion,
            0.0 if terms is None else terms.matchup_variance,
        )


def tokens(session: Session) -> dict[str, Tokens]:
    """Game -> its tokens."""
    jobs = (
        select(Match.game, func.count().label("queued"), func.sum(Job.match_id).label("which"))
        .join(Job, Job.match_id == Match.id)
        .where(Match.kind.in_(RATED))
        .group_by(Match.game)
        .subquery()
    )
    live = (
        select(Submission.game, func.count().label("bots"), func.sum(Submission.id).label("which"))
        .where(Submission.state == SubmissionState.LIVE)
        .group_by(Submission.game)
        .subquery()
    )
    query = (
        select(Ladder.game, Ladder.refits, Ladder.recount, live.c.bots, live.c.which, jobs.c.queued, jobs.c.which)
        .outerjoin(jobs, jobs.c.game == Ladder.game)
        .outerjoin(live, live.c.game == Ladder.game)
    )
    able = frozenset(workers.languages(session))
    return {game: Tokens(tuple(row[-2:]), (able, *row[:-2])) for game, *row in session.execute(query)}


def _contenders(game: Game, able: Collection[str]) -> Select[*tuple[Any, ...]]:
    return (
        select(
            Submission.id,
            Submission.user_id,
            Standing.competitor_id,
            Standing.rating,
            Standing.deviation,
            Standing.variance,
            Standing.games,
            Standing.league,
            Standing.league_from,
            Standing.entered_with,
            Standing.spent,
            Standing.placing,
            Standing.trial,
            User.kind,
            User.was_guest,
            League.position.label("boss_of"),
        )
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .outerjoin(League, (League.boss_bot_id == Submission.bot_id) & (League.game == game.id))
        .where(standings.on_board(game.id), Submission.language.in_(able) if able else true())
        .order_by(Submission.id)
    )


def _owners_of_shared(session: Session, game: Game) -> Mapping[int, _Owner]:
    """Competitor -> its owner as `fitting.owners_of` has it, of those that several submissions share."""
    shared = select(Standing.competitor_id).where(
        Standing.game == game.id, Standing.submission_id != Standing.competitor_id
    )
    query = (
        select(Standing.competitor_id, User.id, User.kind, User.was_guest)
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(Standing.competitor_id.in_(shared))
        .ext(distinct_on(Standing.competitor_id))
        .order_by(
            Standing.competitor_id,
            User.kind != UserKind.HOUSE,
            (User.kind == UserKind.GUEST) | User.was_guest,
            Submission.id,
        )
    )
    rows = session.execute(query)
    return {competitor: _owner(user_id, kind, was_guest) for competitor, user_id, kind, was_guest in rows}


def _owner(user_id: int, kind: UserKind, was_guest: bool) -> _Owner:
    return HOUSE if kind == UserKind.HOUSE else user_id, kind == UserKind.GUEST or was_guest


def _entrants(rows: Sequence[Row[*tuple[Any, ...]]], owners: Mapping[int, _Owner]) -> list[Contender]:
    """One of each competitor: versions with the same code share their games. `owners`: of those that are shared.

    It is one that still wants games, if any does: then all that share them get them.
    """
    by_competitor: dict[int, Contender] = {}
    for row in rows:
        known = by_competitor.get(row.competitor_id)
        boss, house = row.boss_of is not None, row.kind == UserKind.HOUSE
        if known is not None and (known.boss or (known.house and not boss)):
            # Whoever has submitted a house bot's code shares its games; bosses must stay what they are.
            continue
        own = _owner(row.user_id, row.kind, row.was_guest)
        owner, guest = owners.get(row.competitor_id, own)
        if owner == HOUSE:  # A copy of what the house played before is on its own.
            owner, guest = own
        found = Contender(
            row.id,
            row.competitor_id,
            owner,
            row.rating,
            row.deviation,
            row.variance,
            row.games,
            row.league,
            row.games - row.league_from,
            row.placing,
            provisional(row.placing, row.games - row.entered_with, spent=row.spent),
            row.trial,
            boss,
            guest,
        )
        if known is None or boss or house or _wants(found) >= _wants(known):
            by_competitor[row.competitor_id] = found
    return list(by_competitor.values())


def _wants(one: Contender) -> tuple[bool, bool]:
    """Whether it wants games: as its place is provisional, or on trial."""
    return one.provisional, one.trial == TrialState.OPEN


def _leagues(session: Session, game: Game) -> Sequence[tuple[int, int | None]]:
    rows = session.execute(
        select(League.position, Submission.id)
        .outerjoin(Submission, (Submission.bot_id == League.boss_bot_id) & (Submission.state == SubmissionState.LIVE))
        .where(League.game == game.id)
        .order_by(League.position)
    )
    return [(position, boss) for position, boss in rows]


def _queued(session: Session, game: Game) -> Sequence[Sequence[int]]:
    """The submissions of each rated match that is not over, by seat."""
    by_seat = func.array_agg(aggregate_order_by(MatchSeat.submission_id, MatchSeat.seat))
    return session.scalars(
        select(by_seat)
        .join(Job, Job.match_id == MatchSeat.match_id)
        .join(Match, Match.id == Job.match_id)
        .where(MatchSeat.game == game.id, Match.kind.in_(RATED))
        .group_by(MatchSeat.match_id)
    ).all()


def queue(session: Session, game: Game, planned: Sequence[Planned]) -> int:
    """Queues matches, but for those whose bots left the ladder since they were planned. Returns how many.

    None where the ladder was frozen since then: whoever freezes it has called off what was queued. No lock keeps that
    from happening at this moment, since a refit may have it for seconds, in which no ladder would get matches.
    """
    if session.scalar(select(Ladder.frozen_at.is_not(None)).where(Ladder.game == game.id)):
        return 0
    wanted = {one for match in planned for one in match.submission_ids}
    live = select(Submission.id).where(Submission.id.in_(wanted), Submission.state == SubmissionState.LIVE)
    here = set(session.scalars(live))
    possible = [match for match in planned if here.issuperset(match.submission_ids)]
    for match in possible:
        matches.schedule(
            session,
            game=game.id,
            kind=match.kind,
            submission_ids=match.submission_ids,
            seed=match.seed,
            league=game.top_level,
            priority=matches.HOUSE_PRIORITY if match.for_house else None,
        )
    return len(possible)
