"""
Every setting, with its type, its default and a sentence about it.

A setting is named the same everywhere: `limit` is `limit` under `[search]` in the file, `SEEKREAD_LIMIT` in the
environment and `limit=` in Python. Names are unique over all sections. Providers bring settings of their own: the
fields of their dataclass, under `[providers.<name>]`.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from seekread.models import RouteName
from seekread.options import CODES, SafeSearch
from seekread.secret import SecretStr
from seekread.value import FieldInfo, Value, declared

NameList = tuple[str, ...]

REMOVED = {"snippet_length": "it never had an effect"}
"""Settings of the version before that are gone, and why: naming one is a warning, not a failed start."""


def code(pattern: str, wanted: str, value: str) -> str:
    """Check a code; an empty one means that none is wanted."""
    if value and not re.fullmatch(pattern, value):
        raise ValueError(f"must be {wanted}, not {value!r}")
    return value


def about(sentence: str, default: Any, *env: str, check: Callable[[Any], Any] | None = None, **limits: Any) -> Any:
    """A setting: its sentence, its default and further environment names people already use."""
    return FieldInfo(default, limits=limits, check=check, description=sentence, env=env)


class CompanySettings(Value):
    """A company, by everything it is called."""

    name: str = declared(min_length=1, max_length=200)
    ticker: str = ""
    aliases: NameList = ()
    domains: NameList = ()


class SearchSettings(Value):
    """Searching."""

    providers: NameList = about(
        "Providers to ask, in order. Naming one means it is asked alone; empty means the default chain.",
        (), "WEB_SEARCH_PROVIDER",
    )  # fmt: skip
    fallback: NameList = about("Providers to ask when those named in `providers` could not answer.", ())
    keyless: NameList = about(
        "Services that are asked without a key, where you have none for them: naming one is consent to send it your "
        "queries. They come after those that have their key.",
        (),
    )
    route: RouteName = about(
        "How the chain is asked: one after another (first), the next beside one that is slow (hedge), the same only "
        "where the next costs nothing or less (auto), or all at once (fuse).",
        "auto",
    )
    limit: int = about("Results per search.", 5, ge=1, le=1_000_000)
    search_seconds: float = about("Seconds one search may take, everything included.", 20.0, gt=0)
    attempt_seconds: float = about("Seconds one attempt at one provider may take.", 10.0, gt=0)
    attempts: int = about(
        "Attempts at the last provider that could answer; those before it are asked once, then the next one.",
        2, ge=1, le=3,
    )  # fmt: skip
    at_once: int = about("Calls under way to one provider at once, where it declares no less.", 64, ge=1)
    country: str | None = about("Country of the results, two letters.", None, check=partial(code, *CODES["country"]))
    language: str | None = about(
        "Language of the results, such as en or de.", None, check=partial(code, *CODES["language"])
    )
    safe_search: SafeSearch | None = about("Safe search: off, moderate or strict.", None)
    companies: dict[str, CompanySettings] = about(
        "Companies by all their names: tables such as [search.companies.apple] with name, ticker, aliases and domains.",
        {},
    )
    domain_profiles: dict[str, NameList] = about(
        'Lists of domains by name, such as government = ["*.gov.uk"]; a call names one as @government.', {}
    )


class ReadSettings(Value):
    """Reading pages."""

    readers: NameList = about(
        "Readers to try, in order; empty means our own, and a browser after it where one is installed. "
        "Cloud readers see the address: naming one is consent.",
        (),
    )
    max_length: int = about("Characters of a page handed out at once.", 15_000, ge=200)
    total_length: int = about("Characters handed out for several pages opened at once.", 40_000, ge=1000)
    page_seconds: float = about("Seconds one page may take, everything included.", 20.0, gt=0)
    pages_at_once: int = about("Pages being read at once.", 64, ge=1)
    pages_per_host: int = about("Pages being read at once from one host.", 6, ge=1)
    bulk_delay: float = about("Seconds between two requests to one site, when pages are read in bulk.", 1.0, ge=0)
    bulk_per_host: int = about("Pages being read at once from one host, when they are read in bulk.", 2, ge=1)
    user_agent: str = about("How page requests introduce themselves; empty means seekread's own.", "")
    respect_robots: bool = about("Ask robots.txt before a page is fetched.", False)
    page_headers: dict[str, dict[str, SecretStr]] = about(
        'Headers for pages behind a login, by origin: tables such as [read.page_headers."wiki.example.org"]. They are '
        "sent to that very host over https, by the built-in reader alone.",
        {},
    )
    images: bool = about("Write images as links, `[image: alt](https://…)`, instead of `[image: alt]`.", False)
    raw_html: bool = about(
        "Hand out the HTML of a page as it came to clients of other vendors' dialects that ask for it; hidden text, "
        "scripts and foreign loads are then theirs to deal with.",
        False,
    )
    hidden_text: Literal["page", "strict"] = about(
        "How hidden text is looked for: by what the page itself says, or also (`strict`) by up to three style sheets "
        "of its own site, which are fetched with it.",
        "page",
    )
    fresh_seconds: int = about("Seconds a page read before is handed out without asking its server.", 3600, ge=0)
    snapshot_seconds: int = about("Seconds a page that was read is kept under its handle.", 86_400, ge=1)
    url_policy: Literal["any", "seen"] = about(
        "`seen` opens only addresses given by the user, found by a search or linked from an opened page.", "any"
    )
    hop_budget: int = about("Under `seen`: pages of one site that may be opened by following links.", 8, ge=0)
    hop_total: int = about("Under `seen`: pages a session may open by following links, of all sites.", 100, ge=0)


class GuardSettings(Value):
    """The guard before every page."""

    allow_private: NameList = about(
        "Private hosts that may be read: host:port or CIDR entries. Metadata addresses stay refused.", ()
    )
    allowed_ports: tuple[int, ...] = about(
        "Ports pages may be read from.", (80, 443, 8000, 8008, 8080, 8081, 8443, 8888)
    )
    fake_ip_ranges: NameList = about("Ranges a local proxy's resolver answers from, such as 198.18.0.0/15.", ())
    page_proxy: str | None = about(
        "Proxy for page requests. Which addresses it reaches is then its own business.", None
    )
    page_ca_file: str | None = about(
        "Certificates to trust for pages besides the system's, such as those of a proxy that looks into TLS.", None
    )


class PolicySettings(Value):
    """What may be asked and shown."""

    allowed_domains: NameList = about("Only these domains and those below them may be shown or opened.", ())
    blocked_domains: NameList = about("These domains and those below them are neither shown nor opened.", ())
    scan_outgoing: bool = about("Refuse queries and addresses that carry a key.", True)
    text_budget: int | None = about(
        "Characters of queries and addresses that one session may ask for in a day; a scan cannot know every spelling.",
        1_000_000, ge=0,
    )  # fmt: skip


class StateSettings(Value):
    """What is remembered, and where."""

    store: str = about(
        "Where state is kept: a path, redis://…, or memory:. Empty means a file in the state folder.", ""
    )
    cache: bool = about("Keep answers and pages for a while.", True)
    cache_seconds: int = about("Seconds a search's answer is fresh.", 3600, ge=0)
    news_seconds: int = about("Seconds a news search's answer is fresh.", 300, ge=0)
    empty_seconds: int = about("Seconds an empty answer is fresh.", 60, ge=0)
    stale_seconds: int = about("Seconds an old answer may be served when nobody can answer.", 86_400, ge=0)
    max_megabytes: int = about("Size of the state file; the oldest entries go first.", 256, ge=1)
    cache_fails_open: bool = about("Go on without the cache when the store cannot be reached.", True)
    quota_fails_closed: bool = about("Make no paid call when the ledger cannot be reached.", True)
    index_path: str = about("The local full-text index. Empty means a file in the state folder.", "")


class ServiceSettings(Value):
    """Calls to providers."""

    service_proxy: str | None = about(
        "Proxy for provider calls: http, https or, with seekread[socks], socks5; "
        "empty means HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.",
        None,
    )
    ca_file: str | None = about("Certificates to trust instead of the system's.", None, "SSL_CERT_FILE")
    use_keyring: bool = about("Look for keys in the system's keyring (install seekread[keyring]).", False)
    dotenv: bool = about(
        "Read keys, and nothing else, from .env in the current folder; they never override the environment.", False
    )


class SpendingSettings(Value):
    """Plans and caps. Plans by provider stand under `[spending.plans]`."""

    plans: dict[str, str] = about("Plan of each provider by name, such as brave = free.", {})
    daily_calls: int | None = about("Calls a day, over all providers together.", None, ge=0)
    daily_dollars: float | None = about("Dollars a day, over all providers together.", None, ge=0)
    session_calls: int | None = about("Calls one session may make, over all providers together.", None, ge=0)
    session_dollars: float | None = about("Dollars one session may spend, over all providers together.", None, ge=0)


class TelemetrySettings(Value):
    """What is told to whoever watches the operator's machines."""

    telemetry: bool = about(
        "Send spans and metrics over OTLP to where the standard OTEL_* variables say (install seekread[otel]).", False
    )
    telemetry_text: bool = about("Write queries and addresses into spans; keys in them are masked.", False)


class GrantSettings(Value):
    """What whoever has a scope or a role may use."""

    per_minute: int | None = declared(default=None, ge=1)
    max_concurrent: int | None = declared(default=None, ge=1)
    daily_calls: int | None = declared(default=None, ge=0)
    daily_dollars: float | None = declared(default=None, ge=0)


ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that are checked with a key nobody can sign with; no other kind may ever be named."""


def asymmetric(names: NameList) -> NameList:
    """Check the names of algorithms."""
    if wrong := [name for name in names if name not in ASYMMETRIC]:
        raise ValueError(f"must be of {', '.join(ASYMMETRIC)}, not {wrong[0]!r}")
    return names


class AuthSettings(Value):
    """Access tokens of your identity provider, for the service and for MCP over HTTP."""

    auth_issuer: str = about(
        "Identity provider whose access tokens (JWT) the service takes beside its own, by its issuer address; "
        "install seekread[oauth].",
        "",
    )
    auth_resource: str = about("Address agents know this service by, such as https://search.example.org/mcp.", "")
    auth_audience: str = about("Whom access tokens have to be made for (`aud`); empty means `auth_resource`.", "")
    auth_jwks: str = about("Address of the issuer's keys; empty means the one its metadata names.", "")
    auth_algorithms: NameList = about(
        "Signatures that are accepted.", ("RS256", "PS256", "ES256", "EdDSA"), check=asymmetric
    )
    auth_scopes: NameList = about("Scopes an access token needs, all of them.", ())
    auth_claim: str = about("The claim that says whose session it is: its name and its budget.", "sub", min_length=1)
    auth_everywhere: bool = about("Take access tokens at every address, not only at those of the protocol.", False)
    grants: dict[str, GrantSettings] = about(
        'Caps by scope or role: tables such as [auth.grants."search.heavy"] with per_minute, max_concurrent, '
        "daily_calls and daily_dollars. The first that fits counts; `default` fits everybody.",
        {},
    )


class Settings(Value):
    """All settings."""

    search: SearchSettings = SearchSettings()
    read: ReadSettings = ReadSettings()
    guard: GuardSettings = GuardSettings()
    policy: PolicySettings = PolicySettings()
    state: StateSettings = StateSettings()
    services: ServiceSettings = ServiceSettings()
    spending: SpendingSettings = SpendingSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    auth: AuthSettings = AuthSettings()


def all_settings() -> dict[str, tuple[str, FieldInfo]]:
    """Every setting by name, with its section."""
    return {
        name: (section, info)
        for section, model in Settings.model_fields.items()
        for name, info in model.annotation.model_fields.items()
    }


def variables(name: str, info: FieldInfo) -> tuple[str, ...]:
    """The environment names of a setting, the one that wins first."""
    return (f"SEEKREAD_{name.upper()}", *info.env)
