"""The only place that wires everything: settings in, a working engine out."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seekread.calling.courtesy import Courtesy, Manners
from seekread.calling.gate import Capacity, Gate
from seekread.calling.key_pools import KeyPools
from seekread.calling.outgoing import Outgoing, Said
from seekread.calling.unwatched import UNWATCHED
from seekread.clock import SystemClock
from seekread.config.keys import configured_keys
from seekread.config.sources import Configuration, load
from seekread.errors import Misconfigured
from seekread.http.client import ServiceClient
from seekread.ports import Clock, Sender, Store, Telemetry
from seekread.provider import ReadProvider, SearchProvider, traits
from seekread.providers.plans import Plans
from seekread.providers.registry import Registry
from seekread.reading.provenance import Provenance
from seekread.redact import Secrets, redact
from seekread.searching.ask import Asker, Patience
from seekread.searching.cache import Cache, Lifetimes, NoCache, SearchCache
from seekread.searching.chain import Chain
from seekread.searching.clean import Silencer
from seekread.searching.engine import Searching
from seekread.searching.known import KnownAnswers
from seekread.searching.policy import Policy
from seekread.searching.profiles import CompanyProfile, Profiles
from seekread.searching.route import ROUTES
from seekread.searching.validate import usual_options
from seekread.state import damaged_beside, open_store
from seekread.state.attempts import LastAttempts
from seekread.state.front import LruFront
from seekread.state.installation import installation_name
from seekread.state.ledger import Caps, Ledger
from seekread.state.pace import Pace
from seekread.version import user_agent

if TYPE_CHECKING:
    import httpx2

    from seekread.config.settings import SearchSettings
    from seekread.http.guard import Guard, GuardPolicy
    from seekread.http.logins import PageLogins
    from seekread.providers.catalog import Facts
    from seekread.readers.builtin.fetch import Fetcher
    from seekread.readers.builtin.workers import Workers
    from seekread.reading.engine import Reading
    from seekread.reading.snapshots import PageCache, Snapshots
    from seekread.recording import Recorder, Replay
    from seekread.searching.probe import Probe


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
        manners: Manners | None = None,
        workers: int | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._watched_with = telemetry
        self.configuration = configuration
        self.manners = manners
        self._most_workers = workers
        self.settings = configuration.settings
        self.clock = clock or SystemClock()
        agreed = self.settings.search.keyless
        self.registry = Registry(
            self._field_values, mentioned=configuration.mentions, agreed=lambda name: name in agreed
        )
        self.client = ServiceClient(
            user_agent=user_agent(),
            proxy=self.settings.services.service_proxy,
            proxies=configuration.proxies,
            ca_file=self.settings.services.ca_file,
            transport=transport,
        )
        self.replay, self.recorder = self._recordings(record, replay)
        self.provenance = self.new_provenance()

    def _recordings(self, record: Path | None, replay: Path | None) -> "tuple[Replay | None, Recorder | None]":
        """The recording to replay and the one to write, where one was asked for."""
        if not (record or replay):
            return None, None
        from seekread.recording import Recorder, Replay

        recorder = Recorder(record, self.secrets) if record else None
        if recorder:
            recorder.begin()
        return Replay.load(replay) if replay else None, recorder

    @cached_property
    def chain(self) -> Callable[[Sequence[str]], list[SearchProvider]]:
        """Whom a search asks, by the names in the call; a recording needs nobody."""
        search = self.settings.search
        self.registry.check_agreed(search.keyless)
        return nobody if self.replay else Chain(self.registry, search.providers, search.fallback)

    @cached_property
    def usual_options(self) -> Mapping[str, Any]:
        """What the settings say about questions that leave something open."""
        return usual_options(self.settings.search.model_dump())

    @cached_property
    def readers(self) -> Callable[[Sequence[str]], list[ReadProvider]]:
        """The same for a page."""
        from seekread.reading.readers import Readers

        return nobody if self.replay else Readers(self.registry, self.settings.read.readers)

    def catalog(self) -> "list[Facts]":
        """Every provider with what there is to know about it: those of the chain in its order, then the others."""
        from seekread.providers.catalog import catalog

        known = catalog(self.registry, [provider.name for provider in self.chain(())])
        return sorted(known, key=lambda facts: (facts.position is None, facts.position or 0))

    @property
    def store_url(self) -> str:
        """What names the store; a recording remembers nothing."""
        named = self.settings.state.store or str(self.configuration.state_folder / "state.sqlite")
        return "memory:" if self.replay else named

    @cached_property
    def store(self) -> Store:
        """Where state is kept."""
        opened = open_store(
            self.store_url,
            clock=self.clock,
            max_bytes=self.settings.state.max_megabytes * 1024 * 1024,
            strict=not self.settings.state.cache_fails_open,
        )
        return LruFront(opened, self.clock)

    def damaged_state(self) -> list[Path]:
        """State files that were damaged and moved aside, the oldest first."""
        return damaged_beside(self.store_url)

    @cached_property
    def ledger(self) -> Ledger:
        """Plans and what was used of them."""
        return self._ledger(self.caps)

    def _ledger(self, caps: Caps, session: str | None = None) -> Ledger:
        plans = Plans(self.registry, self.settings.spending.plans)
        fail_open = not self.settings.state.quota_fails_closed
        return Ledger(self.store, self.clock, plans, caps=caps, session=session, fail_open=fail_open)

    @property
    def caps(self) -> Caps:
        """What the operator allows to be spent in a day and in a session."""
        spending = self.settings.spending
        return Caps(spending.daily_calls, spending.daily_dollars, spending.session_calls, spending.session_dollars)

    @cached_property
    def attempts(self) -> LastAttempts:
        """How the last attempt at each provider went."""
        return LastAttempts(self.store, self.clock)

    @cached_property
    def telemetry(self) -> Telemetry:
        """Who hears of what the engine does: whoever was handed in, or what the settings name."""
        if self._watched_with is not None:
            return self._watched_with
        return telemetry_of(self.configuration)

    @cached_property
    def gate(self) -> Gate:
        """Breaker, room, pace and quota before every provider."""
        search, read = self.settings.search, self.settings.read
        room = Capacity(search.at_once, read.pages_at_once, read.pages_per_host)
        pace, keys = Pace(self.store, self.clock), KeyPools(self.registry.pool)
        return Gate(self.clock, pace, self.ledger, self.attempts.remember, room, keys)

    def new_provenance(self) -> Provenance:
        """What a session that begins has seen: nothing."""
        read = self.settings.read
        # Whoever reads in bulk brings the addresses: no model chooses one.
        return Provenance("any" if self.manners else read.url_policy, read.hop_budget, read.hop_total)

    def new_said(self) -> Said:
        """What it has said."""
        return Said(None if self.manners else self.settings.policy.text_budget, self.clock)

    @cached_property
    def outgoing(self) -> Outgoing:
        """Looks at what leaves; no configured key may."""
        return Outgoing(self.secrets, self.settings.policy.scan_outgoing, self.new_said())

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
            asker=Asker(
                self.client,
                self.clock,
                self.gate,
                patience,
                KnownAnswers(self.store),
                silencer=lambda: self.silencer,
            ),
            route=ROUTES[search.route],
            hedging=self.gate,
            clock=self.clock,
            seconds=search.search_seconds,
            profiles=profiles_of(search),
            telemetry=self.telemetry,
        )

    async def probe(self, provider: SearchProvider, sender: Sender | None = None) -> "Probe":
        """Ask one provider what it must find; it may be charged like a search."""
        from seekread.searching.probe import probe

        return await probe(self.searching, provider, sender or self.client)

    @cached_property
    def snapshots(self) -> "Snapshots":
        """Pages that were read."""
        from seekread.reading.snapshots import Snapshots

        read = self.settings.read
        # Pages behind a login are nobody else's, whoever shares the store.
        variant = digest([read.images, read.user_agent, read.respect_robots, read.hidden_text, *self.logins.identity()])
        fresh = read.fresh_seconds if self.settings.state.cache else 0
        return Snapshots(self.store, self.clock, read.snapshot_seconds, fresh, variant)

    @cached_property
    def reading(self) -> "Reading":
        """The reading half."""
        from seekread.readers.builtin.wash import Wash
        from seekread.reading.ask import PageAsker
        from seekread.reading.engine import Reading

        return Reading(
            outgoing=self.outgoing,
            guard=self.guard,
            provenance=self.provenance,
            cache=self._page_cache(),
            asker=PageAsker(self.guard, self.client, self.clock, self.gate, Wash(self.workers)),
            clock=self.clock,
            seconds=self.settings.read.page_seconds,
            keeper=self.registry.keeper,
            hands_out_source=self.settings.read.raw_html,
            telemetry=self.telemetry,
        )

    @cached_property
    def guard(self) -> "Guard":
        """What decides whether an address may be read."""
        from seekread.http.guard import Guard

        return Guard(guard_policy(self.configuration))

    @cached_property
    def logins(self) -> "PageLogins":
        """What opens pages behind a login."""
        from seekread.http.logins import PageLogins

        return PageLogins.read(self.settings.read.page_headers)

    @cached_property
    def fetcher(self) -> "Fetcher":
        """Fetches pages through the guard."""
        from seekread.http.pinned import page_transport
        from seekread.readers.builtin.fetch import Fetcher, FetchLimits, at_once

        read = self.settings.read
        return Fetcher(
            self.guard,
            page_transport(self.guard),
            limits=FetchLimits(seconds=read.page_seconds),
            user_agent=read.user_agent or user_agent(),
            respect_robots=read.respect_robots,
            sheets=read.hidden_text == "strict",
            logins=self.logins,
            clock=self.clock,
            store=self.store,
            turn=self.courtesy.turn if self.manners else at_once,
        )

    @cached_property
    def courtesy(self) -> Courtesy:
        """Who waits before a site is asked in bulk."""
        return Courtesy(self.store, self.clock, self.manners or Manners())

    @cached_property
    def workers(self) -> "Workers":
        """Child processes that read documents."""
        from seekread.extraction.options import ExtractOptions
        from seekread.readers.builtin.workers import WorkerLimits, Workers

        options = ExtractOptions(images=self.settings.read.images, every_link=self.manners is not None)
        return Workers(WorkerLimits(size=self._most_workers) if self._most_workers else None, options=options)

    @cached_property
    def silencer(self) -> Silencer:
        """Lets whole texts that a search brings along pass the gate, in a worker."""
        from seekread.readers.builtin.wash import TextWash

        return TextWash(self.workers)

    @cached_property
    def secrets(self) -> Secrets:
        """Every key that is set; what providers bring that are built later is added."""
        known = self.registry.secrets
        known.add(configured_keys(self.configuration, self.registry))
        if self.settings.read.page_headers:
            known.add(self.logins.secrets())
        return known

    def session(self, name: str, caps: Caps, before: "Parts | None" = None, *, owner: str = "") -> "Parts":
        """
        Parts for one of many sessions: with its own caps, and what it has seen and said, everything else shared.

        `before` are its parts so far, if it only gets new caps; `owner` is whose answers and pages are kept apart:
        without a name they are everybody's.

        No answer that is on its way is shared: that would share its failure, and one session's spent budget is no other
        session's business.
        """
        searching, reading = self.searching, self.reading
        own = copy(self)
        own.provenance = before.provenance if before else self.new_provenance()
        own.outgoing = replace(self.outgoing, said=before.outgoing.said if before else self.new_said())
        own.policy = replace(self.policy, outgoing=own.outgoing)
        own.ledger = self._ledger(caps, name)
        own.gate = replace(self.gate, ledger=own.ledger)
        own.searching = replace(
            searching,
            policy=own.policy,
            asker=replace(searching.asker, gate=own.gate),
            cache=searching.cache.alone(owner),
            hedging=own.gate,
        )
        own.reading = replace(
            reading,
            outgoing=own.outgoing,
            asker=replace(reading.asker, gate=own.gate),
            cache=reading.cache.alone(owner),
            provenance=own.provenance,
        )
        own.snapshots = self.snapshots.alone(owner)
        return own

    def for_lists(self, caps: Caps, seconds: float) -> "Parts":
        """
        Parts for the searches of a list that somebody brings: with caps of their own and time to keep the pace.

        No model chose the words, so nothing bounds how many there are. Whoever uses them closes them.
        """
        own = copy(self)
        own.outgoing = replace(self.outgoing, said=Said(None, self.clock))
        own.policy = replace(self.policy, outgoing=own.outgoing)
        own.ledger = self._ledger(caps)
        own.gate = replace(self.gate, ledger=own.ledger)
        searching = self.searching
        own.searching = replace(
            searching,
            policy=own.policy,
            asker=replace(searching.asker, gate=own.gate),
            hedging=own.gate,
            seconds=max(seconds, searching.seconds),
        )
        return own

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
        if "telemetry" in opened and self._watched_with is None:
            await self.telemetry.close()

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
        if self.manners:
            from seekread.reading.snapshots import Unkept

            return Unkept()
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
            fingerprint=digest(self.settings.model_dump(mode="json", include={"search", "policy"})),
            terms=self.registry.terms,
        )

    def _field_values(self, provider: type) -> Mapping[str, Any]:
        """The values of a provider's fields: its settings, and the resources it asks for."""
        fields: Mapping[str, dataclasses.Field[Any]] = getattr(provider, "__dataclass_fields__", {})
        resources: dict[str, Callable[[], Any]] = {
            "index_path": lambda: str(index_path(self.configuration)),
            "fetcher": lambda: self.fetcher,
            "workers": lambda: self.workers,
            "guard": lambda: self.guard,
            "installation": lambda: partial(installation_name, self.configuration.state_folder),
            "counted": lambda: traits(provider).name in self.settings.spending.plans or self.caps != Caps(),
        }
        asked = [name for name, item in fields.items() if item.metadata.get("kind") == "resource"]
        handed = {name: resources[name]() for name in asked if name in resources}
        return handed | {name: origin.value for name, origin in self.configuration.provider_values(provider).items()}


def profiles_of(search: "SearchSettings") -> Profiles:
    """The companies and lists of domains that the settings know."""
    companies = {
        name: CompanyProfile(known.name, known.ticker, known.aliases, known.domains)
        for name, known in search.companies.items()
    }
    return Profiles(companies, search.domain_profiles)


def nobody(_asked: Sequence[str]) -> list[Any]:
    """Nobody has to be asked."""
    return []


def compose(
    configuration: Configuration,
    *,
    clock: Clock | None = None,
    transport: "httpx2.AsyncBaseTransport | None" = None,
    record: Path | None = None,
    replay: Path | None = None,
    manners: Manners | None = None,
    workers: int | None = None,
    telemetry: Telemetry | None = None,
) -> Parts:
    """
    Wire the parts; with `manners` for reading in bulk, towards sites that did not ask for that.

    workers: child processes that read documents, where that is not for the machine to say
    telemetry: who hears of what is done, where that is somebody's already
    """
    return Parts(
        configuration,
        clock=clock,
        transport=transport,
        record=record,
        replay=replay,
        manners=manners,
        workers=workers,
        telemetry=telemetry,
    )


def telemetry_of(configuration: Configuration) -> Telemetry:
    """What the settings say about spans and metrics; nothing is imported where none are wanted."""
    wanted = configuration.settings.telemetry
    if not wanted.telemetry:
        return UNWATCHED
    from seekread.config.telemetry import exporting

    destinations = exporting(configuration.environ)
    try:
        from seekread.telemetry.export import opened
    except ImportError:
        raise Misconfigured("telemetry needs OpenTelemetry: install seekread[otel]") from None
    return opened(destinations, shows_text=masked if wanted.telemetry_text else None)


def masked(text: str) -> str:
    """A text that is shown outside, without any key that this process knows of."""
    return redact(text, Secrets.everywhere())


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
        ca_file=settings.guard.page_ca_file,
    )


def digest(value: Any) -> str:
    """A short name for a value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def index_path(configuration: Configuration | None = None) -> Path:
    """Where the local index lives."""
    configuration = configuration or load()
    named = configuration.settings.state.index_path
    return Path(named).expanduser() if named else configuration.state_folder / "index.sqlite"
