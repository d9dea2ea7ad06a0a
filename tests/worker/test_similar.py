"""Similarity: copies are found however disguised; starters and teams do not count; hostile sources harm nobody."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from textwrap import dedent
from uuid import uuid4

import pytest
from sqlalchemy import select, update

from hexarena.backend.classes import similarity
from hexarena.backend.classes.similarity import Code, Work
from hexarena.backend.models import Class, SimilarityReport, SimilarityState, Source, Submission, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions.languages import LANGUAGES, find_language
from hexarena.backend.submissions.sources import as_one_text, pack
from hexarena.games.catalogue import all_games, find_game, game_file
from hexarena.worker.sandbox import Sandbox
from hexarena.worker.similar import job, matching
from hexarena.worker.similar.program import LEXERS, read
from tests.backend.classes.test_classes import new_class, student, upload

pytestmark = pytest.mark.sandbox
BOTS = find_game("tryangle"), ("augur.cpp", "consul.cpp", "weaver.cpp")
"""Bots of one author that were written apart."""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with Sandbox.open("bwrap", folder=tmp_path_factory.mktemp("sandbox")) as opened:
        opened.sweep()
        yield opened


def bot(name: str) -> str:
    return game_file(BOTS[0], "bots", name).read_text()


def starter(language: str) -> str:
    return game_file(BOTS[0], "bots", "starter" + find_language(language).ending).read_text()


def work(codes: Sequence[tuple[str, bytes | str]], *, groups: Sequence[int] = (), earlier: Sequence[str] = ()) -> Work:
    """Codes 1, 2, … as (language, body), each of a group of its own unless said otherwise; `earlier` in C++."""
    rows = [
        Code(
            number, groups[number - 1] if groups else number, language, body.encode() if isinstance(body, str) else body
        )
        for number, (language, body) in enumerate(codes, start=1)
    ]
    return Work(1, uuid4(), BOTS[0].id, rows, [("cpp", body.encode()) for body in earlier])


WORDS = (
    "auto bool break case char class const constexpr continue default double else enum false float include inline long "
    "namespace operator private public return short signed sizeof static string struct switch template this true "
    "typename union unsigned using vector void while"
)
KEPT = set(re.findall(r"\w+", WORDS))


def disguised(source: str) -> str:
    """The same C++ with other names, other comments and its functions in another order."""
    names = sorted(set(re.findall(r"\b[a-z_][A-Za-z_]{3,}\b", source)))
    for name in names:
        if name not in KEPT:
            source = re.sub(rf"\b{name}\b", f"x{zlib.crc32(name.encode()):x}", source)
    parts = re.split(r"(?m)^(?=\S)(?<=^\n)", re.sub(r"//.*", "// mine", source))
    blocks = re.split(r"\n(?=[a-z].*\{\n)", "".join(parts))
    random.Random(1).shuffle(blocks)
    return "\n\n".join(blocks).replace("\n", "\n  ")


@pytest.mark.long
def test_a_copy_with_other_names_and_another_order_is_found_first(sandbox: Sandbox) -> None:
    copied = disguised(bot("weaver.cpp"))
    assert copied.splitlines() != bot("weaver.cpp").splitlines()
    names = [bot(name) for name in BOTS[1]]
    sources, pairs = job.compare(sandbox, work([("cpp", source) for source in (*names, copied)]))
    assert [row["problem"] for row in sources] == [None] * 4
    first, *others = pairs
    assert (first["one"], first["other"]) == (3, 4)
    assert min(first["shares"]) > 0.8
    assert all(pair["similarity"] < first["similarity"] / 4 for pair in others)
    lines = names[2].count("\n") + 1
    for one, to_one, other, to_other, length in first["tiles"]:
        assert 1 <= one <= to_one <= lines
        assert 1 <= other <= to_other <= copied.count("\n") + 1
        assert matching.GRAM <= length <= first["longest"]


def test_marked_lines_are_those_that_were_copied(sandbox: Sandbox) -> None:
    ours = "".join(
        f"int a{n} = {n} * b({n}, c[{n}]);\nif (a{n} > d) {{ e(a{n}); }} else {{ f(-a{n}); }}\n" for n in range(3)
    )
    one = "struct A { int x, y; };\n\n" + ours
    other = "#include <set>\n\n\n\n" + "template <class T> T most(T l, T r) { return l < r ? r : l; }\n" + ours
    _, (pair,) = job.compare(sandbox, work([("cpp", one), ("c", other)]))
    assert pair["tiles"] == [[3, 8, 6, 11, pair["longest"]]]
    assert pair["common"] == pair["longest"]


@pytest.mark.long
def test_who_only_shares_the_starter_is_not_found(sandbox: Sandbox) -> None:
    own = (
        "\nint best(int a, int b) { int c = a * 31 + b; while (c > 7) { c -= a; a += 1; } return c; }\n",
        "\nstruct P { double v; bool w; };\nbool less(P p, P q) { return p.w != q.w ? p.w : p.v < q.v; }\n",
    )
    codes = [("cpp", starter("cpp") + more) for more in own]
    sources, pairs = job.compare(sandbox, work([*codes, ("cpp", starter("cpp")), ("cpp", starter("cpp"))]))
    assert pairs == []
    assert [row["problem"] for row in sources] == [None, None, job.NOTHING, job.NOTHING]
    assert all(0 < row["own"] < row["tokens"] for row in sources[:2])


@pytest.mark.long
def test_code_of_earlier_classes_does_not_count(sandbox: Sandbox) -> None:
    two = [("cpp", bot("weaver.cpp")), ("cpp", disguised(bot("weaver.cpp")))]
    assert len(job.compare(sandbox, work(two))[1]) == 1
    assert job.compare(sandbox, work(two, earlier=[bot("weaver.cpp")]))[1] == []


@pytest.mark.long
def test_teams_are_left_out(sandbox: Sandbox) -> None:
    three = [("cpp", bot("weaver.cpp")), ("cpp", disguised(bot("weaver.cpp"))), ("cpp", bot("weaver.cpp"))]
    _, pairs = job.compare(sandbox, work(three, groups=[7, 7, 8]))
    assert {(pair["one"], pair["other"]) for pair in pairs} == {(1, 3), (2, 3)}


@pytest.mark.long
def test_hostile_sources_are_named_and_the_others_compared(sandbox: Sandbox) -> None:
    good = ("cpp", bot("weaver.cpp")), ("cpp", disguised(bot("weaver.cpp")))
    bad: list[tuple[str, bytes | str]] = [
        ("cpp", "(" * 100_000),
        ("python", "[" * 50_000 + "\n" + " " * 40_000),
        ("cpp", bytes(range(256)) * 300),
        ("cpp", b"\xff\xfe\x00\x00"),
        ("python", b"PK\x03\x04 no zip"),
        ("cpp", b""),
        ("cpp", "\r\n \t\x0c"),
        ("klingon", "x"),
        ("cpp", '"' + "\\" * 99_000),
        ("ruby", "<<" + "A" * 90_000),
        ("php", "<?php " + "/*" * 40_000),
        ("perl", "m{" * 40_000),
    ]
    sources, pairs = job.compare(sandbox, work([*good, *bad]))
    assert [row["problem"] for row in sources[:2]] == [None, None]
    assert [(pair["one"], pair["other"]) for pair in pairs][:1] == [(1, 2)]
    problems = {row["submission"]: row["problem"] for row in sources}
    assert problems[3] == job.TOO_LONG
    assert problems[7] == problems[10] == job.UNREADABLE
    assert problems[8] == problems[9] == job.NOTHING


@pytest.mark.long
def test_a_source_that_takes_too_long_is_named(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "READ_LIMITS", job.replace(job.READ_LIMITS, artefact_bytes=2000))
    sources, _ = job.compare(sandbox, work([("cpp", bot("weaver.cpp")), ("cpp", "int main() { return 0; }")]))
    assert [row["problem"] for row in sources] == [job.STOPPED, job.NOTHING]


@pytest.mark.long
def test_all_languages_of_all_starters_are_read() -> None:
    assert set(LEXERS) == set(LANGUAGES)
    for game in all_games().values():
        for name in game.starters:
            language = next(one for one in LANGUAGES.values() if name.endswith(one.endings))
            kinds, lines = read(language.id, game_file(game, "bots", name).read_text())
            assert len(kinds) == len(lines) > 30, name
            assert lines == sorted(lines)


def test_names_comments_and_layout_make_no_difference() -> None:
    one = dedent("""
        def best(moves):
            '''The best.'''
            return max(moves, key=lambda move: (move.x + 1, "a\\nb"))  # ties: the first
    """)
    other = 'def   f(q):\n  return max( q,\n key = lambda r : (r.y+22 , "zz") )'
    assert read("python", one)[0] == read("python", other)[0]
    assert read("python", one)[0] != read("python", one.replace("+ 1", "- 1"))[0]


def test_a_table_of_numbers_is_compared_in_no_time() -> None:
    kinds = ["0", ","] * 20_000
    table = matching.Source(kinds, [1] * len(kinds), 1)
    own, (pair,) = matching.compare([table, matching.Source(kinds, [1] * len(kinds), 2)], [])
    assert own == [40_000, 40_000]
    assert pair["similarity"] == 1.0


@pytest.mark.long
def test_a_zip_is_read_as_its_sources(sandbox: Sandbox) -> None:
    zipped = pack(
        {"main.cpp": bot("weaver.cpp").encode(), "lib/extra.cpp": b"int f() { return 1; }", "book.bin": bytes(99)}
    )
    text = as_one_text(find_language("cpp"), zipped)
    assert text.startswith("main.cpp:\n")
    assert "lib/extra.cpp:\nint f()" in text
    assert "book" not in text
    _, (pair,) = job.compare(sandbox, work([("cpp", zipped), ("cpp", bot("weaver.cpp"))]))
    assert pair["shares"][1] > 0.9


# --- The rows ---------------------------------------------------------------------------------------------------------


def set_source(database: Database, submission_id: int, source: str) -> None:
    with database.transaction() as session:
        sha256 = f"{submission_id:064x}"
        session.add(Source(sha256=sha256, body=source.encode()))
        session.flush()
        session.execute(update(Submission).where(Submission.id == submission_id).values(source_sha256=sha256))


LOOP = dedent(
    """
    def best(field):
        found = []
        for x in range(9):
            if field[x] > 3 and x not in found:
                found.append(x * 2 + 1)
        return [one for one in found if one % 3]
    """
)


def asked(database: Database) -> tuple[User, int, int, list[int]]:
    """A report of a class in which Zoë and Bob have the same code: organiser, class, report, versions."""
    user, class_id, codes = new_class(database)
    versions = []
    for code in codes:
        with database.transaction() as session:
            versions.append(upload(session, student(session, code), f"Bot {code.member_id}").id)
    set_source(database, versions[0], LOOP)
    set_source(database, versions[2], LOOP.replace("found", "kept").replace("field", "board"))
    with database.transaction() as session:
        report = similarity.request(session, user, class_id, assignment_id=None, earlier=[]).id
    return user, class_id, report, versions


@pytest.mark.long
def test_a_report_is_made_once_and_stored(database: Database, sandbox: Sandbox) -> None:
    _, class_id, report, versions = asked(database)
    with database.transaction() as session:
        assert similarity.due(session) == report
    assert job.make(database, sandbox, report) == "done"
    assert job.make(database, sandbox, report) is None
    with database.transaction() as session:
        assert similarity.due(session) is None
        row = similarity.by_id(session, session.get_one(Class, class_id), report)
        assert (row.state, row.done, row.total, row.problem) == (SimilarityState.DONE, 3, 3, None)
        assert [(pair["one"], pair["other"]) for pair in row.pairs] == [(versions[0], versions[2])]


@pytest.mark.long
def test_a_worker_that_dies_loses_the_report_to_another(database: Database, sandbox: Sandbox) -> None:
    _, _, report, _ = asked(database)
    with database.transaction() as session:
        dead = similarity.claim(session, report, seconds=60)
    assert dead is not None
    with database.transaction() as session:
        assert similarity.due(session) is None
        assert similarity.claim(session, report, seconds=60) is None
        session.execute(update(SimilarityReport).values(lease_until=SimilarityReport.created_at))
    with database.transaction() as session:
        assert similarity.due(session) == report
    assert job.make(database, sandbox, report) == "done"
    with database.transaction() as session:
        assert not similarity.finish(session, dead, [], [])
        assert not similarity.renew(session, dead, done=1, seconds=60)
        assert session.scalars(select(SimilarityReport)).one().pairs


@pytest.mark.long
def test_a_report_that_kills_every_worker_is_given_up(database: Database) -> None:
    _, _, report, _ = asked(database)
    for _ in range(similarity.MOST_ATTEMPTS):
        with database.transaction() as session:
            assert similarity.due(session) == report
            assert similarity.claim(session, report, seconds=60) is not None
            session.execute(update(SimilarityReport).values(lease_until=SimilarityReport.created_at))
    with database.transaction() as session:
        assert similarity.due(session) is None
        assert session.scalars(select(SimilarityReport)).one().problem == similarity.INTERRUPTED


@pytest.mark.long
def test_a_class_that_is_deleted_meanwhile_stops_its_report(
    database: Database, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, report, _ = asked(database)
    tokens = job._tokens

    def delete_first(*arguments: object) -> object:
        with database.transaction() as session:
            session.query(SimilarityReport).delete()
        return tokens(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "_tokens", delete_first)
    assert job.make(database, sandbox, report) == "lost"


@pytest.mark.long
def test_a_comparison_beyond_its_limits_fails_with_the_reason(
    database: Database, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, report, _ = asked(database)
    monkeypatch.setattr(job, "COMPARE_LIMITS", job.replace(job.COMPARE_LIMITS, artefact_bytes=1))
    assert job.make(database, sandbox, report) == "failed"
    with database.transaction() as session:
        problem = session.scalars(select(SimilarityReport)).one().problem or ""
        assert problem.startswith("The comparison did not end within its limits")
