"""squidbot's `fetch_url` over our own reader: the host's arguments and defaults, our guard before every address."""

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

import anyio

from seekread.arguments import sent_value
from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import SeekreadError
from seekread.extraction.charset import decode
from seekread.extraction.sniff import media_type_of
from seekread.integrations.squidbot.tools import SquidbotToolDefinition, SquidbotToolResult, failed, number_or_default
from seekread.models import Page
from seekread.options import OPEN
from seekread.redact import redact
from seekread.render.failure import explain, explain_page
from seekread.render.pages import page_text
from seekread.toolkit.web import LazyWeb

NUMBERS = {
    "timeout_seconds": (20, "Seconds to wait for the page (default: 20)."),
    "max_bytes": (524_288, "Most bytes of the page that are used (default: 524288)."),
    "max_chars": (8_000, "Most characters to return (default: 8000)."),
    "offset": (0, "Where to go on in a long page (default: 0)."),
}
"""The arguments that are numbers, with the host's defaults; `offset` is ours."""
FORMATS = ["text", "html"]


class OpenPage(Protocol):
    """Reads a page: what `Seekread.open_page` does."""

    def __call__(self, url: str, *, max_length: int | None = None, offset: int = 0) -> Awaitable[Page]: ...


class FetchUrlTool:
    """Read one page: its main content as Markdown, or its source."""

    name = "fetch_url"
    description = "Read a web page. Returns its title and main content as Markdown, or its HTML."

    def __init__(self, *, open_page: OpenPage | None = None) -> None:
        """`open_page` replaces our own reader."""
        about = {name: {"type": "integer", "description": d, "default": n} for name, (n, d) in NUMBERS.items()}
        self.parameters: dict[str, Any] = {
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "The address of the page, http or https."},
                **about,
                "format": {"type": "string", "enum": FORMATS, "description": "As Markdown or HTML.", "default": "text"},
            },
            "required": ["url"],
        }
        self._open_page = open_page
        self._web = LazyWeb()

    def to_definition(self) -> SquidbotToolDefinition:
        """How this tool is described to a model."""
        return SquidbotToolDefinition(self.name, self.description, self.parameters)

    async def execute(self, **kwargs: Any) -> SquidbotToolResult:
        """Read. Whatever happens is told in the result."""
        url, form, numbers = kwargs.get("url"), kwargs.get("format") or "text", numbers_in(kwargs)
        if not isinstance(url, str) or not url.strip():
            return failed("Error: url is required")
        if form not in FORMATS:
            return failed("Error: format must be 'text' or 'html'")
        try:
            with anyio.fail_after(numbers["timeout_seconds"]):
                return await (self._source if form == "html" else self._text)(url.strip(), numbers)
        except TimeoutError:
            return failed(f"Fetch failed: timeout after {numbers['timeout_seconds']} s")
        except SeekreadError as error:
            return failed(f"Fetch failed: {explain(error)}")
        except Exception as error:  # noqa: BLE001 - the host does not catch what a tool raises
            return failed(f"Fetch failed: {redact(f'{type(error).__name__}: {error}')}")

    async def _text(self, url: str, numbers: Mapping[str, int]) -> SquidbotToolResult:
        """The main content. A character has at least one byte, so no more of them are asked for than bytes."""
        open_page: OpenPage = self._open_page or self._web().open_page
        length = min(numbers["max_chars"], numbers["max_bytes"])
        page = await open_page(url, max_length=length, offset=numbers["offset"])
        if not page.success:
            return failed(f"Fetch failed: {explain_page(page)}")
        return SquidbotToolResult("", page_text(page, fenced=True))

    async def _source(self, url: str, numbers: Mapping[str, int]) -> SquidbotToolResult:
        """The source of a page, through the same guard."""
        parts = compose(load())
        try:
            parts.outgoing.check(url, "url")
            fetched = await parts.fetcher.fetch(url)
        finally:
            await parts.close()
        media = media_type_of(fetched.content_type)
        if not media.startswith("text/") and media != "application/xhtml+xml":
            return failed(f"Error: unsupported content-type {media or 'unknown'!r}")
        text = decode(fetched.body[: numbers["max_bytes"]], fetched.content_type).text
        return SquidbotToolResult("", text[numbers["offset"] :][: numbers["max_chars"]])

    async def close(self) -> None:
        """Release connections."""
        await self._web.close()


def numbers_in(arguments: Mapping[str, Any]) -> dict[str, int]:
    """The numbers a model sent; what is none means the default, and nothing is bounded by less than 1."""
    given = {**arguments, "max_chars": sent_value(arguments, OPEN["max_length"])}
    return {name: max(number_or_default(given.get(name), n), min(n, 1)) for name, (n, _) in NUMBERS.items()}
