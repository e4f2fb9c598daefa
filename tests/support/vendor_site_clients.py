"""Vendors' clients that map and crawl, run in an environment of their own: `name url token site`."""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def tavily(url: str, token: str, site: str) -> dict[str, Any]:
    client = import_module("tavily").TavilyClient(api_key=token, api_base_url=f"{url}/compat/tavily")
    crawled = client.crawl(site, limit=2)
    return {"mapped": client.map(site)["results"], "crawled": [page["url"] for page in crawled["results"]]}


def firecrawl(url: str, token: str, site: str) -> dict[str, Any]:
    client = import_module("firecrawl").Firecrawl(api_key=token, api_url=url)
    crawled = client.crawl(site, limit=2, poll_interval=1)
    return {
        "mapped": [link.url for link in client.map(site).links],
        "crawled": [page.metadata.source_url for page in crawled.data],
        "state": crawled.status,
    }


CLIENTS: dict[str, Callable[[str, str, str], dict[str, Any]]] = {"tavily": tavily, "firecrawl": firecrawl}

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(CLIENTS[name](*arguments)))
