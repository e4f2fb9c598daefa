"""What a cloud reader or a search engine made of a page, treated like any Markdown from the web."""

from seekread.late import dataclass
from seekread.models import Page
from seekread.readers.builtin.workers import Workers

MARKDOWN = "text/markdown; charset=utf-8"


@dataclass(frozen=True)
class Wash:
    """Reads a foreign reader's Markdown in a worker process, as if a server had sent it."""

    workers: Workers

    async def __call__(self, page: Page) -> Page:
        extracted = await self.workers.read(page.content.encode("utf-8", "replace"), MARKDOWN, page.url)
        return page.model_copy(
            update={
                "content": extracted.markdown,
                "title": page.title or extracted.title,
                "links": page.links or extracted.links,
                "signals": (*page.signals, *extracted.signals),
            }
        )


@dataclass(frozen=True)
class TextWash:
    """The same for a text that belongs to no page of ours yet."""

    workers: Workers

    async def __call__(self, text: str) -> str:
        return (await self.workers.read(text.encode("utf-8", "replace"), MARKDOWN, "")).markdown
