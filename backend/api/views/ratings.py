"""Why a rating is what it is, and who does well against whom, as it goes over HTTP.

Apart from `views`, as little else needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hexarena.backend.api import schemas
from hexarena.backend.ladder import boards
from hexarena.backend.models import Submission

if TYPE_CHECKING:
    from hexarena.backend.ladder.explaining import Against, Explanation, MovingMatch, Neighbour
    from hexarena.backend.ladder.matchups import Matchups, RankedBot

Named = Mapping[int, Submission]
"""By id: each submission that an explanation or a matrix mentions, with its bot."""


def rating_explained(found: Explanation, named: Named) -> schemas.RatingExplained:
    """The explanation of one version's rating."""
    own = found.standing
    low, high = boards.interval(own.rating, own.deviation)
    # Code that was there before goes on with its own rating.
    follows = own.parent_id is not None and own.competitor_id == own.submission_id
    parent = named.get(own.parent_id or 0) if follows else None
    return schemas.RatingExplained(
        submission_id=own.submission_id,
        rating=own.rating,
        low=low,
        high=high,
        games=own.games,
        placing=own.placing,
        games_left=own.games_left,
        beats_boss=own.beats_boss,
        boss=None if found.boss is None else named[found.boss].title,
        above=_neighbour(found.above, named),
        below=_neighbour(found.below, named),
        inherited=None if parent is None or parent.bot_id != named[own.submission_id].bot_id else parent.version,
        against=[_against(one, named) for one in found.against],
        matches=[_moving_match(one, named) for one in found.matches],
    )


def _neighbour(one: Neighbour | None, named: Named) -> schemas.Neighbour | None:
    if one is None:
        return None
    submission = named[one.standing.submission_id]
    return schemas.Neighbour(
        submission_id=submission.id,
        bot_id=submission.bot_id or 0,
        bot=submission.title,
        rating=one.standing.rating,
        above=one.above,
        games_to_tell=one.games_to_tell,
    )


def _against(one: Against, named: Named) -> schemas.Against:
    opponent = named[one.submission_id]
    return schemas.Against(
        submission_id=one.submission_id,
        bot=opponent.title,
        version=opponent.version or 0,
        games=one.games,
        points=one.points,
        expected=one.expected,
        moved=one.moved,
        next_game=one.next_game,
        repeats=one.repeats,
    )


def _moving_match(one: MovingMatch, named: Named) -> schemas.MovingMatch:
    return schemas.MovingMatch(
        match_id=one.match_id,
        opponents=[named[other].title for other in one.opponents],
        rank=one.rank,
        moved=one.moved,
        finished_at=one.finished_at,
    )


def matchups_view(found: Matchups, named: Named) -> schemas.Matchups:
    """The matrix of match-ups, with the cycles in it."""
    return schemas.Matchups(
        bots=[_ranked_bot(one, named) for one in found.bots],
        pairs=[
            schemas.Matchup(
                submission_id=one.submission_id,
                opponent_id=one.opponent_id,
                games=one.games,
                points=one.points,
                expected=one.expected,
                next_game=one.next_game,
                repeats=one.repeats,
            )
            for one in found.pairs
        ],
        cycles=[schemas.Cycle(submission_ids=list(one.submission_ids), sure=one.sure) for one in found.cycles],
    )


def _ranked_bot(one: RankedBot, named: Named) -> schemas.MatchupBot:
    submission = named[one.standing.submission_id]
    return schemas.MatchupBot(
        rank=one.rank,
        bot_id=submission.bot_id or 0,
        bot=submission.title,
        version=submission.version or 0,
        submission_id=submission.id,
        rating=one.standing.rating,
    )
