"""
Step 3, cache: a question asked before is answered again, and equal questions asked at once share one answer.

The key covers everything that changes the answer: every option of the query, the chain, and a fingerprint of the
settings. How long an answer is fresh depends on what it is: news and empty answers shortly, an answer somebody else
gave for a provider that was down very shortly, a fan-out that is not complete never. When nobody can answer, an old
answer is better than none, as long as it says how old it is.
"""

import dataclasses
import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

from seekread.calling.deadline import Deadline
from seekread.errors import AllFailed
from seekread.late import dataclass
from seekread.models import Attempt, SearchResponse
from seekread.options import Query
from seekread.outcomes import is_failure
from seekread.ports import Clock, Store
from seekread.provider import SearchProvider, SecretStr, collected_once, traits
from seekread.providers.registry import at_hand
from seekread.state.flight import SingleFlight, once
from seekread.state.owners import apart
from seekread.state.pulse import Pulse

SECOND_BEST = 60
"""Seconds an answer is fresh that came from another provider than the preferred one."""


Answering = Callable[[], Awaitable[SearchResponse]]
"""Answers the question afresh, or raises `AllFailed`."""


class Cache(Protocol):
    """Remembers answers for a while, and lets equal questions share one."""

    async def through(
        self,
        query: Query,
        chain: Sequence[SearchProvider],
        answer: Answering,
        *,
        deadline: Deadline,
        max_age: float | None = None,
    ) -> SearchResponse:
        """The answer kept for a question if it is fresh, otherwise a new one."""
        ...

    async def kept(
        self, query: Query, chain: Sequence[SearchProvider], *, max_age: float | None = None
    ) -> SearchResponse | None:
        """The answer kept for a question if it is fresh, where nothing else has to be done before it is given."""
        ...

    def alone(self, owner: str = "") -> "Cache":
        """
        The same cache for callers who must not share an answer that is on its way, nor its failure.

        owner: whose answers are kept apart from everybody else's
        """
        ...


class NoCache:
    """Remembers nothing."""

    async def through(
        self,
        _query: Query,
        _chain: Sequence[SearchProvider],
        answer: Answering,
        *,
        deadline: Deadline,  # noqa: ARG002
        max_age: float | None = None,  # noqa: ARG002
    ) -> SearchResponse:
        return await answer()

    async def kept(
        self,
        _query: Query,
        _chain: Sequence[SearchProvider],
        *,
        max_age: float | None = None,  # noqa: ARG002
    ) -> SearchResponse | None:
        return None

    def alone(self, owner: str = "") -> "NoCache":  # noqa: ARG002
        return self


@dataclass(frozen=True)
class Lifetimes:
    """Seconds answers are fresh, by kind; `stale` is how much longer they may help out."""

    usual: float = 3600
    news: float = 300
    empty: float = 60
    stale: float = 86_400


def declared_terms(provider: SearchProvider) -> int | None:
    """Seconds a provider's terms allow its results to be kept, as it declares them."""
    return traits(provider).cache_seconds


class DecodedAnswers:
    """The answers read last, so that what is asked again and again is decoded once."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._known: OrderedDict[str, tuple[bytes, SearchResponse, float]] = OrderedDict()

    def read(self, key: str, value: bytes) -> tuple[SearchResponse, float]:
        """What was kept under a key, and until when it is fresh."""
        known = self._known.get(key)
        if known is None or known[0] != value:
            document = json.loads(value)
            known = value, SearchResponse.model_validate(document["response"]), float(document["until"])
            self._known[key] = known
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return known[1], known[2]


@dataclass(frozen=True)
class SearchCache:
    """Keeps answers in the store."""

    store: Store
    clock: Clock
    lifetimes: Lifetimes
    fingerprint: str = ""
    """Names the settings that change an answer."""
    owner: str = ""
    """Whose answers these are, where they are kept apart."""
    terms: Callable[[SearchProvider], int | None] = declared_terms
    """Seconds a provider's terms allow its results to be kept; `None` where it has none."""
    _flights: SingleFlight[SearchResponse] = field(default_factory=SingleFlight)
    _decoded: DecodedAnswers = field(default_factory=DecodedAnswers)
    _pulse: Pulse = field(default_factory=Pulse)

    async def through(
        self,
        query: Query,
        chain: Sequence[SearchProvider],
        answer: Answering,
        *,
        deadline: Deadline,
        max_age: float | None = None,
    ) -> SearchResponse:
        """The answer kept for this question if it is fresh (and no older than `max_age`), otherwise a new one."""
        key = self.key(query, chain)
        if (kept := await self._fresh(key, max_age)) is not None:
            return kept

        async def work() -> SearchResponse:
            async def ask() -> SearchResponse:
                return await self._ask(key, query, chain, answer, max_age)

            if max_age == 0:
                return await ask()
            return await once(
                self.store, f"flight/{key}", look=lambda: self._fresh(key, max_age), work=ask,
                pulse=self._pulse, wait=deadline.remaining() / 2,
            )  # fmt: skip

        try:
            # Only with those who find the same age too old: an old answer may help some of them out.
            answered = await self._flights.run(f"{key}/{max_age}", work, deadline.remaining)
        except TimeoutError:
            raise AllFailed(too_late(query, chain, deadline)) from None
        return shared(answered)

    async def kept(
        self, query: Query, chain: Sequence[SearchProvider], *, max_age: float | None = None
    ) -> SearchResponse | None:
        """The answer kept for this question, if it is fresh and no older than `max_age`."""
        return await self._fresh(self.key(query, chain), max_age)

    def alone(self, owner: str = "") -> "SearchCache":
        """The same cache with flights of its own, and perhaps with answers of its own."""
        return replace(self, owner=owner, _flights=SingleFlight())

    def key(self, query: Query, chain: Sequence[SearchProvider]) -> str:
        """One name for everything that changes the answer."""
        asked = "\n".join([repr([*vars(query).values()]), *map(identity, chain), self.fingerprint])
        return f"search/{apart(self.owner)}{hashlib.sha256(asked.encode()).hexdigest()}"

    async def _ask(
        self, key: str, query: Query, chain: Sequence[SearchProvider], answer: Answering, max_age: float | None
    ) -> SearchResponse:
        try:
            response = await answer()
        except AllFailed as error:
            old = await self._kept(key)
            # "Nothing found" of an hour ago says nothing about now: a failure stays a failure.
            if old is None or old[0].outcome != "ok" or (max_age is not None and old[1] > max_age):
                raise
            note = f"nobody could answer now; this answer is {old[1]:.0f} s old"
            return old[0].model_copy(
                update={
                    "cached": True,
                    "age_seconds": old[1],
                    "attempts": error.response.attempts,
                    "notes": (*old[0].notes, note),
                }
            )
        fresh = self.lifetime(response, query, chain)
        if fresh > 0:
            document = f'{{"until": {self.clock.time() + fresh!r}, "response": {response.model_dump_json()}}}'
            # A provider's terms bound how long its results are kept at all, stale or not.
            kept = min([fresh + self.lifetimes.stale, *self._allowed(used(response), chain)])
            await self.store.put(key, document.encode(), lifetime=kept)
        return response

    def lifetime(self, response: SearchResponse, query: Query, chain: Sequence[SearchProvider]) -> float:
        """Seconds an answer is fresh; 0 means it is not kept."""
        answered = used(response)
        failed = {a.provider for a in response.attempts if is_failure(a.outcome)} - set(answered)
        if len(answered) > 1 and failed:
            return 0
        lives = [self.lifetimes.usual, *self._allowed(answered, chain)]
        lives += [self.lifetimes.news] if query.news or query.freshness == "day" else []
        lives += [self.lifetimes.empty] if response.outcome == "empty" else []
        lives += [SECOND_BEST] if failed or (chain and chain[0].name not in answered) else []
        return min(lives)

    def _allowed(self, names: Sequence[str], chain: Sequence[SearchProvider]) -> list[float]:
        answered = [at_hand(provider) for provider in chain if provider.name in names]
        return [seconds for provider in answered if (seconds := self.terms(provider)) is not None]

    async def _fresh(self, key: str, max_age: float | None) -> SearchResponse | None:
        kept = await self._kept(key) if max_age != 0 else None
        if kept is None:
            return None
        response, age, until = kept
        if self.clock.time() >= until or (max_age is not None and age > max_age):
            return None
        return shared(response, cached=True, age_seconds=age)

    async def _kept(self, key: str) -> tuple[SearchResponse, float, float] | None:
        entry = await self.store.get(key)
        if entry is None:
            return None
        age = max(0.0, self.clock.time() - entry.written_at)
        try:
            response, until = self._decoded.read(key, entry.value)
        except (ValueError, LookupError, TypeError):
            # Written by another version, whose answers had other fields.
            return None
        return response, age, until


def shared(response: SearchResponse, **changed: object) -> SearchResponse:
    """An answer for one of its callers, who share what is immutable; each gets filters of its own."""
    return response.model_copy(update={**changed, "filters": dict(response.filters)})


@collected_once
def identity(provider: SearchProvider) -> str:
    """A provider and the settings that change its answers; keys and what we hand it ourselves are left out."""
    settings: Any = provider if dataclasses.is_dataclass(provider) else None
    fields = dataclasses.fields(settings) if settings else ()
    public = {
        item.name: getattr(provider, item.name)
        for item in fields
        if item.init and item.metadata.get("kind") != "resource"
    }
    shown = [f"{name}={value}" for name, value in public.items() if not isinstance(value, SecretStr)]
    return json.dumps([provider.name, *shown])


def too_late(query: Query, chain: Sequence[SearchProvider], deadline: Deadline) -> SearchResponse:
    """What to tell a caller whose time is over while the question, or somebody else's equal one, is under way."""
    message = f"the {deadline.seconds:.3g} s for this are over"
    attempts = tuple(Attempt(provider=provider.name, outcome="timeout", message=message) for provider in chain[:1])
    return SearchResponse(query=query.text, outcome="timeout", attempts=attempts)


def used(response: SearchResponse) -> list[str]:
    """Names of the providers whose answers went into a response."""
    return (response.provider or "").split("+") if response.provider else []
