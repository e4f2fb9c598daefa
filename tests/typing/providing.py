"""How authors write a provider: what the kit takes and gives, with fields that are settings."""

from dataclasses import dataclass
from typing import ClassVar, assert_type

from seekread import Seekread, Tool, ToolResult, tools
from seekread.provider import (
    Call,
    Found,
    Job,
    Page,
    Query,
    ReadProvider,
    Reply,
    Request,
    SearchProvider,
    SearchResult,
    SecretStr,
    Traits,
    Wish,
    setting,
    traits,
)


@dataclass(frozen=True)
class Service:
    """A service with an API, that also reads."""

    api_key: SecretStr = setting(env="SERVICE_API_KEY", about="Your key.")
    base_url: str = setting("https://api.example/v1", about="Where the API answers.")

    name: ClassVar[str] = "service"
    honours: ClassVar[frozenset[Wish]] = frozenset({"freshness", "page"})

    def search(self, query: Query) -> Call[list[SearchResult]]:
        assert_type(query.text, str)
        assert_type(query.limit, int)
        assert_type(query.allowed_domains, tuple[str, ...])
        assert_type(self.api_key.get_secret_value(), str)
        request = Request("GET", self.base_url, params={"q": query.text, "since": query.freshness, "n": query.limit})
        return Call(request, results)

    def read(self, url: str) -> Job[Page]:
        async def run() -> Page:
            return Page(url=url, content="Words.")

        return Job(run)


def results(reply: Reply) -> list[SearchResult]:
    assert_type(reply.status, int)
    assert_type(reply.text(), str)
    return [SearchResult(title="Tea", url="https://example.org/")]


class Plain:
    """The contracts' own shape."""

    name = "plain"

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        return [SearchResult(title=query, url="https://example.org/")][:limit]


def wordy(_reply: Reply) -> list[str]:
    return []


def providing(web: Seekread) -> None:
    searcher: SearchProvider = Service(SecretStr("k"))
    reader: ReadProvider = Service(SecretStr("k"))
    assert_type(traits(searcher), Traits)
    assert_type(Found([]).notes, tuple[str, ...])
    web.register(searcher, default=True)
    web.register(reader)
    web.register(Plain())


def providing_wrongly() -> None:
    Service("k")  # type: ignore[arg-type]
    Service(key=SecretStr("k"))  # type: ignore[call-arg]
    searcher: SearchProvider = Plain()  # type: ignore[assignment]
    wrong: Call[list[SearchResult]] = Call(Request("GET", "https://example.org/"), wordy)  # type: ignore[arg-type]
    SearchResult(title="Tea", url=None)  # type: ignore[arg-type]
    Request("GET", 5)  # type: ignore[arg-type]
    frozenset[Wish]({"freshnes"})  # type: ignore[arg-type]
    del searcher, wrong


async def offering(web: Seekread) -> None:
    for tool in tools(web, max_tokens=4_000):
        assert_type(tool, Tool)
        answer = await tool.call({"query": "tea"})
        assert_type(answer, ToolResult)
        assert_type(answer.text, str)
        assert_type(answer.is_error, bool)
        tool.schema("gemini")  # type: ignore[arg-type]
