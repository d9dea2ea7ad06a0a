"""Accounts over HTTP: signing up, in and out, guests that become accounts, sessions, tokens, deletion."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.accounts import invites
from hexarena.backend.api.deps import local_user
from hexarena.backend.api.middleware.guard import LOCAL_HEADER
from hexarena.backend.api.routes import accounts as routes
from hexarena.backend.api.routes.live import get_viewer_id
from hexarena.backend.matches import life as matches, queue, workers
from hexarena.backend.matches.blobs import Blobs, replay_key
from hexarena.backend.matches.store import blobs_of
from hexarena.backend.models import (
    Bot,
    Erasure,
    Job,
    Match,
    MatchKind,
    MatchState,
    Source,
    Submission,
    SubmissionState,
    Usage,
    User,
    UserKind,
    UserRole,
    UserSession,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.lines import header_line
from tests.conftest import is_anybody_waiting, new_visitor, wait_until

API = "/api/v1"
PASSWORD = "correct horse"
BOT = {"game": "yavalath", "bot": "mine", "language": "python", "source": "print('4 4')"}
PRACTICE = {"game": "yavalath", "language": "python", "source": "print('1 1')"}


def signed_up(client: TestClient, name: str = "Ada", **more: Any) -> dict[str, Any]:
    answer = client.post(f"{API}/sign-up", json={"name": name, "password": PASSWORD, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def with_token(settings: Settings, token: str) -> TestClient:
    """A context manager, as in conftest."""
    visitor = new_visitor(settings)
    visitor.headers["Authorization"] = f"Bearer {token}"
    return visitor


@contextmanager
def arena_with(settings: Settings, **changes: Any) -> Iterator[TestClient]:
    with new_visitor(settings.model_copy(update=changes)) as visitor:
        yield visitor


# --- Signing up, in and out ----------------------------------------------------------------------------------------


def test_a_guest_becomes_an_account_and_keeps_everything(client: TestClient) -> None:
    bot = client.post(f"{API}/submissions", json=BOT).json()
    played = client.post(f"{API}/matches", json=PRACTICE).json()
    guest = client.get(f"{API}/me").json()
    old_cookie = client.cookies["hexarena_user"]

    me = signed_up(client, email="ada@example.org")
    assert (me["id"], me["kind"], me["name"], me["bots"], me["email"]) == (
        guest["id"],
        "account",
        "Ada",
        1,
        "ada@example.org",
    )
    assert "hexarena_user" not in client.cookies
    assert client.get(f"{API}/me").json() == me
    assert client.get(f"{API}/bots/{bot['bot_id']}").json()["owner"] == "Ada"
    assert client.get(f"{API}/matches/{played['id']}").status_code == 200

    client.cookies.clear()
    client.cookies["hexarena_user"] = old_cookie
    assert client.get(f"{API}/me").json()["kind"] == "none"
    assert client.get(f"{API}/matches/{played['id']}").status_code == 404


@pytest.mark.long
def test_signing_in_moves_a_guests_things_to_the_account(
    client: TestClient, settings: Settings, database: Database
) -> None:
    account = signed_up(client)
    with new_visitor(settings) as guest:
        bot = guest.post(f"{API}/submissions", json=BOT).json()
        played = guest.post(f"{API}/matches", json=PRACTICE).json()
        guest_id = guest.get(f"{API}/me").json()["id"]
        wrong = guest.post(f"{API}/sign-in", json={"name": "Ada", "password": "wrong password"})
        assert (wrong.status_code, wrong.json()["detail"]) == (401, "Name or password is wrong.")
        assert guest.get(f"{API}/me").json()["id"] == guest_id
        me = guest.post(f"{API}/sign-in", json={"name": "ada", "password": PASSWORD}).json()
        assert (me["id"], me["bots"]) == (account["id"], 1)
        assert guest.get(f"{API}/matches/{played['id']}").status_code == 200
        assert guest.get(f"{API}/submissions/{bot['id']}/source").text == "print('4 4')"
    with database.transaction() as session:
        assert session.get(User, guest_id) is None


def test_signing_out_ends_the_session(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    cookie = client.cookies["hexarena_session"]
    assert client.post(f"{API}/sign-out").status_code == 204
    assert client.get(f"{API}/me").json()["kind"] == "none"
    with new_visitor(settings) as thief:
        thief.cookies["hexarena_session"] = cookie
        assert thief.get(f"{API}/me").json()["kind"] == "none"
        refused = thief.post(f"{API}/submissions", json=BOT)
        assert (refused.status_code, refused.json()["title"]) == (401, "This cookie is not valid")
    assert client.post(f"{API}/sign-out").status_code == 204


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(settings: Settings) -> None:
    with arena_with(settings, secure_cookies=True) as client:
        answer = client.post(f"{API}/sign-up", json={"name": "Ada", "password": PASSWORD})
    parts = answer.headers["set-cookie"].lower()
    for wanted in ("httponly", "samesite=lax", "secure", "max-age=2592000"):
        assert wanted in parts


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "password", "refusal"),
    [
        ("Ada", "short", (422, "8 to 200 characters")),
        ("Ada", "aaaaaaaaaaaa", (422, "easy to guess")),
        ("Ada", "password", (422, "easy to guess")),
        ("Countess", "countess", (422, "easy to guess")),
        ("Ada", "new\x00line password", (422, "control characters")),
        ("Hexаrena", PASSWORD, (422, "too near to “Hexarena”")),
        ("Queen", PASSWORD, (422, "taken")),
        ("guest 7", PASSWORD, (422, "too near to “guest”")),
        ("guеst 7", PASSWORD, (422, "too near to “guest”")),
        ("a/b", PASSWORD, (422, "cannot be used")),
        ("Grаce", PASSWORD, (409, "too near to “Grace”")),
        ("grace", PASSWORD, (409, "taken")),
    ],
)
def test_bad_sign_ups_make_nothing(
    client: TestClient, settings: Settings, name: str, password: str, refusal: tuple[int, str]
) -> None:
    status, said = refusal
    with new_visitor(settings) as other:
        signed_up(other, "Grace")
    answer = client.post(f"{API}/sign-up", json={"name": name, "password": password})
    assert answer.status_code == status, answer.text
    assert said in answer.text
    assert client.get(f"{API}/me").json()["kind"] == "none"


def test_a_mail_address_is_checked(client: TestClient) -> None:
    answer = client.post(f"{API}/sign-up", json={"name": "Ada", "password": PASSWORD, "email": "nobody"})
    assert (answer.status_code, answer.json()["got"]) == (422, "nobody")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("sign-in", {"name": "A\0da", "password": PASSWORD}),
        ("sign-up", {"name": "Eve", "password": PASSWORD, "email": "a\0@example.org"}),
        ("me/tokens", {"name": "lap\0top", "scopes": ["read"]}),
    ],
)
def test_what_no_row_can_hold_is_refused(client: TestClient, path: str, body: dict[str, Any]) -> None:
    signed_up(client, "Ada")
    answer = client.post(f"{API}/{path}", json=body)
    assert (answer.status_code, answer.json()["detail"]) == (422, "A text contains a NUL character.")


def test_only_one_of_two_at_once_gets_a_name(settings: Settings) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with new_visitor(settings) as one, new_visitor(settings) as two, ThreadPoolExecutor() as pool:
        body = {"name": "Ada", "password": PASSWORD}
        both = pool.map(lambda client: client.post(f"{API}/sign-up", json=body).status_code, (one, two))
        assert sorted(both) == [201, 409]


# --- Who may get in ------------------------------------------------------------------------------------------------


def test_an_arena_may_want_invitations(settings: Settings, database: Database) -> None:
    with database.transaction() as session:
        _, code = invites.create(session, uses=1, days=1, note="", role=UserRole.ORGANISER)
    for mode in ("invite", "closed", "oidc"):
        with arena_with(settings, sign_up=mode) as client:
            refused = client.post(f"{API}/sign-up", json={"name": "Ada", "password": PASSWORD})
            assert refused.status_code == 403
            assert client.get(f"{API}/sign-in/options").json()["sign_up"] == mode
    with arena_with(settings, sign_up="invite") as client:
        taken = client.post(f"{API}/sign-up", json={"name": "Queen", "password": PASSWORD, "invite": code})
        assert taken.status_code == 422  # and the code is still good
        assert signed_up(client, invite=f" {code.upper()} ")["role"] == "organiser"
        again = client.post(f"{API}/sign-up", json={"name": "Eve", "password": PASSWORD, "invite": code})
        assert (again.status_code, again.json()["got"]) == (403, code)


def test_an_arena_may_have_no_guests(settings: Settings) -> None:
    with arena_with(settings, guests=False) as client:
        for path, body in ((f"{API}/submissions", BOT), (f"{API}/matches", PRACTICE)):
            refused = client.post(path, json=body)
            assert (refused.status_code, refused.json()["detail"]) == (401, "Sign in first.")
            assert refused.headers["www-authenticate"] == "Bearer"
        signed_up(client)
        assert client.post(f"{API}/submissions", json=BOT).status_code == 201


def test_organisers_invite_and_appoint(client: TestClient, settings: Settings, database: Database) -> None:
    admin = signed_up(client)
    assert client.get(f"{API}/users").status_code == 403
    with database.transaction() as session:
        session.execute(update(User).where(User.id == admin["id"]).values(role=UserRole.ORGANISER))
    made = client.post(f"{API}/invites", json={"uses": 2, "note": "class"}).json()
    assert client.get(f"{API}/invites").json()["items"][0] == {key: made[key] for key in made if key != "code"}
    with new_visitor(settings) as other:
        grace = signed_up(other, "Grace", invite=made["code"])
        assert other.get(f"{API}/users").status_code == 403
        assert client.patch(f"{API}/users/{grace['id']}", json={"role": "organiser"}).json()["role"] == "organiser"
        assert [one["name"] for one in other.get(f"{API}/users", params={"name": "AD"}).json()["items"]] == ["Ada"]
    assert client.delete(f"{API}/invites/{made['id']}").status_code == 204
    assert client.get(f"{API}/invites").json()["items"] == []
    client.patch(f"{API}/users/{grace['id']}", json={"role": "user"})
    last = client.patch(f"{API}/users/{admin['id']}", json={"role": "user"})
    assert (last.status_code, last.json()["detail"]) == (409, "This is the only organiser.")


# --- Sessions ------------------------------------------------------------------------------------------------------


def test_sessions_are_listed_and_ended(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    with new_visitor(settings) as elsewhere:
        elsewhere.headers["User-Agent"] = "Elsewhere/1"
        elsewhere.post(f"{API}/sign-in", json={"name": "Ada", "password": PASSWORD})
        listed = client.get(f"{API}/me/sessions").json()["items"]
        assert [(one["browser"], one["current"]) for one in listed] == [("Elsewhere/1", False), ("testclient", True)]
        assert client.delete(f"{API}/me/sessions/{listed[0]['id']}").status_code == 204
        assert elsewhere.get(f"{API}/me").json()["kind"] == "none"
    with new_visitor(settings) as stranger:
        signed_up(stranger, "Eve")
        assert stranger.delete(f"{API}/me/sessions/{listed[1]['id']}").status_code == 404
    assert client.get(f"{API}/me").json()["name"] == "Ada"


def test_another_password_ends_the_other_sessions(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    with new_visitor(settings) as elsewhere:
        elsewhere.post(f"{API}/sign-in", json={"name": "Ada", "password": PASSWORD})
        wrong = client.post(f"{API}/me/password", json={"old": "not this", "new": "another horse"})
        assert wrong.status_code == 401
        assert elsewhere.get(f"{API}/me").json()["name"] == "Ada"
        assert client.post(f"{API}/me/password", json={"old": PASSWORD, "new": "another horse"}).status_code == 200
        assert elsewhere.get(f"{API}/me").json()["kind"] == "none"
        assert elsewhere.post(f"{API}/sign-in", json={"name": "Ada", "password": PASSWORD}).status_code == 401
        assert elsewhere.post(f"{API}/sign-in", json={"name": "Ada", "password": "another horse"}).status_code == 200
    assert client.get(f"{API}/me").json()["name"] == "Ada"


@pytest.mark.parametrize(
    ("method", "path", "guess"),
    [("POST", "/me/password", {"old": "not this", "new": "another horse"}),
     ("DELETE", "/me", {"name": "Ada", "password": "not this"})],
)  # fmt: skip
def test_nobody_guesses_the_password_quickly_at_an_open_browser(
    client: TestClient, method: str, path: str, guess: dict[str, str]
) -> None:
    signed_up(client)
    answers = [client.request(method, f"{API}{path}", json=guess).status_code for _ in range(12)]
    assert (answers[0], answers[-1]) == (401, 429)
    assert client.get(f"{API}/me").json()["name"] == "Ada"


def test_a_session_slides_and_ends(client: TestClient, database: Database) -> None:
    signed_up(client)

    def ages(seen: timedelta, expires: timedelta) -> None:
        with database.transaction() as session:
            session.execute(update(UserSession).values(seen_at=func.now() - seen, expires_at=func.now() + expires))

    ages(timedelta(days=29), timedelta(days=1))
    # An answer of its own kind, such as a stream's or a file's, sets no cookie.
    assert "set-cookie" not in client.get(f"{API}/me/export").headers
    with database.transaction() as session:
        left = session.scalars(select(UserSession.expires_at - func.now())).one()
        assert left > timedelta(days=29)
    answer = client.get(f"{API}/me")
    assert "max-age=2592000" in answer.headers["set-cookie"].lower()
    assert client.get(f"{API}/me").json()["kind"] == "account"
    ages(timedelta(days=31), timedelta(seconds=-1))
    assert client.get(f"{API}/me").json()["kind"] == "none"


# --- Tokens --------------------------------------------------------------------------------------------------------


def test_a_token_does_what_its_scopes_say(client: TestClient, settings: Settings) -> None:
    signed_up(client)
    made = client.post(f"{API}/me/tokens", json={"name": "laptop", "scopes": ["submit", "read"]}).json()
    again = client.post(f"{API}/me/tokens", json={"name": "laptop", "scopes": ["read"]})
    assert (again.status_code, again.json()["got"]) == (409, "laptop")
    with with_token(settings, made["token"]) as script:
        assert script.post(f"{API}/submissions", json=BOT).json()["bot"] == "mine"
        assert script.get(f"{API}/bots", params={"mine": True}).json()["items"][0]["name"] == "mine"
        for method, path, body in (
            ("POST", "/matches", PRACTICE),
            ("POST", "/me/tokens", {"name": "more", "scopes": ["read"]}),
            ("POST", "/me/password", {"old": PASSWORD, "new": "another horse"}),
        ):
            refused = script.request(method, API + path, json=body)
            assert (refused.status_code, refused.json()["title"]) == (403, "You may not do this")
        assert "set-cookie" not in script.get(f"{API}/me").headers
    listed = client.get(f"{API}/me/tokens").json()["items"]
    assert [(one["name"], one["uses"], one["used_at"] is None) for one in listed] == [("laptop", 6, False)]
    assert "token" not in listed[0]
    with new_visitor(settings) as stranger:
        signed_up(stranger, "Eve")
        assert stranger.delete(f"{API}/me/tokens/{made['id']}").status_code == 404
    assert len(client.get(f"{API}/me/tokens").json()["items"]) == 1
    assert client.delete(f"{API}/me/tokens/{made['id']}").status_code == 204
    with with_token(settings, made["token"]) as script:
        ended = script.get(f"{API}/games")
        assert (ended.status_code, ended.json()["got"]) == (401, "'" + made["token"][:8] + "'")


def test_tokens_are_kept_as_hashes_only(client: TestClient, database: Database) -> None:
    signed_up(client)
    made = client.post(f"{API}/me/tokens", json={"name": "x", "scopes": ["read"]}).json()
    secrets = [made["token"], client.cookies["hexarena_session"], PASSWORD]
    with database.transaction() as session:
        rows = (
            session.execute(
                text(
                    "SELECT row_to_json(t)::text FROM token t UNION ALL SELECT row_to_json(s)::text FROM user_session s"
                    ' UNION ALL SELECT row_to_json(u)::text FROM "user" u'
                )
            )
            .scalars()
            .all()
        )
    assert len(rows) >= 3
    assert not [secret for secret in secrets if any(secret in row for row in rows)]


def test_only_organisers_get_tokens_to_organise(client: TestClient) -> None:
    signed_up(client)
    refused = client.post(f"{API}/me/tokens", json={"name": "x", "scopes": ["organise"]})
    assert (refused.status_code, refused.json()["got"]) == (422, "organise")


# --- Deleting and taking away --------------------------------------------------------------------------------------


def goes_live(database: Database, submission_id: int) -> None:
    with database.transaction() as session:
        session.execute(text("DELETE FROM match WHERE kind = 'check'"))
        submissions.go_live(session, submission_id)


def played(session: Session, blobs: Blobs, submission_ids: list[int]) -> int:
    """A ladder match that is done, with its replay and seat logs."""
    match = matches.schedule(
        session, game="yavalath", kind=MatchKind.LADDER, submission_ids=submission_ids, seed=1, league=1
    )
    session.execute(update(Job).where(Job.match_id != match.id).values(not_before=func.now() + timedelta(days=1)))
    (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=3)
    claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
    assert claimed is not None
    key = replay_key(match.id, claimed.attempt)
    game = find_game("yavalath")
    header = header_line(game, {}, seed=1, league=1, players=[seat.player for seat in claimed.seats])
    blobs.put_match(key, header + '{"t":1}\n', ['{"t":1}\n'] * 2)
    report = matches.Report((0, 1), (1, 0), "because", 1, (), 1, "test", key, "1", "d")
    assert matches.finish(session, claimed, report)
    return match.id


def test_an_old_versions_code_can_be_deleted(client: TestClient, settings: Settings, database: Database) -> None:
    first = client.post(f"{API}/submissions", json=BOT | {"note": "secret note"}).json()
    goes_live(database, first["id"])
    in_use = client.delete(f"{API}/submissions/{first['id']}/source")
    assert (in_use.status_code, in_use.json()["got"]) == (409, "version 1, which is live")
    second = client.post(f"{API}/submissions", json=BOT | {"source": "print('5 5')"}).json()
    goes_live(database, second["id"])
    with new_visitor(settings) as stranger:
        assert stranger.post(f"{API}/submissions", json=BOT | {"bot": "other"}).status_code == 201  # the same code
        assert stranger.delete(f"{API}/submissions/{first['id']}/source").status_code == 404
    gone = client.delete(f"{API}/submissions/{first['id']}/source").json()
    assert (gone["deleted"], gone["bytes"], gone["note"]) == (True, 0, "")
    assert client.get(f"{API}/submissions/{first['id']}/source").status_code == 404
    assert client.delete(f"{API}/submissions/{first['id']}/source").status_code == 200
    back = client.post(f"{API}/submissions/{first['id']}/restore")
    assert (back.status_code, back.json()["detail"]) == (409, "The code of version 1 was deleted.")
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Source).where(Source.body == b"print('4 4')")) == 1
        session.execute(
            update(Submission).where(Submission.id == second["id"]).values(state=SubmissionState.SUPERSEDED)
        )
    client.delete(f"{API}/submissions/{second['id']}/source")
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Source).where(Source.body == b"print('5 5')")) == 0


def test_a_deleted_bot_leaves_only_results(client: TestClient, settings: Settings, database: Database) -> None:
    made = client.post(f"{API}/submissions", json=BOT).json()
    goes_live(database, made["id"])
    with new_visitor(settings) as stranger:
        assert stranger.delete(f"{API}/bots/{made['bot_id']}").status_code == 404
    assert client.delete(f"{API}/bots/999999").status_code == 404
    assert client.delete(f"{API}/bots/{made['bot_id']}").status_code == 204
    assert client.get(f"{API}/bots", params={"mine": True}).json()["items"] == []
    left = client.get(f"{API}/bots/{made['bot_id']}").json()
    assert left["name"] == f"deleted #{made['bot_id']}"
    assert (left["owner"], left["owner_id"]) == ("deleted", 0)
    assert [(one["state"], one["deleted"]) for one in left["submissions"]] == [("disabled", True)]
    board = client.get(f"{API}/games/yavalath/leaderboard").json()
    assert made["bot_id"] not in [row["bot_id"] for row in board["items"]]
    assert client.delete(f"{API}/bots/{made['bot_id']}").status_code == 404
    again = client.post(f"{API}/submissions", json=BOT)
    assert again.status_code == 201  # the name is free
    assert again.json()["bot_id"] != made["bot_id"]


def test_nobody_reads_whose_a_deleted_bot_was(client: TestClient, settings: Settings, database: Database) -> None:
    signed_up(client)
    made = client.post(f"{API}/submissions", json=BOT).json()
    goes_live(database, made["id"])
    with database.transaction() as session:
        match_id = played(session, blobs_of(settings), [made["id"], made["id"]])
    client.post(f"{API}/submissions/{made['id']}/restore")
    assert client.delete(f"{API}/bots/{made['bot_id']}").status_code == 204
    with new_visitor(settings) as stranger:
        for path in (f"matches/{match_id}", f"bots/{made['bot_id']}", f"submissions/{made['id']}"):
            assert "Ada" not in stranger.get(f"{API}/{path}").text, path


def test_an_upload_that_waits_for_the_end_of_its_bot_makes_a_new_one(client: TestClient, database: Database) -> None:
    made = client.post(f"{API}/submissions", json=BOT).json()
    goes_live(database, made["id"])
    me = client.get(f"{API}/me").json()["id"]

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            deletion.delete_bot(session, session.get_one(User, me), made["bot_id"])
            session.flush()
            waiting = pool.submit(client.post, f"{API}/submissions", json=BOT | {"source": "print('5 5')"})
            wait_until(lambda: is_anybody_waiting(database) or waiting.done(), "the upload waits for the bot")
        again = waiting.result()
    assert (again.status_code, again.json()["version"]) == (201, 1)
    assert again.json()["bot_id"] != made["bot_id"]


def test_a_deleted_account_leaves_only_results(client: TestClient, settings: Settings, database: Database) -> None:
    signed_up(client, email="ada@example.org")
    made = client.post(f"{API}/submissions", json=BOT).json()
    practice = client.post(f"{API}/matches", json=PRACTICE).json()
    token = client.post(f"{API}/me/tokens", json={"name": "x", "scopes": ["read"]}).json()["token"]
    for name, password in (("Eve", PASSWORD), ("Ada", "wrong password")):
        body = {"name": name, "password": password}
        assert client.request("DELETE", f"{API}/me", json=body).status_code in {401, 409}
    gone = client.request("DELETE", f"{API}/me", json={"name": "ada", "password": PASSWORD})
    assert gone.status_code == 204
    assert client.get(f"{API}/me").json()["kind"] == "none"
    with with_token(settings, token) as script:
        assert script.get(f"{API}/me").status_code == 401
    assert client.get(f"{API}/bots/{made['bot_id']}").json()["owner"] == "deleted"
    with database.transaction() as session:
        assert session.get(Match, practice["id"]) is None
        user = session.scalars(select(User).join(Bot, Bot.owner_id == User.id).where(Bot.id == made["bot_id"])).one()
        assert (user.kind, user.name, user.email, user.password_hash) == (UserKind.DELETED, "deleted", None, None)
        bodies = session.scalars(select(Source.body)).all()
        assert b"print('4 4')" not in bodies
        assert b"print('1 1')" not in bodies
        assert session.scalar(select(Match.state).where(Match.id == made["check_match_id"])) == MatchState.VOID
    assert client.post(f"{API}/sign-in", json={"name": "Ada", "password": PASSWORD}).status_code == 401
    with new_visitor(settings) as other:
        signed_up(other, "Ada")


def test_drafts_go_although_somebody_elses_practice_seats_them(
    client: TestClient, settings: Settings, database: Database
) -> None:
    signed_up(client)
    practice = client.post(f"{API}/matches", json=PRACTICE).json()
    draft, boss = (seat["submission_id"] for seat in practice["seats"])
    with new_visitor(settings) as bob:
        other = signed_up(bob, "Bob")["id"]
    with database.transaction() as session:
        theirs = matches.schedule(
            session,
            game="yavalath",
            kind=MatchKind.PRACTICE,
            submission_ids=[draft, boss],
            seed=1,
            league=1,
            requested_by_id=other,
        ).id
    gone = client.request("DELETE", f"{API}/me", json={"name": "Ada", "password": PASSWORD})
    assert gone.status_code == 204, gone.text
    with database.transaction() as session:
        assert session.get(Submission, draft) is None
        assert session.get(Match, theirs) is None
        assert session.get(Submission, boss) is not None


def test_what_is_being_played_is_charged_when_its_user_leaves(client: TestClient, database: Database) -> None:
    signed_up(client)
    practice = client.post(f"{API}/matches", json=PRACTICE).json()["id"]
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=5, seconds=30, max_attempts=4)
        assert queue.claim(session, practice, lease.token, seconds=30) is not None
    assert client.request("DELETE", f"{API}/me", json={"name": "Ada", "password": PASSWORD}).status_code == 204
    with database.transaction() as session:
        assert (session.scalar(select(func.sum(Usage.cpu_s))) or 0) > 0


@pytest.mark.parametrize("what", ["deleted", "banned"])
def test_a_request_that_waits_for_its_users_end_stores_nothing(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    me = signed_up(client)["id"]
    true = workers.languages

    def meanwhile(session: Session) -> set[str]:
        with database.transaction() as other:
            if what == "deleted":
                deletion.delete_account(other, other.get_one(User, me))
            else:
                ada = other.get_one(User, me)
                ada.banned_at, ada.ban_reason = func.now(), "She shared her code."
        return true(session)

    monkeypatch.setattr(workers, "languages", meanwhile)
    refused = client.post(f"{API}/submissions", json=BOT)
    expected = (401, "deleted just now") if what == "deleted" else (403, "She shared her code.")
    assert (refused.status_code, expected[1] in refused.text) == (expected[0], True)
    with database.transaction() as session:
        assert session.scalar(select(Submission.id).where(Submission.user_id == me)) is None


def test_a_session_of_somebody_who_is_gone_is_none(client: TestClient, database: Database) -> None:
    me = signed_up(client)["id"]
    with database.transaction() as session:
        session.execute(update(User).where(User.id == me).values(kind=UserKind.DELETED, name_key=None))
    assert client.get(f"{API}/me").json()["kind"] == "none"


def test_the_only_organiser_cannot_leave(client: TestClient, database: Database) -> None:
    me = signed_up(client)
    with database.transaction() as session:
        session.execute(update(User).where(User.id == me["id"]).values(role=UserRole.ORGANISER))
    refused = client.request("DELETE", f"{API}/me", json={"name": "Ada", "password": PASSWORD})
    assert (refused.status_code, refused.json()["detail"]) == (409, "You are the only organiser.")
    assert client.get(f"{API}/me").json()["name"] == "Ada"


def test_logs_go_and_replays_lose_the_name(client: TestClient, settings: Settings, database: Database) -> None:
    made = client.post(f"{API}/submissions", json=BOT).json()
    goes_live(database, made["id"])
    blobs = Blobs(settings.data_folder / "blobs")
    with database.transaction() as session:
        starter = session.scalars(
            select(Submission.id)
            .join(Bot, Bot.id == Submission.bot_id)
            .where(Bot.game == "yavalath", Bot.name == "starter", Submission.state == SubmissionState.LIVE)
        ).one()
        match_id = played(session, blobs, [made["id"], starter])
    replay = f"{API}/matches/{match_id}/replay"
    assert [one["bot"] for one in json.loads(client.get(replay).text.splitlines()[0])["players"]] == ["mine", "starter"]
    assert client.get(f"{API}/matches/{match_id}/seats/0/io").status_code == 200
    assert client.delete(f"{API}/bots/{made['bot_id']}").status_code == 204
    lines = client.get(replay).text.splitlines()
    assert [one["bot"] for one in json.loads(lines[0])["players"]] == ["deleted", "starter"]
    assert len(lines) > 1
    with database.transaction() as session:
        row = session.scalars(select(Erasure)).one()
        key = row.replay_key
    assert blobs.text(key, 0) is not None
    assert deletion.erase_some(database, blobs) == 1
    assert deletion.erase_some(database, blobs) == 0
    assert blobs.text(key, 0) is None
    assert blobs.text(key, 1) is not None
    assert client.get(f"{API}/matches/{match_id}").json()["seats"][1]["rank"] is not None


def test_a_queued_match_whose_code_is_gone_is_void(client: TestClient, database: Database) -> None:
    made = client.post(f"{API}/submissions", json=BOT).json()
    with database.transaction() as session:
        leases = queue.lease(session, limit=5, seconds=30, max_attempts=4)
        assert [one.match_id for one in leases] == [made["check_match_id"]]
        claimed = queue.claim(session, leases[0].match_id, leases[0].token, seconds=0.0)
        assert claimed is not None
    assert client.delete(f"{API}/bots/{made['bot_id']}").status_code == 204
    with database.transaction() as session:
        leases = queue.lease(session, limit=5, seconds=30, max_attempts=4)  # as if its worker had died
        assert queue.claim(session, leases[0].match_id, leases[0].token, seconds=30) is None
    seen = client.get(f"{API}/matches/{made['check_match_id']}").json()
    assert (seen["state"], "deleted by its owner" in seen["void_reason"]) == ("void", True)


def test_everything_can_be_taken_away(client: TestClient, database: Database) -> None:
    signed_up(client, email="ada@example.org")
    made = client.post(f"{API}/submissions", json=BOT | {"note": "first"}).json()
    client.post(f"{API}/matches", json=PRACTICE)
    board = client.get(f"{API}/games/yavalath/leaderboard?limit=2").json()["items"]
    body = {"game": "yavalath", "candidate": board[0]["submission_id"], "baseline": board[1]["submission_id"]}
    duel = client.post(f"{API}/duels", json=body).json()
    with database.transaction() as session:
        notices.moved(session, made["id"], league="Silver", up=True)
    answer = client.get(f"{API}/me/export")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["cache-control"] == "private, no-store"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        assert archive.read("code/yavalath/mine/1/bot.py").decode() == "print('4 4')"
        assert any(name.startswith("code/yavalath/drafts/") for name in names)
        assert json.loads(archive.read("account.json"))["email"] == "ada@example.org"
        versions = json.loads(archive.read("versions.json"))
        assert [(one["bot"], one["note"]) for one in versions] == [("mine", "first"), (None, "")]
        rows = list(csv.DictReader(io.StringIO(archive.read("matches.csv").decode())))
        assert str(made["check_match_id"]) in [row["match"] for row in rows]
        [one] = json.loads(archive.read("duels.json"))
        assert (one["id"], one["state"], one["candidate_id"]) == (duel["id"], "running", board[0]["submission_id"])
        [notice] = json.loads(archive.read("notices.json"))
        assert (notice["kind"], notice["submission_id"], notice["league"]) == ("promoted", made["id"], "Silver")
        listed = {line.split()[0].rstrip("/") for line in archive.read("README.txt").decode().splitlines()[3:]}
        assert listed == {name.split("/")[0] for name in names} - {"README.txt"} | {"editor"}


def test_what_was_run_often_is_in_the_archive_once(client: TestClient, database: Database) -> None:
    signed_up(client)
    for source in ("print('4 4')", "print('5 5')", "print('4 4')"):
        assert client.post(f"{API}/matches", json=PRACTICE | {"source": source}).status_code == 201
    with zipfile.ZipFile(io.BytesIO(client.get(f"{API}/me/export").content)) as archive:
        versions = json.loads(archive.read("versions.json"))
        code = [archive.read(f"{one['folder']}/bot.py").decode() for one in versions]
        assert code == ["print('4 4')", "print('5 5')", "print('4 4')"]
        assert len([name for name in archive.namelist() if name.startswith("code/")]) == 2


def test_few_archives_are_packed_at_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_up(client)
    monkeypatch.setattr(routes, "_EXPORTS", BoundedSemaphore(1))
    with routes._EXPORTS:
        answer = client.get(f"{API}/me/export")
    assert (answer.status_code, answer.json()["detail"][:6]) == (429, "Others")
    assert client.get(f"{API}/me/export").status_code == 200


# --- Names of bots -------------------------------------------------------------------------------------------------


def test_a_bot_may_not_look_like_somebody_elses(client: TestClient, settings: Settings) -> None:
    client.post(f"{API}/submissions", json=BOT | {"bot": "bot"})
    assert client.post(f"{API}/submissions", json=BOT | {"bot": "bоt"}).status_code == 201  # one's own may
    with new_visitor(settings) as stranger:
        for name, near in (("B0T", "bot"), ("bοt", "bot"), ("Quееn", "Queen"), ("Hexаrena", "Hexarena")):
            refused = stranger.post(f"{API}/submissions", json=BOT | {"bot": name})
            assert refused.status_code == 422, name
            assert f"“{near}”" in refused.json()["detail"] or near == "bot"
        assert stranger.post(f"{API}/submissions", json=BOT | {"bot": "bot", "game": "ants"}).status_code == 201


def test_the_only_user_is_made_once_whoever_asks_first(database: Database) -> None:
    with ThreadPoolExecutor(1) as pool, database.transaction() as session:
        mine = local_user(session).id

        def asked() -> int:
            with database.transaction() as other:
                return local_user(other).id

        waits = pool.submit(asked)
        with pytest.raises(TimeoutError):
            waits.result(timeout=0.3)
        session.commit()
        assert waits.result(timeout=30) == mine


def test_a_stream_knows_the_only_user_before_anything_else_does(settings: Settings) -> None:
    with arena_with(settings, sandbox="none") as client:
        arena = cast(FastAPI, client.app).state.arena
        viewer = get_viewer_id(arena, None)
        assert viewer is not None
        client.headers[LOCAL_HEADER] = settings.local_token()
        assert client.get(f"{API}/me").json()["id"] == viewer
    assert get_viewer_id(arena, 5) == 5


def test_an_arena_without_isolation_has_no_accounts(settings: Settings) -> None:
    with arena_with(settings, sandbox="none") as client:
        client.headers[LOCAL_HEADER] = settings.local_token()
        refused = client.post(f"{API}/sign-up", json={"name": "Ada", "password": PASSWORD})
        assert (refused.status_code, refused.json()["detail"]) == (409, "This arena has no accounts.")
