"""
Wikipedia: facts about things that have a name. No key; the language is a host name.

Reference: https://www.mediawiki.org/wiki/API:Search
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar
from urllib.parse import quote

from seekread.provider import (
    BadReply,
    Call,
    Found,
    KnownAnswer,
    ProviderError,
    Query,
    RateLimited,
    Reply,
    Request,
    Scope,
    SearchResult,
    Unreachable,
    Wish,
    setting,
)


@dataclass(frozen=True)
class Wikipedia:
    """Search Wikipedia, or any other MediaWiki whose address is given."""

    base_url: str = setting(
        "https://{language}.wikipedia.org",
        about="Address of the wiki; {language} stands for the language of the query.",
    )
    language: str = setting("en", about="Language of a query that names none.")
    contact: str | None = setting(None, about="Address or mail of yours, as Wikimedia likes it from its clients.")

    name: ClassVar[str] = "wikipedia"
    label: ClassVar[str] = "Wikipedia"
    # No site: the wiki may be another one.
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("history"),)
    scope: ClassVar[Scope] = "corpus"
    max_results: ClassVar[int] = 50
    max_query: ClassVar[int] = 300
    honours: ClassVar[frozenset[Wish]] = frozenset({"language", "page"})
    caveat: ClassVar[str] = "an encyclopedia, not the web; texts are CC BY-SA"

    def search(self, query: Query) -> Call[Found]:
        language = (query.language or self.language).lower().split("-")[0]
        # The language becomes part of a host name.
        host = self.base_url.replace("{language}", language if is_language(language) else "en")
        request = Request(
            "GET",
            f"{host}/w/api.php",
            params={
                "action": "query",
                "list": "search",
                "format": "json",
                "formatversion": 2,
                "srsearch": query.text,
                "srlimit": query.limit,
                "sroffset": (query.page - 1) * query.limit or None,
                "srprop": "snippet|timestamp",
                "uselang": language,
            },
            headers={
                # Wikimedia turns nameless clients away; the engine's own name will do without a contact.
                "User-Agent": self.contact and f"seekread ({self.contact})",
                "Accept-Encoding": "gzip",
            },
        )
        spoken = "{language}" in self.base_url and is_language(language)
        unmet: frozenset[Wish] = frozenset({"language"}) if query.language and not spoken else frozenset()
        return Call(request, partial(parse_results, host=host, unmet=unmet), explain)


def is_language(code: str) -> bool:
    return code.isascii() and code.isalpha()


def parse_results(reply: Reply, *, host: str, unmet: frozenset[Wish] = frozenset()) -> Found:
    data = reply.json()
    match data:
        case {"query": {"search": [*rows]}}:
            pass
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"],
            url=f"{host}/wiki/" + quote(row["title"].replace(" ", "_"), safe="/:(),'!"),
            snippet=row.get("snippet") or "",
            # An article has a last edit, not a publication date.
            flags=(f"last edited {row['timestamp'][:10]}",) if row.get("timestamp") else (),
        )
        for row in rows
    ]
    suggestion = (data["query"].get("searchinfo") or {}).get("suggestion")
    notes = ["this wiki is not searched by language"] if unmet else []
    notes += [f"Wikipedia suggests {suggestion!r}"] if suggestion and not results else []
    return Found(results, notes=tuple(notes), unmet=unmet)


def explain(reply: Reply) -> ProviderError | None:
    """An error comes with status 200 and a code of its own."""
    if reply.status != 200 or not reply.body.lstrip().startswith(b'{"error"'):
        return None
    match reply.json():
        case {"error": {"code": "ratelimited" | "maxlag" | "cirrussearch-too-busy-error" as code}}:
            return RateLimited(str(code))
        case {"error": {"code": str(code)}} if code.startswith("internal_api_error") or code == "readonly":
            return Unreachable(code)
        case {"error": {"code": str(code), **rest}}:
            return BadReply(f"{code}: {rest.get('info', '')}")
    return None
