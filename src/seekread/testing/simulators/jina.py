"""Jina's reader and search as they answer on the wire, on one port."""

from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import Blocked, QuotaExhausted, RateLimited, SuspiciousEmpty, Unauthorized
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

REFUSED_LANGUAGES = frozenset({"zh", "he", "jv", "nb", "fil", "en-us", "en-gb", "de-at", "fr-ca", "xx"})
"""Codes people send that are not on the service's list, on which Google's older spellings stand."""


def refusal(http: int, status: int, name: str, message: str, **more: Any) -> Fault:
    """An error in Jina's envelope."""
    envelope = {"data": None, "code": http, "status": status, "name": name, "message": message}
    return Fault(http, {**envelope, "readableMessage": f"{name}: {message}", **more})


PRICE = 5e-8
"""Dollars a token."""


class JinaSimulator(Simulator):
    """POST reads an address, with or without a key; GET searches, with one."""

    name = "jina"
    url_variable = "SEEKREAD_JINA_BASE_URL"
    key_variable = "JINA_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, 40103, "AuthenticationRequiredError", "Invalid API key"), Unauthorized),
        "no tokens": Refusal(refusal(402, 40203, "InsufficientBalanceError", "Balance is not enough"), QuotaExhausted),
        "too fast": Refusal(refusal(429, 42903, "RateLimitTriggeredError", "Slow down", retryAfter=20), RateLimited),
        "closed site": Refusal(refusal(451, 45102, "SecurityCompromiseError", "Anonymous access blocked"), Blocked),
        "failed search": Refusal(refusal(422, 42206, "AssertionFailureError", "Failed to search"), SuspiciousEmpty),
    }

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "search_url": self.base_url}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "SEEKREAD_JINA_SEARCH_URL": self.base_url}

    def reply(self, received: Received) -> Answer:
        bearer = received.headers.get("authorization")
        if bearer not in {f"Bearer {self.key}", None} or (bearer is None and received.method == "GET"):
            return self.refused("wrong key")
        if received.method == "POST":
            price = PRICE if bearer else 0.0
            return self.read(received.json["url"], received.headers.get("accept", "*/*"), price)
        params = received.params
        if params.get("hl") in REFUSED_LANGUAGES:
            return refusal(400, 40001, "ParamValidationError", "hl: not one of the languages").applied(Answer())
        allowed = [params["site"]] if "site" in params else []
        found = hits(params["q"], int(params.get("num", 10)), page=int(params.get("page", 1)), allowed=allowed)
        if not found:
            nothing = "No search results available for query"
            return refusal(422, 42206, "AssertionFailureError", nothing).applied(Answer())
        rows = [
            {"title": hit.title, "url": hit.url, "description": hit.snippet, "date": str(hit.published), "content": ""}
            for hit in found
        ]
        tokens = 50_000 if params.get("type") == "news" else 10_000
        told = {"code": 200, "status": 20000, "data": rows, "meta": {"usage": {"tokens": tokens}}}
        return Answer(told, price=tokens * PRICE)

    def read(self, url: str, accept: str, price: float) -> Answer:
        """A page as Markdown; an address with the magic word is a page that answered 404."""
        warning = {"warning": "Target URL returned error 404: Not Found"} if NOTHING in url else {}
        text = f"# Page\n\nText of {url}"
        if accept != "application/json":
            return Answer(f"Title: Page\n\nURL Source: {url}\n\nMarkdown Content:\n{text}", content_type="text/plain")
        page = {"title": f"Page {url}", "url": url, "content": text, "usage": {"tokens": 9}, **warning}
        return Answer({"code": 200, "status": 20000, "data": page, "meta": {}}, price=9 * price)
