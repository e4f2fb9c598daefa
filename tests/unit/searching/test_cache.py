"""A question asked before is answered again, for as long as that is right."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from seekread.calling.deadline import Deadline
from seekread.errors import AllFailed
from seekread.models import Attempt, SearchResponse, SearchResult
from seekread.options import Query
from seekread.outcomes import Outcome
from seekread.provider import SearchProvider, SecretStr
from seekread.providers.brave import Brave
from seekread.searching.cache import SECOND_BEST, Lifetimes, SearchCache
from seekread.state.memory import MemoryStore
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

QUERY = Query(text="tea")


def response(*, provider: str = "brave", outcome: Outcome = "ok", failed: tuple[str, ...] = ()) -> SearchResponse:
    results = (SearchResult(title="t", url="https://e.org/"),) if outcome == "ok" else ()
    attempts = tuple(Attempt(provider=name, outcome="timeout") for name in failed)
    return SearchResponse(query="tea", results=results, provider=provider, outcome=outcome, attempts=attempts)


class Source:
    """Counts how often it is asked."""

    def __init__(self, answer: SearchResponse | AllFailed | None = None) -> None:
        self.answer = answer or response()
        self.asked = 0
        self.held: anyio.Event | None = None

    async def __call__(self) -> SearchResponse:
        self.asked += 1
        if self.held:
            await self.held.wait()
        if isinstance(self.answer, AllFailed):
            raise self.answer
        return self.answer


def chain_of(*names: str, **declared: Any) -> list[SearchProvider]:
    """Providers that declare their names, and whatever else is asked of them."""
    return [cast("SearchProvider", SimpleNamespace(name=name, **declared)) for name in names]


BRAVE = chain_of("brave")


def cache() -> tuple[SearchCache, FakeClock]:
    clock = FakeClock()
    return SearchCache(MemoryStore(clock=clock, max_bytes=10**6), clock, Lifetimes()), clock


async def ask(made: SearchCache, source: Callable[[], Awaitable[SearchResponse]], **options: Any) -> SearchResponse:
    query, seconds = options.pop("query", QUERY), options.pop("seconds", 20)
    deadline = Deadline.after(made.clock, seconds)
    return await made.through(query, options.pop("chain", BRAVE), source, deadline=deadline, **options)


async def test_a_fresh_answer_is_given_again_with_its_age() -> None:
    made, clock = cache()
    source = Source()
    await ask(made, source)
    clock.now += 60
    again = await ask(made, source)
    assert (source.asked, again.cached, again.age_seconds) == (1, True, 60)


async def test_an_answer_that_was_renewed_elsewhere_is_read_anew() -> None:
    made, clock = cache()
    another = SearchCache(made.store, clock, Lifetimes())
    await ask(made, Source())
    assert (await ask(made, Source())).results
    await ask(another, Source(response(outcome="empty")), max_age=0)
    assert (await ask(made, Source())).outcome == "empty"


async def test_what_a_caller_does_to_an_answer_is_not_seen_by_the_next() -> None:
    made, _ = cache()
    await ask(made, Source())
    first = await ask(made, Source())
    first.filters["page"] = "native"
    assert (await ask(made, Source())).filters == {}


async def test_many_answers_are_read_again_each_with_its_own_results() -> None:
    made, _ = cache()
    queries = [Query(text=f"tea {number}") for number in range(300)]
    for query in queries:
        await ask(made, Source(response().model_copy(update={"query": query.text})), query=query)
    again = [await ask(made, Source(), query=query) for query in queries]
    assert [(answer.query, answer.cached) for answer in again] == [(query.text, True) for query in queries]


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 6}, {"freshness": "day"}, {"allowed_domains": ("a.org",)}, {"country": "DE"}, {"language": "de"},
        {"safe_search": "strict"}, {"page": 2}, {"search_type": "news"}, {"company": "Acme"},
        {"date_from": "2026-01-01"},
        {"blocked_domains": ("a.org",)}, {"highlight": True}, {"only_mentions": True}, {"text": "Tea"},
    ],
)  # fmt: skip
async def test_every_option_that_changes_the_answer_changes_the_key(change: dict[str, Any]) -> None:
    made, _ = cache()
    assert made.key(QUERY, BRAVE) != made.key(QUERY.model_copy(update=change), BRAVE)


async def test_the_chain_and_the_settings_change_the_key() -> None:
    made, _ = cache()
    other = SearchCache(made.store, made.clock, Lifetimes(), fingerprint="other")
    chains = [chain_of("a"), chain_of("b"), chain_of("a", "b")]
    assert len({other.key(QUERY, chain_of("a")), *(made.key(QUERY, chain) for chain in chains)}) == 4


async def test_a_providers_settings_change_the_key_and_its_key_does_not() -> None:
    made, _ = cache()

    def key(**settings: Any) -> str:
        return made.key(QUERY, [Brave(**{"api_key": SecretStr("one"), **settings})])

    assert key() == key(api_key=SecretStr("two"))
    assert key() != key(base_url="https://elsewhere.example")


@pytest.mark.parametrize(
    ("answer", "query", "seconds"),
    [
        (response(), QUERY, 3600),
        (response(), Query(text="tea", search_type="news"), 300),
        (response(outcome="empty"), QUERY, 60),
        (response(provider="tavily", failed=("brave",)), QUERY, SECOND_BEST),
        (response(provider="brave+tavily", failed=("exa",)), QUERY, 0),
        (response(provider="brave+tavily"), QUERY, 3600),
    ],
)
async def test_how_long_an_answer_is_fresh(answer: SearchResponse, query: Query, seconds: float) -> None:
    made, _ = cache()
    chain = BRAVE if "+" not in (answer.provider or "") else chain_of("brave", "tavily", "exa")
    assert made.lifetime(answer, query, chain) == seconds


async def test_a_providers_terms_shorten_it() -> None:
    made, clock = cache()
    source, chain = Source(), chain_of("brave", cache_seconds=600)
    await ask(made, source, chain=chain)
    clock.now += 601
    await ask(made, source, chain=chain)
    assert source.asked == 2


async def test_what_a_providers_terms_forbid_to_keep_helps_nobody_out() -> None:
    made, clock = cache()
    source, chain = Source(), chain_of("brave", cache_seconds=600)
    await ask(made, source, chain=chain)
    clock.now += 601
    source.answer = AllFailed(SearchResponse(query="tea", outcome="timeout"))
    with pytest.raises(AllFailed):
        await ask(made, source, chain=chain)


async def test_max_age_and_no_cache() -> None:
    made, clock = cache()
    source = Source()
    await ask(made, source)
    clock.now += 60
    assert (await ask(made, source, max_age=61)).cached
    assert not (await ask(made, source, max_age=59)).cached
    assert not (await ask(made, source, max_age=0)).cached
    assert source.asked == 3


async def test_an_old_answer_helps_out_when_nobody_can_answer_and_says_so() -> None:
    made, clock = cache()
    source = Source()
    await ask(made, source)
    clock.now += 4000
    source.answer = AllFailed(SearchResponse(query="tea", outcome="timeout"))
    old = await ask(made, source)
    assert old.cached
    assert "4000 s old" in old.notes[-1]
    clock.now += 100_000
    with pytest.raises(AllFailed):
        await ask(made, source)


async def test_equal_questions_at_once_share_one_answer() -> None:
    made, _ = cache()
    source = Source()
    source.held = anyio.Event()
    answers = []

    async def one() -> None:
        answers.append(await ask(made, source))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(one)
        await anyio.wait_all_tasks_blocked()
        source.held.set()
    assert (source.asked, len(answers)) == (1, 5)


async def test_a_waiter_that_is_cancelled_harms_nobody() -> None:
    made, _ = cache()
    source = Source()
    source.held = anyio.Event()
    answers = []

    async def one() -> None:
        answers.append(await ask(made, source))

    async with anyio.create_task_group() as group:
        group.start_soon(one)
        async with anyio.create_task_group() as leaving:
            leaving.start_soon(one)
            await anyio.wait_all_tasks_blocked()
            leaving.cancel_scope.cancel()
        source.held.set()
    assert (source.asked, len(answers)) == (1, 1)


async def test_a_failure_is_never_kept() -> None:
    made, _ = cache()
    source = Source(AllFailed(SearchResponse(query="tea", outcome="timeout")))
    for _ in range(2):
        with pytest.raises(AllFailed):
            await ask(made, source)
    assert source.asked == 2


async def test_an_old_empty_answer_never_stands_in_for_a_failure() -> None:
    made, clock = cache()
    source = Source(response(outcome="empty"))
    await ask(made, source)
    clock.now += 120
    source.answer = AllFailed(SearchResponse(query="tea", outcome="auth_failed"))
    with pytest.raises(AllFailed):
        await ask(made, source)


async def test_an_old_answer_is_not_served_to_somebody_who_wants_a_new_one() -> None:
    made, clock = cache()
    source = Source()
    await ask(made, source)
    clock.now += 4000
    source.answer = AllFailed(SearchResponse(query="tea", outcome="timeout"))
    with pytest.raises(AllFailed):
        await ask(made, source, max_age=0)


async def test_an_old_answer_that_helps_others_out_is_not_served_to_who_joins_them_and_wants_a_newer_one() -> None:
    made, clock = cache()
    source = Source()
    await ask(made, source)
    clock.now += 4000
    source.answer, source.held = AllFailed(SearchResponse(query="tea", outcome="timeout")), anyio.Event()
    helped = list[SearchResponse]()

    async def undemanding() -> None:
        helped.append(await ask(made, source))

    async with anyio.create_task_group() as group:
        group.start_soon(undemanding)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(refused, made, source)
        await anyio.wait_all_tasks_blocked()
        source.held.set()
    assert [answer.cached for answer in helped] == [True]


async def refused(made: SearchCache, source: Source) -> None:
    with pytest.raises(AllFailed):
        await ask(made, source, max_age=3000)


async def test_what_a_caller_does_to_an_answer_is_not_seen_by_those_who_asked_at_the_same_time() -> None:
    made, _ = cache()
    source = Source(response().model_copy(update={"filters": {"language": "native"}}))
    answers = list[SearchResponse]()

    async def one() -> None:
        answers.append(await ask(made, source))

    async with anyio.create_task_group() as group:
        group.start_soon(one)
        group.start_soon(one)
    answers[0].filters.clear()
    assert (source.asked, answers[1].filters) == (1, {"language": "native"})


async def test_an_entry_of_another_version_is_not_there() -> None:
    made, _ = cache()
    await made.store.put(made.key(QUERY, BRAVE), b'{"until": 9e9, "response": {"colour": "red"}}', lifetime=1000)
    assert not (await ask(made, Source())).cached


async def test_whoever_joins_a_question_leaves_when_its_own_time_is_over() -> None:
    made, _ = cache()
    source = Source()
    source.held = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(ask, made, source)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(AllFailed, match="are over") as failed:
            await ask(made, source, seconds=0)
        source.held.set()
    assert (failed.value.outcome, source.asked) == ("timeout", 1)


async def test_whoever_has_time_left_asks_anew_when_the_first_ones_is_over() -> None:
    """Together with the others who have some left."""
    made, clock = cache()
    late = Source(AllFailed(SearchResponse(query="tea", outcome="timeout")))
    late.held, patient, answers = anyio.Event(), Source(), list[SearchResponse]()

    async def hasty() -> None:
        with pytest.raises(AllFailed):
            await ask(made, late, seconds=1)

    async def wait() -> None:
        answers.append(await ask(made, patient, seconds=60))

    async with anyio.create_task_group() as group:
        group.start_soon(hasty)
        await anyio.wait_all_tasks_blocked()
        for _ in range(3):
            group.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        clock.now += 1
        late.held.set()
    assert (len(answers), late.asked, patient.asked) == (3, 1, 1)
