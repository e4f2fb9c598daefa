"""
A provider of one's own for term2's registry, in four steps.

    WEB_SEARCH_PROVIDER=serper SERPER_API_KEY=… python serper_provider.py tea
"""

import asyncio
import sys

from seekread.integrations.term2 import (
    Term2Registry,
    Term2Services,
    WebSearchResponse,
    WebSearchResult,
    create_web_search_tool_definition,
)
from seekread.provider import Request


# 1. A class with an id, a label, a search, is_configured and the settings nobody may see.
class Serper:
    id = "serper"
    label = "Serper"
    sensitive_setting_keys = ("webSearch.serper.apiKey",)

    async def search(self, query: str, services: Term2Services) -> WebSearchResponse:
        read = services.settings_service.get
        address = read("webSearch.serper.url") or "https://google.serper.dev"
        headers = {"X-API-KEY": read("webSearch.serper.apiKey")}
        request = Request("POST", f"{address}/search", headers=headers, json={"q": query})
        reply = await services.sender.send(request, seconds=30)
        if reply.status != 200:
            raise RuntimeError(f"Serper API error ({reply.status}): {reply.text()}")
        rows = reply.json().get("organic", [])
        results = [WebSearchResult(title=row["title"], url=row["link"], content=row["snippet"]) for row in rows]
        return WebSearchResponse(query=query, results=results)

    # 3. Its settings: `webSearch.serper.apiKey` in the host's settings file.
    # 4. The environment overrides them: SERPER_API_KEY.
    def is_configured(self, services: Term2Services) -> bool:
        return bool(services.settings_service.get("webSearch.serper.apiKey"))


# 2. Register it. The first one registered, or the one with is_default=True, is the default.
#    This registry is our own: the one that all share has a "serper" already.
registry = Term2Registry()
registry.register(Serper())


async def main(query: str) -> None:
    tool = create_web_search_tool_definition(own_registry=registry)
    print(await tool.execute({"query": query}))
    await tool.close()


asyncio.run(main(sys.argv[1]))
