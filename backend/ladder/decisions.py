"""The ladder's rules, applied to a fit: who is placed, moves up, or is disabled."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

import numpy as np
import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.ladder import placement, rules, standings
from hexarena.backend.ladder.fitting import Known, Rated
from hexarena.backend.ladder.lines import Line, record_histories
from hexarena.backend.ladder.notifying import Place
from hexarena.backend.models import MatchSeat, NoticeKind, SeatResult, Standing, TrialState
from hexarena.backend.rating import fit as rating

log = structlog.get_logger()


def apply_rules(session: Session, rated: Rated) -> int:
    """Ends placements, promotes and disables as the ratings require. Returns how many moved up."""
    promoted = 0
    known = {league: rated.met(boss.id) for league, boss in rated.bosses.items()}
    copied, live = _copied(rated), {one.id for one in rated.on_board}
    for position in range(1, rated.top_league + 1):
        league = rated.league(position)
        members = np.array([rated.index[one.submission_id] for one in league], dtype=np.int64)
        _update_placements(rated, league, members)
        for standing in league:
            if standing.submission_id not in copied:
                promoted += _update_league(rated, known, standing, live)
    for copy, played in copied.items():
        standing = rated.standings[copy]
        standing.league, standing.league_from, standing.trial = played.league, played.league_from, played.trial
    board = sorted((rated.standings[one.id] for one in rated.on_board), key=_board_order, reverse=True)
    _update_comparisons(rated, known, board)
    for submission in rated.on_board:
        standing = rated.standings[submission.id]
        if rules.must_be_disabled(standing.consecutive_faults):
            fault, by = _last_fault(session, standing.competitor_id)
            problem = rules.disabled_problem(standing.consecutive_faults, fault, copy=by not in (None, submission.id))
            record_histories(session, rated.game.id, [(standing, False)])
            standings.disable(session, submission.id, problem)
            notices.stopped(session, submission.id, NoticeKind.DISABLED)
    return promoted


def _copied(rated: Rated) -> dict[int, Line]:
    """Copies of house bots on the board -> the house's line, which is the one that plays, and falls or rises."""
    bosses = {boss.id for boss in rated.bosses.values()}
    played: dict[int, Line] = {}
    for one in sorted(rated.on_board, key=lambda one: one.id in bosses):
        if one.house:
            played[rated.standings[one.id].competitor_id] = rated.standings[one.id]
    copies = (one.id for one in rated.on_board if not one.house)
    return {one: played[row.competitor_id] for one in copies if (row := rated.standings[one]).competitor_id in played}


def places_of_board(rated: Rated) -> list[Place]:
    """The lines of the board, in the order of what the standings say now."""
    owners = {one.id: one.user_id for one in rated.on_board}
    board = sorted((rated.standings[one] for one in owners), key=_board_order, reverse=True)
    return [
        Place(one.submission_id, one.competitor_id, owners[one.submission_id], one.league, one.placing) for one in board
    ]


def _board_order(standing: Line) -> tuple[int, float, int]:
    """A sort key: the board's order, ascending."""
    return standing.league, standing.rating, standing.submission_id


def _last_fault(session: Session, competitor_id: int) -> tuple[str, int | None]:
    """The kind of the newest fault of this code, and whose it was: a submission."""
    same = select(Standing.submission_id).where(Standing.competitor_id == competitor_id)
    query = (
        select(SeatResult.fault, MatchSeat.submission_id)
        .join(MatchSeat, (MatchSeat.match_id == SeatResult.match_id) & (MatchSeat.seat == SeatResult.seat))
        .where(MatchSeat.submission_id.in_(same), SeatResult.fault.is_not(None))
        .order_by(SeatResult.match_id.desc())
        .limit(1)
    )
    found = session.execute(query).one_or_none()
    return ("fault", None) if found is None else (found.fault or "fault", found.submission_id)


def _update_placements(rated: Rated, league: Sequence[Line], members: rating.IntArray) -> None:
    """Updates who is placed, and of the others, about how many games are left until they are. `members`: as nodes.

    A place is one among competitors: many copies of one bot, which are above or below all together, count once.
    """
    guards = {(position, boss.id) for position, boss in rated.bosses.items()}
    who = [at for at, one in enumerate(league) if one.placing and (one.league, one.submission_id) not in guards]
    if not who:
        return
    row = {node: at for at, node in enumerate(dict.fromkeys(members.tolist()))}
    strengths, uncertainty = rated.certainty(np.array(list(row), np.int64))
    mine = np.array([row[node] for node in members[who].tolist()])
    found = placement.placements(strengths, uncertainty, mine, dispersion=rated.fit.dispersion)
    for at, probability, games in zip(who, *[one.tolist() for one in found], strict=True):
        standing = league[at]
        standing.placing = not (rules.placed(probability, standing.games) or standing.spent)
        standing.games_left = games


def _update_comparisons(rated: Rated, known: Mapping[int, Known], board: Sequence[Line]) -> None:
    """Updates the comparisons with its boss and with the next competitor on the board, after promotions.

    `board`: from the top.
    """
    nodes = np.array([rated.index[one.submission_id] for one in board], np.int64)
    others = _next_others(nodes)
    compared = nodes[: len(others)]
    above_next = rated.fit.stronger_each(compared, others).tolist()
    apart = placement.games_to_tell_each_apart(rated.fit, compared, others).tolist()
    beaten = {league: one.beaten.tolist() for league, one in known.items()}
    for standing, node, above, games in zip_longest(board, nodes.tolist(), above_next, apart):
        boss = rated.bosses.get(standing.league)
        standing.beats_boss = None if boss is None else beaten[standing.league][node]
        standing.above_next = above
        if not standing.placing or (boss is not None and boss.id == standing.submission_id):
            standing.games_left = games


def _next_others(nodes: rating.IntArray) -> rating.IntArray:
    """For each line of a board, the first node below it that is not its own; of the last lines there is none."""
    changes = np.flatnonzero(np.diff(nodes)) + 1
    return np.repeat(nodes[changes], np.diff(changes, prepend=0))


def _boss(boss: Known, node: int, earlier: Sequence[int]) -> rules.Boss:
    """A league's boss as a competitor sees it. `earlier`: nodes of its earlier versions."""
    games, points = int(boss.games[node]), float(boss.points[node])
    games_before, points_before = int(boss.games[earlier].sum()), float(boss.points[earlier].sum())
    # A version that holds its own is not to fall for what others before it lost.
    lost = 2 * points < games and rules.surely_lost(games + games_before, points + points_before)
    return rules.Boss(float(boss.beaten[node]), games, bool(boss.exhausted[node]), lost, games_before)


def _earlier(rated: Rated, standing: Line, live: Collection[int]) -> list[tuple[int, int]]:
    """Earlier versions of its owner that were in the same league until they were replaced: nodes, and games in it."""
    found: list[tuple[int, int]] = []
    node = rated.index[standing.submission_id]
    one = rated.standings.get(standing.parent_id or 0)
    while one is not None and one.league == standing.league and one.submission_id not in live:
        at = rated.index[one.submission_id]
        if rated.owners[at] != rated.owners[node]:
            break  # it began with somebody else's code
        # Where its owner went back to old code, that counts once, and what was before it as well.
        if at != node and all(at != other for other, _ in found):
            found.append((at, one.games - one.league_from))
        one = rated.standings.get(one.parent_id or 0)
    return found


def _update_league(rated: Rated, known: Mapping[int, Known], standing: Line, live: Collection[int]) -> int:
    """Applies the rules of leagues and trials. Returns 1 if it moves up, else 0. `live`: submissions on the board."""
    me, node = standing.submission_id, rated.index[standing.submission_id]
    if any(boss.id == me for boss in rated.bosses.values()):
        return 0
    earlier = _earlier(rated, standing, live)
    climber = rules.Climber(
        league=standing.league,
        league_games=rules.MOST_GAMES if standing.spent else standing.games - standing.league_from,
        placing=standing.placing,
        trial="open" if standing.trial == TrialState.OPEN else "stays",
        bosses={
            league: _boss(boss, node, [one for one, _ in earlier] if league < standing.league else [])
            for league, boss in known.items()
        },
        earlier_games=sum(games for _, games in earlier),
    )
    league = min(rules.league_after(climber), rated.top_league)
    if league == standing.league:
        standing.trial = TrialState.OPEN if rules.trial_after(climber) == "open" else TrialState.STAYS
        return 0
    log.info("league changed", game=rated.game.id, submission=me, old=standing.league, new=league)
    promoted = league > standing.league
    standing.league, standing.league_from, standing.trial = league, standing.games, TrialState.OPEN
    return int(promoted)
