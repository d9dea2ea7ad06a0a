"""A made-up arena with its ids, which go up with time, as where an arena grew. House bots keep those that they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.models import MatchKind
from hexarena.bench.web.tracks import Track, track_of
from hexarena.bench.web.world import DAY_S, EVENT_PAIRS, BoolArray, FloatArray, IntArray, Ladder, Plan, ladders
from hexarena.games.contract import Game

ObjectArray = NDArray[np.object_]
Times = NDArray[np.datetime64]
USERS_A_BOT = 0.4
QUEUED = 30
"""The newest matches, which nobody has played yet."""


@dataclass(frozen=True, slots=True)
class House:
    """A house bot of a seeded arena. `league`: where it stands."""

    bot_id: int
    submission_id: int
    league: int


@dataclass(frozen=True, slots=True)
class Seeded:
    """What an arena has before it is filled. `house`: of each game, the starter first; `house_id`: their user.

    `next_ids`: table -> first free id.
    """

    games: tuple[Game, ...]
    house: tuple[tuple[House, ...], ...]
    house_id: int
    next_ids: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Numbered:
    """A ladder with the ids of its rows. By version: `submission`, `owner`; by bot: `bot`; by match: `match`, `draft`.

    `draft`: the submission of a practice match's first seat, else 0. `state`: as text. `duel`: ids by duel number;
    `event`: of the game's event; `entry`, `pairing`: ids by bot and by row of EVENT_PAIRS, none where none was played.
    """

    ladder: Ladder
    track: Track
    house: tuple[House, ...]
    bot: IntArray
    submission: IntArray
    owner: IntArray
    match: IntArray
    draft: IntArray
    requester: IntArray
    state: ObjectArray
    duel: IntArray
    event: int
    entry: IntArray
    pairing: IntArray

    @property
    def done(self) -> BoolArray:
        """Which matches have a result."""
        return np.asarray(self.state == "done")

    @property
    def league(self) -> IntArray:
        """Of each version, from 1: by strength; house bots' are what they are."""
        top = len(self.ladder.game.leagues)
        strength = self.ladder.versions.strength
        steps = np.quantile(strength, np.arange(1, top) / top) if top > 1 else np.zeros(0)
        league = 1 + np.searchsorted(steps, strength)
        league[: len(self.house)] = [one.league for one in self.house]
        return np.asarray(league)


@dataclass(frozen=True, slots=True)
class Arena:
    """A whole made-up arena. `began`: when its time 0 is."""

    plan: Plan
    seeded: Seeded
    began: np.datetime64
    users: int
    parts: tuple[Numbered, ...]

    def time(self, seconds: FloatArray) -> Times:
        """As moments."""
        return np.asarray(self.began + (np.nan_to_num(seconds, posinf=0.0) * 1000).astype("timedelta64[ms]"))


def arena_of(plan: Plan, seeded: Seeded, end: datetime) -> Arena:
    """Makes everything up. `end`: when the newest match was scheduled; with a zone."""
    random = np.random.default_rng(plan.seed + 1)
    made = ladders(plan, seeded.games, [len(one) for one in seeded.house])
    users = max(int(plan.bots * USERS_A_BOT), 2)
    matches = _numbered(seeded.next_ids["match"], [one.at for one in made])
    practised = [one.of_kind(MatchKind.PRACTICE) for one in made]
    new_versions = [one.versions.at[len(house) :] for one, house in zip(made, seeded.house, strict=True)]
    drafts = [one.at[practice] for one, practice in zip(made, practised, strict=True)]
    submissions = _numbered(seeded.next_ids["submission"], [*new_versions, *drafts])
    parts: list[Numbered] = []
    next_bot, next_duel = seeded.next_ids["bot"], seeded.next_ids["duel"]
    next_event, next_entry, next_pairing = (
        seeded.next_ids[table] for table in ("event", "event_entry", "event_pairing")
    )
    for number, (ladder, house) in enumerate(zip(made, seeded.house, strict=True)):
        draft = np.zeros(len(ladder.at), np.int64)
        draft[practised[number]] = submissions[len(made) + number]
        queued_from = seeded.next_ids["match"] + plan.matches - min(QUEUED, plan.matches // 10)
        state = _states(ladder, matches[number] >= queued_from)
        bots, duels = int(ladder.versions.bot[-1]) + 1, int(ladder.duel.max(initial=-1)) + 1
        pairings = int(ladder.pairing.max(initial=-1)) + 1
        entries = int(EVENT_PAIRS[:pairings].max(initial=-1)) + 1
        owner = seeded.next_ids["user"] + random.integers(0, users, bots)
        owner[: len(house)] = seeded.house_id
        parts.append(
            Numbered(
                ladder=ladder,
                track=track_of(ladder, state == "done", random),
                house=house,
                bot=np.append([one.bot_id for one in house], next_bot + np.arange(bots - len(house))),
                submission=np.append([one.submission_id for one in house], submissions[number]),
                owner=owner[ladder.versions.bot],
                match=matches[number],
                draft=draft,
                requester=seeded.next_ids["user"] + random.integers(0, users, len(ladder.at)),
                state=state,
                duel=next_duel + np.arange(duels),
                event=next_event,
                entry=next_entry + np.arange(entries),
                pairing=next_pairing + np.arange(pairings),
            )
        )
        next_bot, next_duel = next_bot + bots - len(house), next_duel + duels
        next_event, next_entry, next_pairing = (
            next_event + (pairings > 0),
            next_entry + entries,
            next_pairing + pairings,
        )
    began = np.datetime64(round(end.timestamp() * 1000), "ms") - np.timedelta64(round(plan.days * DAY_S * 1000), "ms")
    return Arena(plan, seeded, began, users, tuple(parts))


def _states(ladder: Ladder, newest: BoolArray) -> ObjectArray:
    """Of each match, as text; the newest are queued."""
    queued = newest & (ladder.duel < 0) & (ladder.pairing < 0) & ~ladder.of_kind(MatchKind.EVENT_LADDER)
    return np.where(queued, "queued", np.where(ladder.void, "void", "done")).astype(object)


def _numbered(first: int, times: Sequence[FloatArray]) -> list[IntArray]:
    """Consecutive ids in order of all these times."""
    every = np.concatenate(times)
    ids = np.empty(len(every), np.int64)
    ids[np.argsort(every, kind="stable")] = first + np.arange(len(every))
    return np.split(ids, np.cumsum([len(one) for one in times])[:-1])
