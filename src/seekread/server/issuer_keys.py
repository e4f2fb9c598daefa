"""
The public keys of an identity provider: fetched when they are needed, kept for a while, fetched again when it changes
them.

A key is looked for by the name a token gives it. A name nobody knows means new keys, or a token somebody made up, so
keys are asked for again at most every half minute, whatever is sent. While the provider cannot be reached, the keys
that are known go on to count for a day: it says nothing about them that it is down.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import anyio
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from seekread.errors import Misconfigured, ProviderError
from seekread.ports import Clock, Sender
from seekread.provider import Request
from seekread.server.access import is_loopback

logger = logging.getLogger("seekread.server")

FETCH_SECONDS = 5.0
FRESH_SECONDS = 3600.0
"""How long keys count as current …"""
TRUSTED_SECONDS = 86_400.0
"""… and how long they are used when nobody can say whether they still are."""
BETWEEN_SECONDS, AGAIN_SECONDS = 30.0, 5.0
"""Seconds between two questions to the provider, however many tokens nobody can check, and after one it left open."""
LEAST_BITS = 2048
"""Of an RSA key; shorter ones have been broken."""
MOST_KEYS = 100


class IssuerUnavailable(Exception):
    """The identity provider could not be asked, so nobody knows whether a token is valid."""


class IssuerKeys:
    """The keys of one issuer. `jwks` is where they are, if its metadata need not be asked."""

    def __init__(self, issuer: str, jwks: str, sender: Sender, clock: Clock) -> None:
        self._issuer = issuer
        self._jwks = jwks
        self._sender = sender
        self._clock = clock
        self._keys: dict[str, Mapping[str, Any]] = {}
        self._fetched_at = self._asked_at = -TRUSTED_SECONDS
        self._trouble = ""
        self._one = anyio.Lock()

    async def find(self, name: str, algorithm: str) -> PyJWK | None:
        """The key of this name, made for this algorithm; without a name the only one there is."""
        if not self._is_fresh(name):
            async with self._one:
                # Whoever waited finds what the one before has fetched.
                pause = AGAIN_SECONDS if self._trouble else BETWEEN_SECONDS
                if not self._is_fresh(name) and self._age(self._asked_at) >= pause:
                    await self._fetch()
        found = self._named(name)
        if found is None and self._trouble:
            raise IssuerUnavailable(self._trouble)
        return usable(found, algorithm) if found else None

    def _is_fresh(self, name: str) -> bool:
        return self._named(name) is not None and self._age(self._fetched_at) < FRESH_SECONDS

    def _named(self, name: str) -> Mapping[str, Any] | None:
        if self._age(self._fetched_at) >= TRUSTED_SECONDS:
            return None
        if name:
            return self._keys.get(name)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    def _age(self, moment: float) -> float:
        return self._clock.monotonic() - moment

    async def _fetch(self) -> None:
        self._asked_at = self._clock.monotonic()
        try:
            where = self._jwks or await self._discovered()
            self._keys = dict(listed(await self._document(where)))
        except (ProviderError, IssuerUnavailable) as error:
            self._trouble = f"the identity provider did not give its keys: {error}"
            logger.warning("%s", self._trouble)
        else:
            self._fetched_at, self._trouble = self._clock.monotonic(), ""

    async def _discovered(self) -> str:
        """Where the keys are, as the issuer's metadata say."""
        problem: Exception = IssuerUnavailable("it has no metadata")
        for url in metadata_addresses(self._issuer):
            try:
                document = await self._document(url)
            except (ProviderError, IssuerUnavailable) as error:
                problem = error
                continue
            if document.get("issuer") != self._issuer:
                problem = IssuerUnavailable("its metadata are those of another issuer")
                continue
            where = document.get("jwks_uri")
            if not isinstance(where, str) or not is_private_way(where):
                raise IssuerUnavailable("its metadata name no keys at an https address")
            return where
        raise problem

    async def _document(self, url: str) -> Mapping[str, Any]:
        """A JSON object at an address of the provider."""
        request = Request("GET", url, headers={"accept": "application/json"})
        reply = await self._sender.send(request, seconds=FETCH_SECONDS)
        if reply.status != 200:
            raise IssuerUnavailable(f"status {reply.status}")
        try:
            document = reply.json()
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise IssuerUnavailable("the reply is no JSON object")
        return document


def metadata_addresses(issuer: str) -> tuple[str, ...]:
    """Where an issuer describes itself: as RFC 8414 says, and as OpenID Connect does."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return tuple(
        dict.fromkeys(
            (
                f"{origin}/.well-known/oauth-authorization-server{path}",
                f"{origin}/.well-known/openid-configuration{path}",
                f"{origin}{path}/.well-known/openid-configuration",
            )
        )
    )


def listed(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The public keys of a set that sign, by their names. A shared secret is no public key, whoever lists it."""
    keys: Any = document.get("keys")
    if not isinstance(keys, list):
        raise IssuerUnavailable("the reply is no set of keys")
    for number, key in enumerate(keys[:MOST_KEYS]):
        if isinstance(key, dict) and key.get("kty") in {"RSA", "EC", "OKP"} and key.get("use", "sig") == "sig":
            name = key.get("kid")
            yield (name if isinstance(name, str) and name else f"#{number}"), key


def usable(key: Mapping[str, Any], algorithm: str) -> PyJWK | None:
    """A key for an algorithm, unless it is made for another one or too short to be worth anything."""
    if key.get("alg", algorithm) != algorithm:
        return None
    try:
        made = PyJWK(dict(key), algorithm)
    except PyJWTError:
        return None
    return made if key["kty"] != "RSA" or made.key.key_size >= LEAST_BITS else None


def is_private_way(url: str) -> bool:
    """Whether nobody between us and an address can change what it says."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def checked_address(setting: str, url: str) -> str:
    """An address of the identity provider or of the service."""
    if not is_private_way(url):
        raise Misconfigured(f"{setting} must be an https address (on this machine http will do), not {url!r}")
    return url


__all__: Sequence[str] = ("IssuerKeys", "IssuerUnavailable", "checked_address", "metadata_addresses")
