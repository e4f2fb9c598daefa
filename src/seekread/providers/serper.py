"""
Serper: Google's results as JSON, and pages as Markdown.

Reference: https://serper.dev/playground
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from seekread.provider import (
    Call,
    Cost,
    Found,
    KnownAnswer,
    Page,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SecretStr,
    Unreadable,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.google import answer_box, google_span, results_of
from seekread.providers.known_answers import ON_THE_WEB

CREDITS_OF_PAGE = 2
PLANS = (
    # 2,500 queries once; $1.00 down to $0.30 per 1,000. serper.dev
    Plan("trial", period="none", limit=2_500),
    Plan("paid", period="none", price=0.001),
)


@dataclass(frozen=True)
class Serper:
    """Search Google and read pages through the Serper API."""

    api_key: SecretStr = setting(env="SERPER_API_KEY", about="API key of serper.dev.")
    base_url: str = setting("https://google.serper.dev", about="Where the API answers.")
    scrape_url: str = setting("https://scrape.serper.dev", about="Where pages are read.")

    name: ClassVar[str] = "serper"
    label: ClassVar[str] = "Serper (Google)"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    # Google itself gives ten at a time, and more would cost twice.
    max_results: ClassVar[int] = 10
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"freshness", "dates", "news", "country", "language", "page"})

    def search(self, query: Query) -> Call[Found]:
        body = {
            "q": query.text,
            "num": query.limit,
            "tbs": google_span(query),
            "gl": query.country and query.country.lower(),
            "hl": query.language and query.language.lower(),
            "page": query.page if query.page > 1 else None,
        }
        address = f"{self.base_url}/{'news' if query.news else 'search'}"
        return Call(Request("POST", address, headers=self._headers, json=body), parse_results, explain)

    def read(self, url: str) -> Call[Page]:
        request = Request("POST", self.scrape_url, headers=self._headers, json={"url": url, "includeMarkdown": True})
        return Call(request, partial(parse_page, url=url), explain, cost=Cost(CREDITS_OF_PAGE))

    @property
    def _headers(self) -> dict[str, str]:
        return {"X-API-KEY": self.api_key.get_secret_value()}


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    match data:
        case {"organic": [*rows]} | {"news": [*rows]}:
            pass
        # A list without hits is left out.
        case {"searchParameters": {}} if not {"organic", "news"} & data.keys():
            rows = []
        case _:
            raise ValueError("no list of results")
    answer = answer_box(data.get("answerBox"), data.get("knowledgeGraph"))
    return Found(results_of(rows), answer=answer, cost=told_cost(data.get("credits")))


def parse_page(reply: Reply, *, url: str) -> Page:
    data = reply.json()
    match data:
        case {"markdown": str(content)} | {"text": str(content)} if content.strip():
            about = data.get("metadata") or {}
            title = about.get("title") or about.get("og:title") or ""
            return Page(url=url, title=title, content=content, reader="serper", cost=told_cost(data.get("credits")))
        case {"text": str() | None}:
            raise Unreadable("suspicious_empty", "Serper found no text on the page")
    raise ValueError("no text")


def explain(reply: Reply) -> ProviderError | None:
    """Out of credits is a bad request here."""
    if reply.status == 400 and "not enough credits" in reply.text().lower():
        return QuotaExhausted("not enough credits")
    return None
