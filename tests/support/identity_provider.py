"""An identity provider on loopback: metadata, keys, registration, a person who always agrees, and tokens that count."""

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from seekread.testing.server import Answer, LoopbackServer, Received

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
WRITERS = {"RSA": jwt.algorithms.RSAAlgorithm, "EC": jwt.algorithms.ECAlgorithm, "OKP": jwt.algorithms.OKPAlgorithm}


def new_key(kind: str = "RSA", bits: int = 2048) -> PrivateKey:
    """A key to sign with."""
    if kind == "EC":
        return ec.generate_private_key(ec.SECP256R1())
    return ed25519.Ed25519PrivateKey.generate() if kind == "OKP" else rsa.generate_private_key(65537, bits)


def public(key: PrivateKey, name: str | None, **more: Any) -> dict[str, Any]:
    """The half of a key that everybody may see, as it is published."""
    kind = "RSA" if isinstance(key, rsa.RSAPrivateKey) else "EC"
    kind = "OKP" if isinstance(key, ed25519.Ed25519PrivateKey) else kind
    writer: Any = WRITERS[kind]
    shown: dict[str, Any] = json.loads(writer.to_jwk(key.public_key()))
    return {**{k: v for k, v in shown.items() if k != "key_ops"}, **({"kid": name} if name else {}), **more}


@dataclass
class Asked:
    """What somebody agreed to, until it is turned into a token."""

    challenge: str
    resource: str
    scope: str


@dataclass
class IdentityProvider:
    """One issuer with its keys. Use it as a context manager."""

    path: str = ""
    key: PrivateKey = field(default_factory=new_key)
    name: str | None = "first"
    subject: str = "ada"
    jwks: dict[str, Any] = field(default_factory=dict)
    strangers: dict[str, Any] = field(default_factory=dict)
    """Keys at an address that no metadata name."""
    codes: dict[str, Asked] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    """Of the tokens it gives."""

    def __post_init__(self) -> None:
        self.server = LoopbackServer(self._answer)
        self.jwks = {"keys": [public(self.key, self.name)]}

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    @property
    def issuer(self) -> str:
        return f"{self.server.url}{self.path}"

    def rotate(self, kind: str = "RSA") -> None:
        """Sign with a new key from now on, and forget the old one."""
        self.key, self.name = new_key(kind), secrets.token_hex(4)
        self.jwks = {"keys": [public(self.key, self.name)]}

    def token(
        self,
        audience: Any,
        *,
        key: Any = None,
        algorithm: str = "RS256",
        head: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """A token as it is given, or with something wrong in it; a claim that is `None` is left out."""
        now = int(time.time())
        said = {"iss": self.issuer, "sub": self.subject, "aud": audience, "iat": now, "exp": now + 300}
        said = {name: value for name, value in {**said, **self.claims, **claims}.items() if value is not None}
        headers = {"kid": self.name, **(head or {})}
        headers = {name: value for name, value in headers.items() if value is not None}
        return jwt.encode(said, self.key if key is None else key, algorithm, headers=headers)

    def asked(self, path: str) -> int:
        """How often an address was asked for."""
        return len([received for received in self.server.received if received.path == path])

    def _answer(self, received: Received) -> Answer:
        doors = {
            f"{self.path}/.well-known/openid-configuration": self._metadata,
            f"/.well-known/oauth-authorization-server{self.path}": self._metadata,
            "/jwks": lambda _received: Answer(self.jwks),
            "/strangers": lambda _received: Answer(self.strangers),
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._token,
        }
        door = doors.get(received.path)
        return door(received) if door else Answer("not here", 404)

    def _metadata(self, _received: Received) -> Answer:
        own = self.server.url
        return Answer(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{own}/authorize",
                "token_endpoint": f"{own}/token",
                "registration_endpoint": f"{own}/register",
                "jwks_uri": f"{own}/jwks",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    def _register(self, received: Received) -> Answer:
        return Answer({**received.json, "client_id": "an-agent", "token_endpoint_auth_method": "none"}, 201)

    def _authorize(self, received: Received) -> Answer:
        sent, code = received.params, secrets.token_hex(8)
        self.codes[code] = Asked(sent["code_challenge"], sent.get("resource", ""), sent.get("scope", ""))
        return Answer("", 302, {"location": f"{sent['redirect_uri']}?code={code}&state={sent['state']}"})

    def _token(self, received: Received) -> Answer:
        asked = self.codes.pop(received.form["code"])
        digest = hashlib.sha256(received.form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked.challenge:
            return Answer({"error": "invalid_grant"}, 400)
        token = self.token(asked.resource, scope=asked.scope)
        return Answer({"access_token": token, "token_type": "Bearer", "expires_in": 300, "scope": asked.scope})
