"""
People who have signed in to the console: what their browser keeps is a session, never the token.

A session is a random text that is worth nothing elsewhere. It is kept as a hash in the store, where every worker finds
it, and ends when the person signs out, when its token is revoked, or after twelve hours.
"""

import hmac
import secrets

from starlette.requests import HTTPConnection
from starlette.types import Scope

from seekread.ports import Store
from seekread.server.tokens import Token, Tokens, hashed

COOKIE = "seekread_session"
SIGNED_IN_SECONDS = 12 * 3600


class SignIns:
    """The sessions of the console."""

    def __init__(self, store: Store, tokens: Tokens) -> None:
        self._store = store
        self._tokens = tokens

    async def begin(self, token: Token) -> str:
        """A new session of a token's owner; what is returned is for their browser alone."""
        text = secrets.token_urlsafe(32)
        await self._store.put(kept_as(text), token.sha256.encode(), lifetime=SIGNED_IN_SECONDS)
        return text

    async def token(self, scope: Scope) -> Token | None:
        """Whose session a request belongs to, if its cookie names one."""
        text = cookie(scope)
        entry = await self._store.get(kept_as(text)) if text else None
        if entry is None:
            return None
        wanted = entry.value.decode()
        return next((token for token in self._tokens.all() if hmac.compare_digest(token.sha256, wanted)), None)

    async def end(self, scope: Scope) -> None:
        """Forget the session of a request."""
        if text := cookie(scope):
            await self._store.delete(kept_as(text))


def cookie(scope: Scope) -> str:
    """What the browser keeps, or nothing."""
    return HTTPConnection(scope).cookies.get(COOKIE, "")


def kept_as(text: str) -> str:
    return f"signed-in/{hashed(text)}"
