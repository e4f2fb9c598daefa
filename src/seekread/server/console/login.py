"""
Signing in with a token, where the service asks for one.

The browser keeps a session in a cookie that scripts cannot read and that no other site's page makes it send. Both forms
carry a word that only our own page knows, so that nobody can sign a person in or out from elsewhere.
"""

import hmac
import secrets

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from seekread.server.console.links import fields, here, inside
from seekread.server.console.pages import HEADERS, page
from seekread.server.signins import COOKIE, SIGNED_IN_SECONDS, SignIns, cookie
from seekread.server.tokens import Tokens

NOT_OURS = "This form was not ours, or it is too old. Try once more."
FORM_COOKIE = "seekread_form"


async def login(request: Request) -> Response:
    """The page that asks for a token, and what becomes of the one that is given."""
    sent = await fields(request) if request.method == "POST" else dict(request.query_params)
    try:
        wanted = inside(sent.get("next", "/"))
    except ValueError:
        return await login_page(request, status=400, problem="The address to go on to afterwards is none.")
    if request.method != "POST":
        return await login_page(request, wanted)
    if not is_our_form(request, sent):
        return await login_page(request, wanted, status=403, problem=NOT_OURS)
    token = tokens(request).find(sent.get("token", "").strip())
    if token is None:
        return await login_page(
            request, wanted, status=401, problem="This token is not valid. Check that it was copied completely."
        )
    response = RedirectResponse(here(request, "") + wanted, 303, headers=HEADERS)
    keep(request, response, COOKIE, await signins(request).begin(token), SIGNED_IN_SECONDS)
    return response


async def logout(request: Request) -> Response:
    """End the session of this browser."""
    if not is_our_form(request, await fields(request)):
        return await login_page(request, status=403, problem=NOT_OURS)
    await signins(request).end(request.scope)
    response = RedirectResponse(here(request, "/login"), 303, headers=HEADERS)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


async def login_page(request: Request, wanted: str = "/", *, status: int = 200, problem: str = "") -> Response:
    """
    The page that asks for a token, or says whose token is in use.

    wanted: where to go on to afterwards
    """
    word = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(24)
    token = await signins(request).token(request.scope)
    outdated = bool(cookie(request.scope)) and token is None
    values = {
        "word": word,
        "next": wanted,
        "problem": problem or ("This session is over, or its token is not valid any more." if outdated else ""),
        "token": token,
        "required": request.app.state.service.options.needs_token,
        # A strict cookie stays behind when a link on another site leads here: one more click brings it along.
        "followed_link": request.headers.get("sec-fetch-site") in {"cross-site", "same-site"},
    }
    response = page(request, "login.html", values, status=status)
    keep(request, response, FORM_COOKIE, word, SIGNED_IN_SECONDS)
    if outdated:
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


def keep(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set a cookie that scripts cannot read and other sites cannot use."""
    # Behind a proxy that speaks TLS, only the form itself tells of it.
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


def is_our_form(request: Request, sent: dict[str, str]) -> bool:
    """Whether a form carries the word that our page put into it and into the cookie beside it."""
    known, told = request.cookies.get(FORM_COOKIE, ""), sent.get("word", "")
    return bool(known) and hmac.compare_digest(known.encode(), told.encode())


def tokens(request: Request) -> Tokens:
    """The tokens of the service."""
    found: Tokens = request.app.state.service.tokens
    return found


def signins(request: Request) -> SignIns:
    """Who has signed in to the service."""
    found: SignIns = request.app.state.service.signins
    return found
