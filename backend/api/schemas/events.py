"""Bodies of requests and responses about events. Points are whole or half; times are UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from hexarena.backend.api.schemas import LanguageId, Rerun, Schema, Short, Time, Title
from hexarena.backend.events.forms import Form
from hexarena.backend.models import EntryState, MatchState, PairingState
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES

About = Annotated[str, StringConstraints(max_length=4000), Field(description="Plain text; line breaks stay.")]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]
Listed = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]], Field(max_length=5000)
]
VersionsADay = Annotated[int, Field(ge=1, le=1000)]
SourceBytes = Annotated[int, Field(ge=1, le=ARCHIVE_BYTES)]
Phase = Literal["announced", "open", "freezing", "playing", "done", "cancelled"]
"""`announced`: bots cannot be entered yet. `freezing`: after the deadline, while uploads are still checked."""


class EventStage(Schema):
    """A stage of a final. Which options count depends on `form`.

    `seeds`: maps that each pair plays; where the seats differ, each in both. `groups`: how many; of a group stage.
    `rounds`: of a Swiss stage and of heats; at most, of the ladder that is played on until the places that matter are
    95 % sure. `games`: of a heat; where it is a multiple of the entrants, everybody sits in each seat equally often.
    `mixed`: in heats of a game with teams, the seed of each game deals the entrants to teams, whose places they have.
    `best_of`: games of a knockout pairing at most, and as many again where there is a tie. `lives`: 2 for a double
    elimination. `third_place`: the losers of the semifinals play, too. `stop_when_sure`: a knockout pairing also ends
    once the sequential test knows the stronger one. `advance`: how many reach the next stage (per group).
    """

    model_config = ConfigDict(extra="forbid")

    form: Form
    seeds: Annotated[int, Field(ge=1, le=50)] = 2
    groups: Annotated[int, Field(ge=1, le=64)] = 1
    rounds: Annotated[int, Field(ge=0, le=30)] = 0
    games: Annotated[int, Field(ge=1, le=96)] = 12
    mixed: bool = False
    best_of: Annotated[int, Field(ge=1, le=99)] = 5
    lives: Annotated[int, Field(ge=1, le=2)] = 1
    third_place: bool = False
    stop_when_sure: bool = False
    advance: Annotated[int, Field(ge=0, le=1024)] = 0


Stages = Annotated[list[EventStage], Field(min_length=1, max_length=4)]


class NewEvent(Schema):
    """An event. `opens_at`: null: at once. `invited`: one needs a code to enter, which is in the answer. `bots_each`:
    of one person. `languages`: null: all. `prizes`: how many of the first take one, house bots left out; the seeding
    alone must not decide who. `held`: only organisers see results until they release them. `listed`: the names of those
    who may enter, instead of a code; null: everybody. `versions_a_day`, `source_bytes`: of an entrant's bot while the
    event is open; null: as anywhere in the arena. `ladder`: while it is open, its entrants have a ladder of their own,
    which everybody sees.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "game": "yavalath",
                    "name": "Spring cup",
                    "deadline": "2030-05-01T18:00:00Z",
                    "stages": [{"form": "groups", "groups": 8, "advance": 2}, {"form": "knockout", "best_of": 5}],
                }
            ]
        },
    )

    game: Short
    name: Title
    about: About = ""
    opens_at: Time | None = None
    deadline: Time
    invited: bool = False
    listed: Listed | None = None
    bots_each: Annotated[int, Field(ge=1, le=100)] = 1
    languages: Annotated[list[LanguageId], Field(min_length=1, max_length=40)] | None = None
    versions_a_day: VersionsADay | None = None
    source_bytes: SourceBytes | None = None
    stages: Stages
    prizes: Annotated[int, Field(ge=0, le=100)] = 3
    held: bool = False
    ladder: bool = True


class EventChange(Schema):
    """What is to change, until the versions are frozen; what is left out stays. As in NewEvent."""

    model_config = ConfigDict(extra="forbid")

    name: Title | None = None
    about: About | None = None
    opens_at: Time | None = None
    deadline: Time | None = None
    listed: Listed | None = None
    bots_each: Annotated[int, Field(ge=1, le=100)] | None = None
    languages: Annotated[list[LanguageId], Field(min_length=1, max_length=40)] | None = None
    versions_a_day: VersionsADay | None = None
    source_bytes: SourceBytes | None = None
    stages: Stages | None = None
    prizes: Annotated[int, Field(ge=0, le=100)] | None = None
    held: bool | None = None
    ladder: bool | None = None


class EventWinner(Schema):
    """One of the first of an event that is over. `place`: for the prizes, so that house bots are left out."""

    place: int
    bot_id: int
    bot: str
    owner: str


class EventInfo(Schema):
    """An event in a list. `entrants`: bots that take part. `stage`: the index of the one that is played. `problem`: why
    it cannot continue, or why it was cancelled. `paused_reason`: why organisers paused it. `games`: that count so far;
    `most_games`: at most, as far as is known.
    `by_list`: only those may enter whom organisers have listed. `winners`: the first places, once it is over and its
    results are shown. `hidden`: results are held back from you.
    """

    id: int
    game: str
    name: str
    phase: Phase
    opens_at: datetime
    deadline: datetime
    frozen_at: datetime | None
    finished_at: datetime | None
    entrants: int
    invited: bool
    by_list: bool
    stages: list[EventStage]
    stage: int
    held: bool
    hidden: bool
    problem: str | None
    paused_reason: str | None
    games: int
    most_games: int
    winners: list[EventWinner]


class EventList(Schema):
    """Those that are not over first, by deadline; then the others, newest first. `next`: for `after`."""

    items: list[EventInfo]
    next: str | None


class EventEntrant(Schema):
    """A bot that takes part. `seed`: its place in the seeding; with `version` and `rating` fixed at the deadline;
    before it `version` is the one that would be fixed now, null where none may play. `low` to `high`: the rating's
    95 % interval in Elo. `reason`: why it is out. `place`: in the end. `outside_prizes`: it is ranked, but takes no
    prize and has no certificate: a house bot.
    `prize_place`: its place among all others, which prizes and certificates go by; null for who is out, too.
    """

    id: int
    bot_id: int
    bot: str
    owner: str
    mine: bool
    state: EntryState
    reason: str | None
    seed: int | None
    version: int | None
    submission_id: int | None
    language: str | None
    source_sha256: str | None
    rating: float | None
    low: float | None
    high: float | None
    place: int | None
    outside_prizes: bool
    prize_place: int | None


class EventOrganiser(Schema):
    """Somebody who organises an event."""

    id: int
    name: str


class NewEventOrganiser(Schema):
    """The name of the account of who is to organise an event, too."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Grace Hopper"}]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]


class EventDetail(EventInfo):
    """`commitment`: the SHA-256 of the secret that all seeds follow from; `secret`: in hexadecimal, once it is over and
    its results are shown. `now`: the arena's time, for countdowns. `organised`: you may organise it. `organisers`: who
    organises this event alone. `listed`: for organisers only. `may_enter`: you are on the list, or there is none.
    `ladder`: while it is open it has a ladder of its own.
    """

    about: str
    ladder: bool
    bots_each: int
    languages: list[str] | None
    versions_a_day: int | None
    source_bytes: int | None
    prizes: int
    commitment: str
    secret: str | None
    now: datetime
    organised: bool
    organisers: list[EventOrganiser]
    listed: list[str] | None
    may_enter: bool
    entries: list[EventEntrant]


class CreatedEvent(Schema):
    """`code`: to enter with, shown only now; null if everybody may enter."""

    event: EventDetail
    code: str | None


class EventCode(Schema):
    """The code to enter with. It is shown only now, and the one before it is no longer valid."""

    code: str


class NewEntry(Schema):
    """The bot to enter, and the code where the event needs one."""

    model_config = ConfigDict(extra="forbid")

    bot: Annotated[int, Field(ge=1, le=2**53 - 1)]
    code: Annotated[str, StringConstraints(max_length=100)] | None = None


class EventReason(Schema):
    """Why; everybody can read it."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason


class NewEventPreview(Schema):
    """The stages to estimate, for so many bots."""

    model_config = ConfigDict(extra="forbid")

    game: Short
    stages: Stages
    entrants: Annotated[int, Field(ge=2, le=1024)]
    prizes: Annotated[int, Field(ge=0, le=100)] = 3


class EventPreview(Schema):
    """What a final costs. `games`: of each stage, at most, without those that break ties. `cpu_hours` and `minutes`: by
    the newest matches of the game and the workers that are up; null if there are none.
    """

    games: list[int]
    cpu_hours: float | None
    minutes: float | None
    slots: int


class TableRow(Schema):
    """A line of a group's table; `entry`: the entrant's id. `direct`: points against those with as many points.
    `buchholz`: the points of all opponents (Swiss). `berger`: Sonneborn-Berger. `decided_by`: what put it above the
    next line, null where points did. `rating`, `deviation`: in Elo, where the ladder is played on; `sure`: the
    probability that all down to here are stronger than each one below, null in the last line. `advances`: it reaches
    the next stage, as things are.
    """

    entry: int
    place: int
    advances: bool
    played: int
    won: int
    drawn: int
    lost: int
    points: float
    direct: float | None
    buchholz: float | None
    berger: float
    playoffs: list[float]
    decided_by: str | None
    rating: float | None
    deviation: float | None
    sure: float | None


class EventGroup(Schema):
    """A group and its table, the best first. `advance`: how many reach the next stage, besides those outside the prizes
    who are ahead of them; 0 in the last one.
    """

    name: str
    advance: int
    rows: list[TableRow]


class BracketSource(Schema):
    """Where an entrant of a bracket's node comes from. `index`: a place in the seeding, from 0, or a node's number."""

    kind: Literal["seed", "winner", "loser", "again"]
    index: int


class BracketNode(Schema):
    """A node of a bracket. `first`, `second`: entrants' ids, null while unknown or for a bye; `bye`: nothing is played.
    `pairing`: its id, once both are known. Points count games.
    """

    number: int
    part: Literal["main", "lower", "final", "third"]
    round: int
    first_from: BracketSource
    second_from: BracketSource
    first: int | None
    second: int | None
    bye: bool
    pairing: int | None


class EventPairingInfo(Schema):
    """Two entrants who play. `first`, `second`: their ids. `part`: the group, or the part of the bracket. `playoff`: 1
    or 2 if it breaks a tie. Points and wins are null until it is decided. `winner`: of a knockout.
    """

    id: int
    number: int
    round: int
    part: str
    playoff: int
    first: int
    second: int
    state: PairingState
    first_points: float | None
    second_points: float | None
    first_wins: int | None
    second_wins: int | None
    winner: int | None


class HeatRow(Schema):
    """A line of the table of heats; `entry`: the entrant's id. `points`: in each game the share of the others that were
    beaten, a tie being half, so at most one for each game. `won`: games in which everybody else was beaten. `met`: in
    each heat the mean of the others' points. `decided_by`: what put it above the next line, null where points did.
    `advances`: it reaches the next stage, as things are.
    """

    entry: int
    place: int
    advances: bool
    played: int
    won: int
    points: float
    met: float
    playoffs: list[float]
    decided_by: str | None


class HeatEntrant(Schema):
    """An entrant of a heat. `place`: in the heat, from 1; equal points share it. Null until it is decided."""

    entry: int
    place: int | None
    points: float | None
    won: int | None


class EventHeat(Schema):
    """Entrants who play the same matches. `playoff`: 1 or 2 if it breaks a tie. `entrants`: as they were dealt."""

    id: int
    number: int
    round: int
    playoff: int
    state: PairingState
    entrants: list[HeatEntrant]


class EventStageState(Schema):
    """The state of a stage. `groups`: of all forms but knockout and heats; `nodes`: of a knockout. `heats`, `table`: of
    heats. `advance`: how many reach the next stage; of each group, where there are groups. `tie_breaks`: in this order.

    `pairings`: at most 3,000 of them; `more_pairings`: there are more.
    """

    index: int
    stage: EventStage
    entrants: list[int]
    over: bool
    tie_breaks: list[str]
    groups: list[EventGroup]
    nodes: list[BracketNode]
    pairings: list[EventPairingInfo]
    more_pairings: bool
    advance: int
    table: list[HeatRow]
    heats: list[EventHeat]


class EventGame(Schema):
    """A game of a pairing. `number`: from 1. `swapped`: the second entrant sits first. `counts`: it came before the
    pairing was decided. `first_points`: 1, ½ or 0, null while it is not over. `reruns`: the void matches in whose place
    it is played, the first one first, and why.
    """

    number: int
    match_id: int
    state: MatchState
    swapped: bool
    seed: str | None
    counts: bool
    first_points: float | None
    reruns: list[Rerun]


class EventPairingDetail(EventPairingInfo):
    """With its games in order; void ones are left out."""

    stage: int
    best_of: int
    games: list[EventGame]


class HeatGame(Schema):
    """A game of a heat. `number`: from 1. `seats`: who played in it, in the order of the seats, each once. `places`: of
    these, from 1, null while it is not over. `reruns`: the void matches in whose place it is played, the first one
    first, and why.
    """

    number: int
    match_id: int
    state: MatchState
    seed: str | None
    seats: list[int]
    places: list[int] | None
    reruns: list[Rerun]


class EventHeatDetail(EventHeat):
    """With its games in order; void ones are left out. `planned`: how many games it has."""

    stage: int
    planned: int
    games: list[HeatGame]


class EventLadderRow(Schema):
    """A bot on the ladder of an event's own; `entry`: the entrant's id. `version`, `submission_id`: the version that
    plays; null while it has none that may. Place, rating and its 95 % interval `low` to `high`, in Elo: null before its
    first match. `games`: those that count, which repeat no earlier one. `shared_with`: entrants with the same code,
    with whom it shares rating, games and results.
    """

    entry: int
    place: int | None
    version: int | None
    submission_id: int | None
    rating: float | None
    low: float | None
    high: float | None
    games: int
    wins: int
    draws: int
    losses: int
    shared_with: list[int]


class EventLadder(Schema):
    """The ladder of an event's own: the strongest first, then those without a match. `over`: it ended, with the
    deadline. `waiting`, `running`: its matches that are queued, or being played.
    """

    items: list[EventLadderRow]
    over: bool
    waiting: int
    running: int


class EventTable(Schema):
    """The entrants, by place once the event is over."""

    items: list[EventEntrant]
