"""A ladder with its fit: from the tallies to strengths. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ARRAY, BigInteger, any_, func, literal, select
from sqlalchemy.orm import Session

from hexarena.backend.ladder import priors, rules, standings, tallies
from hexarena.backend.ladder.lines import Line, Lines
from hexarena.backend.ladder.played import Played, Tally, rankings
from hexarena.backend.ladder.stored_fits import Fitted
from hexarena.backend.models import Bot, League, Standing, Submission, SubmissionState, User, UserKind
from hexarena.backend.rating import fit as rating
from hexarena.games.contract import Game
from hexarena.games.house import STARTER_BOT


@dataclass(frozen=True, slots=True)
class Shown:
    """A submission that the board shows. `house`: it is one of the house's bots."""

    id: int
    bot_id: int | None
    user_id: int
    house: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What all certainly know of a league's boss, shape (n,): of each competitor its games against it, either way.

    `points`: the competitor's of these games. `beaten`: P(the competitor is stronger); `exhausted`: more games would
    only repeat earlier ones, whoever begins.
    """

    beaten: rating.FloatArray
    games: rating.IntArray
    points: rating.FloatArray
    exhausted: rating.BoolArray


@dataclass(frozen=True, slots=True)
class Rated:
    """A game's ladder with its fit. `index`: submission -> node of its competitor.

    `weighed`: the counts as the fit sees them; `ranked`: of a game of many, the results as it sees them, None if it was
    known; `repeats`: matches that were not counted, in rows as in the counts.
    `owners`: of competitors, -1 is the house. `spent`: those
    with games whose matches against everybody on the board would only repeat earlier ones.
    `on_board`: the submissions that it shows, from the top. `bosses`: league -> boss, where it has one.
    """

    game: Game
    standings: Mapping[int, Line]
    competitors: tuple[int, ...]
    counts: rating.Counts
    weighed: rating.Counts
    ranked: rating.Rankings | None
    repeats: rating.IntArray
    owners: rating.IntArray
    spent: rating.BoolArray
    fit: rating.Fit
    anchor: int | None
    on_board: tuple[Shown, ...]
    bosses: Mapping[int, Shown]
    top_league: int
    index: Mapping[int, int]

    def stronger(self, one: int, other: int) -> float:
        """P(submission `one` is stronger than `other`)."""
        return self.fit.stronger(self.index[one], self.index[other])

    def met(self, boss: int) -> Known:
        """What is known of the submission `boss`."""
        them, counts, nodes = self.index[boss], self.counts, len(self.competitors)
        games, points, known = np.zeros(nodes, np.int64), np.zeros(nodes), np.ones(nodes, np.bool_)
        sides = (
            (counts.first, counts.second, counts.points),
            (counts.second, counts.first, counts.games - counts.points),
        )
        for mine, theirs, won in sides:
            rows = np.flatnonzero(theirs == them)
            played, repeats = counts.games[rows], self.repeats[rows]
            games[mine[rows]] += played.astype(np.int64)
            points[mine[rows]] += won[rows]
            repeated = np.zeros(nodes, np.bool_)
            repeated[mine[rows]] = rules.only_repeats_each(played, repeats)
            known &= repeated
        everybody = np.arange(nodes)
        return Known(self.fit.stronger_each(everybody, np.full(nodes, them)), games, points, known)

    def certainty(self, members: rating.IntArray) -> tuple[rating.FloatArray, rating.FloatArray]:
        """The strengths of some competitors, and their covariance, or their variances where there is none."""
        variances, covariance = self.fit.variances[members], self.fit.covariance
        if covariance is None:
            return self.fit.strengths[members], variances
        among = covariance[np.ix_(members, members)]
        among[np.diag_indices(len(members))] = variances
        return self.fit.strengths[members], among

    def league(self, position: int) -> list[Line]:
        """The live standings of a league, from its top."""
        found = [self.standings[one.id] for one in self.on_board if self.standings[one.id].league == position]
        return sorted(found, key=lambda one: (one.rating, one.submission_id), reverse=True)


def rate(session: Session, game: Game, *, known: Fitted | None = None) -> Rated:
    """Fits the model to the current tallies. Writes nothing. `known`: a fit, used if it is of the same competitors."""
    session.flush()
    lines = Lines.read(session, game.id)
    fitted = known.fit if known is not None and tuple(known.competitors) == _competitors(lines.by_id) else None
    everything = tallies.results(session, game) if fitted is None and not game.for_two else None
    return rate_counted(session, game, lines.by_id, tallies.read(session, game), everything, known=fitted)


def met_each_other(session: Session, rated: Rated) -> rating.Counts:
    """What each two did against each other, also in games of more than two, if each was there for itself."""
    if rated.game.for_two:
        return rated.counts
    everything = tallies.results(session, rated.game)
    node_of = {competitor: index for index, competitor in enumerate(rated.competitors)}
    return rankings(rated.game, everything, nodes_of(node_of, everything.competitor)).pairs()


def rate_counted(
    session: Session,
    game: Game,
    everybody: Mapping[int, Line],
    tally: Tally,
    everything: Played | None,
    *,
    known: rating.Fit | None = None,
) -> Rated:
    """`rate`, of what is counted already. `everything`: of a game of many, all results; None to use `known`."""
    competitors = _competitors(everybody)
    node_of = {competitor: index for index, competitor in enumerate(competitors)}
    counts = counts_of(tally, node_of)
    competitor_of = {one.submission_id: one.competitor_id for one in everybody.values()}
    bots, owners, guests = owners_of(session, node_of, competitor_of)
    parents = parents_of(everybody, node_of, owners)
    weighed = counts.shared_out(bots, owners)
    earlier = priors.of_season_before(session, game.id, competitors)
    ranked = None
    if known is not None:
        fitted = known
    elif everything is not None:
        ranked = rankings(game, everything, nodes_of(node_of, everything.competitor)).shared_out(bots, owners)
        fitted = rating.fit_teams(len(competitors), ranked, parents, guests=guests, earlier=earlier)
    else:
        fitted = rating.fit(len(competitors), weighed, parents, guests=guests, earlier=earlier)
    # A caller without the ladder's lock may see a version that came after the standings were read.
    on_board = tuple(one for one in _board(session, game) if one.id in everybody)
    leagues = select(League.boss_bot_id, League.position).where(League.game == game.id)
    guarded: dict[int | None, int] = dict(session.execute(leagues).all())
    bosses = {guarded[one.bot_id]: one for one in on_board if one.bot_id in guarded}
    shown = np.array(sorted({node_of[everybody[one.id].competitor_id] for one in on_board}), np.int64)
    return Rated(
        game,
        everybody,
        competitors,
        counts,
        weighed,
        ranked,
        tally.repeats,
        owners,
        _spent(counts, tally.repeats, owners, shown, min(game.ladder_entrants)),
        fitted,
        anchor_of(session, game, node_of),
        on_board,
        bosses,
        max(guarded.values(), default=1),
        {one.submission_id: node_of[one.competitor_id] for one in everybody.values()},
    )


def _competitors(everybody: Mapping[int, Line]) -> tuple[int, ...]:
    """In the order of the fit's nodes."""
    return tuple(one.submission_id for one in everybody.values() if one.competitor_id == one.submission_id)


def parents_of(everybody: Mapping[int, Line], node_of: Mapping[int, int], owners: rating.IntArray) -> rating.IntArray:
    """Of each competitor: the node that it follows, -1 for none.

    That is the one that it began from, if that is its owner's as well: whoever began with a copy of somebody else's
    code has not changed that bot. An owner's other bots follow the first one, so that a new name is no new roll of the
    dice. `owners`: -1 is the house, whose bots only follow their own earlier versions.
    """
    first: dict[int, int] = {}
    found = np.full(len(node_of), -1)
    for competitor, node in node_of.items():
        owner = int(owners[node])
        oldest = first.setdefault(owner, node)
        before = everybody.get(everybody[competitor].parent_id or 0)
        parent = -1 if before is None else node_of[before.competitor_id]
        if parent >= 0 and owners[parent] == owner:
            found[node] = parent
        elif owner != rules.HOUSE and oldest != node:
            found[node] = oldest
    return found


def _spent(
    counts: rating.Counts, repeats: rating.IntArray, owners: rating.IntArray, board: rating.IntArray, least: int = 2
) -> rating.BoolArray:
    """Who on the board has nothing new to show against anybody whom it may meet there, and has games.

    `owners`: -1 is the house. `least`: the fewest who play a match; where these are more than two, nobody may be left
    with whom a bot could, though there are others whom it may meet.
    """
    known = rules.only_repeats_each(counts.games, repeats)
    nodes, there = len(owners), np.zeros(len(owners), np.bool_)
    there[board] = True
    house = owners == rules.HOUSE
    of_owner = np.unique(owners, return_inverse=True)[1]
    # It meets neither itself nor others of its owner; the house's bots meet each other.
    own = np.where(house, 1, np.bincount(of_owner[board], minlength=nodes)[of_owner])
    one, other = counts.first[known], counts.second[known]
    both_ways = np.isin(one * nodes + other, other * nodes + one)
    may_meet = there[one] & there[other] & ((owners[one] != owners[other]) | house[one])
    left = len(board) - own - np.bincount(one[both_ways & may_meet], minlength=nodes)
    spent = np.zeros(len(owners), np.bool_)
    # Without games, among bots of its owner alone, it has shown nothing yet.
    played = np.zeros(len(owners), np.bool_)
    played[counts.first] = played[counts.second] = True
    # Alone on the board, a bot has nobody to learn from yet.
    if len(board) > 1:
        spent[board] = (left[board] <= 0) & played[board]
    if least > 2 and len(board) >= least and both_ways.any():
        apart = set(zip(one[both_ways].tolist(), other[both_ways].tolist(), strict=True))
        can = _in_line_ups(board.tolist(), least, apart, owners.tolist())
        spent[board] |= played[board] & np.array([node not in can for node in board.tolist()])
    return spent


def _in_line_ups(board: Sequence[int], size: int, apart: set[tuple[int, int]], owners: Sequence[int]) -> set[int]:
    """Who may play in a match of so many from the board. `apart`: ordered pairs of those who may not meet."""

    def may_meet(one: int, other: int) -> bool:
        own = owners[one] == owners[other] and owners[one] != rules.HOUSE
        return one != other and not own and (one, other) not in apart

    def completed(chosen: list[int], begin: int) -> list[int]:
        if len(chosen) == size:
            return chosen
        for at in range(begin, len(board)):
            if all(may_meet(one, board[at]) for one in chosen) and (whole := completed([*chosen, board[at]], at + 1)):
                return whole
        return []

    found: set[int] = set()
    for node in board:
        if node not in found:
            found.update(completed([node], 0))
    return found


def repeating(tally: Tally) -> set[tuple[int, int]]:
    """Ordered pairs of competitors whose matches would only repeat earlier ones, whoever begins."""
    known = tally.only(rules.only_repeats_each(tally.games, tally.repeats))
    pairs = set(zip(known.first.tolist(), known.second.tolist(), strict=True))
    return {(one, other) for one, other in pairs if (other, one) in pairs}


def owners_of(
    session: Session, node_of: Mapping[int, int], competitor_of: Mapping[int, int]
) -> tuple[rating.IntArray, rating.IntArray, rating.BoolArray]:
    """Of each competitor: its bot, its owner (-1: the house), and whether all that share it are guests.

    `competitor_of`: all submissions that share these competitors.

    Of those who submitted its code, the owner is the house, else the first who was no guest, else the first. A
    competitor that is on the board by copies of others alone is a bot of its own, or a few who submit all versions of
    a bot could have it play several times as much as others, and weigh as one.
    """
    bots, owners = np.zeros((2, len(node_of)), np.int64)
    guests, known = np.ones(len(node_of), np.bool_), np.zeros(len(node_of), np.bool_)
    rows = session.execute(
        select(Submission.id, Submission.bot_id, Submission.state, User.id, User.kind, User.was_guest)
        .join(User, User.id == Submission.user_id)
        .where(Submission.id == any_(literal(list(competitor_of), ARRAY(BigInteger))))
        .order_by(Submission.id)
    ).all()
    live = []
    for submission_id, bot_id, state, user_id, kind, was_guest in rows:
        node = node_of[competitor_of[submission_id]]
        house, guest = kind == UserKind.HOUSE, kind == UserKind.GUEST or was_guest
        if not known[node] or (house and owners[node] != rules.HOUSE) or (guests[node] and not guest):
            bots[node], owners[node], known[node] = bot_id or 0, rules.HOUSE if house else user_id, True
        guests[node] &= guest
        if state == SubmissionState.LIVE:
            live.append((node, bot_id or 0))
    there, own = {node for node, _ in live}, {node for node, bot_id in live if bots[node] == bot_id}
    for node in there - own:
        bots[node] = -1 - node
    return np.unique(bots, return_inverse=True)[1], owners, guests


def _board(session: Session, game: Game) -> list[Shown]:
    """Who is on the board, from its top."""
    rows = session.execute(
        select(Submission.id, Submission.bot_id, Submission.user_id, User.kind == UserKind.HOUSE)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(game.id))
        .order_by(Standing.league.desc(), Standing.rating.desc(), Submission.id.desc())
    )
    return [Shown(*row) for row in rows]


def tallied(
    session: Session, game: Game, node_of: Mapping[int, int], only: Collection[int] | None = None
) -> tuple[rating.Counts, rating.IntArray]:
    """The tallies, and how many repeats each of their rows has. `only`: those of these competitors."""
    tally = tallies.read(session, game, only)
    return counts_of(tally, node_of), tally.repeats


def counts_of(tally: Tally, node_of: Mapping[int, int]) -> rating.Counts:
    """A tally as a fit wants it. `node_of`: competitor -> node. Raises: KeyError."""
    return rating.Counts(
        nodes_of(node_of, tally.first),
        nodes_of(node_of, tally.second),
        tally.games.astype(np.float64),
        tally.half_points.astype(np.float64) / 2,
        tally.draws.astype(np.float64),
    )


def nodes_of(node_of: Mapping[int, int], ids: NDArray[Any]) -> rating.IntArray:
    """Raises: KeyError, for a competitor that has no node."""
    different, row = np.unique(ids, return_inverse=True)
    return np.array([node_of[one] for one in different.tolist()], np.int64)[row]


def anchor_of(session: Session, game: Game, node_of: Mapping[int, int]) -> int | None:
    """The first version of the house's starter: its rating is 1000 for ever, so that numbers keep their meaning."""
    first = session.scalar(
        select(func.min(Submission.id))
        .join(Bot, Bot.id == Submission.bot_id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(
            Bot.game == game.id,
            Bot.name == STARTER_BOT,
            Standing.game == game.id,
            Standing.competitor_id == Submission.id,
        )
    )
    return None if first is None else node_of[first]
