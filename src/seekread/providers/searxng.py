"""
SearXNG: a metasearch engine people run themselves.

Reference: https://docs.searxng.org/dev/search_api.html
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

from seekread.provider import (
    BadReply,
    Call,
    Found,
    KnownAnswer,
    NotConfigured,
    ProviderError,
    Query,
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    SuspiciousEmpty,
    Unauthorized,
    Wish,
    setting,
)
from seekread.providers.known_answers import ON_THE_WEB

SAFE_SEARCH = {"off": 0, "moderate": 1, "strict": 2}


@dataclass(frozen=True)
class SearXNG:
    """Search through a SearXNG instance whose `search.formats` includes `json`."""

    base_url: str = setting(
        env=("SEARXNG_URL", "SEARXNG_BASE_URL", "SEARXNG_INSTANCE_URL"), about="Address of the instance."
    )
    api_key: SecretStr | None = setting(
        None, env="SEARXNG_API_KEY", about="Token for a proxy in front of the instance, if there is one."
    )
    engines: str | None = setting(None, about="Engines to ask, separated by commas; the instance decides otherwise.")

    name: ClassVar[str] = "searxng"
    label: ClassVar[str] = "SearXNG"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    self_hosted: ClassVar[bool] = True
    # The API has no count: a page is what the engines bring, and the engine pages on.
    max_results: ClassVar[int] = 50
    page_size: ClassVar[int | None] = 10
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"freshness", "news", "language", "safe_search", "page"})

    def search(self, query: Query) -> Call[Found]:
        if "://" not in self.base_url:
            raise NotConfigured(f"SEARXNG_URL has no scheme: write http://{self.base_url}, or https:// before it")
        request = Request(
            "GET",
            f"{self.base_url.rstrip('/')}/search",
            params={
                "q": query.text,
                "format": "json",
                "categories": "news" if query.news else "general",
                "engines": self.engines,
                "language": locale(query),
                "time_range": query.freshness,
                "safesearch": SAFE_SEARCH[query.safe_search] if query.safe_search else None,
                "pageno": query.page if query.page > 1 else None,
            },
            # The instance's bot check wants a client that takes HTML, compression and a language.
            headers={
                "Accept": "application/json, text/html;q=0.9, */*;q=0.8",
                "Accept-Encoding": "gzip, deflate",
                "Accept-Language": query.language or "en",
                "Authorization": f"Bearer {self.api_key.get_secret_value()}" if self.api_key else None,
            },
        )
        return Call(request, parse_results, partial(explain, base_url=self.base_url))


def locale(query: Query) -> str | None:
    """A language, with the country where both are known; any other spelling is refused by the instance."""
    if not query.language:
        return None
    language, _, region = query.language.partition("-")
    region = region if len(region) == 2 else query.country or ""
    return f"{language.lower()}-{region.upper()}" if region else language.lower()


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    match data:
        case {"results": [*rows]}:
            silent = [f"{engine[0]} ({engine[1]})" for engine in data.get("unresponsive_engines") or ()]
        case _:
            raise ValueError("no list of results")
    results = [result(row) for row in rows if row["url"]]
    if not results and (rows or silent):
        raise SuspiciousEmpty(f"no engine could answer: {', '.join(silent) or 'no result carries an address'}")
    notes = (f"engines that did not answer: {', '.join(silent)}",) if silent else ()
    return Found(results, answer=answer(data), notes=notes)


def result(row: Mapping[str, Any]) -> SearchResult:
    return SearchResult(
        title=row["title"] or "",
        url=row["url"],
        snippet=row.get("content") or "",
        score=row.get("score"),
        published_date=row.get("publishedDate"),
    )


def answer(reply: Mapping[str, Any]) -> str | None:
    """The first answer in words. Older instances send text, newer ones objects, some kinds of which have none."""
    texts = [item.get("answer") if isinstance(item, dict) else item for item in reply.get("answers") or ()]
    texts += [box.get("content") for box in reply.get("infoboxes") or ()]
    return next((text for text in texts if isinstance(text, str) and text), None)


def explain(reply: Reply, *, base_url: str = "") -> ProviderError | None:
    match reply.status:
        case 404:
            return NotConfigured(f"status 404: there is no SearXNG at SEARXNG_URL; {repair(base_url)}")
        case 401 | 407:
            return Unauthorized(
                f"status {reply.status}: something before the instance wants a name and a password: write them into "
                "SEARXNG_URL, before the host and an @, or a token into SEARXNG_API_KEY"
            )
        case 403:
            return NotConfigured(
                "status 403: the instance does not allow JSON: add `json` to `search.formats` in its settings.yml "
                "(or, behind a proxy, check SEARXNG_API_KEY)"
            )
        case 429:
            return RateLimited(
                "status 429: the instance's limiter turned us away: set `server.limiter: false` or let us pass"
            )
        case 301 | 302 | 303 | 307 | 308:
            return BadReply(f"status {reply.status}: the instance redirected (a bot check or an external !!bang)")
        case 200 if reply.body.lstrip()[:1] == b"<":
            return BadReply(
                "the instance does not speak JSON: it answered with a web page; is SEARXNG_URL the address of SearXNG, "
                "and `json` among `search.formats` in its settings.yml?"
            )
    return None


def repair(base_url: str) -> str:
    """What to try instead of an address at which there is no instance."""
    address = urlsplit(base_url)
    origin = f"{address.scheme}://{address.hostname}{f':{address.port}' if address.port else ''}"
    path = address.path.rstrip("/")
    if path.endswith("/search"):
        return f"leave /search out: {origin}{path.removesuffix('/search')}"
    return f"try {origin} without {path}" if path else "does the instance live below a path, such as /searxng?"
