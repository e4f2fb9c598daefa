"""
Any MCP server as a provider: its search tool, and its tool that fetches a page.

    [providers.mcp]
    base_url = "https://mcp.acme.example/mcp"
    tool = "web_search"

    [providers.mcp.arguments]
    query = "{query}"
    num_results = "{limit}"
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

from seekread.errors import Misconfigured
from seekread.provider import (
    Call,
    Cost,
    Found,
    Job,
    KnownAnswer,
    Mistake,
    NotConfigured,
    Page,
    Query,
    SecretStr,
    Unreadable,
    Wish,
    given,
    setting,
)
from seekread.providers.described import described_results, unknown_field
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.mcp_answers import data_of, text_results
from seekread.providers.mcp_calls import McpCall
from seekread.providers.templates import filled, passed_on, unknown_place, unmet_by, values_of

ARGUMENTS = {"query": "{query}"}
HEADERS = {"Authorization": "Bearer {key}"}
URL = "{url}"

T = TypeVar("T")


@dataclass(frozen=True)
class McpServer:
    """Search, and read where `fetch_tool` is set, with the tools of an MCP server that the settings name."""

    tool: str = setting(about="The tool that searches.")
    base_url: str | None = setting(None, about="Address of a server that speaks streamable HTTP.")
    command: tuple[str, ...] = setting((), about="Or the command that starts a server on this machine.")
    api_key: SecretStr | None = setting(None, env="MCP_SERVER_API_KEY", about="The key that {key} stands for.")
    arguments: Mapping[str, Any] | None = setting(
        None, about='What the tool is given: texts with {query}, {limit}, …; query = "{query}" unless set.'
    )
    headers: Mapping[str, str] | None = setting(
        None, about='Headers that are sent; Authorization = "Bearer {key}" unless set.'
    )
    results: str = setting("results", about="Where the list of results stands in what the tool answers.")
    fields: Mapping[str, str] | None = setting(None, about="What the fields of a result are called there.")
    fetch_tool: str = setting("", about="The tool that reads a page.")
    fetch_arguments: Mapping[str, Any] | None = setting(
        None, about='What that tool is given; url = "{url}" unless set.'
    )
    price: float = setting(0.0, about="Dollars that a call costs.")
    max_results: int = setting(10, about="Most results of one search.")
    label: str = setting("an MCP server", about="Its name for people.")

    name: ClassVar[str] = "mcp"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    honours: ClassVar[frozenset[Wish]] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a description that makes no sense, and honour what it passes on."""
        if wrong := self.mistake_in(vars(self)):
            raise Misconfigured(f"mcp: {'.'.join(wrong.place)} {wrong.sentence}")
        object.__setattr__(self, "honours", passed_on(self.arguments))

    @staticmethod
    def mistake_in(table: Mapping[str, Any]) -> Mistake | None:
        """What is wrong with a description, and where."""
        for part in ("arguments", "headers"):
            for name, template in (table.get(part) or {}).items():
                if wrong := unknown_place(template):
                    return Mistake((part, name), wrong)
        if field := unknown_field(table.get("fields") or {}):
            return Mistake(("fields", field), "is no field of a result")
        if bool(table.get("base_url")) == bool(table.get("command")):
            return Mistake((), "needs either base_url or command")
        return None

    def search(self, query: Query) -> Call[Found] | Job[Found]:
        values = values_of(query, self.api_key, {})
        arguments = given(filled(self.arguments or ARGUMENTS, values))
        return self._call(self.tool, arguments, partial(self._found, unmet=unmet_by(query, values) & self.honours))

    def read(self, url: str) -> Call[Page] | Job[Page]:
        if not self.fetch_tool:
            raise NotConfigured("mcp needs fetch_tool to read a page: name the tool under [providers.mcp]")
        wanted = {**({"url": URL} if self.fetch_arguments is None else self.fetch_arguments)}
        arguments = {
            name: [url] if value == [URL] else url if value == URL else value for name, value in wanted.items()
        }
        return self._call(self.fetch_tool, arguments, partial(read_page, url=url))

    def _call(
        self, tool: str, arguments: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]
    ) -> Call[T] | Job[T]:
        cost = Cost(dollars=self.price)
        if self.command:
            from seekread.providers.mcp_command import called

            return Job(partial(called, self.command, tool, arguments, read), cost)
        values = {"key": self.api_key}
        headers = given(filled(HEADERS if self.headers is None else self.headers, values))
        return McpCall(self.base_url or "", headers, tool, arguments, read, cost).call()

    def _found(self, answer: Mapping[str, Any], *, unmet: frozenset[Wish]) -> Found:
        data = data_of(answer)
        rows = text_results(data) if isinstance(data, str) else described_results(data, self.results, self.fields or {})
        return Found(rows, unmet=unmet)


CONTENT = ("content", "markdown", "full_content", "text")
"""What tools call the text of a page."""


def read_page(answer: Mapping[str, Any], *, url: str) -> Page:
    data = data_of(answer)
    page = data if isinstance(data, dict) else {"content": data}
    row = rows_at(data, "results")[0] if "results" in page else page
    content = next((row[name] for name in CONTENT if row.get(name)), "")
    if not content.strip():
        raise Unreadable("suspicious_empty", "the tool found no text on the page")
    return Page(url=url, title=row.get("title") or "", content=content, reader="mcp")
