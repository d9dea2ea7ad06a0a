"""Bodies about duels."""

from __future__ import annotations

from datetime import datetime

from pydantic import AliasChoices, ConfigDict, Field

from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.fields import Id, Level, Short
from hexarena.backend.models import DuelState
from hexarena.backend.rating.sprt import MOST_GAMES, Preset, Verdict


class DuelSide(Schema):
    """One of the two versions of a duel."""

    submission_id: int
    bot_id: int
    bot: str
    version: int
    owner: str
    language: str
    mine: bool


class FieldBot(Schema):
    """A bot of the ladder that plays along."""

    submission_id: int
    bot_id: int
    bot: str
    version: int


class DuelMatch(Schema):
    """A match of a duel that was played. `number` counts from 1. `points`: of the candidate, 1, 0.5 or 0.

    `counted`: whole trials are counted in their order, up to the one that decides.
    """

    match_id: int
    number: int
    points: float
    counted: bool


class DuelStatus(Schema):
    """Is `candidate` stronger than `baseline` by `margin_elo`, or not at all? Played until a sequential test decides.
    The preset "which" asks only which of the two to choose: is `candidate` stronger by `margin_elo`, or weaker?

    `games`: matches that were counted, of `most_games` at most; `won`, `drawn`, `lost`: of these, by `candidate`.
    `paired`: each seed is played twice, with the seats swapped. `counts`: how many trials (pairs, or single matches)
    brought `candidate` 0, ½, 1 (and 1½, 2) points. `margin_elo`: normalized Elo, which is Elo where nobody draws.
    `llr`: log-likelihood ratio of the two answers; beyond ±`llr_decides` it decides. `elo`: the difference in strength,
    with its 95 % interval; null where it is infinite. `verdict`: open until it is decided, and when all matches were
    played. `repeats`: the bots only repeat one or two matches, so that more of them would show nothing new; that ends a
    duel, too. `sentence`: the verdict for people, or why the duel is void. `progress`: 0 to 1, towards a verdict or
    towards the last match, whichever is nearer; 1 when it is over. `matches`: the newest that were played, newest
    first. `seed`: of the list of its matches, as text (null while it runs, in games that hide something);
    `hexarena duel --seed` plays the same list. `field`: in a free-for-all the bots of the ladder among which both play;
    the better place of the two is a win. `paused_until`: whoever began it used up the CPU time of a day, and has more
    then.
    """

    id: int
    game: str
    league: int
    candidate: DuelSide
    baseline: DuelSide
    one: DuelSide = Field(deprecated="The former name of `candidate`. Gone in 0.3.")
    other: DuelSide = Field(deprecated="The former name of `baseline`. Gone in 0.3.")
    preset: Preset
    margin_elo: float
    paired: bool
    seed: str | None
    state: DuelState
    games: int
    most_games: int
    won: int
    drawn: int
    lost: int
    counts: list[int]
    score: float
    llr: float
    llr_decides: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    verdict: Verdict
    repeats: bool
    sentence: str
    progress: float
    mine: bool
    void_reason: str | None
    created_at: datetime
    finished_at: datetime | None
    paused_until: datetime | None
    matches: list[DuelMatch]
    field: list[FieldBot]
    events_url: str


class DuelList(Schema):
    """Duels, newest first. `next`: for `after`."""

    items: list[DuelStatus]
    next: str | None


class NewDuel(Schema):
    """Two versions of bots of the game, by their submissions' ids: is `candidate` stronger than `baseline`?

    `one` and `other`, their former names, are read until 0.3.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"game": "yavalath", "candidate": 12, "baseline": 7, "preset": "quick"}]},
    )

    game: Short
    candidate: Id = Field(validation_alias=AliasChoices("candidate", "one"))
    baseline: Id = Field(validation_alias=AliasChoices("baseline", "other"))
    preset: Preset = Field(default="normal", description="Look for a difference of 60, 40 or 20 Elo; or ask which.")
    games: int = Field(
        default=MOST_GAMES,
        strict=True,
        ge=1,
        le=MOST_GAMES,
        description="Matches at most; one more where seats are swapped and the number is odd.",
    )
    league: Level | None = Field(default=None, description="A rules level of the game; the full game if left out.")
