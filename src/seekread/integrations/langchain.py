"""LangChain and LangGraph (install seekread[langchain]): the tools, a retriever of evidence and a loader of pages."""

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pydantic import Field, PrivateAttr

from seekread.errors import Unreadable
from seekread.integrations.optional import needs
from seekread.models import Page
from seekread.sync import portal
from seekread.toolkit.tools import Tool, tools
from seekread.toolkit.web import LazyWeb

with needs("seekread[langchain]"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool, ToolException

if TYPE_CHECKING:
    from seekread.gathering.evidence import Gathered

log = logging.getLogger(__name__)


def structured_tools(web: Any = None) -> list[BaseTool]:
    """`StructuredTool` objects, blocking and async: the text goes to the model, the plain values are the artifact."""
    return [structured_tool(tool) for tool in tools(web)]


def structured_tool(tool: Tool) -> BaseTool:
    """One tool as LangChain's own; a failed call is a tool error there."""

    async def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = await tool.call(arguments)
        if result.is_error:
            raise ToolException(result.text)
        return result.text, result.data

    def wait(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return portal.call(lambda: run(**arguments))

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=deepcopy(dict(tool.parameters)),
        func=wait,
        coroutine=run,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


class SeekreadRetriever(BaseRetriever):
    """
    The passages that answer a question, from the best pages of the web, as documents with their sources.

    Nothing found is an empty list; a failure is raised.

    web: a `Seekread` of yours; without one, one with the settings of the environment
    budget: characters of all passages together
    pages: how many results are read
    options: what else `web.gather` takes
    """

    web: Any = None
    budget: int = 2000
    pages: int = 5
    options: dict[str, Any] = Field(default_factory=dict)

    _behind: LazyWeb = PrivateAttr()

    def model_post_init(self, _context: Any, /) -> None:
        """Find the web behind it."""
        self._behind = LazyWeb(self.web)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - the framework's signature
        return portal.call(lambda: self._documents(query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - the same
    ) -> list[Document]:
        return await self._documents(query)

    async def _documents(self, query: str) -> list[Document]:
        return passages(await self._behind().gather(query, budget=self.budget, pages=self.pages, **self.options))


def passages(found: "Gathered") -> list[Document]:
    """Every passage as a document, the best first."""
    sources = {source.number: source.model_dump(mode="json") for source in found.sources}
    return [
        Document(
            page_content=each.text,
            metadata={
                **sources[each.source],
                **each.model_dump(include={"heading", "offset", "end", "score", "link"}),
                "source": sources[each.source]["url"],
            },
        )
        for each in found.passages
    ]


class SeekreadLoader(BaseLoader):
    """
    Pages as documents, whole and as Markdown.

    web: a `Seekread` of yours; without one, one with the settings of the environment
    skip_failed: leave out what cannot be read, with a warning in the log, instead of raising `Unreadable`
    """

    def __init__(self, urls: str | Sequence[str], *, web: Any = None, skip_failed: bool = False) -> None:
        self._urls = (urls,) if isinstance(urls, str) else tuple(urls)
        self._web = LazyWeb(web)
        self._skip_failed = skip_failed

    def lazy_load(self) -> Iterator[Document]:
        """Read one page after the other, and wait for each."""
        for url in self._urls:
            yield from portal.call(lambda url=url: self._read(url))  # type: ignore[misc]

    async def alazy_load(self) -> AsyncIterator[Document]:
        """Read one page after the other."""
        for url in self._urls:
            for document in await self._read(url):
                yield document

    async def _read(self, url: str) -> list[Document]:
        from seekread.client import WHOLE

        page = await self._web().open_page(url, max_length=WHOLE)
        if page.success:
            return [Document(page_content=page.content, metadata=facts(page))]
        if not self._skip_failed:
            raise Unreadable(page.outcome, page.error or page.outcome, status=page.status)
        log.warning("%s was left out: %s", page.url, page.error)
        return []


def facts(page: Page) -> dict[str, Any]:
    """What is known about a page beside its text."""
    known = page.model_dump(include={"title", "snapshot", "sha256", "fetched_at", "content_type"})
    return {**page.metadata, **known, "source": page.final_url or page.url}
