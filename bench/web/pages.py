"""The requests that pages send, as paths, for an arena that is filled. Kinds of requests have goals of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from urllib.parse import urlencode

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.models import (
    Bot,
    Duel,
    Event,
    EventPairing,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Result,
    Standing,
    Submission,
    SubmissionState,
    result_ending,
)
from hexarena.games.house import STARTER_BOT

MOST_FILTERS = 3
"""Besides the bot, in a combination."""
DEEP_PAGE, PAGE = 10_000, 30
NEWEST = 20
"""Bots and matches that requests ask for in turn."""

GOALS: Mapping[str, tuple[float, float]] = {
    "leaderboard, 50 rows": (5, 50),
    "home": (5, 50),
    "a game": (30, 300),
    "board at a date": (30, 300),
    "history, practice: empty": (30, 300),
    "history, the starter's": (30, 300),
    "history, each combination": (30, 300),
    f"the same, page {DEEP_PAGE:,}": (30, 300),
    "why this rating": (50, 300),
    "match-ups of the first ten": (50, 300),
    "a bot": (30, 300),
    "a bot's rating": (50, 300),
    "a bot's opponents": (50, 300),
    "a match": (30, 300),
    "an event": (30, 300),
    "others": (30, 300),
}
"""Name of a kind -> CPU time and 99th percentile, ms, in the arena of a million matches. In the order of `kinds`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Requests that are measured together. Goals: CPU time a request, of the API and the database; 99th percentile."""

    name: str
    paths: Sequence[str]
    cpu_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Known:
    """What requests can be about: ids of one game of two, from its busiest bot, the starter, to the newest."""

    game: str
    starter: int
    rival: int
    bots: Sequence[int]
    submissions: Sequence[int]
    matches: Sequence[int]
    duels: Sequence[int]
    events: Sequence[int]
    pairings: Sequence[int]
    people: Sequence[int]
    deep: int
    seed: int
    ending: str
    days: Sequence[str]


def known(session: Session, game: str = "yavalath") -> Known:
    """Reads what there is. The database must be filled, with this game among others."""
    live = (Submission.game == game) & (Submission.state == SubmissionState.LIVE)
    by_rating = select(Submission).join(Standing, Standing.submission_id == Submission.id).where(live)
    bots = session.scalars(by_rating.order_by(Standing.games.desc(), Submission.id).limit(NEWEST)).all()
    starter = session.scalars(select(Bot.id).where(Bot.game == game, Bot.name == STARTER_BOT)).one()
    finished = select(Match).where(Match.game == game, Match.kind == MatchKind.LADDER, Match.state == MatchState.DONE)
    matches = session.scalars(finished.order_by(Match.id.desc()).limit(NEWEST)).all()
    ids = [one.id for one in matches]
    rival = select(Submission.bot_id).join(MatchSeat, MatchSeat.submission_id == Submission.id)
    among = rival.where(MatchSeat.match_id.in_(ids), Submission.bot_id != starter, Submission.bot_id.is_not(None))
    first, last, least = session.execute(
        select(func.min(Match.created_at), func.max(Match.id), func.min(Match.id))
    ).one()
    span = max((matches[0].created_at - first).days, 1)
    return Known(
        game=game,
        starter=starter,
        rival=session.scalars(among.limit(1)).one() or 0,
        bots=[one.bot_id for one in bots if one.bot_id is not None],
        submissions=[one.id for one in bots],
        matches=ids,
        duels=session.scalars(select(Duel.id).where(Duel.game == game).order_by(Duel.id.desc()).limit(NEWEST)).all(),
        events=session.scalars(select(Event.id).where(Event.game == game)).all(),
        pairings=session.scalars(
            select(EventPairing.id).join(Event).where(Event.game == game).order_by(EventPairing.id).limit(NEWEST)
        ).all(),
        people=[one.user_id for one in bots],
        deep=max(last - DEEP_PAGE * PAGE, (last + least) // 2),
        seed=matches[0].seed,
        ending=session.scalars(select(result_ending).where(Result.match_id == ids[0])).one(),
        days=[str((first + timedelta(days=span * part / 10)).date()) for part in range(1, 10)],
    )


def kinds(one: Known) -> list[Kind]:
    """All that is measured."""
    game = f"/games/{one.game}"
    board, history = f"{game}/leaderboard", combinations_of(one)
    paths = [
        [f"{board}?limit=50"],
        ["/games"],
        [game],
        [f"{board}/at?at={day}T12:00:00Z" for day in one.days],
        ["/matches?kind=practice"],
        [f"/matches?bot={one.starter}"],
        [_matches(filters) for filters in history],
        [_matches({**filters, "after": one.deep}) for filters in history],
        [f"/submissions/{submission}/rating" for submission in one.submissions],
        [f"{game}/ladder/matchups"],
        [f"/bots/{bot}" for bot in one.bots],
        [f"/bots/{bot}/history" for bot in one.bots],
        [f"/bots/{bot}/opponents" for bot in one.bots],
        [f"/matches/{match}" for match in one.matches],
        events(one),
        others(one),
    ]
    return [Kind(name, these, *goals) for (name, goals), these in zip(GOALS.items(), paths, strict=True)]


def check_chosen(only: Sequence[str]) -> None:
    """Raises: ValueError, for a beginning that no kind's name has."""
    for beginning in only:
        if not any(name.startswith(beginning) for name in GOALS):
            raise ValueError(f"Expected the beginning of one of: {'; '.join(GOALS)}. Got {beginning}")


def events(one: Known) -> list[str]:
    """What the pages of events ask for."""
    paths = ["/events", f"/events?game={one.game}"]
    for event in one.events:
        paths += [f"/events/{event}", f"/events/{event}/stages/0", f"/events/{event}/table"]
        paths += [f"/events/{event}/pairings/{pairing}" for pairing in one.pairings]
    return paths


def others(one: Known) -> list[str]:
    """What pages ask for besides."""
    board = f"/games/{one.game}/leaderboard"
    paths = [f"{board}?league={league}" for league in (1, 2)]
    paths += [f"{board}?after=1_1000.0_{one.submissions[0]}", f"/games/{one.game}/endings", f"/games/{one.game}/ladder"]
    paths += ["/languages", "/duels", f"/duels?game={one.game}", "/bots", f"/bots?game={one.game}"]
    paths += [f"/duels/{duel}" for duel in one.duels] + [f"/people/{person}" for person in one.people]
    return paths + [f"/submissions/{submission}" for submission in one.submissions]


def combinations_of(one: Known) -> list[Mapping[str, object]]:
    """Every combination of up to three filters besides the bot that a list of matches may have."""
    values: Mapping[str, Sequence[object]] = {
        "game": [None, one.game],
        "kind": [None, "ladder", "check"],
        "bot": [None, one.starter],
        "opponent": [None, one.rival],
        "result": [None, "win", "draw"],
        "reason": [None, one.ending, "nothing of the kind"],
        "fault": [None, "any"],
        "seat": [None, 1],
        "version": [None, 1],
        "seed": [None, one.seed],
        "since": [None, one.days[-1]],
        "until": [None, one.days[0]],
    }
    found = []
    for chosen in product(*values.values()):
        named = {name: value for name, value in zip(values, chosen, strict=True) if value is not None}
        about_a_side = named.keys() & {"opponent", "result", "seat", "version"}
        no_day = {"since", "until"} <= named.keys()
        if len(named.keys() - {"bot"}) <= MOST_FILTERS and ("bot" in named or not about_a_side) and not no_day:
            found.append(named)
    return [*found, *({"kind": kind} for kind in MatchKind), {"state": "queued"}, {"state": "void"}, {"league": 1}]


def _matches(filters: Mapping[str, object]) -> str:
    return f"/matches?{urlencode(filters)}"
