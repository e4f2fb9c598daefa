"""A provider of one's own for term2's registry, in four steps."""

import asyncio

from seekread.integrations.term2 import (
    Term2Services,
    WebSearchResponse,
    WebSearchResult,
    create_web_search_tool_definition,
    register_web_search_provider,
)


# 1. A class with an id, a label, a search, is_configured and the settings nobody may see.
class Serper:
    id = "serper"
    label = "Serper"
    sensitive_setting_keys = ("webSearch.serper.apiKey",)

    async def search(self, query: str, services: Term2Services) -> WebSearchResponse:
        found = WebSearchResult(title="Tea", url="https://example.org/tea", content="A drink made of leaves.")
        return WebSearchResponse(query=query, results=[found])

    def is_configured(self, services: Term2Services) -> bool:
        return bool(services.settings_service.get("webSearch.serper.apiKey"))


# 2. Register it. The first one registered, or the one with is_default=True, is the default.
register_web_search_provider(Serper())

# 3. Its settings, as the host's settings service would hand them out.
# 4. In the host, an environment variable (SERPER_API_KEY) may override the key.
SETTINGS = {"webSearch.provider": "serper", "webSearch.serper.apiKey": "a key"}


async def main() -> None:
    tool = create_web_search_tool_definition(settings_service=SETTINGS)
    print(await tool.execute({"query": "tea"}))


asyncio.run(main())
