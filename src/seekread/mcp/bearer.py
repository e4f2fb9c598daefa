"""A door for the bearer of a token: everybody else is told how to knock."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Any

SHORTEST_TOKEN = 16


@dataclass
class Bearer:
    """An ASGI application in front of another one that answers 401 without `Authorization: Bearer <token>`."""

    app: Any
    token: str = field(repr=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan" or self.admits(scope):
            await self.app(scope, receive, send)
        else:
            await refuse(send)

    def admits(self, scope: Any) -> bool:
        """Whether a request carries the token; how long the comparison takes tells nothing about it."""
        sent = dict(scope["headers"]).get(b"authorization", b"")
        scheme, _, given = sent.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(digest(given.strip()), digest(self.token.encode()))


def digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


async def refuse(send: Any) -> None:
    """Say that a token is needed."""
    body = json.dumps({"error": "unauthorized", "message": "send Authorization: Bearer <token>"}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b'Bearer realm="seekread"'),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
