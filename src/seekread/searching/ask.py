"""
Step 5, ask: one provider asked properly.

The provider only builds a request and parses a reply. Here stand the deadline, the retries, the pages to turn and the
gate (pace, quota, breaker). What comes back is clean, filtered and says how each wish was met.
A provider is foreign code: whatever it does wrong is a failure of that provider, and the next one is asked.
"""

import inspect
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, cast

import anyio

from seekread.calling.deadline import Deadline
from seekread.calling.gate import Gatekeeper
from seekread.calling.perform import perform
from seekread.calling.trace import Trace
from seekread.errors import BadReply, ProviderError, SeekreadError, SuspiciousEmpty
from seekread.late import dataclass
from seekread.models import Enforcement, SearchResult
from seekread.options import Query, Wish
from seekread.outcomes import MEANINGS
from seekread.ports import Clock, Sender
from seekread.provider import Call, Found, Job, Scope, SearchProvider, Traits, secrets_of, traits
from seekread.providers.registry import at_hand
from seekread.searching.adapt import QueryPlan, Sieve, admitted, plan
from seekread.searching.clean import Silencer, clean_found, silenced, silenced_in_thread
from seekread.searching.fuse import unique
from seekread.searching.known import KnownAnswers

ADDRESS = re.compile(r"(?!javascript:|vbscript:|data:|blob:|about:)[a-z][a-z0-9+.-]*://[^\s\x00-\x1f]+$", re.IGNORECASE)
"""An address a person could follow: absolute, and not a script in disguise."""
LONGEST_ADDRESS = 16_384
"""Characters of an address that could still be opened."""
OTHERS_LEAVE = 0.5
"""Part of the time left that one attempt may take while others can still be asked."""
MOST_RESULTS = 1_000
"""Results taken from one reply."""


def full_jitter(attempt: int) -> float:
    """Seconds before the next try: random up to 0.2 s, 0.4 s, 0.8 s … 5 s, so that callers do not march in step."""
    return random.uniform(0, min(5.0, 0.2 * 2**attempt))


def passing(error: ProviderError) -> bool:
    """Whether asking the same provider again may help."""
    return MEANINGS[error.outcome].step == "retry"


@dataclass(frozen=True)
class Patience:
    """How long to wait for one attempt, how often to try, and what to wait in between."""

    timeout: float = 10.0
    attempts: int = 2
    backoff: Callable[[int], float] = full_jitter
    retries: Callable[[ProviderError], bool] = passing


@dataclass(frozen=True)
class ProviderAnswer:
    """What one provider answered, cleaned and filtered."""

    provider: str
    results: list[SearchResult]
    query_sent: str
    answer: str | None = None
    notes: tuple[str, ...] = ()
    filters: dict[Wish, Enforcement] = field(default_factory=dict)
    scope: Scope = "web"
    dropped: Mapping[Wish, int] = field(default_factory=dict)
    """Results that did not pass a filter of ours, by the wish they did not meet."""

    @property
    def settles(self) -> bool:
        """Whether nobody else has to be asked: something was found, or the web was searched and has nothing."""
        return bool(self.results) or self.scope == "web"


def unheard() -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, kw_only=True)
class Attempting:
    """Who is asked, until when, and how much patience there is."""

    provider: SearchProvider
    deadline: Deadline
    trace: Trace
    patient: bool
    sole: bool
    """Whether nobody else can be asked, neither now nor after a pause."""
    begins: Callable[[], None]


def taken(reply: object, provider: str, now: datetime) -> Found:
    """What a reply brought, in one shape: results that lead somewhere, their texts cleaned."""
    return clean_found(usable(as_found(reply)), provider, now)


@dataclass(frozen=True)
class Asker:
    """
    Asks providers. Everything it needs is handed to it.

    taken: says what becomes of a reply
    silencer: gives whoever lets whole texts pass the gate, once there is one that needs it
    """

    sender: Sender
    clock: Clock
    gate: Gatekeeper
    patience: Patience = Patience()
    known: KnownAnswers | None = None
    taken: Callable[[object, str, datetime], Found] = taken
    silencer: Callable[[], Silencer] = lambda: silenced_in_thread

    async def ask(
        self,
        provider: SearchProvider,
        query: Query,
        deadline: Deadline,
        trace: Trace,
        *,
        patient: bool = True,
        again: bool = True,
        begins: Callable[[], None] = unheard,
    ) -> ProviderAnswer:
        """
        Ask one provider; raise its last error when it could not answer.

        It is waited for only by whoever is `patient`, because nobody else can be asked at once: otherwise the next one
        is quicker. It is asked `again` only where nobody else can be asked at all. `begins` is told when its turn has
        come and the request is about to leave.
        """
        provider = at_hand(provider)
        about = traits(provider)
        today = datetime.fromtimestamp(self.clock.time(), UTC).date()
        planned = plan(query, about, today)
        attempt = Attempting(
            provider=provider, deadline=deadline, trace=trace, patient=patient, sole=patient and again, begins=begins
        )
        found = await self._pages(attempt, planned)
        filters = admitted(planned.filters, found.unmet)
        results = unique(found.results[planned.reach.drop :])
        sieve = Sieve(query, filters, today)
        passed = sieve.page(results, planned.reach)
        return ProviderAnswer(
            provider=about.name,
            results=[
                await silenced(result, self.silencer, deadline.remaining()) if result.content else result
                for result in passed
            ],
            query_sent=found.query or planned.query.text,
            answer=found.answer,
            notes=(*planned.notes, *found.notes, *consent(about)),
            filters=filters,
            scope=about.scope,
            dropped=sieve.dropped,
        )

    async def _pages(self, attempt: Attempting, planned: QueryPlan) -> Found:
        """Turn pages until there is enough, where the provider gives its results in pages."""
        query, reach = planned.query, planned.reach
        first = await self._attempts(attempt, query, self.patience.attempts if attempt.sole else 1)
        if reach.turns == 1:
            return first
        results = list(first.results)
        page = reach.page
        while results and len(results) < reach.needed and page < reach.page + reach.turns - 1:
            page += 1
            try:
                more = await self._attempts(attempt, query.model_copy(update={"page": page}), 1)
            except ProviderError as error:
                # What the first pages brought is an answer; that the rest failed is worth a note.
                return replace(first, results=results, notes=(*first.notes, f"page {page} failed: {error}"))
            known = {result.url for result in results}
            fresh = [result for result in more.results if result.url not in known]
            if not fresh:
                break
            results += fresh
        return replace(first, results=results)

    async def _attempts(self, attempt: Attempting, query: Query, tries: int) -> Found:
        """Try, and try again while that may help and time is left."""
        provider, deadline, trace = attempt.provider, attempt.deadline, attempt.trace
        tried = 0
        while True:
            tried += 1
            started = self.clock.monotonic()
            try:
                found = await self._believed(attempt, query)
            except ProviderError as error:
                trace.failed(provider.name, error, self.clock.monotonic() - started)
                if self.gate.has_another_key(provider, error):
                    continue
                if tried >= tries or not self.patience.retries(error):
                    raise
                if not self.gate.may_retry(provider):
                    raise
                pause = max(self.patience.backoff(tried - 1), error.retry_after or 0)
                if pause >= deadline.remaining():
                    raise
                await self.clock.sleep(pause)
            except anyio.get_cancelled_exc_class():
                trace.attempt(provider.name, "cancelled", self.clock.monotonic() - started)
                raise
            else:
                took = self.clock.monotonic() - started
                trace.attempt(provider.name, "ok" if found.results else "empty", took)
                return found

    async def _believed(self, attempt: Attempting, query: Query) -> Found:
        """One attempt; an empty answer that nobody believes is judged by a known one."""
        try:
            return await self._once(attempt, query)
        except SuspiciousEmpty as doubt:
            if self.known is None:
                raise
            again = replace(attempt, patient=True, begins=unheard)
            return await self.known.settle(attempt.provider, doubt, partial(self._once, again))

    async def _once(self, attempt: Attempting, query: Query) -> Found:
        """One attempt, waiting for its turn included."""
        provider, deadline = await self.gate.with_key(attempt.provider), attempt.deadline
        # Built before the turn comes: a query the provider cannot take costs nothing of its plan.
        task = task_of(provider, query)
        async with self.gate.enter(provider, deadline, patient=attempt.patient, cost=task.cost) as admission:
            seconds = deadline.within(self.patience.timeout)
            if not attempt.sole:
                # Two who hang must not use up the time of a third who would answer.
                seconds = min(seconds, deadline.remaining() * OTHERS_LEAVE)
            admission.hurried = seconds < self.patience.timeout
            attempt.begins()
            attempt.trace.begins(provider.name)
            with answering(provider):
                reply = await perform(task, self.sender, self.clock, seconds=seconds, heard=admission.heard)
                admission.answered(reply)
                return self.taken(reply, provider.name, datetime.fromtimestamp(self.clock.time(), UTC))


def consent(about: Traits) -> list[str]:
    """A note for every answer without a key: where the query went, and who allowed that."""
    if not (about.anonymous and about.keyless):
        return []
    return [f"{about.label} answered without a key: the query went to {about.keyless.host}, as `keyless` allows"]


@contextmanager
def answering(provider: SearchProvider) -> Iterator[None]:
    """Make every mistake of a provider's own code a failure of that provider, in which no key of its shows."""
    try:
        yield
    except ProviderError as error:
        error.mask(secrets_of(provider))
        raise
    except SeekreadError:
        raise
    except Exception as error:  # noqa: BLE001 - foreign code
        bad = BadReply(f"{type(error).__name__}: {error}"[:200])
        bad.mask(secrets_of(provider))
        # Without its cause, whose text nobody masks.
        raise bad from None


def task_of(provider: SearchProvider, query: Query) -> Call[Any] | Job[Any]:
    """What a provider wants done for a query."""
    with answering(provider):
        task: object = provider.search(query)
    if isinstance(task, Call | Job):
        return task
    if inspect.iscoroutine(task):
        task.close()
    raise BadReply(f"search() of {provider.name} gave {type(task).__name__}, neither a Call nor a Job")


def as_found(reply: object) -> Found:
    """What a provider found, in one shape, each part of the type it is declared with."""
    found = reply if isinstance(reply, Found) else Found(cast("Any", reply))
    results = list(islice(found.results, MOST_RESULTS))
    if odd := [type(result).__name__ for result in results if not isinstance(result, SearchResult)]:
        raise BadReply(f"a result is a {odd[0]}, not a SearchResult")
    return Found(
        results,
        answer=found.answer if isinstance(found.answer, str) else None,
        notes=tuple(map(str, found.notes)),
        query=found.query if isinstance(found.query, str) else None,
        unmet=frozenset(found.unmet),
    )


def usable(found: Found) -> Found:
    """
    What was found, without the results that lead nowhere, of which a note tells.

    Results of which none has an address are not "nothing found": that reply is broken.
    """
    leading = [result for result in found.results if leads_somewhere(result.url.strip())]
    lost = len(found.results) - len(leading)
    if not lost:
        return found
    if lost and not leading:
        raise BadReply("no result carries an address")
    note = "1 result without a usable address was" if lost == 1 else f"{lost} results without a usable address were"
    return replace(found, results=leading, notes=(*found.notes, f"{note} left out"))


def leads_somewhere(url: str) -> bool:
    return len(url) <= LONGEST_ADDRESS and ADDRESS.match(url) is not None
