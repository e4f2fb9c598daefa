"""
Access tokens of the operator's identity provider, as the agents' protocol wants them (RFC 9728, RFC 8707, RFC 6750).

The service is a resource server and nothing more: it says whose tokens it takes, and checks each by itself. A token
counts when it is signed by a key of the issuer with an algorithm that was allowed beforehand, made for this service,
not too old and not too new, and has the scopes that are needed. Whose it is and what it may use becomes a `Token` as
those of `seekread token` are, so everything behind the door treats both alike.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.server.access import is_below
from seekread.server.problems import Rejected, rejected
from seekread.server.tokens import Token, hashed

if TYPE_CHECKING:
    from seekread.compose import Parts
    from seekread.config.settings import AuthSettings, GrantSettings
    from seekread.server.issuer_keys import IssuerKeys

WELL_KNOWN = "/.well-known/oauth-protected-resource"
PROTOCOL = ("/mcp", "/sse", "/messages")
LONGEST = 16 * 1024
"""Characters of a token; real ones have two or three thousand."""
LEEWAY = 30
"""Seconds two clocks may differ by."""
REMEMBERED, REMEMBERED_SECONDS = 1024, 60.0
"""Tokens that were checked a moment ago, and how long that counts: no longer than they are valid themselves."""
BUSY = "5"
SCOPES = ("scope", "scp", "roles", "permissions")
"""Claims that say what somebody may do, as different providers name them."""
REASONS = {
    "ExpiredSignatureError": "it has expired",
    "ImmatureSignatureError": "it is not valid yet",
    "InvalidAudienceError": "it was made for another service",
    "InvalidIssuerError": "somebody else issued it",
    "InvalidSignatureError": "its signature is wrong",
    "InvalidAlgorithmError": "it is signed in a way that is not accepted",
}


@dataclass(frozen=True)
class NotValid:
    """A token that does not count, and why, in words that repeat nothing of it."""

    why: str


@dataclass(frozen=True)
class TokenIssuer:
    """
    The identity provider whose tokens are taken.

    everywhere: whether they are taken at every address, and not only at those of the protocol
    """

    issuer: str
    resource: str
    audience: str
    algorithms: tuple[str, ...]
    scopes: tuple[str, ...]
    claim: str
    everywhere: bool
    grants: "Mapping[str, GrantSettings]"
    keys: "IssuerKeys"
    _checked: OrderedDict[str, tuple[Token, float]] = field(default_factory=OrderedDict)

    def serves(self, path: str) -> bool:
        """Whether its tokens are taken at an address."""
        return self.everywhere or is_below(path, PROTOCOL)

    @property
    def metadata_url(self) -> str:
        """Where a client learns whose tokens are taken."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"

    @property
    def public(self) -> frozenset[str]:
        """What anybody may ask, to learn how to come by a token."""
        return frozenset({WELL_KNOWN, urlsplit(self.metadata_url).path})

    def challenge(self, error: str = "", why: str = "") -> str:
        """What a client without a valid token is told, as a value of `WWW-Authenticate`."""
        said = {"resource_metadata": self.metadata_url, "scope": " ".join(self.scopes), "error": error}
        said["error_description"] = why
        return ", ".join(f'{name}="{value}"' for name, value in said.items() if value)

    async def judge(self, texts: Iterable[str]) -> Token | NotValid | None:
        """Whose the first of these is that looks like an access token; nothing if none does."""
        text = next((text for text in texts if text.count(".") == 2), None)
        if text is None:
            return None
        known = self._checked.get(hashed(text))
        if known and time.monotonic() < known[1]:
            return known[0]
        claims = await self._claims(text) if len(text) <= LONGEST else NotValid("it is too long")
        if isinstance(claims, NotValid):
            return claims
        return self._admitted(text, claims)

    async def _claims(self, text: str) -> "Mapping[str, Any] | NotValid":
        """What a token says, once it is certain that the issuer says it, to us and now."""
        import jwt

        from seekread.server.issuer_keys import IssuerUnavailable

        try:
            head = jwt.get_unverified_header(text)
            algorithm, name = head.get("alg"), head.get("kid", "")
            if algorithm not in self.algorithms or not isinstance(name, str):
                return NotValid(REASONS["InvalidAlgorithmError"])
            key = await self.keys.find(name, algorithm)
            if key is None:
                return NotValid("the issuer has no such key")
            claims: Mapping[str, Any] = jwt.decode(
                text,
                key,
                algorithms=[algorithm],
                audience=self.audience,
                issuer=self.issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as error:
            return NotValid(REASONS.get(type(error).__name__, "it is not as it should be"))
        except IssuerUnavailable as error:
            # Nobody knows whether it is valid, and that is no news about the token.
            raise rejected(503, "identity_provider_unavailable", f"{error}.", retry_after=BUSY) from None
        return claims

    def _admitted(self, text: str, claims: Mapping[str, Any]) -> Token | NotValid:
        """Whom a token stands for, and what that one may use."""
        holds = granted(claims)
        if missing := [scope for scope in self.scopes if scope not in holds]:
            raise self._insufficient(missing)
        name = claims.get(self.claim)
        if not isinstance(name, str) or not name:
            return NotValid(f"it has no claim {self.claim!r}")
        caps = next((caps for scope, caps in self.grants.items() if scope in holds or scope == "default"), None)
        token = Token(
            name=name[:200],
            sha256=mark_of(self.issuer, self.claim, name),
            **(caps.model_dump() if caps else {}),
        )
        lasts = min(REMEMBERED_SECONDS, float(claims["exp"]) - time.time())
        self._checked[hashed(text)] = token, time.monotonic() + lasts
        while len(self._checked) > REMEMBERED:
            self._checked.popitem(last=False)
        return token

    def _insufficient(self, missing: Sequence[str]) -> Rejected:
        needed = ", ".join(missing)
        return rejected(
            403,
            "insufficient_scope",
            f"This token lacks the scope {needed}.",
            www_authenticate=f'Bearer realm="seekread", {self.challenge("insufficient_scope")}',
        )

    def routes(self) -> list[BaseRoute]:
        """Who can give a token, as RFC 9728 tells it."""
        document = {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "seekread",
            **({"scopes_supported": list(self.scopes)} if self.scopes else {}),
        }

        async def metadata(_request: Request) -> Response:
            return JSONResponse(document, headers={"cache-control": "max-age=3600"})

        return [Route(path, metadata) for path in sorted(self.public)]


def mark_of(issuer: str, claim: str, name: str) -> str:
    """What stands for somebody whom an issuer names, where tokens of our own have their hash."""
    return hashed(f"{issuer}\n{claim}\n{name}")


def granted(claims: Mapping[str, Any]) -> frozenset[str]:
    """The scopes and roles in a token: words in one text, or a list of them."""
    found: set[str] = set()
    for name in SCOPES:
        value = claims.get(name)
        found |= set(value.split()) if isinstance(value, str) else set()
        found |= {each for each in value if isinstance(each, str)} if isinstance(value, list) else set()
    return frozenset(found)


def identity_of(parts: "Parts") -> TokenIssuer | None:
    """The identity provider that the settings name, if they do."""
    auth = parts.settings.auth
    if not auth.auth_issuer:
        return None
    check(auth)
    from seekread.server.issuer_keys import IssuerKeys

    return TokenIssuer(
        issuer=auth.auth_issuer,
        resource=auth.auth_resource,
        audience=auth.auth_audience or auth.auth_resource,
        algorithms=auth.auth_algorithms,
        scopes=auth.auth_scopes,
        claim=auth.auth_claim,
        everywhere=auth.auth_everywhere,
        grants=auth.grants,
        keys=IssuerKeys(auth.auth_issuer, auth.auth_jwks, parts.client, parts.clock),
    )


def check(auth: "AuthSettings") -> None:
    """Refuse settings that would take anybody's tokens, or none."""
    if not auth.auth_issuer:
        return
    try:
        from seekread.server.issuer_keys import checked_address
    except ImportError:
        raise Misconfigured("access tokens need PyJWT: install seekread[oauth]") from None
    checked_address("auth_issuer", auth.auth_issuer)
    if not auth.auth_resource:
        raise Misconfigured("auth_issuer needs auth_resource: the address agents know this service by")
    checked_address("auth_resource", auth.auth_resource)
    if auth.auth_jwks:
        checked_address("auth_jwks", auth.auth_jwks)
