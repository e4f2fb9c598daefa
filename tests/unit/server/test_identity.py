"""Access tokens of an identity provider: whose count, whose do not, and what a client is told."""

import base64
import hashlib
import hmac
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from seekread.cli.app import app
from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import Misconfigured
from seekread.server.agents import AgentsRecipe
from seekread.server.app import ServiceOptions, create_app
from seekread.server.identity import check
from seekread.server.run import Recipe
from seekread.server.tokens import Tokens
from seekread.testing.clock import FakeClock
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.support.identity_provider import IdentityProvider, new_key, public
from tests.unit.server.conftest import Running, serving

pytestmark = pytest.mark.anyio

HERE = "https://search.example/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
AGENT = {"accept": "application/json, text/event-stream"}
NOW = int(time.time())
Guarded = Callable[..., Running]


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with IdentityProvider() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def guarded(provider: IdentityProvider, brave: Simulator, clock: FakeClock, tmp_path: Path) -> Iterator[Guarded]:
    """A service that takes the provider's tokens."""
    with ExitStack() as stack:

        def begin(
            options: ServiceOptions | None = None, *, listening: socket.socket | None = None, **settings: Any
        ) -> Running:
            usual = {
                "providers": ["brave"],
                "attempts": 1,
                "store": str(tmp_path / "state.sqlite"),
                "auth_issuer": provider.issuer,
                "auth_resource": HERE,
            }
            configuration = load({**usual, **settings}, providers={"brave": brave.settings()}, environ={})
            tokens = Tokens(tmp_path / "tokens.json")
            service = create_app(compose(configuration, clock=clock), tokens, options)
            return stack.enter_context(serving(service, tokens, listening=listening))

        yield begin


def ask(running: Running, token: str = "", path: str = "/mcp") -> httpx2.Response:
    headers = {**AGENT, **({"authorization": f"Bearer {token}"} if token else {})}
    return running.client.post(path, json=LIST, headers=headers)


def challenged(response: httpx2.Response) -> dict[str, str]:
    """What a challenge says."""
    assert response.headers["www-authenticate"].startswith("Bearer ")
    return dict(re.findall(r'(\w+)="([^"]*)"', response.headers["www-authenticate"]))


def test_who_knocks_without_a_token_learns_where_to_get_one(guarded: Guarded, provider: IdentityProvider) -> None:
    running = guarded(auth_scopes=["search"])
    refused = ask(running)
    assert refused.status_code == 401
    said = challenged(refused)
    assert said["resource_metadata"] == "https://search.example/.well-known/oauth-protected-resource/mcp"
    assert said["scope"] == "search"
    assert "error" not in said
    assert provider.issuer in refused.json()["detail"]
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        assert running.get(path).json() == {
            "resource": HERE,
            "authorization_servers": [provider.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "seekread",
            "scopes_supported": ["search"],
        }
    assert not provider.server.received


@pytest.mark.parametrize(("kind", "algorithm"), [("RSA", "RS256"), ("RSA", "PS256"), ("EC", "ES256"), ("OKP", "EdDSA")])
def test_a_token_made_for_this_service_opens_the_door(
    guarded: Guarded, provider: IdentityProvider, kind: str, algorithm: str
) -> None:
    provider.rotate(kind)
    running = guarded()
    for audience in (HERE, ["another", HERE]):
        answered = ask(running, provider.token(audience, algorithm=algorithm))
        assert answered.status_code == 200
        assert "web_search" in answered.text
    assert provider.asked("/jwks") == 1


def written(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def signed_with_public_key(provider: IdentityProvider) -> str:
    """The trick on a service that lets a token choose: the public key as the secret of a symmetric signature."""
    pem = provider.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = {"alg": "HS256", "typ": "JWT", "kid": provider.name}
    claims = {"iss": provider.issuer, "sub": "ada", "aud": HERE, "exp": NOW + 300}
    signed = f"{written(json.dumps(head).encode())}.{written(json.dumps(claims).encode())}"
    return f"{signed}.{written(hmac.new(pem, signed.encode(), hashlib.sha256).digest())}"


def with_own_key(provider: IdentityProvider, how: str) -> str:
    """A stranger's key, brought along in the head of the token, or at an address that stands there."""
    stranger = new_key()
    provider.strangers = {"keys": [public(stranger, "own")]}
    head: dict[str, dict[str, Any]] = {
        "jwk": {"jwk": public(stranger, provider.name)},
        "jku": {"kid": "own", "jku": f"{provider.server.url}/strangers"},
    }
    return provider.token(HERE, key=stranger, head=head[how])


def altered(token: str) -> str:
    """The same signature under other words."""
    head, claims, signature = token.split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    said["sub"] = "somebody else"
    return f"{head}.{written(json.dumps(said).encode())}.{signature}"


WRONG: dict[str, tuple[Callable[[IdentityProvider], str], str]] = {
    "unsigned": (lambda p: p.token(HERE, key="", algorithm="none"), "signed in a way"),
    "signed with the public key": (signed_with_public_key, "signed in a way"),
    "by a stranger's key": (lambda p: p.token(HERE, key=new_key()), "signature"),
    "by a key it brings along": (lambda p: with_own_key(p, "jwk"), "signature"),
    "by a key it names the place of": (lambda p: with_own_key(p, "jku"), "no such key"),
    "altered": (lambda p: altered(p.token(HERE)), "signature"),
    "for another service": (lambda p: p.token("https://other.example/mcp"), "another service"),
    "for an address below": (lambda p: p.token(f"{HERE}/admin"), "another service"),
    "for whoever is at the host": (lambda p: p.token("https://search.example"), "another service"),
    "for nobody": (lambda p: p.token(None), "not as it should be"),
    "of another issuer": (lambda p: p.token(HERE, iss="https://evil.example"), "somebody else"),
    "of no issuer": (lambda p: p.token(HERE, iss=None), "not as it should be"),
    "too old": (lambda p: p.token(HERE, exp=NOW - 600), "expired"),
    "without an end": (lambda p: p.token(HERE, exp=None), "not as it should be"),
    "too new": (lambda p: p.token(HERE, nbf=NOW + 3600), "not valid yet"),
    "of nobody": (lambda p: p.token(HERE, sub=None), "claim"),
    "with a key of no name there is": (lambda p: p.token(HERE, head={"kid": "made-up"}), "no such key"),
    "with a name that is no text": (lambda p: "eyJhbGciOiJSUzI1NiIsImtpZCI6MX0.e30.e30", "not as it should be"),
    "too long": (lambda p: p.token(HERE, note="x" * 20_000), "too long"),
    "no token at all": (lambda _p: "one.two.three", "not as it should be"),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_token_with_anything_wrong_is_refused_with_the_reason(
    guarded: Guarded, provider: IdentityProvider, which: str
) -> None:
    make, why = WRONG[which]
    running, token = guarded(), make(provider)
    refused = ask(running, token)
    assert refused.status_code == 401
    said = challenged(refused)
    assert said["error"] == "invalid_token"
    assert why in said["error_description"]
    assert token not in refused.text
    assert not provider.asked("/strangers")
    assert ask(running, provider.token(HERE)).status_code == 200


def test_a_token_in_an_address_opens_no_door(guarded: Guarded, provider: IdentityProvider) -> None:
    """Addresses stand in logs; the protocol wants tokens in the header alone."""
    assert ask(guarded(), path=f"/mcp?access_token={provider.token(HERE)}").status_code == 401


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ({"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}, "a shared secret is no public key"),
        ({"use": "enc"}, "a key to encrypt with signs nothing"),
        ({"alg": "PS256"}, "a key for one algorithm signs with no other"),
    ],
)
def test_a_key_for_something_else_checks_nothing(
    guarded: Guarded, provider: IdentityProvider, shown: dict[str, Any], why: str
) -> None:
    own = public(provider.key, provider.name)
    provider.jwks = {"keys": [{"kid": provider.name, **shown} if "kty" in shown else {**own, **shown}]}
    assert ask(guarded(), provider.token(HERE)).status_code == 401, why


@pytest.mark.filterwarnings("ignore:The RSA key is")
def test_a_short_key_checks_nothing(guarded: Guarded, provider: IdentityProvider) -> None:
    provider.key = new_key(bits=1024)
    provider.jwks = {"keys": [public(provider.key, provider.name)]}
    assert ask(guarded(), provider.token(HERE)).status_code == 401


def test_a_provider_with_one_key_need_not_name_it(guarded: Guarded, provider: IdentityProvider) -> None:
    provider.jwks = {"keys": [public(provider.key, None)]}
    assert ask(guarded(), provider.token(HERE, head={"kid": None})).status_code == 200


def test_new_keys_are_fetched_when_they_are_needed_and_not_for_every_name_somebody_makes_up(
    guarded: Guarded, provider: IdentityProvider, clock: FakeClock
) -> None:
    running = guarded()
    old = provider.token(HERE)
    assert ask(running, old).status_code == 200
    for number in range(5):
        assert ask(running, provider.token(HERE, head={"kid": f"made-up-{number}"})).status_code == 401
    assert provider.asked("/jwks") == 1
    provider.rotate()
    clock.now += 31
    assert ask(running, provider.token(HERE)).status_code == 200
    assert provider.asked("/jwks") == 2
    clock.now += 31
    assert ask(running, altered(old)).status_code == 401


def test_a_provider_that_is_down_is_told_as_that_and_not_as_a_wrong_token(
    guarded: Guarded, provider: IdentityProvider, clock: FakeClock
) -> None:
    running = guarded()
    token = provider.token(HERE)
    provider.server.stop()
    refused = ask(running, token)
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "5"
    assert "identity provider" in refused.json()["detail"]
    assert "www-authenticate" not in refused.headers


def test_keys_that_are_known_count_while_the_provider_is_down(
    guarded: Guarded, provider: IdentityProvider, clock: FakeClock
) -> None:
    running = guarded()
    assert ask(running, provider.token(HERE)).status_code == 200
    provider.server.fail(Fault(how="reset"))
    clock.now += 2 * 3600
    assert ask(running, provider.token(HERE, jti="1")).status_code == 200
    clock.now += 24 * 3600
    assert ask(running, provider.token(HERE, jti="2")).status_code == 503


@pytest.mark.parametrize("status", [404, 500])
def test_metadata_that_are_not_there_are_told_as_trouble_of_the_provider(
    guarded: Guarded, provider: IdentityProvider, status: int
) -> None:
    provider.server.fail(Fault(status))
    assert ask(guarded(), provider.token(HERE)).status_code == 503


def test_metadata_of_another_issuer_are_not_believed(guarded: Guarded, provider: IdentityProvider) -> None:
    running = guarded(auth_issuer=f"{provider.issuer}/")
    assert ask(running, provider.token(HERE, iss=f"{provider.issuer}/")).status_code == 503


def test_an_issuer_below_a_path_and_keys_at_an_address_of_their_own(
    guarded: Guarded, provider: IdentityProvider
) -> None:
    provider.path = "/realms/ours"
    assert ask(guarded(auth_issuer=provider.issuer), provider.token(HERE)).status_code == 200
    asked = provider.asked(f"/.well-known/oauth-authorization-server{provider.path}")
    keys = f"{provider.server.url}/jwks"
    assert ask(guarded(auth_issuer=provider.issuer, auth_jwks=keys), provider.token(HERE)).status_code == 200
    assert provider.asked(f"/.well-known/oauth-authorization-server{provider.path}") == asked


def test_a_token_without_the_scope_is_told_which_it_lacks(guarded: Guarded, provider: IdentityProvider) -> None:
    running = guarded(auth_scopes=["search", "read"])
    refused = ask(running, provider.token(HERE, scope="search profile"))
    assert refused.status_code == 403
    said = challenged(refused)
    assert (said["error"], said["scope"]) == ("insufficient_scope", "search read")
    assert "read" in refused.json()["detail"]
    assert ask(running, provider.token(HERE, scope="read search")).status_code == 200
    assert ask(running, provider.token(HERE, scp=["read", "search"])).status_code == 200


def test_scopes_and_roles_become_caps_and_the_claim_a_session(guarded: Guarded, provider: IdentityProvider) -> None:
    grants = {"heavy": {"per_minute": 100}, "default": {"per_minute": 2}}
    running = guarded(grants=grants, auth_claim="client_id")
    usual: dict[str, Any] = {"client_id": "a-team"}
    tries = [ask(running, provider.token(HERE, jti=str(n), sub=f"person-{n}", **usual)).status_code for n in range(3)]
    assert tries == [200, 200, 429]
    assert ask(running, provider.token(HERE, client_id="another-team")).status_code == 200
    heavy = [ask(running, provider.token(HERE, roles=["heavy"], client_id="third")).status_code for _ in range(4)]
    assert heavy == [200] * 4


def test_people_do_not_share_answers(guarded: Guarded, provider: IdentityProvider) -> None:
    running = guarded(auth_everywhere=True)

    def search(person: str) -> Any:
        headers = {"authorization": f"Bearer {provider.token(HERE, sub=person)}"}
        return running.post("/v1/search", {"query": "tea"}, headers=headers).json()

    assert [search(person)["cached"] for person in ("ada", "grace", "ada")] == [False, False, True]


def test_what_one_person_asked_can_be_forgotten(guarded: Guarded, provider: IdentityProvider, tmp_path: Path) -> None:
    running = guarded(auth_everywhere=True)
    for person in ("ada", "grace"):
        headers = {"authorization": f"Bearer {provider.token(HERE, sub=person)}"}
        running.post("/v1/search", {"query": "tea"}, headers=headers)
    store = {"SEEKREAD_STORE": str(tmp_path / "state.sqlite"), "SEEKREAD_AUTH_ISSUER": provider.issuer}
    said = CliRunner().invoke(app, ["forget", "--token", "ada"], env=store)
    assert said.output.strip() == "forgot 1 entry"
    assert CliRunner().invoke(app, ["forget", "--token", "nobody"], env=store).output.startswith("nothing")


def test_other_addresses_take_tokens_of_the_service_alone_unless_the_operator_says_so(
    guarded: Guarded, provider: IdentityProvider
) -> None:
    running = guarded()
    own = running.tokens.create("a program")
    headers = {"authorization": f"Bearer {provider.token(HERE)}"}
    refused = running.post("/v1/search", {"query": "tea"}, headers=headers)
    assert refused.status_code == 401
    assert "resource_metadata" not in refused.headers["www-authenticate"]
    assert running.post("/v1/search", {"query": "tea"}, headers={"authorization": f"Bearer {own}"}).status_code == 200
    assert ask(running, own).status_code == 200
    everywhere = guarded(auth_everywhere=True)
    assert everywhere.post("/v1/search", {"query": "tea"}, headers=headers).status_code == 200
    assert "resource_metadata" in everywhere.post("/v1/search", {"query": "tea"}).headers["www-authenticate"]


async def test_an_official_client_finds_its_way_in(guarded: Guarded, provider: IdentityProvider) -> None:
    """Refused, it reads our metadata and the provider's, registers, asks the person, and comes back with a token."""
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    guarded(listening=listening, auth_resource=url, auth_scopes=["search"])
    agreed: list[AuthorizationCodeResult] = []

    async def person_agrees(address: str) -> None:
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as browser:
            sent = parse_qs(urlsplit((await browser.get(address)).headers["location"]).query)
        agreed.append(AuthorizationCodeResult(code=sent["code"][0], state=sent["state"][0]))

    async def came_back() -> AuthorizationCodeResult:
        return agreed.pop()

    about = OAuthClientMetadata.model_validate({"client_name": "a test", "redirect_uris": ["http://127.0.0.1:9/back"]})
    flow = OAuthClientProvider(url, about, Kept(), redirect_handler=person_agrees, callback_handler=came_back)
    async with (
        httpx2.AsyncClient(auth=flow, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        found = await client.call_tool("web_search", {"query": "tea"})
    assert not found.is_error
    assert provider.asked("/token") == 1


class Kept:
    """Where a client keeps what it was given."""

    def __init__(self) -> None:
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


async def test_pages_one_person_read_are_not_listed_to_another(provider: IdentityProvider) -> None:
    settings = {"store": "memory:", "auth_issuer": provider.issuer, "auth_resource": HERE}
    made = AgentsRecipe(settings=settings)
    made.check()
    with serving(made(), made.tokens()) as running:
        assert ask(running).status_code == 401
        assert ask(running, provider.token(HERE)).status_code == 200
        agents = running.service._protocol
        assert agents is not None
        assert not agents._agents._list_pages()


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"auth_issuer": "http://login.example", "auth_resource": HERE}, "auth_issuer"),
        ({"auth_issuer": "login.example", "auth_resource": HERE}, "auth_issuer"),
        ({"auth_issuer": "https://login.example"}, "auth_resource"),
        ({"auth_issuer": "https://login.example", "auth_resource": "http://search.example/mcp"}, "auth_resource"),
        (
            {"auth_issuer": "https://login.example", "auth_resource": HERE, "auth_jwks": "http://login.example/keys"},
            "auth_jwks",
        ),
        (
            {"auth_issuer": "https://login.example", "auth_resource": HERE, "auth_algorithms": ["HS256"]},
            "auth_algorithms",
        ),
        (
            {"auth_issuer": "https://login.example", "auth_resource": HERE, "auth_algorithms": ["none"]},
            "auth_algorithms",
        ),
    ],
)
def test_settings_that_would_let_anybody_in_are_refused_at_the_start(settings: dict[str, Any], what: str) -> None:
    with pytest.raises(Misconfigured, match=what):
        Recipe(settings=settings).check()


def test_with_a_provider_the_door_may_be_opened_to_others_without_a_token_of_our_own() -> None:
    settings = {"auth_issuer": "https://login.example", "auth_resource": HERE}
    Recipe(ServiceOptions(host="0.0.0.0"), settings=settings).check()
    with pytest.raises(Misconfigured, match="token"):
        Recipe(ServiceOptions(host="0.0.0.0")).check()


def test_nothing_is_checked_where_no_provider_is_named() -> None:
    check(load(environ={}).settings.auth)
