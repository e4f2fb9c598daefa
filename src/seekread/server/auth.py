"""
Who is asking: a token in the Authorization header, in the console's cookie, or nobody in particular on loopback.

SearXNG's clients cannot send a bearer token, so below their dialect the token may be the password of Basic auth.
"""

import base64
import binascii
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.types import Scope

from seekread.server.problems import Rejected, rejected
from seekread.server.tokens import PREFIX, Token, Tokens

COOKIE = "seekread_token"
BASIC_BELOW = "/compat/searxng"
WITHOUT_TOKEN = frozenset({"/healthz"})
"""What answers anybody, wherever the service is bound."""


class Authentication:
    """Decides who is asking. Where a token is required, nothing else but `/healthz` answers."""

    def __init__(self, tokens: Tokens, *, required: bool, public: frozenset[str] = frozenset()) -> None:
        self.tokens = tokens
        self.required = required
        self._public = WITHOUT_TOKEN | public

    def admit(self, scope: Scope) -> Token | None:
        """The token of a request, or `None` for nobody in particular; raises when a token is missing or wrong."""
        sent = list(credentials(scope))
        for text in sent:
            if token := self.tokens.find(text):
                return token
        if scope["path"] in self._public:
            return None
        # An application that only changed its base URL still sends the key of the service it used before.
        if self.required or any(text.startswith(PREFIX) for text in sent):
            raise unauthorized(scope, wrong=bool(sent))
        return None


def credentials(scope: Scope) -> Iterator[str]:
    """Every token a request carries."""
    headers = Headers(scope=scope)
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        yield value.strip()
    if scheme.lower() == "basic" and scope["path"].startswith(BASIC_BELOW):
        yield from password(value)
    if crumbs := headers.get("cookie"):
        yield from from_cookie(crumbs)


def from_cookie(crumbs: str) -> Iterator[str]:
    """The token the console has set."""
    try:
        cookie = SimpleCookie(crumbs).get(COOKIE)
    except CookieError:
        return
    if cookie and cookie.value:
        yield cookie.value


def password(encoded: str) -> Iterator[str]:
    """The password of Basic auth."""
    try:
        pair = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    if text := pair.partition(":")[2]:
        yield text


def unauthorized(scope: Scope, *, wrong: bool) -> Rejected:
    """How to knock."""
    schemes = 'Bearer realm="seekread"' + (', error="invalid_token"' if wrong else "")
    if scope["path"].startswith(BASIC_BELOW):
        schemes += ', Basic realm="seekread"'
    detail = "This token is not valid (any more)." if wrong else "A token is needed."
    return rejected(
        401,
        "unauthorized",
        f"{detail} Send `Authorization: Bearer <token>`; `seekread token create NAME` makes one.",
        www_authenticate=schemes,
    )
