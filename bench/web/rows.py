"""The rows of a made-up arena, table by table, in an order in which they can be stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexarena.backend.accounts.names import key_of
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.matches.life import UNCOUNTED
from hexarena.backend.models import RATED, MatchKind
from hexarena.backend.rating.elo import square_logits
from hexarena.bench.web.arena import Arena, Numbered
from hexarena.bench.web.tracks import START_ELO, WIDE_ELO
from hexarena.bench.web.world import DAY_S, DUEL_GAMES, EVENT_PAIRS, NAMES, BoolArray, FloatArray, IntArray

Values = dict[str, Any]
"""Column -> an array with a value for each row, or one value for all of them."""
GUESTS = 0.2
HISTORY_A_MATCH = 2.5
FAULTS = np.array([None] * 198 + ["timeout", "crash"], object)
ENDINGS = ("made a line of 4", "won on points", "was surrounded", "had no move left", "gave up", "made a line of 3")
TURN_S, TURNS = 0.5, 40
SETTLED_GAMES = 12
AWAY, AWAY_DAYS = 0.15, 100.0
"""The share of versions whose owners did nothing for so long that boards hide them."""
LANGUAGES = np.array(["python", "cpp", "rust", "java", "javascript", "go"], object)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table."""

    table: str
    values: Mapping[str, Any]

    def __len__(self) -> int:
        return next(len(one) for one in self.values.values() if isinstance(one, np.ndarray))


def tables(arena: Arena) -> Iterator[Rows]:
    """All rows."""
    random = np.random.default_rng(arena.plan.seed + 2)
    yield _users(arena)
    yield from _versions(arena, random)
    yield _joined("duel", [_duels(arena, part) for part in arena.parts])
    yield from _events(arena)
    yield _joined("match", [_matches(arena, part, random) for part in arena.parts], by="id")
    seats = [_seats(part) for part in arena.parts]
    yield _joined("match_seat", seats, by="match_id")
    yield _joined("job", [_jobs(part) for part in arena.parts])
    yield from _results(arena, random)
    yield _joined("match_count", [_match_counts(part) for part in arena.parts])
    yield _joined("pair_tally", [_tallies(part) for part in arena.parts])
    yield _joined("standing", [_standings(arena, part, random) for part in arena.parts])
    yield _history(arena)


def _joined(table: str, parts: Sequence[Values], by: str | None = None) -> Rows:
    """The rows of several games, in the order of a column."""
    sizes = [len(Rows(table, part)) for part in parts]
    columns = {
        name: np.concatenate(
            [
                part[name] if isinstance(part[name], np.ndarray) else np.full(size, part[name], object)
                for part, size in zip(parts, sizes, strict=True)
            ]
        )
        for name in parts[0]
    }
    if by is not None:
        order = np.argsort(columns[by], kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
    return Rows(table, columns)


def _text(pattern: str, numbers: IntArray) -> Any:
    return np.array([pattern % one for one in numbers.tolist()], object)


def _nullable(values: Any, known: BoolArray) -> Any:
    """None where a value is not known."""
    found = np.asarray(values).astype(object)
    found[~known] = None
    return found


def _users(arena: Arena) -> Rows:
    ids = arena.seeded.next_ids["user"] + np.arange(arena.users)
    guests = np.arange(arena.users) < GUESTS * arena.users
    names = _text("person%d", ids)
    keys = np.array([key_of(name) for name in names], object)
    kind = np.where(guests, "guest", "account").astype(object)
    values = {"id": ids, "kind": kind, "name": names, "name_key": _nullable(keys, ~guests), "created_at": arena.began}
    return Rows("user", values)


def _versions(arena: Arena, random: np.random.Generator) -> Iterator[Rows]:
    """Sources, bots, and submissions: versions and drafts, which are code of versions."""
    parts = [_submissions(arena, part, random) for part in arena.parts]
    sources = [_text("made up %d", part["id"]) for part in parts]
    for part, source in zip(parts, sources, strict=True):
        part["source_sha256"] = np.array([hashlib.sha256(one.encode()).hexdigest() for one in source], object)
    every = np.concatenate([part["source_sha256"] for part in parts])
    # COPY takes one backslash away.
    bodies = np.array([rf"\\x{one.encode().hex()}" for source in sources for one in source], object)
    yield Rows("source", {"sha256": every, "body": bodies})
    yield _joined("bot", [_bots(arena, part) for part in arena.parts])
    drafts = [_drafts(arena, part, made) for part, made in zip(arena.parts, parts, strict=True)]
    yield _joined("submission", [*parts, *drafts], by="id")


def _bots(arena: Arena, part: Numbered) -> Values:
    versions = part.ladder.versions
    first = np.flatnonzero(versions.number == 1)[len(part.house) :]
    ids = part.bot[len(part.house) :]
    names = _text("bot%d", ids)
    return {
        "id": ids,
        "game": part.ladder.game.id,
        "owner_id": part.owner[first],
        "name": names,
        "name_key": np.array([key_of(name) for name in names], object),
        "created_at": arena.time(versions.at[first]),
    }


def _submissions(arena: Arena, part: Numbered, random: np.random.Generator) -> Values:
    """All but the house's."""
    versions, own = part.ladder.versions, slice(len(part.house), None)
    return {
        "id": part.submission[own],
        "user_id": part.owner[own],
        "game": part.ladder.game.id,
        "bot_id": part.bot[versions.bot[own]].astype(object),
        "version": versions.number[own].astype(object),
        "language": LANGUAGES[random.integers(0, len(LANGUAGES), len(versions.bot[own]))],
        "state": np.where(np.isinf(versions.until[own]), "live", "superseded").astype(object),
        "created_at": arena.time(versions.at[own]),
    }


def _drafts(arena: Arena, part: Numbered, made: Values) -> Values:
    practised = part.draft > 0
    return {
        "id": part.draft[practised],
        "user_id": part.requester[practised],
        "game": part.ladder.game.id,
        "bot_id": None,
        "version": None,
        "language": "python",
        "state": "draft",
        "created_at": arena.time(part.ladder.at[practised]),
        "source_sha256": np.resize(made["source_sha256"], int(practised.sum())),
    }


def _duels(arena: Arena, part: Numbered) -> Values:
    """Each has played all its games that there are, and is decided."""
    ladder = part.ladder
    of_duel = ladder.duel >= 0
    first = np.unique(ladder.duel, return_index=True)[1][-len(part.duel) :] if len(part.duel) else np.zeros(0, np.int64)
    ranks, number = ladder.ranks[of_duel], ladder.duel[of_duel]
    won, lost = ranks[:, 0] < ranks[:, 1], ranks[:, 0] > ranks[:, 1]
    wins, losses, games = (np.bincount(one, minlength=len(part.duel)) for one in (number[won], number[lost], number))
    draws = games - wins - losses
    return {
        "id": part.duel,
        "game": ladder.game.id,
        "requested_by_id": part.requester[first],
        "candidate_id": part.submission[ladder.entrants[first, 0]],
        "baseline_id": part.submission[ladder.entrants[first, 1]],
        "league": ladder.game.top_level,
        "preset": "normal",
        "paired": False,
        "seed": 1,
        "most_games": DUEL_GAMES,
        "state": "done",
        "verdict": np.where(wins > losses, "stronger", "not stronger").astype(object),
        "counts": np.array(
            [f"[{lost}, {drew}, {won}]" for lost, drew, won in zip(losses, draws, wins, strict=True)], object
        ),
        "trials": games,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "created_at": arena.time(ladder.at[first]),
        "finished_at": arena.time(ladder.at[first] + DAY_S),
    }


def _events(arena: Arena) -> Iterator[Rows]:
    """One of each game that has matches of an event: a final that is over, between the first bots' first versions."""
    parts = [part for part in arena.parts if len(part.pairing)]
    if parts:
        yield _joined("event", [_event(arena, part) for part in parts])
        yield _joined("event_entry", [_entries(arena, part) for part in parts])
        yield _joined("event_pairing", [_pairings(arena, part) for part in parts])


def _event(arena: Arena, part: Numbered) -> Values:
    ladder = part.ladder
    played = ladder.at[ladder.pairing >= 0]
    opens, deadline, end = (arena.time(np.array([one])) for one in (0.0, 1.0, played.max() + DAY_S))
    stage = Stage(Form.ROUND_ROBIN, seeds=1 + len(played) // (2 * len(part.pairing)))
    return {
        "id": np.array([part.event]),
        "game": ladder.game.id,
        "name": f"Made up in {ladder.game.id}",
        "state": "done",
        "created_by_id": part.owner[-1:],
        "opens_at": opens,
        "deadline": deadline,
        "stages": json.dumps([stage.as_json()]),
        "secret": rf"\\x{bytes(32).hex()}",
        "league": ladder.game.top_level,
        "created_at": opens,
        "frozen_at": deadline,
        "finished_at": end,
    }


def _entries(arena: Arena, part: Numbered) -> Values:
    """Seeded and placed by strength."""
    versions = part.ladder.versions
    first = np.flatnonzero(versions.number == 1)[: len(part.entry)]
    place = 1 + np.argsort(np.argsort(-versions.strength[first]))
    return {
        "id": part.entry,
        "event_id": part.event,
        "bot_id": part.bot[: len(part.entry)],
        "user_id": part.owner[first],
        "entered_at": arena.time(np.zeros(len(first))),
        "submission_id": part.submission[first],
        "seed": place,
        "rating": START_ELO,
        "place": place,
    }


def _pairings(arena: Arena, part: Numbered) -> Values:
    ladder, many = part.ladder, len(part.pairing)
    played = ladder.pairing >= 0
    ranks, number = ladder.ranks[played], ladder.pairing[played]
    won, lost = ranks[:, 0] < ranks[:, 1], ranks[:, 0] > ranks[:, 1]
    wins, losses, games = (np.bincount(one, minlength=many) for one in (number[won], number[lost], number))
    last = np.zeros(many)
    np.maximum.at(last, number, ladder.at[played])
    first, second = EVENT_PAIRS[:many].T
    return {
        "id": part.pairing,
        "event_id": part.event,
        "stage": 0,
        "number": np.arange(many),
        "round": 1 + (second - first) % len(part.entry),
        "part": "A",
        "first_id": part.entry[first],
        "second_id": part.entry[second],
        "state": "done",
        "first": games + wins - losses,
        "second": games - wins + losses,
        "first_wins": wins,
        "second_wins": losses,
        "finished_at": arena.time(last + TURN_S * TURNS),
    }


def _matches(arena: Arena, part: Numbered, random: np.random.Generator) -> Values:
    ladder = part.ladder
    kind, of_duel, over = ladder.kind, ladder.duel >= 0, part.state != "queued"
    number = np.zeros(len(ladder.at), np.int64)
    number[of_duel] = np.arange(of_duel.sum()) % DUEL_GAMES
    of_event, game = ladder.pairing >= 0, np.zeros(len(ladder.at), np.int64)
    game[of_event] = np.arange(of_event.sum()) // max(len(part.pairing), 1)
    practised = ladder.of_kind(MatchKind.PRACTICE)
    return {
        "id": part.match,
        "game": ladder.game.id,
        "kind": np.array([one.value for one in NAMES], object)[kind],
        "state": part.state,
        "seed": random.integers(-(2**63), 2**63 - 1, len(kind)),
        "league": ladder.game.top_level,
        "requested_by_id": _nullable(part.requester, practised | of_duel),
        "duel_id": _nullable(np.append(part.duel, 0)[ladder.duel], of_duel),
        "duel_game": _nullable(number, of_duel),
        "pairing_id": _nullable(np.append(part.pairing, 0)[ladder.pairing], of_event),
        "pairing_game": _nullable(game, of_event),
        "event_id": _nullable(np.full(len(kind), part.event), ladder.of_kind(MatchKind.EVENT_LADDER)),
        "void_reason": _nullable(np.full(len(kind), "A worker was lost.", object), np.asarray(part.state == "void")),
        "created_at": arena.time(ladder.at),
        "started_at": _times(arena, ladder.at + 1, over),
        "finished_at": _times(arena, ladder.at + 1 + TURN_S * TURNS, over),
    }


def _times(arena: Arena, seconds: FloatArray, known: BoolArray) -> Any:
    written = np.datetime_as_string(arena.time(seconds), unit="ms").astype(object)
    return _nullable(written, known)


def _seats(part: Numbered) -> Values:
    """Each entrant has the seats of a team."""
    ladder, team = part.ladder, part.ladder.game.team_seats
    submissions = part.submission[ladder.entrants]
    submissions[part.draft > 0, 0] = part.draft[part.draft > 0]
    seats = submissions.shape[1] * team
    return {
        "match_id": np.repeat(part.match, seats),
        "seat": np.tile(np.arange(seats), len(part.match)),
        "submission_id": np.repeat(submissions, team, axis=1).ravel(),
        "game": ladder.game.id,
    }


def _jobs(part: Numbered) -> Values:
    return {"match_id": part.match[part.state == "queued"], "priority": 1}


def _results(arena: Arena, random: np.random.Generator) -> Iterator[Rows]:
    results, seats = [], []
    for part in arena.parts:
        fault = FAULTS[random.integers(0, len(FAULTS), int(part.done.sum()))]
        results.append(_of_matches(part, fault, random))
        seats.append(_of_seats(part, fault, random))
    yield _joined("result", results, by="match_id")
    yield _joined("seat_result", seats, by="match_id")


def _of_matches(part: Numbered, fault: Any, random: np.random.Generator) -> Values:
    ids, winner = part.match[part.done], part.ladder.ranks[part.done].argmin(1)
    reasons = np.array(
        [[f"seat {seat} {ending}" for ending in ENDINGS] for seat in range(winner.max(initial=0) + 1)], object
    )
    return {
        "match_id": ids,
        "reason": reasons[winner, random.integers(0, len(ENDINGS), len(ids))],
        "turns": random.integers(10, 200, len(ids)),
        "faults": np.array(
            [
                "[]" if one is None else f'[{{"seat": 0, "turn": 9, "kind": "{one}", "message": "made up"}}]'
                for one in fault
            ],
            object,
        ),
        "attempt": 1,
        "worker": "made up",
        "cpu_ms": 150.0,
        "replay_key": "none",
        "rules_version": "1",
        "digest": _text("%032x", ids),
    }


def _of_seats(part: Numbered, fault: Any, random: np.random.Generator) -> Values:
    ladder, done, team = part.ladder, part.done, part.ladder.game.team_seats
    ranks, size = ladder.ranks[done], ladder.ranks.shape[1]
    faults = np.full((len(ranks), size * team), None, object)
    faults[:, 0] = fault
    track = part.track
    rating, moved = np.full((2, *ladder.ranks.shape), np.nan)
    rating[track.match, track.entrant] = track.rating
    moved[track.match, track.entrant] = random.normal(0, 40, len(track.match)) / np.sqrt(track.games)
    rated = np.repeat(~np.isnan(rating[done]), team, axis=1).ravel()
    changes = np.repeat(moved[done], team, axis=1).ravel()
    return {
        "match_id": np.repeat(part.match[done], size * team),
        "seat": np.tile(np.arange(size * team), len(ranks)),
        "rank": np.repeat(ranks, team, axis=1).ravel(),
        "score": 0.0,
        "fault": faults.ravel(),
        "rating": _nullable(np.repeat(rating[done], team, axis=1).ravel(), rated),
        "rating_change": _nullable(changes, rated & (size == 2)),
        "submission_id": _nullable(
            np.repeat(part.submission[ladder.entrants[done]], team, axis=1).ravel(), rated & (size == 2)
        ),
    }


def _match_counts(part: Numbered) -> Values:
    counted = part.done & ~part.ladder.of_kind(*UNCOUNTED)
    return {"game": part.ladder.game.id, "part": 0, "matches": np.array([counted.sum()])}


def _tallies(part: Numbered) -> Values:
    """Of each ordered pair of entrants, as a refit would have counted them."""
    rated = part.done & part.ladder.of_kind(*RATED)
    entrants, ranks = part.ladder.entrants[rated], part.ladder.ranks[rated]
    pairs = [(one, other) for one in range(entrants.shape[1]) for other in range(one + 1, entrants.shape[1])]
    many = len(part.submission)
    key = np.concatenate([entrants[:, one] * many + entrants[:, other] for one, other in pairs])
    won = np.concatenate([1 + np.sign(ranks[:, other] - ranks[:, one]) for one, other in pairs])
    keys, row = np.unique(key, return_inverse=True)
    return {
        "first_id": part.submission[keys // many],
        "second_id": part.submission[keys % many],
        "game": part.ladder.game.id,
        "games": np.bincount(row, minlength=len(keys)),
        "half_points": np.bincount(row, won, len(keys)).astype(np.int64),
        "draws": np.bincount(row, won == 1, len(keys)).astype(np.int64),
    }


def _standings(arena: Arena, part: Numbered, random: np.random.Generator) -> Values:
    versions, track = part.ladder.versions, part.track
    last = track.last(len(part.submission))
    played, parent = last >= 0, np.append(-1, part.submission[:-1])
    away = random.uniform(0, 1, len(last)) < AWAY
    active = arena.plan.days * DAY_S - np.where(away, AWAY_DAYS * DAY_S, 0.0)

    def known(values: Any, otherwise: float) -> Any:
        return np.where(played, values[last] if len(values) else 0, otherwise)

    games = known(track.games, 0)
    deviation = known(track.deviation, WIDE_ELO)
    return {
        "submission_id": part.submission,
        "game": part.ladder.game.id,
        "competitor_id": part.submission,
        "parent_id": _nullable(parent, versions.number > 1),
        "rating": np.round(known(track.rating, START_ELO), 6),
        "deviation": deviation,
        "variance": square_logits(deviation),
        "games": games,
        "wins": known(track.wins, 0),
        "draws": known(track.draws, 0),
        "losses": known(track.losses, 0),
        "league": part.league,
        "placing": games < SETTLED_GAMES,
        "trial": "stays",
        "active_at": arena.time(active),
    }


def _history(arena: Arena) -> Rows:
    """A line when a version enters and leaves, and enough lines when its rating moves."""
    lines, total = [], sum(len(part.track.match) for part in arena.parts)
    wanted = arena.plan.matches * HISTORY_A_MATCH
    for part in arena.parts:
        versions, track = part.ladder.versions, part.track
        steps = np.arange(len(track.match) + 1) * wanted // total
        row = np.repeat(np.arange(len(track.match)), np.diff(steps).astype(np.int64))
        values = (track.rating, track.deviation, track.games, track.wins, track.draws, track.losses)
        moved = _line(
            part, track.version[row], part.ladder.at[track.match[row]] + TURN_S * TURNS, [one[row] for one in values]
        )
        version = np.arange(len(part.submission))
        nothing = [np.full(len(version), one) for one in (START_ELO, WIDE_ELO, 0, 0, 0, 0)]
        left = np.flatnonzero(np.isfinite(versions.until))
        lines += [moved, _line(part, version, versions.at, nothing)]
        lines += [_line(part, left, versions.until[left], [one[left] for one in nothing], live=False)]
    ordered = dict(_joined("standing_history", lines, by="at").values)
    return Rows("standing_history", {**ordered, "at": arena.time(ordered["at"])})


def _line(part: Numbered, version: IntArray, at: FloatArray, values: Sequence[Any], *, live: bool = True) -> Values:
    names = ("rating", "deviation", "games", "wins", "draws", "losses")
    whole = [np.asarray(one, np.int64) for one in values[2:]]
    return {
        "submission_id": part.submission[version],
        "game": part.ladder.game.id,
        "at": at,
        **dict(zip(names, [*values[:2], *whole], strict=True)),
        "league": part.league[version],
        "live": live,
    }
