"""Bodies about bots and what was submitted for them."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict

from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.fields import LanguageId, Name, Note, Short, SourceText
from hexarena.backend.api.schemas.ladder import LeaderboardRow
from hexarena.backend.models import SubmissionState


class Submission(Schema):
    """One upload. `build_log` is for its owner only. `draft`: code of a practice match, never on the ladder.

    archive: whether it is a zip of several files; `bytes` are then those of the zip. `deleted`: its owner has deleted
    the code; it can never play again. `tag`: a short name for the version, or empty. `problem`: why it failed or was
    disabled; else what its check match showed all the same, for its owner only.
    """

    id: int
    game: str
    bot_id: int | None
    bot: str | None
    version: int | None
    language: str
    note: str
    tag: str
    state: SubmissionState
    problem: str | None
    build_log: str | None
    check_match_id: int | None
    created_at: datetime
    bytes: int
    archive: bool
    deleted: bool
    rating: float | None


class SourceFile(Schema):
    """A file of a submission. `starts`: it is the entry file. `text`: null where it is not UTF-8 text."""

    path: str
    bytes: int
    starts: bool
    text: str | None


class SourceFiles(Schema):
    """The files of a submission: one, or those of its zip. The entry file comes first."""

    items: list[SourceFile]


class SubmissionList(Schema):
    """Submissions, newest first. `next`: for `after`."""

    items: list[Submission]
    next: str | None


class Bot(Schema):
    """A user's entrant in one game. `submissions`: its newest hundred, newest first, and the live one; `next`: for
    `after` of the list of all. `owner_id`: 0 of a deleted bot.
    """

    id: int
    game: str
    name: str
    owner_id: int
    owner: str
    house: bool
    mine: bool
    language: str | None
    live_submission_id: int | None
    standing: LeaderboardRow | None
    submissions: list[Submission]
    next: str | None
    created_at: datetime


class BotList(Schema):
    """Bots, newest first."""

    items: list[Bot]


class NewSubmission(Schema):
    """Code to enter the ladder as `bot`: a new name, or one of your own bots."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"game": "yavalath", "bot": "my first", "language": "python", "source": "print('4 4')"}]
        },
    )

    game: Short
    bot: Name
    language: LanguageId
    source: SourceText
    note: Note = ""
