"""Similarity reports of a class: for its organisers alone, who also read the code of the pairs that they show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.api.deps import Arena, CurrentVisitor, InArena, Visitor, find_user
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.schemas import classes as schemas
from hexarena.backend.api.views.tables import csv_of_rows, wants_csv
from hexarena.backend.classes import life, similarity
from hexarena.backend.errors import NotFound, SignInNeeded
from hexarena.backend.models import Bot, Class, SimilarityReport, Source, Submission, User
from hexarena.backend.submissions.languages import find_language
from hexarena.backend.submissions.sources import BadArchive, as_one_text

router = APIRouter(tags=["classes"])
PRIVATE = "private, no-store"
COLUMNS = (
    "name", "bot", "other name", "other bot", "similarity", "share", "other share", "common tokens", "longest run",
    "language", "submission", "other submission",
)  # fmt: skip


def _own(session: Session, arena: Arena, visitor: Visitor, class_id: int) -> tuple[User, Class]:
    user = find_user(session, arena, visitor.user_id)
    if user is None:
        raise SignInNeeded("Sign in first.", expected="an account", got="a visitor")
    return user, life.own(session, user, class_id)


@router.post("/classes/{class_id}/similarity", status_code=202)
def compare_sources(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, new: schemas.NewSimilarityReport
) -> schemas.SimilarityReportInfo:
    """Has the sources of a class compared. The report says how far that is."""
    with arena.database.transaction() as session:
        user, _ = _own(session, arena, visitor, class_id)
        row = similarity.request(session, user, class_id, assignment_id=new.assignment, earlier=new.earlier)
        return info(row)


@router.get("/classes/{class_id}/similarity")
def list_similarity_reports(
    arena: InArena, visitor: CurrentVisitor, response: Response, class_id: IdPath
) -> schemas.SimilarityReports:
    """The last reports, newest first, without their pairs."""
    response.headers["Cache-Control"] = PRIVATE
    with arena.database.transaction() as session:
        _, found = _own(session, arena, visitor, class_id)
        return schemas.SimilarityReports(items=[info(row) for row in similarity.of_class(session, found.id)])


@router.get("/classes/{class_id}/similarity/{report_id}", response_model=schemas.SimilarityReportDetail)
def get_similarity_report(
    arena: InArena,
    visitor: CurrentVisitor,
    response: Response,
    class_id: IdPath,
    report_id: IdPath,
    file_format: Annotated[str | None, Query(alias="format", pattern="^(json|csv)$")] = None,
    accept: Annotated[str, Header()] = "",
) -> Response | schemas.SimilarityReportDetail:
    """The most similar pairs, with names; as CSV (`format=csv`) a line for each."""
    with arena.database.transaction() as session:
        _, found = _own(session, arena, visitor, class_id)
        shown = detail(session, similarity.by_id(session, found, report_id))
    if wants_csv(file_format, accept):
        answer = csv_of_rows(table(shown), f"similarity-{report_id}.csv")
        answer.headers["Cache-Control"] = PRIVATE
        return answer
    response.headers["Cache-Control"] = PRIVATE
    return shown


@router.get("/classes/{class_id}/similarity/{report_id}/pairs/{position}")
def get_similar_pair(
    arena: InArena, visitor: CurrentVisitor, response: Response, class_id: IdPath, report_id: IdPath, position: IdPath
) -> schemas.SimilarPairDetail:
    """Two sources with what they have in common."""
    response.headers["Cache-Control"] = PRIVATE
    with arena.database.transaction() as session:
        _, found = _own(session, arena, visitor, class_id)
        row = similarity.by_id(session, found, report_id)
        if position > len(row.pairs):
            raise NotFound(f"There is no pair {position} in this report.", expected=f"at most {len(row.pairs)}")
        pair = row.pairs[position - 1]
        shown = _pair(position, pair, _sources(session, row, {pair["one"], pair["other"]}))
        return schemas.SimilarPairDetail(
            **shown.model_dump(),
            text_one=_text(session, pair["one"]),
            text_other=_text(session, pair["other"]),
            runs=[
                schemas.SimilarRun(one=(one, to_one), other=(other, to_other), tokens=tokens)
                for one, to_one, other, to_other, tokens in pair["tiles"]
            ],
        )


# --- What is shown ----------------------------------------------------------------------------------------------------


def info(row: SimilarityReport) -> schemas.SimilarityReportInfo:
    """A report without its pairs."""
    return schemas.SimilarityReportInfo(
        id=row.id,
        assignment_id=row.assignment_id,
        earlier=row.earlier,
        state=row.state,
        done=row.done,
        total=row.total,
        problem=row.problem,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def detail(session: Session, row: SimilarityReport) -> schemas.SimilarityReportDetail:
    """A report with names: for the class's organiser."""
    sources = _sources(session, row, {one["submission"] for one in row.sources})
    return schemas.SimilarityReportDetail(
        **info(row).model_dump(),
        sources=len(sources),
        pairs=[_pair(position, pair, sources) for position, pair in enumerate(row.pairs, start=1)],
        left_out=[one for one in sources.values() if one.problem is not None],
    )


def table(shown: schemas.SimilarityReportDetail) -> list[Sequence[object]]:
    """A line for each pair, after the headings."""
    return [
        COLUMNS,
        *(
            (
                ", ".join(pair.one.names),
                _title(pair.one),
                ", ".join(pair.other.names),
                _title(pair.other),
                round(pair.similarity, 4),
                round(pair.share_one, 4),
                round(pair.share_other, 4),
                pair.common,
                pair.longest,
                pair.one.language,
                pair.one.submission_id,
                pair.other.submission_id,
            )
            for pair in shown.pairs
        ),
    ]


def _title(source: schemas.SimilaritySource) -> str:
    return "" if source.bot is None else f"{source.bot} v{source.version}"


def _pair(
    position: int, pair: Mapping[str, Any], sources: Mapping[int, schemas.SimilaritySource]
) -> schemas.SimilarPair:
    share_one, share_other = pair["shares"]
    return schemas.SimilarPair(
        position=position,
        one=sources[pair["one"]],
        other=sources[pair["other"]],
        similarity=pair["similarity"],
        share_one=share_one,
        share_other=share_other,
        common=pair["common"],
        longest=pair["longest"],
    )


def _sources(session: Session, row: SimilarityReport, wanted: Iterable[int]) -> dict[int, schemas.SimilaritySource]:
    """Version -> what the report says of it."""
    ids = set(wanted)
    people: dict[int, list[str]] = {}
    for member in life.members(session, row.class_id):
        people.setdefault(member.user_id, []).append(member.name)
        if member.team_id is not None:
            people.setdefault(member.team_id, []).append(member.name)
    query = (
        select(Submission.id, Submission.version, Bot.id, Bot.name, Bot.name_key, User.name)
        .join(Bot, Bot.id == Submission.bot_id)
        .join(User, User.id == Bot.owner_id)
    )
    about = {one: rest for one, *rest in session.execute(query.where(Submission.id.in_(ids)))}
    found = {}
    for one in row.sources:
        if one["submission"] not in ids:
            continue
        version, bot_id, bot, key, pseudonym = about.get(one["submission"], (None, None, None, None, ""))
        found[one["submission"]] = schemas.SimilaritySource(
            submission_id=one["submission"],
            names=people.get(one["group"], []),
            pseudonym=pseudonym,
            bot_id=None if key is None else bot_id,
            bot=None if key is None else bot,
            version=version,
            language=one["language"],
            tokens=one["tokens"],
            own=one["own"],
            problem=one["problem"],
        )
    return found


def _text(session: Session, submission_id: int) -> str | None:
    query = select(Submission.language, Source.body).join(Source, Source.sha256 == Submission.source_sha256)
    row = session.execute(query.where(Submission.id == submission_id)).one_or_none()
    if row is None:
        return None
    try:
        return as_one_text(find_language(row.language), row.body)
    except BadArchive:
        return None
