"""Brave Search as it answers on the wire."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any, ClassVar

from seekread.provider import BadReply, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

WINDOWS = {
    "X-RateLimit-Limit": "50, 0",
    "X-RateLimit-Policy": "50;w=1, 0;w=2592000",
    "X-RateLimit-Remaining": "49, 0",
    "X-RateLimit-Reset": "1, 1419704",
}
BOOLEAN = "true|false"
RULES = {
    "q": r"(?s)\S.{0,399}",
    "count": r"[1-9]|[1-4]\d|50",
    "offset": r"\d",
    "safesearch": "off|moderate|strict",
    "freshness": r"p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d",
    "country": (
        r"A[RUT]|B[ER]|C[ALHN]|D[EK]|ES|F[IR]|G[BR]|HK|I[NDT]|JP|KR|M[XY]|N[LOZ]|P[HLT]|RU|S[AE]|T[RW]"
        "|US|ZA|ALL"
    ),
    "search_lang": r"(?!ja$|zh$|pt$|no$)[a-z]{2}(-[a-z]{2,4})?",
    "extra_snippets": BOOLEAN,
    "text_decorations": BOOLEAN,
    "result_filter": r"[a-z,]+",
}
"""What each parameter must look like; anything else makes Brave refuse the whole request."""


def too_many(received: Received) -> bool:
    """Whether more results are asked for than this part of the service gives."""
    return int(received.params.get("count", 20)) > (50 if "/news/" in received.path else 20)


def refusal(status: int, code: str, detail: str, **meta: Any) -> Fault:
    """An error in Brave's envelope."""
    error = {"id": "9c2b", "status": status, "code": code, "detail": detail, "meta": meta}
    return Fault(status, {"type": "ErrorResponse", "error": error, "time": 1793500000})


PRICE = 0.005


class BraveSimulator(Simulator):
    """Web and news search behind `X-Subscription-Token`."""

    name = "brave"
    prefix = "/res/v1"
    url_variable = "SEEKREAD_BRAVE_BASE_URL"
    key_variable = "BRAVE_SEARCH_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(422, "SUBSCRIPTION_TOKEN_INVALID", "The token is invalid."), Unauthorized),
        "no key": Refusal(
            refusal(422, "VALIDATION", "Unable to validate", errors=[{"loc": ["header", "x-subscription-token"]}]),
            Unauthorized,
        ),
        "bad parameter": Refusal(refusal(422, "VALIDATION", "Unable to validate"), BadReply),
        "too fast": Refusal(refusal(429, "RATE_LIMITED", "Request rate limit exceeded for plan."), RateLimited),
        "plan used up": Refusal(refusal(429, "QUOTA_LIMITED", "Quota exceeded.", quota_limit=2000), QuotaExhausted),
    }

    modes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"context": {"mode": "context"}}

    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {
        # Fields that are absent and lists that are null count as empty.
        "null instead of rows": None,
        "rows without fields": None,
    }

    def reply(self, received: Received) -> Answer:
        token = received.headers.get("x-subscription-token")
        if token != self.key:
            return self.refused("wrong key" if token else "no key")
        params = received.params
        wrong = [name for name, rule in RULES.items() if name in params and not re.fullmatch(rule, params[name])]
        if wrong or "q" not in params or len(params["q"].split()) > 50 or too_many(received):
            return self.refused("bad parameter")
        found = hits(
            params["q"],
            int(params.get("count", 20)),
            page=int(params.get("offset", 0)) + 1,
            allowed=re.findall(r"(?m)^\$site=(.+)$", params.get("goggles", "")),
            blocked=re.findall(r"(?m)^\$discard,site=(.+)$", params.get("goggles", "")),
        )
        query = {"original": params["q"], "more_results_available": bool(found), "spellcheck_off": False}
        rows = [self.row(hit, params) for hit in found]
        if received.path == "/res/v1/news/search":
            return Answer({"type": "news", "query": query, "results": rows}, headers=WINDOWS, price=PRICE)
        if received.path == "/res/v1/llm/context":
            return self.context(found)
        if received.path != "/res/v1/web/search":
            return Answer({"type": "ErrorResponse"}, 404)
        web = {"web": {"type": "search", "family_friendly": True, "results": rows}} if rows else {}
        return Answer(
            {"type": "search", "query": query, "mixed": {"type": "mixed", "main": []}, **web},
            headers=WINDOWS,
            price=PRICE,
        )

    def context(self, found: list[Hit]) -> Answer:
        """The passages of pages, and beside them what is known of each page."""
        rows = [{**hit.row(url="url", title="title"), "snippets": [hit.snippet, '{"table": []}']} for hit in found]
        about = {hit.url: {"title": hit.title, "age": ["a day", str(hit.published), "days ago"]} for hit in found}
        return Answer({"grounding": {"generic": rows, "map": []}, "sources": about}, headers=WINDOWS, price=PRICE)

    def row(self, hit: Hit, params: Mapping[str, str]) -> dict[str, Any]:
        """One result, with the entities and marks a real one carries."""
        description = escape(hit.snippet)
        if params.get("text_decorations", "true") == "true":
            description = description.replace("page", "<strong>page</strong>")
        extra = {"extra_snippets": [f"{escape(hit.snippet)} ({n})" for n in range(1, 6)]}
        return {
            "type": "search_result",
            "title": escape(hit.title),
            "url": hit.url,
            "description": description,
            "page_age": f"{hit.published}T09:12:00",
            "age": f"{hit.published:%B} {hit.published.day}, {hit.published.year}",
            "language": "en",
            "family_friendly": True,
            "meta_url": {"scheme": "https", "path": "\u203a page"},
            **(extra if params.get("extra_snippets") == "true" else {}),
        }
