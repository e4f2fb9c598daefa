"""
The two verbs as tools for any framework: a name, a description, a schema and a call that never raises.

    for tool in tools(web):
        offered.append(tool.schema("anthropic"))
    …
    result = await tool.call({"query": "solid state battery"})
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from seekread.arguments import read_arguments
from seekread.errors import AllFailed, InvalidQuery, SeekreadError
from seekread.models import Page, SearchResponse
from seekread.options import QUESTION
from seekread.outcomes import MEANINGS
from seekread.redact import redact
from seekread.render.failure import explain, explain_page, outcome_of
from seekread.render.pages import page_text
from seekread.render.results import results_text, with_notes
from seekread.toolkit import schema

SEARCH = "Search the web: titles, addresses and snippets, numbered for citing. Read a page with open_page if needed."
OPEN = "Read a web page as Markdown. Long pages come in parts; go on with the offset given at the end of a part."
LENGTH_NAMES = {"max_chars": "max_length", "max_length_per_page": "max_length"}
MOST_PAGES = 10


class Web(Protocol):
    """What the tools need: `Seekread`, or anything like it."""

    async def search(self, query: str, /, **options: Any) -> SearchResponse: ...

    async def open_page(self, url: str, /, **options: Any) -> Page: ...


@dataclass(frozen=True)
class ToolResult:
    """What a call brought: text for the model, the same as plain values, and whether it is an error."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], Awaitable[ToolResult]] = field(repr=False)

    def schema(self, shape: schema.SchemaShape = "openai") -> dict[str, Any]:
        """The definition as a vendor or protocol wants it."""
        if shape not in schema.SHAPES:
            raise InvalidQuery(f"shape must be one of {', '.join(schema.SHAPES)}, not {shape!r}")
        return schema.SHAPES[shape](self.name, self.description, self.parameters)

    async def call(self, args: Any) -> ToolResult:
        """Call it. Whatever goes wrong is told in the result."""
        try:
            if not isinstance(args, Mapping):
                return ToolResult("Error: the arguments must be an object", is_error=True)
            return await self.run({name: value for name, value in args.items() if value is not None})
        except SeekreadError as error:
            return ToolResult(f"Error: {explain(error)}", failure_data(error), is_error=True)
        except Exception as error:  # noqa: BLE001 - a tool call is the edge of the process
            return ToolResult(f"Error: {redact(f'{type(error).__name__}: {error}')}", is_error=True)


class ToolsetWeb:
    """The `Seekread` behind the tools: the caller's, or one of their own, made when the first call needs it."""

    def __init__(self, web: Any = None) -> None:
        self._web = web
        self._own = web is None

    def __call__(self) -> Any:
        if self._web is None:
            from seekread.client import Seekread

            self._web = Seekread()
        return self._web

    async def close(self) -> None:
        """Release connections, unless they are the caller's."""
        if self._own and self._web is not None:
            await self._web.close()
            self._web = None


class Toolset(tuple[Tool, ...]):  # noqa: SLOT001 - it carries its web
    """The tools, and with `close` the connections of a `Seekread` of their own."""

    web: ToolsetWeb

    async def close(self) -> None:
        """Release connections."""
        await self.web.close()


def tools(web: Any = None) -> Toolset:
    """The two tools over a `Seekread`; without one, over one of their own with the settings of the environment."""
    behind = ToolsetWeb(web)

    async def search(args: Mapping[str, Any]) -> ToolResult:
        return await call_search(behind, args)

    async def open_page(args: Mapping[str, Any]) -> ToolResult:
        return await call_open_page(behind, args)

    made = Toolset(
        (
            Tool("web_search", SEARCH, schema.WEB_SEARCH, search),
            Tool("open_page", OPEN, schema.OPEN_PAGE, open_page),
        )
    )
    made.web = behind
    return made


async def call_search(web: Callable[[], Web], args: Mapping[str, Any]) -> ToolResult:
    """Search with the arguments of a call; the names models use for them elsewhere are understood."""
    named = read_arguments(args, QUESTION)
    response = await web().search(named.pop("query"), **named)
    text = with_notes(results_text(response), response.notes)
    if not response.results:
        text = f"{text}\n\n{MEANINGS['empty'].advice}"
    return ToolResult(text, response.model_dump(mode="json"))


async def call_open_page(web: Callable[[], Web], args: Mapping[str, Any]) -> ToolResult:
    """Read one page, or several one after another."""
    given = dict(args)
    urls = given.pop("urls", None)
    if "url" not in given and urls:
        return await open_several(web, [urls] if isinstance(urls, str) else urls, given)
    options = rename(given, LENGTH_NAMES, schema.OPEN_PAGE)
    url = options.pop("url", None)
    if not isinstance(url, str) or not url.strip():
        raise InvalidQuery("url is required: send the address of the page to read")
    page = await web().open_page(url.strip(), **checked(options))
    if page.success:
        return ToolResult(page_text(page), page.model_dump(mode="json"))
    return ToolResult(f"Error: {explain_page(page)}", page.model_dump(mode="json"), is_error=True)


async def open_several(web: Callable[[], Web], urls: Sequence[Any], options: Mapping[str, Any]) -> ToolResult:
    """Several pages in one result; it is an error only when none could be read."""
    if len(urls) > MOST_PAGES:
        raise InvalidQuery(f"{len(urls)} addresses are too many; send at most {MOST_PAGES}")
    results = [await attempt(web, {**options, "url": url}) for url in dict.fromkeys(urls)]
    return ToolResult(
        "\n\n".join(result.text for result in results),
        {"pages": [result.data for result in results]},
        is_error=all(result.is_error for result in results),
    )


async def attempt(web: Callable[[], Web], args: Mapping[str, Any]) -> ToolResult:
    try:
        return await call_open_page(web, args)
    except SeekreadError as error:
        text = f"Error: {args['url']}: {explain(error)}"
        return ToolResult(text, {"url": args["url"], **failure_data(error)}, is_error=True)


def rename(args: Mapping[str, Any], aliases: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments under their own names; a name nobody knows is a mistake, not silence."""
    named = {aliases.get(name, name): value for name, value in args.items()}
    if unknown := named.keys() - known["properties"].keys():
        raise InvalidQuery(f"unknown argument {', '.join(sorted(unknown))}; known are {', '.join(known['properties'])}")
    return named


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as numbers, words as words."""
    numbers = {name for name, field in schema.OPEN_PAGE["properties"].items() if field["type"] == "integer"}
    return {name: whole_number(name, value) if name in numbers else str(value) for name, value in options.items()}


def whole_number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip().lstrip("-").isdecimal():
        raise InvalidQuery(f"{name} must be a whole number, not {value!r}")
    return int(value)


def failure_data(error: SeekreadError) -> dict[str, Any]:
    """A failure as plain values."""
    attempts = [a.model_dump(mode="json") for a in error.response.attempts] if isinstance(error, AllFailed) else []
    return {"error": str(error), "outcome": outcome_of(error), "attempts": attempts}
