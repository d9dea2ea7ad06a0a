"""Accounts: signing up, in and out; oneself; sessions and tokens; and what organisers do with others' accounts."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts import invites, life as accounts, owners, sessions, tokens
from hexarena.backend.accounts.passwords import is_right
from hexarena.backend.api import schemas
from hexarena.backend.api.cookies import COOKIE, SESSION_COOKIE
from hexarena.backend.api.deps import (
    Arena,
    CurrentUserId,
    CurrentVisitor,
    InArena,
    find_user,
    keep_session,
    organiser,
    require_user,
)
from hexarena.backend.api.middleware.addresses import client_address
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import AfterId, IdPath, page
from hexarena.backend.errors import Conflict, Forbidden, NotFound, SignInFailed, TooMany
from hexarena.backend.ladder import standings
from hexarena.backend.matches import shares
from hexarena.backend.models import Bot, Invite, OidcIdentity, Submission, Token, User, UserKind, UserRole, UserSession
from hexarena.backend.submissions import deletion, export, storage
from hexarena.backend.submissions.adoption import adopt

router = APIRouter()
EXPORTS_AT_ONCE = 2
"""In a process: each takes memory, and a core for seconds."""
_EXPORTS = BoundedSemaphore(EXPORTS_AT_ONCE)


# --- Signing up, in and out -------------------------------------------------------------------------------------------


@router.get("/sign-in/options", tags=["me"])
def get_sign_in_options(arena: InArena) -> schemas.SignInOptions:
    """How one gets in here."""
    settings = arena.settings
    return schemas.SignInOptions(
        sign_up=settings.sign_up,
        guests=settings.guests,
        providers=[schemas.Provider(id=one.id, title=one.title, url=f"/api/v1/oidc/{one.id}") for one in settings.oidc],
    )


@router.post("/sign-up", status_code=201, tags=["me"])
def sign_up(
    arena: InArena,
    visitor: CurrentVisitor,
    network: ClientNetwork,
    request: Request,
    response: Response,
    new: schemas.SignUp,
) -> schemas.Me:
    """Makes an account and signs you in. Your bots as a guest become the account's."""
    _check_accounts(arena)
    arena.limiter.admit_sign_in(network, new.name)
    counted = None
    if not new.invite and arena.settings.sign_up == "open":  # Anybody could make this account.
        arena.limiter.admit_account(network)
        counted = arena.limiter.key(network) if arena.settings.new_account_days else None
    with arena.database.transaction() as session:
        role = role_of_newcomer(session, arena, new.invite, by_password=True)
        guest = _guest(session, arena, visitor.user_id)
        user = accounts.sign_up(
            session, guest, name=new.name, password=new.password, email=new.email, role=role, network=counted
        )
        note_organiser(session, user)
        standings.publish_owner(session, user.id)
        begin_session(session, arena, user, request, response)
        return me(session, arena, user)


def note_organiser(session: Session, user: User) -> None:
    """Logs that somebody who has just signed up is an organiser, if so: by an invitation."""
    if user.role == UserRole.ORGANISER:
        audit.record(session, user, "become organiser by invitation", person=user.name, person_id=user.id)


def role_of_newcomer(session: Session, arena: Arena, invite: str | None, *, by_password: bool) -> UserRole:
    """The role of somebody who signs up, if they may. Uses up their invitation. Raises: Forbidden."""
    if invite:
        return invites.redeem(session, invite)
    mode = arena.settings.sign_up
    if mode == "open" or (mode == "oidc" and not by_password):
        return UserRole.USER
    ways = {"invite": "an invitation", "oidc": "to sign in with one of the providers", "closed": "an invitation"}
    raise Forbidden("This arena is not open to everybody.", expected=ways[mode], got="no invitation")


@router.post("/sign-in", tags=["me"])
def sign_in(
    arena: InArena,
    visitor: CurrentVisitor,
    network: ClientNetwork,
    request: Request,
    response: Response,
    given: schemas.SignIn,
) -> schemas.Me:
    """Signs you in. All that is yours as a guest moves to the account."""
    _check_accounts(arena)
    arena.limiter.admit_sign_in(network, given.name)
    with arena.database.transaction() as session:
        user = accounts.sign_in(session, name=given.name, password=given.password)
        adopt(session, user, find_user(session, arena, visitor.user_id), arena.quotas)
        begin_session(session, arena, user, request, response)
        return me(session, arena, user)


def begin_session(session: Session, arena: Arena, user: User, request: Request, response: Response) -> None:
    """Signs this browser in, and forgets that it was a guest's."""
    arena.limiter.remember_sign_in(client_address(request), user.name)
    keep_session(arena, response, sessions.begin(session, user, request.headers.get("user-agent", "")))
    response.delete_cookie(COOKIE)


def _guest(session: Session, arena: Arena, user_id: int | None) -> User | None:
    user = find_user(session, arena, user_id)
    return user if user is not None and user.kind == UserKind.GUEST else None


def _check_accounts(arena: Arena) -> None:
    if arena.settings.sandbox == "none":
        expected = "an arena with isolation; this one runs with HEXARENA_SANDBOX=none, for its only user"
        raise Conflict("This arena has no accounts.", expected=expected)


@router.post("/sign-out", status_code=204, tags=["me"])
def sign_out(arena: InArena, visitor: CurrentVisitor, response: Response) -> None:
    """Ends this session. Idempotent."""
    if visitor.session_id is not None and visitor.user_id is not None:
        with arena.database.transaction() as session:
            sessions.end(session, visitor.user_id, visitor.session_id)
    response.delete_cookie(SESSION_COOKIE)


# --- Oneself ----------------------------------------------------------------------------------------------------------


@router.get("/me", tags=["me"])
def get_me(arena: InArena, visitor: CurrentVisitor, request: Request, response: Response) -> schemas.Me:
    """Who you are. The cookie of your session lasts for another 30 days."""
    if visitor.session_id is not None:
        # Each page asks this. What extended the session may have been a stream or a file, whose answers set no cookie.
        keep_session(arena, response, request.cookies[SESSION_COOKIE])
    with arena.database.transaction() as session:
        user = find_user(session, arena, visitor.user_id)
        return schemas.Me(id=None, name="", kind="none", bots=0) if user is None else me(session, arena, user)


@router.patch("/me", tags=["me"])
def change_me(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, change: schemas.ChangeMe
) -> schemas.Me:
    """Gives you another name or mail address."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        if change.name is not None:
            accounts.rename(session, user, change.name)
            standings.publish_owner(session, user.id)
        if change.email is not None:
            user.email = accounts.clean_email(change.email)
        session.flush()
        return me(session, arena, user)


@router.delete("/me", status_code=204, tags=["me"])
def delete_me(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, given: schemas.DeleteMe
) -> None:
    """Deletes your account at once: code, drafts, logs and name. Results stay, of "deleted", so that nobody else's
    rating changes. Nothing can bring it back.
    """
    _check_accounts(arena)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        if given.name.strip().casefold() != user.name.casefold():
            raise Conflict("To delete the account, confirm its name.", expected=user.name, got=given.name)
        if user.password_hash is not None:
            arena.limiter.admit_sign_in(network, user.name)
            if not is_right(given.password, user.password_hash):
                raise SignInFailed("The password is wrong.", expected="the password that you sign in with")
        deletion.delete_account(session, user)
    for cookie in (COOKIE, SESSION_COOKIE):
        response.delete_cookie(cookie)


@router.post("/me/password", tags=["me"])
def change_password(
    arena: InArena, visitor: CurrentVisitor, network: ClientNetwork, change: schemas.ChangePassword
) -> schemas.Me:
    """Sets another password. All your other sessions end."""
    with arena.database.transaction() as session:
        user = _account(session, arena, visitor.user_id)
        # Whoever has found an open browser guesses no faster than those who sign in.
        arena.limiter.admit_sign_in(network, user.name)
        accounts.change_password(session, user, old=change.old, new=change.new, but_session=visitor.session_id)
        return me(session, arena, user)


@router.get("/me/export", tags=["me"], response_class=Response, responses={200: {"content": {"application/zip": {}}}})
def export_me(arena: InArena, user_id: CurrentUserId) -> Response:
    """As a zip: code of all versions and drafts, matches, ratings, duels, notices, your account. It has a list."""
    if not _EXPORTS.acquire(blocking=False):
        expected = f"at most {EXPORTS_AT_ONCE} downloads that are being packed"
        raise TooMany("Others download everything right now. Try again in a moment.", expected=expected)
    try:
        with arena.database.transaction() as session:
            body = export.archive_of(session, _account(session, arena, user_id))
    finally:
        _EXPORTS.release()
    headers = {"Content-Disposition": 'attachment; filename="hexarena.zip"', "Cache-Control": "private, no-store"}
    return Response(body, media_type="application/zip", headers=headers)


def _account(session: Session, arena: Arena, user_id: int | None) -> User:
    user = find_user(session, arena, user_id)
    if user is None:
        raise NotFound("You have no account yet.")
    return user


def me(session: Session, arena: Arena, user: User) -> schemas.Me:
    """Somebody, as they see themselves."""
    owned = owners.owned_by(session, user.id)
    bots = select(func.count()).where(Bot.owner_id.in_(owned), Bot.name_key.is_not(None))
    providers = select(OidcIdentity.provider).where(OidcIdentity.user_id == user.id).distinct()
    session.refresh(user)
    return schemas.Me(
        id=user.id,
        name=user.name,
        kind=user.kind,
        bots=session.scalar(bots) or 0,
        role=user.role,
        organises=tokens.organises(session, user),
        email=user.email,
        has_password=user.password_hash is not None,
        providers=sorted(session.scalars(providers)),
        created_at=user.created_at,
        usage=_usage(session, arena, user),
    )


def _usage(session: Session, arena: Arena, user: User) -> schemas.Usage:
    budget_s = arena.quotas.budgets.of(user)
    spent = shares.spent(session, shares.share_of(user), budget_s)
    return schemas.Usage(
        cpu_s=round(spent.cpu_s, 3),
        cpu_budget_s=budget_s or None,
        cpu_again_at=spent.again_at,
        bytes=storage.stored_bytes(session, user),
        bytes_quota=arena.quotas.bytes_of(user) or None,
    )


# --- Sessions and tokens ----------------------------------------------------------------------------------------------


@router.get("/me/sessions", tags=["me"])
def list_sessions(arena: InArena, visitor: CurrentVisitor) -> schemas.SessionList:
    """Where you are signed in."""
    with arena.database.transaction() as session:
        rows = sessions.list_of(session, visitor.user_id or 0)
        return schemas.SessionList(items=[_session_view(row, visitor.session_id) for row in rows])


def _session_view(row: UserSession, current_id: int | None) -> schemas.SignedInSession:
    return schemas.SignedInSession(
        id=row.id,
        browser=row.browser,
        created_at=row.created_at,
        seen_at=row.seen_at,
        expires_at=row.expires_at,
        current=row.id == current_id,
    )


@router.delete("/me/sessions/{session_id}", status_code=204, tags=["me"])
def end_session(arena: InArena, visitor: CurrentVisitor, session_id: IdPath) -> None:
    """Signs one of your browsers out."""
    with arena.database.transaction() as session:
        sessions.end(session, visitor.user_id or 0, session_id)


@router.delete("/me/sessions", status_code=204, tags=["me"])
def end_other_sessions(arena: InArena, visitor: CurrentVisitor) -> None:
    """Signs all your other browsers out."""
    with arena.database.transaction() as session:
        sessions.end_others(session, visitor.user_id or 0, visitor.session_id)


@router.get("/me/tokens", tags=["me"])
def list_tokens(arena: InArena, visitor: CurrentVisitor) -> schemas.TokenList:
    """Your personal tokens."""
    with arena.database.transaction() as session:
        return schemas.TokenList(items=[_token_view(row) for row in tokens.list_of(session, visitor.user_id or 0)])


def _token_view(row: Token) -> schemas.Token:
    return schemas.Token(
        id=row.id,
        name=row.name,
        scopes=row.scopes,
        created_at=row.created_at,
        used_at=row.used_at,
        uses=row.uses,
    )


@router.post("/me/tokens", status_code=201, tags=["me"])
def create_token(arena: InArena, visitor: CurrentVisitor, new: schemas.NewToken) -> schemas.CreatedToken:
    """Makes a personal token for a script: `curl -H "Authorization: Bearer …"`. It is shown only now."""
    with arena.database.transaction() as session:
        user = _account(session, arena, visitor.user_id)
        row, secret = tokens.create(session, user, new.name, set(new.scopes))
        session.refresh(row)
        return schemas.CreatedToken(**_token_view(row).model_dump(), token=secret)


@router.delete("/me/tokens/{token_id}", status_code=204, tags=["me"])
def revoke_token(arena: InArena, visitor: CurrentVisitor, token_id: IdPath) -> None:
    """Ends a token at once."""
    with arena.database.transaction() as session:
        tokens.revoke(session, visitor.user_id or 0, token_id)


# --- Organisers -------------------------------------------------------------------------------------------------------


@router.get("/users", tags=["organisers"])
def list_users(
    arena: InArena,
    name: Annotated[str | None, Query(max_length=200, description="Part of a name.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: AfterId = None,
) -> schemas.UserPage:
    """Accounts, newest first."""
    with arena.database.transaction() as session:
        bots = select(func.count()).where(Bot.owner_id == User.id, Bot.name_key.is_not(None)).scalar_subquery()
        # Whoever has signed out has no session any more, but what they submitted last.
        submitted = select(func.max(Submission.created_at)).where(Submission.user_id == User.id).scalar_subquery()
        session_seen = select(func.max(UserSession.seen_at)).where(UserSession.user_id == User.id).scalar_subquery()
        seen = func.greatest(session_seen, submitted)
        query = select(User, bots, seen).where(User.kind == UserKind.ACCOUNT)
        if name is not None:
            query = query.where(func.lower(User.name).contains(name.lower(), autoescape=True))
        if after is not None:
            query = query.where(User.id < after)
        rows = session.execute(query.order_by(User.id.desc()).limit(limit + 1)).all()
        shown, following = page(rows, limit, lambda row: row[0].id)
        items = [user_view(user, count, seen_at) for user, count, seen_at in shown]
    return schemas.UserPage(items=items, next=following)


KNOWN_OF_USERS = ("id", "name", "kind", "role", "email", "banned_at", "ban_reason", "created_at")


def user_view(user: User, bots: int, seen_at: object) -> schemas.UserInfo:
    """An account, for organisers."""
    return schemas.UserInfo.model_validate(
        {name: getattr(user, name) for name in KNOWN_OF_USERS} | {"bots": bots, "seen_at": seen_at}
    )


@router.patch("/users/{user_id}", tags=["organisers"])
def change_user(
    arena: InArena, visitor: CurrentVisitor, user_id: IdPath, change: schemas.ChangeUser
) -> schemas.UserInfo:
    """Makes somebody an organiser, or no longer one."""
    with arena.database.transaction() as session:
        user = accounts.set_role(session, user_id, change.role)
        by, role = organiser(session, arena, visitor), change.role
        audit.record(session, by, "change role", person=user.name, person_id=user.id, role=role)
        bots = session.scalar(select(func.count()).where(Bot.owner_id == user.id, Bot.name_key.is_not(None))) or 0
        return user_view(user, bots, None)


@router.get("/invites", tags=["organisers"])
def list_invites(arena: InArena) -> schemas.InviteList:
    """Invitations that are still valid."""
    with arena.database.transaction() as session:
        return schemas.InviteList(items=[_invite_view(row) for row in invites.list_all(session)])


def _invite_view(row: Invite) -> schemas.Invite:
    return schemas.Invite(
        id=row.id,
        note=row.note,
        role=row.role,
        uses_left=row.uses_left,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )


@router.post("/invites", status_code=201, tags=["organisers"])
def create_invite(arena: InArena, visitor: CurrentVisitor, new: schemas.NewInvite) -> schemas.CreatedInvite:
    """Makes a code to sign up with. It is shown only now."""
    with arena.database.transaction() as session:
        row, code = invites.create(session, uses=new.uses, days=new.days, note=new.note, role=new.role)
        by, terms = organiser(session, arena, visitor), {"uses": new.uses, "days": new.days, "note": new.note}
        audit.record(session, by, "make invitation", None, invitation=row.id, role=new.role, **terms)
        return schemas.CreatedInvite(**_invite_view(row).model_dump(), code=code)


@router.delete("/invites/{invite_id}", status_code=204, tags=["organisers"])
def revoke_invite(arena: InArena, visitor: CurrentVisitor, invite_id: IdPath) -> None:
    """Ends an invitation."""
    with arena.database.transaction() as session:
        invites.revoke(session, invite_id)
        audit.record(session, organiser(session, arena, visitor), "revoke invitation", invitation=invite_id)
