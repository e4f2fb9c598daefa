"""
Step 6, adapt: make up for what a provider cannot do, and say how.

Each wish of a query ends as one of four words: `native` (the provider did it), `emulated` (operators in the query
text), `post-filtered` (done here on what came back) or `not enforced`. Domain lists are checked on what came back in
any case, because engines treat them as hints. A result without a date is kept under a recency filter, and flagged:
authoritative pages are often undated.

Pages are counted in results: page 2 begins where page 1 ended, whatever the size of the provider's own pages. Where
results are filtered here, more is fetched than shown, in windows of one size. What a page shows then depends on what
was left of the windows before, so these are fetched again: nothing is shown twice and nothing is passed over.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import field, replace
from datetime import date, timedelta

from seekread.hostnames import host_of, matches_any
from seekread.late import dataclass
from seekread.models import Enforcement, SearchResult
from seekread.options import QUESTION, Freshness, Query, Wish
from seekread.provider import Traits
from seekread.searching.company import with_company

AFTERWARDS: frozenset[Wish] = frozenset({"freshness", "dates", "allowed_domains", "blocked_domains"})
"""Wishes that can be met here, on what came back."""
WISHED: dict[str, tuple[Wish, object]] = {
    name: (option.wish, Query.model_fields[name].default) for name, option in QUESTION.items() if option.wish
}
"""Fields of a query that are wishes, each with its usual value."""
FRESHNESS_DAYS: dict[Freshness, int] = {"day": 1, "week": 7, "month": 31, "year": 366}
OVERFETCH = 3
MAX_PAGES = 5
"""Pages turned for one search, so that a large limit cannot become a crawl …"""
LOOSE_ENDS = re.compile(r"(?:\s+(?:OR|AND|NOT|-))+$")
"""Operators that would stand at the end of a query that was cut."""
DEEPEST = 10
"""… and for a later page of one that is filtered here."""


@dataclass(frozen=True)
class Reach:
    """
    Which results to collect: `needed` of them, from `page` on, over at most `turns` of the provider's pages.

    The first `drop` belong to the page before. With a `window`, what came back is filtered in `windows` of that size.
    """

    page: int
    limit: int
    needed: int
    turns: int = 1
    drop: int = 0
    window: int = 0
    windows: int = 1


@dataclass(frozen=True)
class QueryPlan:
    """The query as one provider gets it, how each wish will be met, and which results to collect."""

    query: Query
    reach: Reach
    filters: dict[Wish, Enforcement] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def wishes(query: Query) -> set[Wish]:
    """The wishes a query carries: what is set otherwise than usual, and news, which is a type of search."""
    set_here = {wish for name, (wish, usual) in WISHED.items() if getattr(query, name) != usual}
    return set_here | ({"news"} if query.news else set())


def plan(query: Query, traits: Traits, today: date) -> QueryPlan:
    """Decide for each wish who meets it, and write the query the provider gets."""
    asked = wishes(query)
    text = with_company(query.text, query.company)
    traits = replace(traits, max_results=traits.max_news or traits.max_results) if query.news else traits
    notes = []
    if excess := over_length(text, traits):
        text = cut(text, traits)
        notes.append(f"{excess}; the end of the query was left out")
    sent = query if text == query.text else query.model_copy(update={"text": text})
    if "freshness" in asked and "freshness" not in traits.honours and "dates" in traits.honours and query.freshness:
        since = today - timedelta(days=FRESHNESS_DAYS[query.freshness])
        sent = sent.model_copy(update={"date_from": since.isoformat(), "date_to": today.isoformat()})
    filters = {wish: enforcement(wish, traits) for wish in sorted(asked)}
    sent, filters = with_operators(sent, filters, traits)
    sent, filters, left_out = with_short_lists(sent, filters, traits)
    notes += left_out
    limit = min(query.limit, traits.max_results)
    if limit < query.limit:
        notes.append(f"{traits.name} gives at most {traits.max_results} results; {query.limit} were asked for")
    notes += [f"{traits.name} cannot apply {wish}" for wish, how in filters.items() if how == "not enforced"]
    filtered = any(how in {"emulated", "post-filtered"} for how in filters.values())
    reach = (from_the_first if filtered else from_page)(query.page, limit, traits)
    if reach.window and reach.windows * reach.window > reach.turns * (traits.page_size or reach.limit):
        notes.append(f"page {query.page} lies deeper than {traits.name} is searched with these filters")
    if (sent.page, sent.limit) != (reach.page, reach.limit):
        sent = sent.model_copy(update={"page": reach.page, "limit": reach.limit})
    return QueryPlan(sent, reach, filters, tuple(notes))


def over_length(text: str, traits: Traits) -> str | None:
    """Why a provider does not take a query as it is; `None` if it does."""
    if len(text) > traits.max_query:
        return f"the query has {len(text)} characters, {traits.name} takes at most {traits.max_query}"
    if traits.max_words and (words := len(text.split())) > traits.max_words:
        return f"the query has {words} words, {traits.name} takes at most {traits.max_words}"
    return None


def cut(text: str, traits: Traits) -> str:
    """As many whole words of a query as a provider takes, with no operator and no quotation mark left hanging."""
    text = " ".join(text.split()[: traits.max_words])
    if len(text) > traits.max_query:
        # A script without spaces has no better place.
        text = text[: traits.max_query + 1].rpartition(" ")[0] or text[: traits.max_query]
    if text.count('"') % 2:
        before, _, after = text.rpartition('"')
        text = before + after
    return LOOSE_ENDS.sub("", text.rstrip())


def from_page(page: int, limit: int, traits: Traits) -> Reach:
    """The results after the first `(page - 1) * limit`, wherever they stand in the provider's own pages."""
    if traits.page_size is None:
        return Reach(page, limit, limit)
    begun, drop = divmod((page - 1) * limit, traits.page_size)
    return Reach(begun + 1, drop + limit, drop + limit, MAX_PAGES + bool(drop), drop)


def from_the_first(page: int, limit: int, traits: Traits) -> Reach:
    """All windows up to the one of this page; a provider that cannot turn pages has but one."""
    window = min(limit * OVERFETCH, traits.max_results)
    windows = page if traits.page_size or "page" in traits.honours else 1
    needed = windows * window
    at_once = min(needed, traits.max_results)
    turns = min(MAX_PAGES * windows if traits.page_size else -(-needed // at_once), DEEPEST)
    return Reach(1, at_once, needed, turns, window=window, windows=windows)


def enforcement(wish: Wish, traits: Traits) -> Enforcement:
    if wish in traits.honours:
        return "native"
    match wish:
        case "page" if traits.page_size:
            return "native"
        case "freshness":
            return "native" if "dates" in traits.honours else "post-filtered"
        case "dates":
            return "post-filtered"
        case "allowed_domains" | "blocked_domains":
            return "emulated" if traits.operators else "post-filtered"
        case _:
            return "not enforced"


def with_operators(
    query: Query, filters: dict[Wish, Enforcement], traits: Traits
) -> tuple[Query, dict[Wish, Enforcement]]:
    """Add `site:` operators for domain wishes that are to be emulated, as long as the query stays short enough."""
    if "emulated" not in filters.values():
        return query, filters
    text, filters = query.text, dict(filters)
    for wish, words in (
        ("allowed_domains", " OR ".join(f"site:{domain}" for domain in query.allowed_domains)),
        ("blocked_domains", " ".join(f"-site:{domain}" for domain in query.blocked_domains)),
    ):
        if filters.get(wish) != "emulated":  # type: ignore[call-overload]
            continue
        longer = f"{text} ({words})" if " OR " in words else f"{text} {words}"
        if over_length(longer, traits):
            filters[wish] = "post-filtered"  # type: ignore[index]
        else:
            text = longer
    return query.model_copy(update={"text": text}), filters


def with_short_lists(
    query: Query, filters: dict[Wish, Enforcement], traits: Traits
) -> tuple[Query, dict[Wish, Enforcement], list[str]]:
    """Shorten the domain lists a provider takes itself to what it takes; what came back is filtered by the whole."""
    filters, notes = dict(filters), []
    short: dict[str, tuple[str, ...]] = {}
    limits: dict[Wish, int | None] = {"allowed_domains": traits.max_allowed, "blocked_domains": traits.max_blocked}
    for wish, most in limits.items():
        domains: tuple[str, ...] = getattr(query, wish)
        if most and filters.get(wish) == "native" and len(domains) > most:
            short[wish] = domains[:most]
            filters[wish] = "post-filtered"
            notes.append(f"{traits.name} was given {most} of {len(domains)} {wish.replace('_', ' ')}")
    return query.model_copy(update=short) if short else query, filters, notes


def admitted(filters: dict[Wish, Enforcement], unmet: Collection[Wish]) -> dict[Wish, Enforcement]:
    """How each wish was met, after the provider said which ones it could not pass on."""
    return {
        wish: how if wish not in unmet else "post-filtered" if wish in AFTERWARDS else "not enforced"
        for wish, how in filters.items()
    }


@dataclass
class Sieve:
    """What came back, filtered; `dropped` counts what did not pass, by the wish that it did not meet."""

    query: Query
    filters: dict[Wish, Enforcement]
    today: date
    dropped: Counter[Wish] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Work out what is the same for every result."""
        self._span = wanted_days(self.query, self.today)
        self._by_provider = "native" in {self.filters.get("freshness"), self.filters.get("dates")}

    def page(self, results: list[SearchResult], reach: Reach) -> list[SearchResult]:
        """The results of the page that was asked for: those that pass, after what the pages before have shown."""
        if not reach.window:
            return self.passed(results)[: self.query.limit]
        shown: list[SearchResult] = []
        left: list[SearchResult] = []
        for begin in range(0, reach.windows * reach.window, reach.window):
            left += self.passed(results[begin : begin + reach.window])
            shown, left = left[: self.query.limit], left[self.query.limit :]
            if not shown and begin >= len(results):
                break
        return shown

    def passed(self, results: list[SearchResult]) -> list[SearchResult]:
        """Filter: domains always, dates where the provider did not, undated results kept and flagged."""
        if not (self.query.allowed_domains or self.query.blocked_domains or any(self._span)):
            return results
        kept = []
        for result in results:
            if missed := self._foreign(result.url) or self._untimely(result):
                self.dropped[missed] += 1
            else:
                kept.append(self._flagged(result))
        return kept

    def _foreign(self, url: str) -> Wish | None:
        """The wish a result's host does not meet."""
        host = host_of(url)
        if self.query.allowed_domains and not matches_any(host, self.query.allowed_domains):
            return "allowed_domains"
        return "blocked_domains" if matches_any(host, self.query.blocked_domains) else None

    def _untimely(self, result: SearchResult) -> Wish | None:
        """The wish a result's date does not meet, unless the provider kept it."""
        # Engines count a page's last change as well as its publication: theirs to decide, ours to mention.
        if self._by_provider or self._in_time(result):
            return None
        return "freshness" if self.query.freshness else "dates"

    def _flagged(self, result: SearchResult) -> SearchResult:
        if self._span == (None, None):
            return result
        if result.published_date is None:
            return flagged(result, "undated")
        return result if self._in_time(result) else flagged(result, "dated outside the range")

    def _in_time(self, result: SearchResult) -> bool:
        first, last = self._span
        return result.published_date is None or (first or "") <= result.published_date <= (last or "9999")


def flagged(result: SearchResult, flag: str) -> SearchResult:
    return result.model_copy(update={"flags": (*result.flags, flag)})


def wanted_days(query: Query, today: date) -> tuple[str | None, str | None]:
    """First and last day a query wants."""
    if query.freshness:
        return (today - timedelta(days=FRESHNESS_DAYS[query.freshness])).isoformat(), None
    return query.date_from, query.date_to
