"""The only place that wires everything: settings in, a working engine out."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from seekread.calling.gate import LOCAL, Gate
from seekread.calling.outgoing import Outgoing
from seekread.clock import SystemClock
from seekread.config.sources import Configuration, load
from seekread.http.client import ServiceClient
from seekread.models import Page
from seekread.outcomes import Outcome
from seekread.ports import Clock, Store
from seekread.provider import ReadProvider, SearchProvider, traits
from seekread.providers.registry import SEARCH_GROUP, Registry
from seekread.reading.provenance import Provenance
from seekread.searching.ask import Asker, Patience
from seekread.searching.cache import Cache, Lifetimes, NoCache, SearchCache
from seekread.searching.chain import chain
from seekread.searching.engine import Searching
from seekread.searching.policy import Policy
from seekread.searching.route import ROUTES
from seekread.state import open_store
from seekread.state.front import LruFront
from seekread.state.ledger import Caps, Ledger, identity
from seekread.state.pace import Pace
from seekread.state.plans import PLANS, Plan, find_plan

if TYPE_CHECKING:
    import httpx2

    from seekread.http.guard import Guard, GuardPolicy
    from seekread.providers.catalog import Facts
    from seekread.readers.builtin.fetch import Fetcher
    from seekread.readers.builtin.workers import Workers
    from seekread.reading.engine import Reading
    from seekread.reading.snapshots import PageCache, Snapshots
    from seekread.recording import Recorder, Replay


REMEMBER_EVERY = 60.0
REMEMBERED = 30 * 86_400.0
"""Seconds: how often, and how long, it is kept how the last attempt at a provider went."""


class Parts:
    """
    Everything, wired when it is first needed: who only searches never starts a reader.

    Close it when done; what was opened is closed, the last first.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        clock: Clock | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
        record: Path | None = None,
        replay: Path | None = None,
    ) -> None:
        self.configuration = configuration
        self.settings = configuration.settings
        self.clock = clock or SystemClock()
        self.registry = Registry(values=self._field_values)
        self._identities: dict[str, str] = {}
        self._last: dict[str, tuple[str, float]] = {}
        self.client = ServiceClient(
            user_agent=user_agent(),
            proxy=self.settings.services.service_proxy,
            proxies=configuration.proxies,
            ca_file=self.settings.services.ca_file,
            transport=transport,
        )
        self.replay, self.recorder = self._recordings(record, replay)
        self.provenance = Provenance(self.settings.read.url_policy, self.settings.read.hop_budget)

    def _recordings(self, record: Path | None, replay: Path | None) -> "tuple[Replay | None, Recorder | None]":
        """The recording to replay and the one to write, where one was asked for."""
        if not (record or replay):
            return None, None
        from seekread.recording import Recorder, Replay

        recorder = Recorder(record, self.secrets) if record else None
        if recorder:
            recorder.begin()
        return Replay.load(replay) if replay else None, recorder

    def chain(self, asked: tuple[str, ...] = ()) -> list[SearchProvider]:
        """The providers a search will ask; a recording needs none of them."""
        if self.replay:
            return []
        search = self.settings.search
        names = chain(asked or search.providers, search.fallback, self.registry, self.ready)
        return [self.registry.searcher(name) for name in names]

    def readers(self, asked: tuple[str, ...] = ()) -> list[ReadProvider]:
        """
        The readers a page will be given to; a recording needs none of them.

        A browser is added where one is there: it takes over from pages that show nothing without JavaScript.
        """
        if self.replay:
            return []
        names = asked or self.settings.read.readers
        if names == ("builtin",) and not asked and self.has_browser:
            names = ("builtin", "browser")
        return [self.registry.reader(name) for name in names]

    def catalog(self) -> "list[Facts]":
        """Every provider with what there is to know about it: those of the chain in its order, then the others."""
        from seekread.providers.catalog import catalog

        known = catalog(self.registry, [provider.name for provider in self.chain()])
        return sorted(known, key=lambda facts: (facts.position is None, facts.position or 0))

    def ready(self, name: str) -> bool:
        """Whether a provider can be asked; the local index only once something was put into it."""
        return self.registry.configured(name) and (name != "index" or index_path(self.configuration).is_file())

    @cached_property
    def store(self) -> Store:
        """Where state is kept."""
        named = self.settings.state.store or str(self.configuration.state_folder / "state.sqlite")
        if self.replay:
            named = "memory:"
        opened = open_store(
            named,
            clock=self.clock,
            max_bytes=self.settings.state.max_megabytes * 1024 * 1024,
            strict=not self.settings.state.cache_fails_open,
        )
        return LruFront(opened, self.clock)

    @cached_property
    def ledger(self) -> Ledger:
        """Plans and what was used of them."""
        spending = self.settings.spending
        return Ledger(
            self.store,
            self.clock,
            plans(spending.plans),
            caps=Caps(
                daily_calls=spending.daily_calls,
                daily_dollars=spending.daily_dollars,
                session_calls=spending.session_calls,
                session_dollars=spending.session_dollars,
            ),
            fail_open=not self.settings.state.quota_fails_closed,
        )

    @cached_property
    def gate(self) -> Gate:
        """Breaker, bulkhead, pace and quota before every provider."""
        return Gate(self.clock, Pace(self.store, self.clock), self.ledger, self.key_identity, self._remember)

    @cached_property
    def outgoing(self) -> Outgoing:
        """Looks at what leaves; no configured key may."""
        return Outgoing(self.secrets, self.settings.policy.scan_outgoing)

    @cached_property
    def policy(self) -> Policy:
        """The operator's rules."""
        rules = self.settings.policy
        return Policy(rules.allowed_domains, rules.blocked_domains, self.outgoing)

    @cached_property
    def searching(self) -> Searching:
        """The searching half."""
        search = self.settings.search
        patience = Patience(search.attempt_seconds, search.attempts)
        return Searching(
            policy=self.policy,
            cache=self._cache(),
            asker=Asker(self.client, self.clock, self.gate, patience),
            route=ROUTES[search.route],
            slow_after=self.gate.slow_after,
            clock=self.clock,
            seconds=search.search_seconds,
        )

    @cached_property
    def snapshots(self) -> "Snapshots":
        """Pages that were read."""
        from seekread.reading.snapshots import Snapshots

        read = self.settings.read
        variant = digest([read.images, read.user_agent, read.respect_robots])
        fresh = read.fresh_seconds if self.settings.state.cache else 0
        return Snapshots(self.store, self.clock, read.snapshot_seconds, fresh, variant)

    @cached_property
    def reading(self) -> "Reading":
        """The reading half."""
        from seekread.reading.ask import PageAsker
        from seekread.reading.engine import Reading

        return Reading(
            outgoing=self.outgoing,
            guard=self.guard,
            provenance=self.provenance,
            cache=self._page_cache(),
            asker=PageAsker(self.guard, self.client, self.clock, self.gate, self._washed),
            clock=self.clock,
            seconds=self.settings.read.page_seconds,
        )

    @cached_property
    def guard(self) -> "Guard":
        """What decides whether an address may be read."""
        from seekread.http.guard import Guard

        return Guard(guard_policy(self.configuration))

    @cached_property
    def fetcher(self) -> "Fetcher":
        """Fetches pages through the guard."""
        from seekread.http.pinned import page_transport
        from seekread.readers.builtin.fetch import Fetcher, FetchLimits

        read = self.settings.read
        return Fetcher(
            self.guard,
            page_transport(self.guard),
            limits=FetchLimits(seconds=read.page_seconds),
            user_agent=read.user_agent or user_agent(),
            respect_robots=read.respect_robots,
            clock=self.clock,
        )

    @cached_property
    def workers(self) -> "Workers":
        """Child processes that read documents."""
        from seekread.extraction.documents import ExtractOptions
        from seekread.readers.builtin.workers import Workers

        return Workers(options=ExtractOptions(images=self.settings.read.images))

    @cached_property
    def has_browser(self) -> bool:
        """Whether pages that need JavaScript can be read here."""
        from seekread.readers.browser.reader import Browser, available

        named = self.configuration.provider_values(Browser).get("executable")
        return available(named.value if named else None)

    @cached_property
    def secrets(self) -> frozenset[str]:
        """Every key that is set, in the clear, for comparing only."""
        return frozenset(key for _, made in self._services() for key in secret_values(self.configuration, made))

    def _services(self) -> Iterator[tuple[str, type]]:
        """The classes of everybody who may have a key; readers on this machine have none and are slow to import."""
        return ((name, made) for name, made in self.registry.classes(without=LOCAL))

    def key_identity(self, name: str) -> str:
        """The name of a provider's key that does not tell it."""
        if name not in self._identities:
            keys: set[str] = set()
            group = self.registry.group(name)
            if name not in self.registry.registered and name in self.registry.installed(group):
                keys = secret_values(self.configuration, self.registry.provider_class(name, group))
            self._identities[name] = identity(min(keys, default=None))
        return self._identities[name]

    async def _remember(self, name: str, outcome: Outcome) -> None:
        """Keep how the last attempt went, for people who look at the providers; not every second of it."""
        known, at = self._last.get(name, ("", 0.0))
        now = self.clock.time()
        if known == outcome and now - at < REMEMBER_EVERY:
            return
        self._last[name] = (outcome, now)
        await self.store.put(f"outcome/{name}", json.dumps([outcome, now]).encode(), lifetime=REMEMBERED)

    async def last_outcomes(self) -> dict[str, tuple[str, float]]:
        """How the last attempt at each provider went, and when."""
        entries = await self.store.scan("outcome/")
        return {entry.key.removeprefix("outcome/"): tuple(json.loads(entry.value)) for entry in entries}

    async def close(self) -> None:
        """Release what was opened."""
        for provider in self.registry.built:
            if close := getattr(provider, "close", None):
                await close()
        opened = vars(self)
        for name in ("workers", "fetcher", "store"):
            if name in opened:
                await opened[name].close()
        await self.client.close()

    def _cache(self) -> Cache:
        """The cache; a recorder listens in front of it, a recording takes its place."""
        if self.replay:
            from seekread.recording import ReplayedSearches

            return ReplayedSearches(self.replay)
        if self.recorder:
            from seekread.recording import RecordingCache

            return RecordingCache(self._search_cache(), self.recorder)
        return self._search_cache()

    def _page_cache(self) -> "PageCache":
        """The same for pages."""
        if self.replay:
            from seekread.recording import ReplayedPages

            return ReplayedPages(self.replay, self.snapshots)
        if self.recorder:
            from seekread.recording import RecordingPages

            return RecordingPages(self.snapshots, self.recorder)
        return self.snapshots

    def _search_cache(self) -> SearchCache | NoCache:
        state = self.settings.state
        if not state.cache:
            return NoCache()
        return SearchCache(
            self.store,
            self.clock,
            Lifetimes(state.cache_seconds, state.news_seconds, state.empty_seconds, state.stale_seconds),
            fingerprint=self._fingerprint(),
            terms=self._terms,
            seconds=self.settings.search.search_seconds,
        )

    def _terms(self, name: str) -> int | None:
        """Seconds a provider's answers may be kept; one registered in code has to say so itself."""
        if name in self.registry.registered:
            return traits(self.registry.searcher(name)).cache_seconds or 0
        return traits(self.registry.provider_class(name, SEARCH_GROUP)).cache_seconds

    def _fingerprint(self) -> str:
        """A name for the settings that change what a search answers, keys left out."""
        settings = self.settings.model_dump(mode="json", include={"search", "policy"})
        public = {
            f"{name}.{field}": str(origin.value)
            for name, made in self._services()
            for field, origin in self.configuration.provider_values(made).items()
            if not isinstance(origin.value, SecretStr)
        }
        return digest([settings, public])

    async def _washed(self, page: Page) -> Page:
        """What a cloud reader made of a page, treated like any Markdown from the web."""
        extracted = await self.workers.read(
            page.content.encode("utf-8", "replace"), "text/markdown; charset=utf-8", page.url
        )
        return page.model_copy(
            update={
                "content": extracted.markdown,
                "title": page.title or extracted.title,
                "links": page.links or extracted.links,
                "signals": (*page.signals, *extracted.signals),
            }
        )

    def _field_values(self, provider: type) -> Mapping[str, Any]:
        """The values of a provider's fields: its settings, and the resources it asks for by name."""
        fields: Mapping[str, Any] = getattr(provider, "__dataclass_fields__", {})
        resources: dict[str, Callable[[], Any]] = {
            "path": lambda: str(index_path(self.configuration)),
            "fetcher": lambda: self.fetcher,
            "workers": lambda: self.workers,
            "guard": lambda: self.guard,
        }
        wanted = {name: make() for name, make in resources.items() if name in fields}
        return wanted | {name: origin.value for name, origin in self.configuration.provider_values(provider).items()}


def compose(
    configuration: Configuration,
    *,
    clock: Clock | None = None,
    transport: "httpx2.AsyncBaseTransport | None" = None,
    record: Path | None = None,
    replay: Path | None = None,
) -> Parts:
    """Wire the parts."""
    return Parts(configuration, clock=clock, transport=transport, record=record, replay=replay)


def guard_policy(configuration: Configuration | None = None) -> "GuardPolicy":
    """What the operator allows to be read."""
    from seekread.http.guard import GuardPolicy

    settings = (configuration or load()).settings
    return GuardPolicy(
        allow_private=settings.guard.allow_private,
        ports=frozenset(settings.guard.allowed_ports),
        allowed_domains=settings.policy.allowed_domains,
        blocked_domains=settings.policy.blocked_domains,
        fake_ip_ranges=settings.guard.fake_ip_ranges,
        proxy=settings.guard.page_proxy,
    )


def plans(chosen: Mapping[str, str]) -> dict[str, Plan]:
    """The plan of each provider: the one chosen, or the price a new key pays, without a limit or pace nobody named."""
    usual = {name: replace(next(iter(p.values())), limit=None, per_second=None) for name, p in PLANS.items()}
    return usual | {name: find_plan(name, plan) for name, plan in chosen.items()}


def secret_values(configuration: Configuration, provider: type) -> set[str]:
    """The keys a provider would be given."""
    values = configuration.provider_values(provider).values()
    return {origin.value.get_secret_value() for origin in values if isinstance(origin.value, SecretStr)}


def digest(value: Any) -> str:
    """A short name for a value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def index_path(configuration: Configuration | None = None) -> Path:
    """Where the local index lives."""
    configuration = configuration or load()
    named = configuration.settings.state.index_path
    return Path(named).expanduser() if named else configuration.state_folder / "index.sqlite"


def user_agent() -> str:
    """How we introduce ourselves."""
    from importlib.metadata import version

    return f"seekread/{version('seekread')} (+https://github.com/seekread/seekread)"
