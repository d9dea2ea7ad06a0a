"""The published file of an event: everything from which its final can be checked, as a zip.

`event.json` has the rules, the secret, the frozen versions by their hashes, all pairings and games. `matches/ID.jsonl`
is the record of each game that counted, as `hexarena match --record` writes one: what every bot replied, from which the
match can be played again without the bots. `events.checking` reads it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from hexarena.backend.events import draws, heat_rows, playing, stages
from hexarena.backend.events.forms import Form
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    Match,
    MatchSeat,
    MatchState,
    Submission,
    User,
)
from hexarena.games import records
from hexarena.games.lines import is_cut, parsed_lines

FORMAT = 1
WITH_OUTSIDE = 2
WITH_MIXED = 3
WITH_LEFT = 4
"""Formats where somebody is outside the prizes, where teams are mixed, and where somebody went out in a stage: earlier
checkers would rank by another rule, or let others advance."""
WITHOUT_OWNERS = "of deleted bots"
"""In the stamp, so that files which earlier versions wrote are written anew."""
EPOCH = (1980, 1, 1, 0, 0, 0)


def describe(session: Session, event: Event) -> dict[str, Any]:
    """`event.json`. Deleted bots have no name in it."""
    states = playing.states_of(session, event)
    ranking = stages.final_ranking(states, playing.table_of(session, event).out)
    query = select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.state != EntryState.WITHDRAWN)
    query = query.options(joinedload(EventEntry.bot).joinedload(Bot.owner), joinedload(EventEntry.submission))
    entries = session.scalars(query.order_by(EventEntry.seed.nulls_last(), EventEntry.id)).all()
    outside = {one.id for one in entries if one.outside_prizes}
    prizes = stages.prize_places(ranking, outside)
    mixed = any(state.stage.mixed for state in states)
    left = any(one.out_stage is not None for one in entries)
    newer = bool(outside) or mixed or left
    return {
        "format": WITH_LEFT if left else WITH_MIXED if mixed else WITH_OUTSIDE if outside else FORMAT,
        "id": event.id,
        "name": event.name,
        "game": event.game,
        "league": event.league,
        "deadline": event.deadline.isoformat(),
        "frozen_at": None if event.frozen_at is None else event.frozen_at.isoformat(),
        "finished_at": None if event.finished_at is None else event.finished_at.isoformat(),
        "prizes": event.prizes,
        "paired": states[-1].paired,
        "in_heat": playing.in_heat(event),
        "stages": event.stages,
        "commitment": draws.commitment(event.secret),
        "secret": event.secret.hex(),
        "entries": [
            _entry(one)
            | ({"outside_prizes": one.outside_prizes, "prize_place": prizes.get(one.id)} if newer else {})
            | ({"out_stage": one.out_stage} if left else {})
            for one in entries
        ],
        "played": [
            {"stage": index, "entrants": list(state.entrants), **_played(session, event, index, state)}
            for index, state in enumerate(states)
        ],
        "ranking": ranking,
    }


def _entry(one: EventEntry) -> dict[str, Any]:
    version = one.submission
    return {
        "id": one.id,
        "bot": one.bot.name,
        "owner": one.bot.owner_name,
        "version": None if version is None else version.version,
        "language": None if version is None else version.language,
        "source_sha256": None if version is None else version.source_sha256,
        "seed": one.seed,
        "rating": one.rating,
        "deviation": one.deviation,
        "state": one.state.value,
        "reason": one.reason,
        "place": one.place,
    }


def _played(session: Session, event: Event, stage: int, state: stages.State) -> dict[str, Any]:
    """The pairings of a stage, or its heats."""
    if state.stage.form != Form.HEATS:
        return {"pairings": _pairings(session, event, stage)}
    return {"pairings": [], "heats": _heats(session, event, stage)}


def _heats(session: Session, event: Event, stage: int) -> list[dict[str, Any]]:
    query = select(EventPairing).where(EventPairing.event_id == event.id, EventPairing.stage == stage)
    rows = session.scalars(query.order_by(EventPairing.number)).all()
    members = heat_rows.members_of(session, [row.id for row in rows])
    games = _games(session, event, stage)
    versions = {one.submission_id: one.id for one in playing.table_of(session, event).entries.values()}
    return [
        {
            "number": row.number,
            "round": row.round,
            "playoff": row.playoff,
            "entrants": [one.entry_id for one in members[row.id]],
            "half_points": [one.points for one in members[row.id]],
            "wins": [one.wins for one in members[row.id]],
            "games": [
                {**game, "seated": [versions[version] for version in game["submissions"]]}
                for game in games.get(row.id, [])
            ],
        }
        for row in rows
    ]


def _pairings(session: Session, event: Event, stage: int) -> list[dict[str, Any]]:
    query = select(EventPairing).where(EventPairing.event_id == event.id, EventPairing.stage == stage)
    rows = session.scalars(query.order_by(EventPairing.number)).all()
    played = _games(session, event, stage)
    return [
        {
            "number": row.number,
            "round": row.round,
            "part": row.part,
            "playoff": row.playoff,
            "first": row.first_id,
            "second": row.second_id,
            "half_points": [row.first, row.second],
            "wins": [row.first_wins, row.second_wins],
            "winner": row.winner_id,
            "games": played.get(row.id, []),
        }
        for row in rows
    ]


def _games(session: Session, event: Event, stage: int) -> dict[int, list[dict[str, Any]]]:
    """Pairing's id -> its games up to the first without a result, those included that came after it was decided."""
    query = (
        select(Match)
        .join(EventPairing, EventPairing.id == Match.pairing_id)
        .where(EventPairing.event_id == event.id, EventPairing.stage == stage, Match.state == MatchState.DONE)
        .options(joinedload(Match.result), selectinload(Match.seats).joinedload(MatchSeat.result))
        .order_by(Match.pairing_id, Match.pairing_game)
    )
    found: dict[int, list[dict[str, Any]]] = {}
    reruns = _reruns(session, event, stage)
    for match in session.scalars(query):
        if match.pairing_id is None or match.result is None:
            continue
        there = found.setdefault(match.pairing_id, [])
        if match.pairing_game != len(there):
            continue  # it ended after its pairing, while one before it was void
        again = reruns.get((match.pairing_id, match.pairing_game))
        there.append(
            {
                **({"reruns": again} if again else {}),
                "game": match.pairing_game,
                "match": match.id,
                "seed": str(match.seed),
                "submissions": [seat.submission_id for seat in match.seats],
                "ranks": [None if seat.result is None else seat.result.rank for seat in match.seats],
                "scores": [None if seat.result is None else seat.result.score for seat in match.seats],
                "reason": match.result.reason,
                "rules": match.result.rules_version,
                "digest": match.result.record_digest or match.result.digest,
            }
        )
    return found


def _reruns(session: Session, event: Event, stage: int) -> dict[tuple[int | None, int | None], list[dict[str, Any]]]:
    """(pairing's id, game) -> the matches in whose place others were played, in order, each with the reason."""
    query = (
        select(Match.pairing_id, Match.pairing_game, Match.rerun_of, Match.rerun_reason)
        .join(EventPairing, EventPairing.id == Match.pairing_id)
        .where(EventPairing.event_id == event.id, EventPairing.stage == stage, Match.rerun_of.is_not(None))
        .order_by(Match.rerun_of)
    )
    found: dict[tuple[int | None, int | None], list[dict[str, Any]]] = {}
    for pairing_id, game, first, reason in session.execute(query):
        found.setdefault((pairing_id, game), []).append({"match": first, "reason": reason})
    return found


def keys_of(session: Session, event: Event) -> dict[int, str]:
    """Match -> where its texts are stored, for all that are in the file."""
    query = (
        select(Match)
        .join(EventPairing, EventPairing.id == Match.pairing_id)
        .where(EventPairing.event_id == event.id, Match.state == MatchState.DONE)
        .options(joinedload(Match.result))
    )
    return {one.id: one.result.replay_key for one in session.scalars(query) if one.result is not None}


def stamp(session: Session, event: Event) -> str:
    """Differs when the file would: owners may have deleted their bot, or be called something else."""
    query = (
        select(EventEntry.id, Bot.name, User.name, Submission.source_sha256.is_(None))
        .join(Bot, Bot.id == EventEntry.bot_id)
        .join(User, User.id == Bot.owner_id)
        .outerjoin(Submission, Submission.id == EventEntry.submission_id)
        .where(EventEntry.event_id == event.id)
        .order_by(EventEntry.id)
    )
    rows = [list(row) for row in session.execute(query)]
    return hashlib.sha256(json.dumps([FORMAT, WITHOUT_OWNERS, str(event.finished_at), rows]).encode()).hexdigest()[:16]


def write(file: Path, described: Mapping[str, Any], keys: Mapping[int, str], blobs: Blobs) -> None:
    """Writes the zip, whole or not at all. Raises: StoreError, OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")
    try:
        with os.fdopen(handle, "wb") as unfinished, zipfile.ZipFile(unfinished, "w") as container:
            _add(container, "event.json", json.dumps(described, indent=1, ensure_ascii=False))
            for match_id, text in _records(described, keys, blobs):
                _add(container, f"matches/{match_id}.jsonl", text)
        Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)


def _add(container: zipfile.ZipFile, name: str, text: str) -> None:
    member = zipfile.ZipInfo(name, EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    container.writestr(member, text)


def _records(described: Mapping[str, Any], keys: Mapping[int, str], blobs: Blobs) -> Iterator[tuple[int, str]]:
    """The record of each match whose texts are all there, and whole."""
    for played in described["played"]:
        for one in (*played["pairings"], *played.get("heats", ())):
            for game in one["games"]:
                text = _record(game, keys[game["match"]], blobs)
                if text is not None:
                    yield game["match"], text


def _record(game: Mapping[str, Any], key: str, blobs: Blobs) -> str | None:
    replay = blobs.text(key)
    logs = [blobs.text(key, seat) for seat in range(len(game["submissions"]))]
    if replay is None or any(log is None for log in logs):
        return None
    return record_of(replay, [log for log in logs if log is not None], game["digest"])


def record_of(replay: str, logs: Sequence[str], digest: str) -> str | None:
    """A stored match as a record, without what bots wrote to stderr; None where a reply was cut.

    `logs`: seat -> its private lines.
    """
    header, *lines = parsed_lines(replay)
    frames = [line for line in lines if "t" in line]
    said: dict[int, list[list[Any]]] = {frame["t"]: [] for frame in frames}
    for seat, log in enumerate(logs):
        for line in parsed_lines(log):
            reply = line["o"]
            if reply is not None and is_cut(reply):
                return None
            kind, message = _fault(frames, line["t"], seat) if reply is None else ("crash", "")
            said[line["t"]].append([seat, reply, kind, message, 0.0, ""])
    opening = {
        "record": records.FORMAT,
        "game": header["game"],
        "version": header["rules"],
        "seed": header["seed"],
        "league": header["league"],
        "options": {},
        "bots": [player["bot"] for player in header["players"]],
        "players": header["players"],
    }
    turns = [{"said": said[frame["t"]], "frame": frame} for frame in frames]
    return "".join(f"{orjson.dumps(line).decode()}\n" for line in [opening, *turns, {"digest": digest}])


def _fault(frames: Sequence[Mapping[str, Any]], turn: int, seat: int) -> tuple[str, str]:
    faults = [one for one in frames[turn - 1].get("faults", ()) if one[0] == seat]
    return (faults[0][1], faults[0][2]) if faults else ("crash", "")
