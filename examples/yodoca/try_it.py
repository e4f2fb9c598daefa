"""Load the extension as yodoca does and call its tools: `python try_it.py searxng "your question"`."""

import asyncio
import json
import os
import sys
from importlib import import_module
from typing import Any


class Context:
    """What yodoca hands to an extension: configuration and secrets."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        return os.environ.get(name)

    async def set_secret(self, name: str, value: str) -> None:
        os.environ[name] = value


async def main(provider: str, query: str) -> None:
    extension = import_module("web_search.main").WebSearchExtension()
    address = os.environ.get("SEARXNG_URL", "http://localhost:8080")
    await extension.initialize(Context(search_provider=provider, searxng_base_url=address))
    print(*await extension.on_setup_complete())
    web_search, open_page = extension.get_tools()
    arguments = {"query": query, "limit": 3, "allowed_domains": [], "time_range": "all"}
    print(await web_search.on_invoke_tool(None, json.dumps(arguments)))
    page = {"url": "http://localhost/", "max_length": None, "urls": None}
    print(await open_page.on_invoke_tool(None, json.dumps(page)))
    await extension.destroy()


asyncio.run(main(*sys.argv[1:3]))
