"""
The vendors' own clients, pointed at our service: run in their environment as `vendor_clients.py NAME URL TOKEN PAGE`.

Prints one JSON document: what the client made of our answers, or of our refusal when the token is empty.
Clients are imported by name, because they are not installed where this file is checked.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

NO_TOKEN = "not-a-token-of-this-service"


def tavily(url: str, token: str, page: str) -> Any:
    module = import_module("tavily")
    client = module.TavilyClient(api_key=token, api_base_url=f"{url}/compat/tavily")
    found = client.search("green tea", max_results=3, include_domains=["example.org"], time_range="month")
    read = client.extract([page, f"{page}/gone"])
    return {
        "titles": [result["title"] for result in found["results"]],
        "scores": [result["score"] for result in found["results"]],
        "urls": [result["url"] for result in found["results"]],
        "content": read["results"][0]["raw_content"],
        "failed": [failed["url"] for failed in read["failed_results"]],
    }


def tavily_async(url: str, token: str, page: str) -> Any:
    client = import_module("tavily").AsyncTavilyClient(api_key=token, api_base_url=f"{url}/compat/tavily")
    found = asyncio.run(client.search("green tea", max_results=2, topic="news"))
    return {"titles": [result["title"] for result in found["results"]]}


def perplexity(url: str, token: str, page: str) -> Any:
    client = import_module("perplexity").Perplexity(api_key=token, base_url=f"{url}/compat/perplexity")
    found = client.search.create(query=["green tea", "black tea"], max_results=4, search_domain_filter=["-example.com"])
    return {"titles": [result.title for result in found.results], "urls": [result.url for result in found.results]}


def searx(url: str, token: str, page: str) -> Any:
    wrapper = import_module("langchain_community.utilities").SearxSearchWrapper
    # The client sends no header of its own; requests makes Basic auth of what stands before the @.
    host = url.replace("://", f"://seekread:{token}@")
    search = wrapper(searx_host=f"{host}/compat/searxng")
    found = search.results("green tea", num_results=3)
    return {"titles": [result["title"] for result in found], "text": search.run("green tea")}


def firecrawl(url: str, token: str, page: str) -> Any:
    client = import_module("firecrawl").Firecrawl(api_key=token, api_url=url)
    document = client.scrape(page, formats=["markdown", "links"])
    found = client.search("green tea", limit=3)
    return {
        "titles": [result.title for result in found.web],
        "content": document.markdown,
        "title": document.metadata.title,
        "source": document.metadata.source_url,
    }


CLIENTS: dict[str, Callable[[str, str, str], Any]] = {
    "tavily": tavily,
    "tavily_async": tavily_async,
    "perplexity": perplexity,
    "searx": searx,
    "firecrawl": firecrawl,
}


def main() -> None:
    name, url, token, page = sys.argv[1:]
    try:
        told = {"answer": CLIENTS[name](url, token or NO_TOKEN, page)}
    except Exception as error:  # noqa: BLE001 - how a client tells of a failure is what is looked at
        told = {"error": type(error).__name__, "text": str(error), "status": getattr(error, "status_code", None)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
