"""
The handlers of the protocol: what is offered and what comes back, in the official SDK's types.

Whatever goes wrong in a tool is a result a model can read; only a tool, prompt or page that does not exist is an error
of the protocol.

Clients wait for the list of tools before anything else, and many conversations call none: what only a call needs is
imported by the first.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from seekread.errors import InvalidQuery, Unreadable
from seekread.toolkit.answer import Budget
from seekread.toolkit.definitions import TOOLS, ToolDefinition, ToolNames
from seekread.toolkit.guidance import PROMPTS, Instruction
from seekread.toolkit.schema import ANNOTATIONS

if TYPE_CHECKING:
    from seekread.client import Seekread
    from seekread.models import Page

Context = ServerRequestContext[Any, Any]

SCHEME = "page://"
LISTED = 50
"""Pages read in a session that are listed as resources."""
LONGEST_NAME = 80
"""Characters of a title in that list."""
LARGEST = 400_000
"""Bytes of a page handed out as a resource; clients give up at a mebibyte."""
USER_URLS = "seekread/user_urls"
"""Where a host says in `_meta` of a call which addresses the user gave; a model writes arguments only."""
BEAT = 2.0
"""Seconds between two signs of life of a slow call."""


class Agents:
    """The handlers of the protocol over one `Seekread`, which is made when a tool first needs it."""

    def __init__(
        self,
        web: Callable[[], "Seekread"],
        *,
        names: ToolNames,
        budget: Budget,
        beat: float = BEAT,
        list_pages: Callable[[], bool] = lambda: True,
    ) -> None:
        self._web = web
        self._names = names
        self._budget = budget
        self._beat = beat
        self._list_pages = list_pages
        self._pages: OrderedDict[str, Page] = OrderedDict()
        self.under_way = 0
        """Calls that are not answered yet."""

    async def list_tools(self, _context: Context, _params: Any) -> types.ListToolsResult:
        """The tools, all of which only read."""
        return types.ListToolsResult(tools=[self._tool(tool) for tool in TOOLS])

    def _tool(self, tool: ToolDefinition) -> types.Tool:
        return types.Tool(
            name=self._names.of(tool),
            title=tool.title,
            description=self._names.written(tool.description),
            input_schema=tool.parameters,
            output_schema=dict(tool.gives),
            annotations=types.ToolAnnotations.model_validate(ANNOTATIONS),
        )

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool, with signs of life while it takes long."""
        tool = self._names.find(params.name)
        if tool is None:
            known = ", ".join(self._names.of(each) for each in TOOLS)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}; there are {known}")
        from seekread.toolkit.calls import call_tool

        def web() -> "Seekread":
            found = self._web()
            found.trust(*given_by_user(params.meta))
            return found

        self.under_way += 1
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._signs_of_life, context, tool.slow)
                answer = await call_tool(tool.name, web, params.arguments or {}, self._budget)
                group.cancel_scope.cancel()
        finally:
            self.under_way -= 1
        for page in answer.pages:
            self._remember(page)
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=answer.text)]
        if answer.failed:
            return types.CallToolResult(content=content, is_error=True)
        return types.CallToolResult(content=content, structured_content=dict(answer.values))

    async def _signs_of_life(self, context: Context, doing: str) -> None:
        seconds = 0.0
        while True:
            await anyio.sleep(self._beat)
            seconds += self._beat
            await context.session.report_progress(seconds, message=f"{doing} for {seconds:.0f} s")

    async def list_prompts(self, _context: Context, _params: Any) -> types.ListPromptsResult:
        """The instructions a host may add to a conversation."""
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(name=prompt.name, description=prompt.description, arguments=arguments_of(prompt))
                for prompt in PROMPTS
            ]
        )

    async def get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """One instruction, with what was sent for it."""
        prompt = next((prompt for prompt in PROMPTS if prompt.name == params.name), None)
        if prompt is None:
            known = ", ".join(each.name for each in PROMPTS)
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}; there are {known}")
        try:
            text = prompt.written(params.arguments or {})
        except InvalidQuery as error:
            from seekread.render.failure import explain

            raise MCPError(types.INVALID_PARAMS, explain(error)) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(
            description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
        )

    async def list_resources(self, _context: Context, _params: Any) -> types.ListResourcesResult:
        """The pages read last in this session."""
        from seekread.page.fence import untrusted
        from seekread.page.gate import shown_address, unspoken
        from seekread.render.inline import shortened
        from seekread.render.pages import source_of_page

        resources = []
        for handle, page in reversed(self._pages.items() if self._list_pages() else ()):
            # A list has no room for a fence, so what the page calls itself is short, and told for what it is.
            name = unspoken(shortened(page.title, LONGEST_NAME)) or shown_address(page.url)
            about = untrusted(source_of_page(page))
            resources.append(
                types.Resource(uri=f"{SCHEME}{handle}", name=name, description=about, mime_type="text/markdown")
            )
        return types.ListResourcesResult(resources=resources)

    async def list_templates(self, _context: Context, _params: Any) -> types.ListResourceTemplatesResult:
        """How any page that was read is addressed."""
        template = types.ResourceTemplate(
            uri_template=f"{SCHEME}{{id}}",
            name="page",
            description="A page that was read, whole, by its snapshot handle.",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """A page that was read, whole."""
        from seekread.page.fence import fence
        from seekread.render.failure import explain
        from seekread.render.pages import source_of_page

        uri = str(params.uri)
        try:
            snapshot = await self._web().snapshot(uri.removeprefix(SCHEME).strip("/"))
        except Unreadable as error:
            raise MCPError(types.INVALID_PARAMS, explain(error), {"uri": uri}) from None
        raw = snapshot.text.encode("utf-8", "replace")
        text = raw[:LARGEST].decode("utf-8", "ignore")
        told = fence(text, source=source_of_page(snapshot.page))
        if len(raw) > LARGEST:
            told += f"\n\n[Cut at {len(text)} of {len(snapshot.text)} characters; open_page reads on from any offset.]"
        contents = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=told)
        return types.ReadResourceResult(contents=[contents])

    def _remember(self, page: "Page") -> None:
        if not self._list_pages() or page.snapshot is None:
            return
        from seekread.models import Page

        # Only what the list shows is kept; the text stays in the store.
        self._pages[page.snapshot] = Page(url=page.url, final_url=page.final_url, title=page.title)
        self._pages.move_to_end(page.snapshot)
        while len(self._pages) > LISTED:
            self._pages.popitem(last=False)


def arguments_of(prompt: Instruction) -> list[types.PromptArgument]:
    """What can be sent for a prompt."""
    return [
        types.PromptArgument(name=name, description=option.sentence, required=bool(option.missing))
        for name, option in prompt.takes.items()
    ]


def given_by_user(meta: Mapping[str, Any] | None) -> list[str]:
    """The addresses that the host says the user gave."""
    named = (meta or {}).get(USER_URLS)
    return [url for url in named if isinstance(url, str)] if isinstance(named, list) else []
