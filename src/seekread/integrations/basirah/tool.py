"""
basirah's `web_search_tool`: Brave Search for company research, blocking, in an envelope.

    from seekread.integrations.basirah import WebSearchTool

    WebSearchTool().execute(query="management changes", company="Apple Inc")

The key is read from `BRAVE_SEARCH_API_KEY` when the tool is made; `.env` in the current folder is looked into, never
over the environment. `execute` never raises and works under a running event loop too.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any, get_args

from seekread.arguments import text_or_empty
from seekread.calling.perform import perform
from seekread.clock import SystemClock
from seekread.config.sources import Configuration, load
from seekread.errors import InvalidQuery, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.integrations.basirah import schema
from seekread.integrations.blocking import wait
from seekread.integrations.masking import masked, refuse_to_leak
from seekread.integrations.sending import Sleep, pause, sender_for
from seekread.models import SearchResponse, SearchResult
from seekread.options import Freshness, Query, SafeSearch, SearchType
from seekread.page.invisible import one_line, visible
from seekread.ports import Clock
from seekread.provider import Call, Reply
from seekread.providers.brave import Brave
from seekread.render.envelope import envelope, failure
from seekread.searching.company import highlighted, with_company
from seekread.searching.dates import parse_date
from seekread.toolkit.guidance import COMPANY_RESEARCH

SECONDS = 30.0
ATTEMPTS = 3
LONGEST_QUERY = 400
EVIDENCE = 200
"""Characters of a failing reply that are repeated."""
AGO = re.compile(r"(\d+)\s+(hour|day|week|month|year)s?\s+ago")
HOURS = {"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}

MISSING_KEY = (
    "BRAVE_SEARCH_API_KEY not set: BRAVE_SEARCH_API_KEY environment variable not set. "
    "Set it, or add it to .env in the current folder."
)
INVALID_KEY = "Invalid API key. Check BRAVE_SEARCH_API_KEY environment variable"
RATE_LIMITED = "Rate limit exceeded. Check your Brave Search API plan."
TIMED_OUT = "Request timeout after 3 retries"
TOO_LONG = "Query exceeds 400 character limit"
EMPTY = "Query cannot be empty"


class BasirahSearchTool:
    """Search the web for company information with Brave Search."""

    def __init__(
        self,
        *,
        transport: Any = None,
        clock: Clock | None = None,
        sleep: Sleep | None = None,
        country: str = "US",
        language: str = "en",
        safe_search: SafeSearch = "moderate",
        filter_by_relevance: bool = False,
        highlight: bool = False,
    ) -> None:
        """
        Read the key; without one a `ValueError` says what to set.

        transport: an httpx2 transport, a sender, or a client with `get`, instead of our own client
        sleep: called with the seconds to wait before another attempt
        filter_by_relevance: keep the results that mention the company, where any does
        highlight: mark mentions of the company as `**mention**` in descriptions and snippets
        """
        settings = load({"dotenv": True})
        self._key = key(settings)
        self._brave = Brave(**values(settings), preset="complete")
        self._country, self._language, self._safe_search = country, language, safe_search
        self._filter, self._highlight = filter_by_relevance, highlight
        self._clock = clock or SystemClock()
        self._sleep = sleep or self._clock.sleep
        self._alone = transport is not None
        self.session = sender_for(transport)

    @property
    def name(self) -> str:
        """The name a model calls it by."""
        return "web_search_tool"

    @property
    def description(self) -> str:
        """What a model is told about it."""
        return (
            "Search the web for company information, news, and research using Brave Search. "
            "Use it for qualitative findings that filings and financial data do not hold."
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return schema.parameters()

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of what `execute` returns."""
        return schema.output()

    @property
    def api_key(self) -> str:
        """The key, for the host's own use."""
        return self._key

    @property
    def base_url(self) -> str:
        """Where web searches go."""
        return f"{self._brave.base_url}/web/search"

    def get_info(self) -> dict[str, Any]:
        """Everything a prompt needs to describe this tool."""
        return {
            "name": self.name,
            "version": "1.0",
            "description": self.description,
            "parameters": self.parameters,
            "output": self.output_schema,
            "guidance": COMPANY_RESEARCH,
        }

    def execute(
        self,
        query: Any = None,
        company: Any = None,
        count: Any = 10,
        search_type: Any = "general",
        freshness: Any = None,
        **unknown: Any,
    ) -> dict[str, Any]:
        """Search and wait; whatever goes wrong stands in the envelope."""
        try:
            refuse(unknown)
            wanted = self._query(query, company, count, search_type, freshness)
            refuse_to_leak(wanted, [self._key])
            return wait(lambda: self._execute_with_retry(wanted.text, wanted), alone=self._alone)
        except InvalidQuery as error:
            return self._error(str(error))
        except Exception as error:  # noqa: BLE001 - the contract promises an envelope for everything
            return self._error(f"Unexpected exception: {self._scrubbed(str(error) or type(error).__name__)}")

    def _query(self, query: Any, company: Any, count: Any, search_type: Any, freshness: Any) -> Query:
        """Check every argument as the host's own messages put it."""
        if query is None or (isinstance(query, str) and not query.strip()):
            raise InvalidQuery(EMPTY)
        if not isinstance(query, str):
            raise InvalidQuery(f"Query must be a string, not {type(query).__name__}")
        if company is not None and not isinstance(company, str):
            raise InvalidQuery(f"Company must be a string, not {type(company).__name__}")
        if isinstance(count, bool) or not isinstance(count, int):
            raise InvalidQuery(f"Count must be an integer between 1 and 20, not {count!r}")
        if not 1 <= count <= 20:
            raise InvalidQuery("Count must be between 1 and 20")
        full = self._construct_query(query, company)
        if len(query) > LONGEST_QUERY or len(full) > LONGEST_QUERY:
            raise InvalidQuery(TOO_LONG)
        kind: SearchType = word("search_type", search_type, get_args(SearchType))
        recency: Freshness | None = word("freshness", freshness, get_args(Freshness)) if freshness else None
        return Query(
            text=full,
            limit=count,
            company=(company and company.strip()) or None,
            search_type=kind,
            freshness=recency or ("month" if kind == "recent" else None),
            country=self._country,
            language=self._language,
            safe_search=self._safe_search,
        )

    def _construct_query(self, query: str, company: str | None = None) -> str:
        """The query as it is sent: the company is appended unless it is already named."""
        return with_company(query, company)

    async def _execute_with_retry(self, query: str, wanted: Query, max_retries: int = ATTEMPTS) -> dict[str, Any]:
        """Ask up to three times; only a timeout and a failing server are worth another try."""
        started = self._clock.monotonic()
        asked: Call[Any] = self._brave.search(wanted)
        call = Call(asked.request, Reply.json, lambda reply: self._explain(asked.explain(reply), reply))
        for attempt in range(max_retries):
            try:
                keys = (self.api_key or "",)
                reply = await perform(call, self.session, self._clock, seconds=SECONDS, secrets=keys)
            except ProviderError as error:
                if not worth_retrying(error) or attempt == max_retries - 1:
                    return self._error(self._text_of(error))
                await pause(self._sleep, float(2**attempt))
            else:
                latency = int((self._clock.monotonic() - started) * 1000)
                return self._process_response(reply, query, wanted.search_type, latency, wanted.company)
        return self._error("Failed after maximum retries")

    def _process_response(
        self,
        response_data: Any,
        query: str,
        search_type: SearchType = "general",
        latency_ms: int = 0,
        company: str | None = None,
    ) -> dict[str, Any]:
        """Brave's JSON in the envelope."""
        results = [self._result(row) for row in rows(response_data)]
        if company and self._highlight:
            results = [highlighted(result, company) for result in results]
        response = SearchResponse(
            query=query, query_sent=query, results=tuple(results), search_type=search_type, latency_ms=latency_ms
        )
        answer = envelope(response, source="brave_search", now=self._clock.time())
        if company and self._filter:
            data = answer["data"]
            data["results"] = filter_by_relevance(data["results"], company)
            data["total_results"] = len(data["results"])
        return answer

    def _result(self, row: Mapping[str, Any]) -> SearchResult:
        age, url = visible(text_or_empty(row.get("age"))), visible(text_or_empty(row.get("url")))
        now = self._now()
        return SearchResult(
            title=self._clean_text(row.get("title")),
            url=url,
            snippet=self._clean_text(row.get("description")),
            age=age,
            published_date=parse_date(row.get("page_age"), now) or self._parse_date(age) or parse_date(age, now),
            source=self._extract_domain(url),
            extra_snippets=tuple(self._clean_text(snippet) for snippet in row.get("extra_snippets") or ()),
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC).astimezone()

    def _clean_text(self, text: Any) -> str:
        """Entities resolved, then tags removed, then white space collapsed: the contract's order. Nothing hides."""
        return one_line(re.sub(r"<[^>]+>", "", unescape(str(text)))) if text else ""

    def _extract_domain(self, url: str) -> str:
        """The host and port of a URL without `www.`; an empty text when there is none."""
        from urllib.parse import urlsplit

        try:
            return urlsplit(url).netloc.removeprefix("www.")
        except (ValueError, AttributeError, TypeError):
            return ""

    def _parse_date(self, age_str: str | None) -> str | None:
        """The day of "3 days ago" and its like, counted from the local time; anything else is unknown."""
        if not age_str or not (match := AGO.match(age_str.lower())):
            return None
        try:
            return (self._now() - timedelta(hours=int(match[1]) * HOURS[match[2]])).strftime("%Y-%m-%d")
        except OverflowError:
            return None

    def _error(self, message: str) -> dict[str, Any]:
        """A failure in the envelope."""
        return failure(message)

    def _explain(self, known: ProviderError | None, reply: Reply) -> ProviderError | None:
        """What Brave says in its body, and, for a used-up month, what it says in its headers."""
        if reply.status != 429:
            return known
        month = monthly_window(reply)
        used_up = month.get("remaining", int(isinstance(known, RateLimited))) == 0
        limit = month.get("limit") if used_up else None
        seconds: float | None = month.get("reset") if used_up else None
        if isinstance(known, QuotaExhausted):
            limit, seconds = known.limit or limit, known.retry_after or seconds
        if not limit or not seconds:
            return known
        resets_on = datetime.fromtimestamp(self._clock.time() + seconds, UTC).date().isoformat()
        return QuotaExhausted("the plan is used up", limit=limit, resets_on=resets_on, retry_after=seconds)

    def _text_of(self, error: ProviderError) -> str:
        """The contract's sentence for a failure."""
        match error:
            case QuotaExhausted(limit=int(limit), resets_on=str(day)):
                return f"Rate limit exceeded ({limit} searches/month). Resets on {day}."
            case Unauthorized() if "OPTION_NOT_IN_PLAN" not in str(error):
                return INVALID_KEY
            case ProviderError(status=429):
                return RATE_LIMITED
            case ProviderError(status=None, outcome="timeout"):
                return TIMED_OUT
            case ProviderError(status=int(status)) if status >= 500:
                return f"Brave Search API error: {status}" + self._evidence(error)
            case ProviderError(status=int(status)) if not 200 <= status < 300:
                return f"Unexpected API error: {status}" + (f" - {error}" if isinstance(error, Unauthorized) else "")
            case _:
                return f"Unexpected exception: {self._scrubbed(str(error) or type(error).__name__)}"

    def _evidence(self, error: ProviderError) -> str:
        found = self._scrubbed(error.body).strip()[:EVIDENCE]
        return f" - {found}" if found else ""

    def _scrubbed(self, text: str) -> str:
        return masked(text, [self._key])

    def close(self) -> None:
        """Release connections."""
        if close := getattr(self.session, "close", None):
            wait(close, alone=self._alone)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"


def refuse(unknown: Mapping[str, Any]) -> None:
    """Name the arguments nobody knows."""
    if unknown:
        known = ", ".join(schema.parameters()["properties"])
        raise InvalidQuery(f"Unknown argument: {', '.join(sorted(unknown))}. Known arguments: {known}")


def key(settings: Configuration) -> str:
    """The key, or what to set."""
    found = settings.provider_values(Brave).get("api_key")
    if found is None:
        raise ValueError(MISSING_KEY)
    return str(found.value.get_secret_value())


def values(settings: Configuration) -> dict[str, Any]:
    """Key and address of the API as they are set."""
    found = settings.provider_values(Brave)
    return {name: found[name].value for name in ("api_key", "base_url") if name in found}


def word(name: str, given: Any, choices: tuple[str, ...]) -> Any:
    """One of a few words, in any case."""
    chosen = given.strip().lower() if isinstance(given, str) else given
    if chosen not in choices:
        raise InvalidQuery(f"Invalid {name}: {given!r}. Must be one of: {', '.join(choices)}")
    return chosen


def worth_retrying(error: ProviderError) -> bool:
    if error.status is None:
        return error.outcome == "timeout"
    return error.status >= 500


def rows(reply: Any) -> list[Mapping[str, Any]]:
    """The results in a reply, of the web or of the news; a section that is absent or null holds none."""
    if not isinstance(reply, Mapping) or {"error", "errors"} & reply.keys():
        raise TypeError("the reply is not a list of results")
    for section in (reply.get("web"), reply.get("news"), reply):
        if isinstance(section, Mapping) and (found := section.get("results")):
            return [row for row in found if isinstance(row, Mapping)]
    return []


def monthly_window(reply: Reply) -> dict[str, int]:
    """Limit, remainder and seconds to the reset of the longest window Brave names."""
    window = {}
    for part in ("limit", "remaining", "reset"):
        if numbers := re.findall(r"\d+", reply.headers.get(f"x-ratelimit-{part}", "")):
            window[part] = int(numbers[-1])
    return window


def filter_by_relevance(results: list[dict[str, Any]], company: str) -> list[dict[str, Any]]:
    """The results that mention a company in title or description; all of them if none does."""
    wanted = company.lower()
    named = [row for row in results if wanted in f"{row['title']} {row['description']}".lower()]
    return named or results
