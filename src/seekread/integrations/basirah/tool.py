"""
basirah's `web_search_tool`: Brave Search for company research, blocking, in an envelope.

    from seekread.integrations.basirah import WebSearchTool

    WebSearchTool().execute(query="management changes", company="Apple Inc")

The key is read from `BRAVE_SEARCH_API_KEY` when the tool is made; `.env` in the current folder is looked into for that
name alone, never over the environment. `execute` never raises and works under a running event loop too. Plans, caps
and the ledger are those of the settings; the loop of attempts is the contract's own.
"""

import inspect
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from seekread.arguments import text_or_empty
from seekread.calling.deadline import Deadline
from seekread.calling.key_pools import key_of
from seekread.calling.perform import perform
from seekread.compose import compose
from seekread.config.settings import SpendingSettings
from seekread.config.sources import Configuration, load
from seekread.errors import InvalidQuery, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.integrations.sending import Sleep, brought
from seekread.models import SearchResponse, SearchResult
from seekread.options import Freshness, Query, SafeSearch, SearchType
from seekread.page.invisible import one_line, visible
from seekread.ports import Clock, Sender
from seekread.provider import Call, Reply, Request
from seekread.providers.brave import Brave, Preset, explain
from seekread.redact import redact
from seekread.render.envelope import envelope, failure
from seekread.searching.company import marked, with_company
from seekread.searching.dates import parse_date
from seekread.searching.left_out import POLICY, left_out
from seekread.secret import SecretStr
from seekread.sync import portal
from seekread.toolkit.guidance import COMPANY_RESEARCH

KEY = "BRAVE_SEARCH_API_KEY"
WEB, NEWS = "/web/search", "/news/search"
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
LEDGERS_WORDS = "Rate limit exceeded"
"""How the ledger begins to tell of a plan; the rest depends on what the plan counts."""
RATE_LIMITED = "Rate limit exceeded. Check your Brave Search API plan."
TIMED_OUT = "Request timeout after 3 retries"
TOO_LONG = "Query exceeds 400 character limit"
EMPTY = "Query cannot be empty"


@dataclass
class BasirahSession:
    """Our own client with headers that go with every request, as a session of `requests` has them."""

    sender: Sender
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request."""
        return await self.sender.send(replace(request, headers={**self.headers, **request.headers}), seconds=seconds)


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

        transport: a session with `get`, an httpx2 transport or a sender, instead of our own client
        sleep: called with the seconds to wait before another attempt
        filter_by_relevance: keep the results that mention the company, where any does
        highlight: mark mentions of the company as `**mention**` in descriptions and snippets
        """
        configuration = settings()
        found = {name: origin.value for name, origin in configuration.provider_values(Brave).items()}
        if "api_key" not in found:
            raise ValueError(MISSING_KEY)
        brave = Brave(found["api_key"], found.get("base_url", Brave.base_url))
        sender = brought(transport)
        self._parts = compose(configuration, clock=clock, transport=None if sender else transport)
        self._sleep = sleep or self._parts.clock.sleep
        self._usual: dict[str, Any] = {"country": country, "language": language, "safe_search": safe_search}
        self._filter, self._highlight = filter_by_relevance, highlight
        self.api_key: str = brave.api_key.get_secret_value()
        self.base_url = brave.base_url + WEB
        self.session: Any = transport if hasattr(transport, "headers") else BasirahSession(sender or self._parts.client)
        self.session.headers.update(self._headers())

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
        return schema("parameters")

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of what `execute` returns."""
        return schema("output")

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
            self._parts.secrets.add({self.api_key})
            self._parts.policy.check(wanted)
            params = {**self._brave("complete").search(wanted).request.params, "search_type": wanted.search_type}
            return self._about(self._execute_with_retry(wanted.text, params), wanted.company)
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
        recency = recency or ("month" if kind == "recent" else None)
        named = (company and company.strip()) or None
        return Query(text=full, limit=count, company=named, search_type=kind, freshness=recency, **self._usual)

    def _construct_query(self, query: str, company: str | None = None) -> str:
        """The query as it is sent: the company is appended unless it is already named."""
        return with_company(query, company)

    def _execute_with_retry(self, query: str, params: Mapping[str, Any], max_retries: int = ATTEMPTS) -> dict[str, Any]:
        """
        Ask up to three times; only a timeout and a failing server are worth another try.

        `params` are Brave's, and the `search_type`, which says where they go and stands in the answer.
        """
        clock = self._parts.clock
        started = clock.monotonic()
        for attempt in range(max_retries):
            try:
                reply = portal.call(partial(self._ask, params))
            except ProviderError as error:
                if not worth_retrying(error) or attempt == max_retries - 1:
                    return self._error(self._text_of(error))
                self._pause(float(2**attempt))
            else:
                latency = int((clock.monotonic() - started) * 1000)
                return self._process_response(reply, query, params.get("search_type", "general"), latency)
        return self._error("Failed after maximum retries")

    def _pause(self, seconds: float) -> None:
        """Wait on this thread, or on the portal's where the sleep is one to be awaited."""
        if inspect.isawaitable(waiting := self._sleep(seconds)):
            portal.call(lambda: waiting)

    async def _ask(self, params: Mapping[str, Any]) -> Any:
        """One request, counted by the ledger, within its plan and pace. What failed before is not held against it."""
        brave, clock, ledger = self._brave(), self._parts.clock, self._parts.ledger
        gate = replace(self._parts.gate, breakers={})
        try:
            async with gate.enter(brave, Deadline.after(clock, SECONDS), patient=True) as admission:
                call = Call(self._request(params), Reply.json, self._explain)
                sender = brought(self.session) or self._parts.client
                return await perform(
                    call, sender, clock, seconds=SECONDS, heard=admission.heard, secrets=(self.api_key,)
                )
        except RateLimited:
            # Brave's headers may say that it is the month.
            quota = await ledger.quota(brave.name, key_of(brave))
            if quota.resets_on and (await ledger.left(brave.name, key_of(brave)))[0] <= 0:
                raise quota.exhausted(self._now()) from None
            raise

    def _brave(self, preset: Preset = "native") -> Brave:
        """Brave as it is set up at this moment."""
        return Brave(SecretStr(self.api_key), self.base_url.removesuffix(WEB), preset)

    def _request(self, params: Mapping[str, Any]) -> Request:
        news = params.get("search_type") == "news"
        url = self.base_url.removesuffix(WEB) + NEWS if news and self.base_url.endswith(WEB) else self.base_url
        # Brave does not know Python's `True`.
        sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}
        sent.pop("search_type", None)
        return Request("GET", url, params=sent, headers=self._headers())

    def _headers(self) -> dict[str, str]:
        return {"Accept": "application/json", "Accept-Encoding": "gzip", "X-Subscription-Token": self.api_key}

    def _explain(self, reply: Reply) -> ProviderError | None:
        """What Brave says in its body; the day on which a used-up month begins afresh is told by our clock."""
        known = explain(reply)
        if isinstance(known, QuotaExhausted) and known.retry_after:
            known.resets_on = (self._now() + timedelta(seconds=known.retry_after)).date().isoformat()
        return known

    def _process_response(
        self, response_data: Any, query: str, search_type: SearchType = "general", latency_ms: int = 0
    ) -> dict[str, Any]:
        """Brave's JSON in the envelope."""
        found = [self._result(row) for row in rows(response_data)]
        results = self._parts.policy.keep(found)
        if found and not results:
            return self._error(*left_out(Counter({POLICY: len(found)}), nothing_left=True))
        response = SearchResponse(
            query=query, query_sent=query, results=tuple(results), search_type=search_type, latency_ms=latency_ms
        )
        return envelope(response, source="brave_search", now=self._parts.clock.time())

    def _about(self, answer: dict[str, Any], company: str | None) -> dict[str, Any]:
        """An answer related to a company: its mentions only, and marked, where the tool was made so."""
        data = answer["data"]
        if data and company and self._filter:
            data["results"] = filter_by_relevance(data["results"], company)
            data["total_results"] = len(data["results"])
        if data and company and self._highlight:
            for row in data["results"]:
                row["description"] = marked(row["description"], company)
                row["extra_snippets"] = [marked(snippet, company) for snippet in row["extra_snippets"]]
        return answer

    def _result(self, row: Mapping[str, Any]) -> SearchResult:
        age, url = visible(text_or_empty(row.get("age"))), visible(text_or_empty(row.get("url")))
        now = self._now().astimezone()
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
        return datetime.fromtimestamp(self._parts.clock.time(), UTC)

    def _clean_text(self, text: Any) -> str:
        """Entities resolved, then tags removed, then white space collapsed: the contract's order. Nothing hides."""
        return one_line(re.sub(r"<[^>]+>", "", unescape(str(text)))) if text else ""

    def _extract_domain(self, url: str) -> str:
        """The host and port of a URL without `www.`; an empty text when there is none."""
        try:
            return urlsplit(url).netloc.removeprefix("www.")
        except (ValueError, AttributeError, TypeError):
            return ""

    def _parse_date(self, age_str: str | None) -> str | None:
        """The day of "3 days ago" and its like, counted from the local time; anything else is unknown."""
        if not age_str or not (match := AGO.match(age_str.lower())):
            return None
        try:
            hours = timedelta(hours=int(match[1]) * HOURS[match[2]])
            return (self._now().astimezone() - hours).strftime("%Y-%m-%d")
        except OverflowError:
            return None

    def _error(self, message: str) -> dict[str, Any]:
        """A failure in the envelope."""
        return failure(message)

    def _text_of(self, error: ProviderError) -> str:
        """The contract's sentence for a failure."""
        match error:
            case QuotaExhausted() if error.status is None or str(error).startswith(LEDGERS_WORDS):
                return str(error)
            case QuotaExhausted(limit=int(limit), resets_on=str(day)):
                return f"Rate limit exceeded ({limit} searches/month). Resets on {day}."
            case Unauthorized() if "OPTION_NOT_IN_PLAN" not in str(error):
                return INVALID_KEY
            case RateLimited() | ProviderError(status=429):
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
        return redact(text, [self.api_key])

    def close(self) -> None:
        """Release connections."""
        portal.call(self._parts.close)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"


def settings() -> Configuration:
    """The settings; who chose neither plan nor cap nor store gets a ledger that ends with the process."""
    found = load(from_folder=(KEY,))
    if found.settings.spending != SpendingSettings() or found.settings.state.store:
        return found
    return load({"store": "memory:"}, from_folder=(KEY,))


def schema(part: Literal["parameters", "output"]) -> dict[str, Any]:
    """A schema of the contract, word for word; a fresh one each time, since hosts change what they are given."""
    document = Path(__file__).with_name("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(document)[part]
    return found


def refuse(unknown: Mapping[str, Any]) -> None:
    """Name the arguments nobody knows."""
    if unknown:
        known = ", ".join(schema("parameters")["properties"])
        raise InvalidQuery(f"Unknown argument: {', '.join(sorted(unknown))}. Known arguments: {known}")


def word(name: str, given: Any, choices: tuple[str, ...]) -> Any:
    """One of a few words, in any case."""
    chosen = given.strip().lower() if isinstance(given, str) else given
    if chosen not in choices:
        raise InvalidQuery(f"Invalid {name}: {given!r}. Must be one of: {', '.join(choices)}")
    return chosen


def worth_retrying(error: ProviderError) -> bool:
    """Whether another attempt may help."""
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


def filter_by_relevance(results: list[dict[str, Any]], company: str) -> list[dict[str, Any]]:
    """The results that mention a company in title or description; all of them if none does."""
    wanted = company.lower()
    named = [row for row in results if wanted in f"{row['title']} {row['description']}".lower()]
    return named or results
