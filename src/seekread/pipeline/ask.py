"""
Step 5, ask: one provider asked properly.

The provider only builds a request and parses a reply. Here stand the deadline, the retries, the pages to turn and the
gate (pace, quota, breaker). What comes back is clean, filtered and says how each wish was met.
"""

import random
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

import anyio

from seekread.errors import BadReply, ProviderError, TimedOut
from seekread.models import Enforcement, Query, SearchResult, Wish
from seekread.pipeline.adapt import Plan, enforce, plan
from seekread.pipeline.clean import clean_result
from seekread.pipeline.deadline import Deadline
from seekread.pipeline.fuse import unique
from seekread.pipeline.gate import Named, Visit
from seekread.pipeline.perform import perform
from seekread.pipeline.trace import Trace
from seekread.ports import Clock, Sender
from seekread.provider import Found, SearchProvider, Traits, traits

ADDRESS = re.compile(r"(?!javascript:|vbscript:|data:|blob:|about:)[a-z][a-z0-9+.-]*://[^\s\x00-\x1f]+$", re.IGNORECASE)
"""An address a person could follow: absolute, and not a script in disguise."""
GRACE = 0.05
"""Seconds a timeout nearer to the wire gets to fire first, because it knows more."""
MAX_PAGES = 5
"""Pages turned for one search, so that a large limit cannot become a crawl."""


def full_jitter(attempt: int) -> float:
    """Seconds before the next try: random up to 0.2 s, 0.4 s, 0.8 s … 5 s, so that callers do not march in step."""
    return random.uniform(0, min(5.0, 0.2 * 2**attempt))


def passing(error: ProviderError) -> bool:
    """Whether asking the same provider again may help."""
    return error.outcome in {"timeout", "unreachable"}


@dataclass(frozen=True)
class Patience:
    """How long to wait for one attempt, how often to try, and what to wait in between."""

    timeout: float = 10.0
    attempts: int = 2
    backoff: Callable[[int], float] = full_jitter
    retries: Callable[[ProviderError], bool] = passing


class Gatekeeper(Protocol):
    """What stands before a provider: pace, quota, breaker. Entered for every attempt; errors pass through it."""

    def enter(self, provider: Named, deadline: Deadline) -> AbstractAsyncContextManager[Visit]: ...

    def may_retry(self, provider: Named) -> bool: ...


@dataclass(frozen=True)
class Answer:
    """What one provider answered, cleaned and filtered."""

    provider: str
    results: list[SearchResult]
    query_sent: str
    answer: str | None = None
    notes: tuple[str, ...] = ()
    filters: dict[Wish, Enforcement] = field(default_factory=dict)


@dataclass(frozen=True)
class Asker:
    """Asks providers. Everything it needs is handed to it."""

    sender: Sender
    clock: Clock
    gate: Gatekeeper
    patience: Patience = Patience()

    async def ask(
        self, provider: SearchProvider, query: Query, deadline: Deadline, trace: Trace, *, last: bool = True
    ) -> Answer:
        """
        Ask one provider; raise its last error when it could not answer.

        A provider is asked again only if it is the `last` that could answer: before that, the next one is quicker.
        """
        about = traits(provider)
        now = datetime.fromtimestamp(self.clock.time(), UTC)
        planned = plan(query, about, now.date())
        found = await self._pages(provider, planned, about, deadline, trace, self.patience.attempts if last else 1)
        cleaned = unique([clean_result(result, about.name, now) for result in found.results])
        return Answer(
            provider=about.name,
            results=enforce(cleaned, query, planned.filters, now.date())[: query.limit],
            query_sent=found.query or planned.query.text,
            answer=found.answer,
            notes=(*planned.notes, *found.notes),
            filters=planned.filters,
        )

    async def _pages(
        self, provider: SearchProvider, planned: Plan, about: Traits, deadline: Deadline, trace: Trace, tries: int
    ) -> Found:
        """Turn pages until there is enough, where the provider gives its results in pages."""
        query = planned.query
        first = await self._attempts(provider, query, deadline, trace, tries)
        results = list(first.results)
        page = query.page
        while about.page_size and results and len(results) < query.limit and page < query.page + MAX_PAGES - 1:
            page += 1
            try:
                more = await self._attempts(provider, query.model_copy(update={"page": page}), deadline, trace, 1)
            except ProviderError as error:
                # What the first pages brought is an answer; that the rest failed is worth a note.
                return Found(results, first.answer, (*first.notes, f"page {page} failed: {error}"), first.query)
            known = {result.url for result in results}
            fresh = [result for result in more.results if result.url not in known]
            if not fresh:
                break
            results += fresh
        return Found(results, first.answer, first.notes, first.query)

    async def _attempts(
        self, provider: SearchProvider, query: Query, deadline: Deadline, trace: Trace, tries: int
    ) -> Found:
        """Try, and try again while that may help and time is left."""
        tried = 0
        while True:
            tried += 1
            started = self.clock.monotonic()
            try:
                found = await self._once(provider, query, deadline)
            except ProviderError as error:
                trace.failed(provider.name, error, self.clock.monotonic() - started)
                if tried >= tries or not self.patience.retries(error):
                    raise
                if not self.gate.may_retry(provider):
                    raise
                pause = max(self.patience.backoff(tried - 1), error.retry_after or 0)
                if pause >= deadline.remaining():
                    raise
                await self.clock.sleep(pause)
            else:
                took = self.clock.monotonic() - started
                trace.attempt(provider.name, "ok" if found.results else "empty", took)
                return found

    async def _once(self, provider: SearchProvider, query: Query, deadline: Deadline) -> Found:
        """One attempt, waiting for its turn included."""
        try:
            with anyio.fail_after(deadline.remaining() + GRACE):
                async with self.gate.enter(provider, deadline) as visit:
                    seconds = deadline.within(self.patience.timeout)
                    task = provider.search(query)
                    return usable(as_found(await perform(task, self.sender, seconds=seconds, heard=visit.heard)))
        except TimeoutError:
            raise TimedOut(f"{provider.name} had no free place before the deadline") from None


def as_found(reply: Sequence[SearchResult] | Found) -> Found:
    """What a provider found, in one shape."""
    return reply if isinstance(reply, Found) else Found(reply)


def usable(found: Found) -> Found:
    """
    What was found, without the results that lead nowhere.

    Results of which none has an address are not "nothing found": that reply is broken.
    """
    leading = [result for result in found.results if ADDRESS.match(result.url.strip())]
    if found.results and not leading:
        raise BadReply("no result carries an address")
    return replace(found, results=leading)
