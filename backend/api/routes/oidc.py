"""Signing in with an OpenID provider: Google, a university, GitHub (which speaks only OAuth 2).

Authlib does the protocol: state, nonce, PKCE, and the checks of the identity token. What it must remember until the
browser comes back is in a signed cookie of ten minutes. Whatever goes wrong ends on the account's page, which says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import structlog
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from hexarena.backend.accounts import life as accounts
from hexarena.backend.accounts.life import Claims
from hexarena.backend.api.deps import Arena, CurrentVisitor, InArena, find_user
from hexarena.backend.api.routes.accounts import begin_session, note_organiser, role_of_newcomer
from hexarena.backend.errors import ArenaError, Forbidden, NotAllowed, NotFound
from hexarena.backend.ladder import standings
from hexarena.backend.models import User, UserKind
from hexarena.backend.runtime.settings import OidcProvider, Settings
from hexarena.backend.submissions.adoption import adopt

if TYPE_CHECKING:
    from authlib.integrations.starlette_client import OAuth

router = APIRouter(prefix="/oidc", tags=["me"], include_in_schema=True)
log = structlog.get_logger()
GITHUB = "https://github.com"
GITHUB_ADDRESSES = {
    "authorize_url": f"{GITHUB}/login/oauth/authorize",
    "access_token_url": f"{GITHUB}/login/oauth/access_token",
    "userinfo_endpoint": "https://api.github.com/user",
}
"""It describes itself nowhere. Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps"""
AFTERWARDS = "/account"
ProviderPath = Annotated[str, Path(max_length=40)]


def make_oauth(settings: Settings) -> OAuth | None:
    """The clients of all providers in the settings. A provider is asked for its description when it is first used."""
    if not settings.oidc:
        return None
    # Authlib and what it needs take 20 MB, which an arena without providers can give to 800 event streams.
    from authlib.integrations.starlette_client import OAuth  # noqa: PLC0415 - see above

    oauth = OAuth()
    for one in settings.oidc:
        oauth.register(
            one.id,
            client_id=one.client_id,
            client_secret=one.client_secret or None,
            client_kwargs={"scope": one.scope, "code_challenge_method": "S256", "timeout": 10},
            **_addresses(one),
        )
    return oauth


def _failures(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """What goes wrong between us and a provider, besides these."""
    from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 - as above
    from httpx2 import HTTPError  # noqa: PLC0415 - as above
    from joserfc.errors import JoseError  # noqa: PLC0415 - as above

    return HTTPError, AuthlibBaseError, JoseError, *more


def _addresses(provider: OidcProvider) -> dict[str, str]:
    issuer = provider.issuer.rstrip("/")
    if issuer != GITHUB:
        return {"server_metadata_url": f"{issuer}/.well-known/openid-configuration"}
    return GITHUB_ADDRESSES


@router.get("/{provider}", status_code=302, response_class=RedirectResponse)
async def start_oidc(
    arena: InArena,
    request: Request,
    provider: ProviderPath,
    invite: Annotated[str | None, Query(max_length=40)] = None,
) -> RedirectResponse:
    """Sends the browser to the provider. It comes back signed in. `invite`: for arenas that want one."""
    client = _client(arena, request, provider)
    request.session["invite"] = invite
    try:
        back_to = str(request.url_for("finish_oidc", provider=provider))
        redirect: RedirectResponse = await client.authorize_redirect(request, back_to)
    except _failures() as error:
        log.warning("an OpenID provider does not answer", provider=provider, error=str(error))
        return _back("unreachable")
    return redirect


@router.get("/{provider}/callback", status_code=302, response_class=RedirectResponse)
async def finish_oidc(
    arena: InArena, visitor: CurrentVisitor, request: Request, provider: ProviderPath
) -> RedirectResponse:
    """Where the provider sends the browser: signs in, or makes the account. A guest's things become the account's."""
    client = _client(arena, request, provider)
    invite = request.session.pop("invite", None)
    try:
        token = await client.authorize_access_token(request)
        profile = token.get("userinfo") or await client.userinfo(token=token)
        claims = _claims(provider, profile)
    except _failures(KeyError) as error:
        log.info("signing in with a provider failed", provider=provider, error=str(error))
        return _back("denied" if "denied" in str(error) else "failed")
    response = RedirectResponse(AFTERWARDS, status_code=302)
    try:
        await run_in_threadpool(_sign_in, arena, visitor.user_id, visitor.session_id, claims, invite, request, response)
    except Forbidden:
        return _back("invite")
    except NotAllowed:
        return _back("banned")
    except ArenaError as error:
        log.info("an identity was refused", provider=provider, error=error.detail)
        return _back("taken")
    return response


def _client(arena: Arena, request: Request, provider: str) -> Any:
    if not any(one.id == provider for one in arena.settings.oidc):
        known = ", ".join(one.id for one in arena.settings.oidc) or "none"
        raise NotFound(f"There is no provider {provider}.", expected=f"one of: {known}", got=provider)
    return request.app.state.oauth.create_client(provider)


def _claims(provider: str, profile: dict[str, Any]) -> Claims:
    """GitHub calls them otherwise."""
    names = (
        profile.get("preferred_username"),
        profile.get("login"),
        profile.get("nickname"),
        profile.get("name"),
        profile.get("email"),
    )
    subject = profile["sub"] if "sub" in profile else profile["id"]
    email = profile.get("email") if profile.get("email_verified", True) else None
    return Claims(provider, str(subject)[:255], tuple(str(one) for one in names if one), email)


def _sign_in(
    arena: Arena,
    user_id: int | None,
    session_id: int | None,
    claims: Claims,
    invite: str | None,
    request: Request,
    response: RedirectResponse,
) -> None:
    with arena.database.transaction() as session:
        current = find_user(session, arena, user_id)
        user = accounts.sign_in_by_oidc(session, claims)
        if user is not None and user.ban_reason is not None:
            raise NotAllowed(f"You are banned: {user.ban_reason}", expected="somebody who may take part", got="a ban")
        if session_id is not None and current is not None:
            # Somebody who is signed in adds a second way in.
            accounts.link(session, current, claims)
            return
        guest = current if current is not None and current.kind == UserKind.GUEST else None
        if user is None:
            user = _sign_up(session, arena, guest, claims, invite)
            if guest is not None:
                standings.publish_owner(session, user.id)
        else:
            adopt(session, user, guest, arena.quotas)
        begin_session(session, arena, user, request, response)


def _sign_up(session: Session, arena: Arena, guest: User | None, claims: Claims, invite: str | None) -> User:
    role = role_of_newcomer(session, arena, invite, by_password=False)
    user = accounts.sign_up_by_oidc(session, guest, claims, role)
    note_organiser(session, user)
    return user


def _back(problem: str) -> RedirectResponse:
    """To the account's page, which has a sentence for each problem."""
    return RedirectResponse(f"{AFTERWARDS}?problem={problem}", status_code=302)
