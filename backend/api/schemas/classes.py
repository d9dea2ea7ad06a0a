"""Bodies of requests and responses about classes. Ratings in Elo; times are UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from hexarena.backend.api.schemas import Password, Schema, Short, Time, Title
from hexarena.backend.models import SimilarityState

Number = Annotated[int, Field(ge=1, le=2**53 - 1)]
Days = Annotated[int, Field(ge=1, le=180, description="How long codes are valid.")]


class NewClass(Schema):
    """A class of students who write bots for one game."""

    game: Short
    name: Title


class ClassChange(Schema):
    """What is to change. `named`: so many at the top of the board are shown with their names to the whole class.

    `organiser`: the id of another organiser, to whom it is handed over.
    """

    name: Title | None = None
    named: Annotated[int, Field(ge=0, le=10_000)] | None = None
    organiser: Number | None = None


class ClassInfo(Schema):
    """A class. `organiser`: whom it belongs to. `organised`: by you."""

    id: int
    game: str
    name: str
    organiser: str
    organised: bool
    named: int
    members: int
    created_at: datetime


class ClassOrganiserInfo(Schema):
    """Who was named for a class."""

    id: int
    name: str


class NewClassOrganiser(Schema):
    """The name of the account of who is to organise a class, too."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Grace Hopper"}]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]


class ClassList(Schema):
    """Those that you organise, newest first, and the one that you are a student of."""

    items: list[ClassInfo]


class ClassSelf(Schema):
    """You, as a student. `sign_in_name`: what everybody else sees. `team`: its name; `team_members`: their names."""

    name: str
    key: str
    group: str
    sign_in_name: str
    owner_id: int
    team: str | None
    team_members: list[str]


class ClassRung(Schema):
    """A version to be stronger than. `position`: from 1, the easiest."""

    position: int
    name: str
    bot_id: int
    submission_id: int


class ClassRungMark(Schema):
    """`stronger`: the probability of being stronger than the rung. `elo`: by how much, with its 95 % interval.

    `games`: counted ones against it.
    """

    position: int
    name: str
    stronger: float
    elo: float
    low: float
    high: float
    games: int


class ClassMark(Schema):
    """The mark of a student or a team. `names`, `keys`: of the members. `pseudonym`: what the others see.

    `submission_id`: the version that was live at `due_at`, their own deadline; null where there was none, and `problem`
    says why. `deviation`: of the rating, Elo. `games`: rated ones until then; `extra_games`: played for the mark.
    """

    owner_id: int
    names: list[str]
    keys: list[str]
    groups: list[str]
    pseudonym: str
    is_team: bool
    bot_id: int | None
    bot: str | None
    version: int | None
    submission_id: int | None
    due_at: datetime
    late_hours: int
    problem: str | None
    rating: float | None
    deviation: float | None
    games: int
    extra_games: int
    rungs: list[ClassRungMark]


class ClassMarks(Schema):
    """All marks, the strongest first. `playing`: matches for them that are not over."""

    items: list[ClassMark]
    marked_at: datetime | None
    next_at: datetime | None
    playing: int


class ClassAssignment(Schema):
    """An assignment. `due_at`: your own deadline, with your late days. `mark`: yours. `marked`: how many have one.

    `next_at`: when marks are made next.
    """

    id: int
    name: str
    deadline: datetime
    due_at: datetime
    marked_at: datetime | None
    next_at: datetime | None
    marked: int
    rungs: list[ClassRung]
    mark: ClassMark | None


class ClassBoardRow(Schema):
    """A student's or a team's best bot. `name`: who it is, where you may know. `owner`: the pseudonym."""

    place: int
    bot_id: int
    bot: str
    owner: str
    name: str | None
    rating: float
    low: float
    high: float
    games: int
    mine: bool


class ClassDetail(ClassInfo):
    """A class. `you`: as a student of it. `owned`: it belongs to you. `organisers`: who were named for it, for those
    who organise it. `now`: the arena's time.
    """

    you: ClassSelf | None
    owned: bool
    organisers: list[ClassOrganiserInfo]
    assignments: list[ClassAssignment]
    board: list[ClassBoardRow]
    now: datetime


class ClassMemberRow(Schema):
    """A student. `code_expires_at`: of a code that they have not used. `signed_in_at`: when they used one last.

    `owner_id`: of their bots: their own, or their team's.
    """

    id: int
    name: str
    key: str
    group: str
    sign_in_name: str
    owner_id: int
    team_id: int | None
    team: str | None
    code_expires_at: datetime | None
    signed_in_at: datetime | None
    bots: int


class ClassMembers(Schema):
    """The roster, by name."""

    items: list[ClassMemberRow]


class ClassCode(Schema):
    """A code to sign in with once, which is shown only now."""

    member_id: int
    name: str
    key: str
    group: str
    sign_in_name: str
    code: str


class ClassRosterLine(Schema):
    """A student of the file. `line`: of the file, from 1."""

    line: int
    name: str
    key: str
    group: str


class ClassRosterChange(Schema):
    """A member whose line differs. `was`, `becomes`: name and group."""

    line: int
    key: str
    was: list[str]
    becomes: list[str]


class ClassRosterProblem(Schema):
    """A line that cannot be used."""

    line: int
    detail: str
    expected: str
    got: str


class ClassImport(Schema):
    """What a roster changes. `applied`: it is done; otherwise this is a dry run. `encoding`, `separator`: how it was
    read. `absent`: members whom it does not mention; they stay. `teams`: groups whose members come into a team.
    `problems`: the first of `wrong` lines that cannot be used; with any of them nothing is imported.
    """

    applied: bool
    encoding: str
    separator: str
    made: list[ClassRosterLine]
    changed: list[ClassRosterChange]
    kept: int
    absent: list[ClassRosterLine]
    teams: list[str]
    problems: list[ClassRosterProblem]
    wrong: int
    codes: list[ClassCode]


class NewClassCodes(Schema):
    """`members`: whose; null: of all who have not signed in yet."""

    members: Annotated[list[Number], Field(min_length=1, max_length=10_000)] | None = None
    days: Days = 14


class ClassCodes(Schema):
    """New codes, by name. Those before are no longer valid."""

    items: list[ClassCode]


class SignInByCode(Schema):
    """The code from your organiser, and the password that you choose. The code is used up."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    password: Password


class NewClassTeam(Schema):
    """Members who are to share bots. They leave the teams that they are in."""

    members: Annotated[list[Number], Field(min_length=1, max_length=20)]


class ClassMemberChange(Schema):
    """`team`: the one to move to; null: none."""

    team: Number | None


class GivenBot(Schema):
    """A bot of yours that becomes your team's."""

    bot: Number


class NewAssignment(Schema):
    """`bots`: of the rungs, the easiest first, each with the version that is live; none: the bosses of all leagues."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "Week 3", "deadline": "2030-05-01T18:00:00Z", "bots": []}]},
    )

    name: Title
    deadline: Time
    bots: Annotated[list[Number], Field(max_length=12, default_factory=list)]


class AssignmentChange(Schema):
    """Another deadline, as long as there are no marks."""

    deadline: Time


class NewExtension(Schema):
    """More time, or less, for a team or a student. `owner_id`: as in the roster. The reason stays in the audit log."""

    owner_id: Number
    hours: Annotated[int, Field(ge=-8760, le=8760)]
    reason: Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]


class ClassExtension(Schema):
    """A row of the ledger of late days. `by`: who gave it."""

    id: int
    owner_id: int
    names: list[str]
    hours: int
    reason: str
    by: str
    at: datetime


class ClassExtensions(Schema):
    """The ledger, oldest first. Rows are never changed."""

    items: list[ClassExtension]


class MoreGames(Schema):
    """`games`: of each marked version against each rung; made even where both seats are played."""

    games: Annotated[int, Field(ge=1, le=200)]


class QueuedGames(Schema):
    """How many matches were queued."""

    matches: int


class NewSimilarityReport(Schema):
    """What is to be compared: the versions of an assignment's deadlines, or those that are on the ladder now.

    `earlier`: classes of yours whose code does not count, like the starters'.
    """

    assignment: Number | None = None
    earlier: list[Number] = Field(default_factory=list, max_length=20)


class SimilarityReportInfo(Schema):
    """A report. `done` of `total` sources were read. `problem`: why it failed."""

    id: int
    assignment_id: int | None
    earlier: list[int]
    state: SimilarityState
    done: int
    total: int
    problem: str | None
    created_at: datetime
    finished_at: datetime | None


class SimilarityReports(Schema):
    """The last reports of a class, newest first."""

    items: list[SimilarityReportInfo]


class SimilaritySource(Schema):
    """A version that was compared. `names`: of the student, or of all of the team. `bot`: null once it is deleted.

    `own`: those of its `tokens` that are in no starter and no earlier class. `problem`: why it was not compared.
    """

    submission_id: int
    names: list[str]
    pseudonym: str
    bot_id: int | None
    bot: str | None
    version: int | None
    language: str
    tokens: int
    own: int
    problem: str | None


class SimilarPair(Schema):
    """Two sources. `share_one`, `share_other`: the part of each one's own tokens that the other has, too.

    `similarity`: twice the `common` tokens, by the own tokens of both. `longest`: the longest common run, in tokens.
    """

    position: int
    one: SimilaritySource
    other: SimilaritySource
    similarity: float
    share_one: float
    share_other: float
    common: int
    longest: int


class SimilarityReportDetail(SimilarityReportInfo):
    """A report with its most similar pairs, and with the sources that could not be compared."""

    sources: int
    pairs: list[SimilarPair]
    left_out: list[SimilaritySource]


class SimilarRun(Schema):
    """A common run: first and last line in either text, from 1, and how many tokens it has."""

    one: tuple[int, int]
    other: tuple[int, int]
    tokens: int


class SimilarPairDetail(SimilarPair):
    """Two sources side by side. The texts are null once somebody has deleted the code."""

    text_one: str | None
    text_other: str | None
    runs: list[SimilarRun]
