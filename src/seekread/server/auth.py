"""
Who is asking: a token where the dialect's clients put their key, in the console's cookie, or nobody on loopback.

A bearer token is taken everywhere. A body is read for a key only where a dialect has it there, only when no header
carried a valid one, and never beyond the limit of its size and time.
"""

import asyncio
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from seekread.server.keys import BearerKey, CookieKey, KeyPlace
from seekread.server.problems import Rejected, rejected
from seekread.server.tokens import PREFIX, Token, Tokens

COOKIE = "seekread_token"
EVERYWHERE: tuple[KeyPlace, ...] = (BearerKey(), CookieKey(COOKIE))
WITHOUT_TOKEN = frozenset({"/healthz"})
"""What answers anybody, wherever the service is bound."""
BODY_SECONDS = 10.0
"""How long a stranger may take to send a body with a key in it."""


class Authentication:
    """Decides who is asking. Where a token is required, nothing else but `/healthz` answers."""

    def __init__(
        self,
        tokens: Tokens,
        *,
        required: bool,
        public: frozenset[str] = frozenset(),
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self.tokens = tokens
        self.required = required
        self._public = WITHOUT_TOKEN | public
        self._body_seconds = body_seconds

    async def admit(
        self, scope: Scope, receive: Receive, further: Sequence[KeyPlace] = ()
    ) -> tuple[Token | None, Receive]:
        """
        The token of a request, or `None` for nobody in particular, and what is left to receive of it.

        Raises when a token is missing or wrong.
        further: where else the clients of this address put their key
        """
        places = (*EVERYWHERE, *further)
        headers = Headers(scope=scope)
        sent = [key for place in places if (key := place.of_headers(headers))]
        if token := self._known(sent):
            return token, receive
        if scope["path"] in self._public:
            return None, receive
        if any(place.in_body for place in places) and scope["method"] == "POST":
            body, receive = await self._body(receive)
            sent += [key for place in places if (key := place.of_body(body))]
            if token := self._known(sent):
                return token, receive
        # An application that only changed its base URL still sends the key of the service it used before.
        if self.required or any(text.startswith(PREFIX) for text in sent):
            raise unauthorized(places, self.tokens.advice, wrong=bool(sent))
        return None, receive

    def _known(self, sent: Sequence[str]) -> Token | None:
        return next((token for text in sent if (token := self.tokens.find(text))), None)

    async def _body(self, receive: Receive) -> tuple[bytes, Receive]:
        try:
            async with asyncio.timeout(self._body_seconds):
                return await read_ahead(receive)
        except TimeoutError:
            seconds = f"{self._body_seconds:g} seconds"
            raise rejected(
                408, "body_too_slow", f"The body with the key has to arrive within {seconds}.", connection="close"
            ) from None


async def read_ahead(receive: Receive) -> tuple[bytes, Receive]:
    """A body, and a way to receive it once more."""
    messages: list[Message] = []
    more = True
    while more:
        messages.append(await receive())
        more = messages[-1].get("more_body", False)
    waiting = iter(messages)

    async def again() -> Message:
        return next(waiting, None) or await receive()

    return b"".join(message.get("body", b"") for message in messages), again


def unauthorized(places: Sequence[KeyPlace], advice: str, *, wrong: bool) -> Rejected:
    """How to knock."""
    schemes = [place.challenge for place in places if place.challenge]
    if wrong:
        schemes[0] += ', error="invalid_token"'
    detail = "This token is not valid (any more)." if wrong else "A token is needed."
    how = " or ".join(place.hint for place in places if place.hint)
    return rejected(
        401,
        "unauthorized",
        f"{detail} Send {how}; {advice}.",
        www_authenticate=", ".join(schemes),
    )
