"""The searching half of the engine: the steps that turn a query into an answer, in order, each in its own module."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from seekread.calling.deadline import Deadline
from seekread.calling.trace import Trace
from seekread.calling.unwatched import UNWATCHED
from seekread.errors import AllFailed, Overloaded, ProviderError
from seekread.late import dataclass
from seekread.models import Enforcement, SearchResponse
from seekread.options import Query, Wish
from seekread.outcomes import is_failure
from seekread.ports import Clock, Telemetry
from seekread.provider import SearchProvider, traits
from seekread.providers.registry import Later, at_hand
from seekread.searching.adapt import over_length
from seekread.searching.ask import Asker, ProviderAnswer, unheard
from seekread.searching.cache import Cache
from seekread.searching.cite import cite
from seekread.searching.company import highlighted, only_mentioning, with_company
from seekread.searching.fuse import fuse
from seekread.searching.later import later, wait_after
from seekread.searching.left_out import POLICY, left_out
from seekread.searching.policy import Policy
from seekread.searching.profiles import Profiles
from seekread.searching.route import Hedging, Route

NO_PROFILES = Profiles()


@dataclass(frozen=True)
class Searching:
    """Answers queries. Everything it needs is handed to it."""

    policy: Policy
    cache: Cache
    asker: Asker
    route: Route
    hedging: Hedging
    clock: Clock
    seconds: float = 20.0
    profiles: Profiles = NO_PROFILES
    telemetry: Telemetry = UNWATCHED

    async def search(
        self, query: Query, chain: Sequence[SearchProvider], *, max_age: float | None = None
    ) -> SearchResponse:
        """Profiles, policy, cache, route, ask, fuse, cite. Raises `AllFailed` when nobody could answer."""
        with self.telemetry.work("search", text=query.text) as work:
            response = await self._search(query, chain, max_age)
            work.ended(
                failed=False,
                outcome=response.outcome,
                cached=response.cached,
                provider=response.provider,
                results=len(response.results),
            )
            return response

    async def _search(self, query: Query, chain: Sequence[SearchProvider], max_age: float | None) -> SearchResponse:
        deadline = Deadline.after(self.clock, self.seconds)
        query = self.profiles.applied(query)
        self.policy.check(query)
        query = self.policy.narrowed(query)
        able, notes = suitable(query, chain)

        async def answer() -> SearchResponse:
            return await self._answer(query, able, notes, deadline)

        return await self.cache.through(query, able, answer, deadline=deadline, max_age=max_age)

    async def kept(
        self, query: Query, chain: Sequence[SearchProvider], *, max_age: float | None = None
    ) -> SearchResponse | None:
        """The answer that is kept for a query, if it is fresh: what `search` would give at once. Nobody is asked."""
        if self.telemetry.active:
            # Whoever watches hears of every search.
            return None
        applied = self.profiles.applied(query)
        narrowed = self.policy.narrowed(applied)
        able, _ = suitable(narrowed, chain)
        found = await self.cache.kept(narrowed, able, max_age=max_age)
        if found is not None:
            # Where there is none, `search` is next, and what a session may say is counted once.
            self.policy.check(applied)
        return found

    async def _answer(
        self, query: Query, chain: Sequence[SearchProvider], notes: Sequence[str], deadline: Deadline
    ) -> SearchResponse:
        started = self.clock.monotonic()
        trace = Trace(telemetry=self.telemetry)
        trace.note(*notes)

        problems: dict[str, ProviderError] = {}

        async def ask(
            provider: SearchProvider, *, begins: Callable[[], None] = unheard, patient: bool = False
        ) -> ProviderAnswer:
            # Where everybody's room is full, the shortest queue is joined afterwards, and not just the last one's.
            crowded = any(isinstance(problem, Overloaded) for problem in problems.values())
            alone = patient or (provider is chain[-1] and not crowded)
            # Time is better spent on those who only had no room, or asked for a pause.
            others = {name for name, problem in problems.items() if wait_after(problem) is not None} - {provider.name}
            try:
                return await self.asker.ask(
                    provider, query, deadline, trace, patient=alone, again=not others, begins=begins
                )
            except ProviderError as error:
                problems[provider.name] = error
                if alone and isinstance(error, Overloaded):
                    # It has queued for as long as it may.
                    del problems[provider.name]
                raise

        def wait_for(provider: SearchProvider) -> float | None:
            problem = problems.get(provider.name)
            # How long a queue is changes with everybody who joins it.
            full = isinstance(problem, Overloaded)
            return self.asker.gate.queue_seconds(at_hand(provider)) if full else wait_after(problem)

        try:
            answers = await self.route(chain, ask, self.hedging)
            if not any(answer.settles for answer in answers):
                answers = await later(chain, wait_for, partial(ask, patient=True), deadline) or answers
        finally:
            # Each holds the frames it came through, and those hold it.
            problems.clear()
        if unanswered(answers, chain, trace):
            answers = []
        response = self._respond(query, answers, chain, trace, started)
        if not answers:
            raise AllFailed(response)
        return response

    def _respond(
        self,
        query: Query,
        answers: Sequence[ProviderAnswer],
        chain: Sequence[SearchProvider],
        trace: Trace,
        started: float,
    ) -> SearchResponse:
        """Merge, hold back, relate to the company, number; and say how it all came about."""
        dropped: Counter[str] = Counter()
        for answer in answers:
            dropped.update(answer.dropped)
        found = fuse(answer.results for answer in answers)
        results = self.policy.keep(found)
        dropped[POLICY] += len(found) - len(results)
        profile = self.profiles.company(query.company)
        if query.company and query.only_mentions:
            mentioning = (
                [r for r in results if profile.concerns(r)] or results
                if profile
                else only_mentioning(results, query.company)
            )
            dropped["only_mentions"] += len(results) - len(mentioning)
            results = mentioning
        if query.company and query.highlight:
            results = [profile.highlighted(r) if profile else highlighted(r, query.company) for r in results]
        numbered, sources = cite(results[: query.limit])
        trace.note(
            *(note for answer in answers for note in answer.notes),
            *left_out(dropped, nothing_left=not numbered),
            *failovers(trace, answers),
        )
        if answers and not numbered:
            trace.note(*unasked(chain, trace))
        return SearchResponse(
            query=query.text,
            query_sent=answers[0].query_sent if answers else with_company(query.text, query.company),
            results=numbered,
            sources=sources,
            answer=next((answer.answer for answer in answers if answer.answer), None),
            outcome=("ok" if numbered else "empty") if answers else trace.verdict,
            attempts=tuple(trace.attempts),
            filters=weakest(answers),
            notes=tuple(trace.notes),
            latency_ms=round((self.clock.monotonic() - started) * 1000),
            search_type=query.search_type,
            provider="+".join(answer.provider for answer in answers) or None,
        )


def suitable(query: Query, chain: Sequence[SearchProvider]) -> tuple[list[SearchProvider], list[str]]:
    """The providers that take a query as it is, the others named in a note; if there is none, each gets it cut."""
    text = with_company(query.text, query.company)
    excess = {p.name: None if isinstance(p, Later) else over_length(text, traits(p)) for p in chain}
    able = [provider for provider in chain if not excess[provider.name]]
    return (able, [f"{why}, which was not asked" for why in excess.values() if why]) if able else (list(chain), [])


def unanswered(answers: Sequence[ProviderAnswer], chain: Sequence[SearchProvider], trace: Trace) -> bool:
    """
    Whether nobody answered who could have: a corpus that has nothing says nothing about the web.

    Where no provider of the chain searches the web, the corpus is what was asked for.
    """
    if any(answer.settles for answer in answers):
        return False
    failed = {attempt.provider for attempt in trace.attempts if is_failure(attempt.outcome)}
    return any(provider.name in failed and searches_the_web(provider) for provider in chain)


def searches_the_web(provider: SearchProvider) -> bool:
    """Whether the web is what a provider searches; one that cannot even be loaded may be anything."""
    try:
        return traits(at_hand(provider)).scope == "web"
    except ProviderError:
        return True


def unasked(chain: Sequence[SearchProvider], trace: Trace) -> list[str]:
    """A note for "nothing found": who else could have been asked."""
    asked = {attempt.provider for attempt in trace.attempts}
    others = [provider.name for provider in chain if provider.name not in asked]
    return [f"not asked: {', '.join(others)}"] if others else []


def failovers(trace: Trace, answers: Sequence[ProviderAnswer]) -> list[str]:
    """A note for every provider that was passed over, so that no failover is silent."""
    answered = {answer.provider for answer in answers}
    failed = {a.provider: a.outcome for a in trace.attempts if a.provider not in answered and a.outcome != "cancelled"}
    return [f"{name} could not answer ({outcome})" for name, outcome in failed.items()] if answers else []


STRENGTH: tuple[Enforcement, ...] = ("native", "emulated", "post-filtered", "not enforced")


def weakest(answers: Sequence[ProviderAnswer]) -> dict[Wish, Enforcement]:
    """How each wish was met by the answer that met it least."""
    wishes = {wish for answer in answers for wish in answer.filters}
    return {
        wish: max((a.filters[wish] for a in answers if wish in a.filters), key=STRENGTH.index)
        for wish in sorted(wishes)
    }
