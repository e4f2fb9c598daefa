"""
The vendors' own clients, pointed at our service: run in their environment as `vendor_clients.py NAME URL TOKEN PAGE`.

Prints one JSON document: what the client made of our answers, or of our refusal when the token is empty.
Clients are imported by name, because they are not installed where this file is checked.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

NO_TOKEN = "not-a-token-of-this-service"
NOTHING = "qqnothingqq"
"""What `seekread.testing.hits` finds nothing for; this file runs where that is not installed."""


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


def firecrawl_1(url: str, token: str, page: str) -> Any:
    client = import_module("firecrawl").V1FirecrawlApp(api_key=token, api_url=f"{url}/compat/firecrawl")
    document = client.scrape_url(page, formats=["markdown", "html"], only_main_content=False, exclude_tags=["h1"])
    found = client.search("green tea", limit=3, tbs="qdr:m")
    return {
        "titles": [result["title"] for result in found.data],
        "content": document.markdown,
        "html": document.html,
        "refused": failure_of(lambda: client.scrape_url(page, formats=["screenshot"])),
        "map": failure_of(lambda: client.map_url(page)),
    }


def exa(url: str, token: str, page: str) -> Any:
    client = import_module("exa_py").Exa(api_key=token, base_url=f"{url}/compat/exa")
    found = client.search("green tea", num_results=3, include_domains=["example.org"], contents=False)
    read = client.get_contents([page, f"{page}/gone"], text={"include_html_tags": True})
    # Unless it is told otherwise, the client asks for the text of what it finds.
    texts = client.search("the page of this test", num_results=1)
    return {
        "titles": [result.title for result in found.results],
        "urls": [result.url for result in found.results],
        "html": read.results[0].text,
        "statuses": [status.status for status in read.statuses],
        "text": texts.results[0].text,
        "refused": failure_of(lambda: client.search("tea", contents={"summary": True})),
        "similar": failure_of(lambda: client.find_similar(page)),
    }


def litellm(url: str, token: str, page: str) -> Any:
    """LiteLLM's search with each of its providers that is spoken here, in one process: its import takes seconds."""
    # Without this it looks for a list of prices on the web when it is imported.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    module = import_module("litellm")

    def found(provider: str, base: str) -> Any:
        options = {"search_provider": provider, "api_key": token, "api_base": f"{url}{base}", "max_results": 2}
        found = module.search(query="the page of this test", **options)
        return {
            "titles": [result.title for result in found.results],
            "urls": [result.url for result in found.results],
            "snippets": [result.snippet for result in found.results],
            "nothing": [result.title for result in module.search(query=NOTHING, **options).results],
        }

    return {provider: told_by(lambda p=provider, b=base: found(p, b)) for provider, base in LITELLM.items()}  # type: ignore[misc]


def langchain_tavily(url: str, token: str, page: str) -> Any:
    module = import_module("langchain_tavily")
    base = {"tavily_api_key": token, "api_base_url": f"{url}/compat/tavily"}
    search = module.TavilySearch(max_results=3, include_domains=["example.org"], **base)
    found = search.invoke({"query": "green tea", "time_range": "month"})
    # Failures are answers of the tool, not exceptions.
    if "error" in found:
        raise RuntimeError(str(found["error"]))
    extract = module.TavilyExtract(format="text", **base)
    read = asyncio.run(extract.ainvoke({"urls": [page]}))
    return {
        "titles": [result["title"] for result in found["results"]],
        "urls": [result["url"] for result in found["results"]],
        "content": read["results"][0]["raw_content"],
        "nothing": str(search.invoke({"query": NOTHING})),
    }


def open_webui_module(name: str) -> Any:
    """A module of the checkout in OPEN_WEBUI, without the application around it."""
    backend = Path(os.environ["OPEN_WEBUI"]) / "backend" / "open_webui"
    stubs: dict[str, dict[str, Any]] = {
        "open_webui": {"__path__": [str(backend)]},
        "open_webui.utils": {"__path__": [str(backend / "utils")]},
        "open_webui.utils.misc": {"is_host_allowed": lambda *_: True},
        "open_webui.retrieval": {"__path__": [str(backend / "retrieval")]},
        "open_webui.retrieval.web.utils": {"resolve_hostname": lambda _: ([], [])},
        "open_webui.env": {},
    }
    for module, names in stubs.items():
        if module not in sys.modules:
            sys.modules[module] = ModuleType(module)
            vars(sys.modules[module]).update(names)
    # Its settings are read from the environment of a server, which is not there.
    settings = {"VERSION": "test", "AIOHTTP_CLIENT_TIMEOUT": 30}
    sys.modules["open_webui.env"].__getattr__ = settings.get  # type: ignore[method-assign]
    return import_module(f"open_webui.retrieval.{name}")


def open_webui(url: str, token: str, page: str) -> Any:
    """Every search and loader of Open WebUI whose address can be set."""

    async def searxng() -> Any:
        pool = import_module("aiohttp").ClientSession(auth=import_module("aiohttp").BasicAuth("seekread", token))
        module = open_webui_module("web.searxng")

        async def session() -> Any:
            return pool

        async with pool:
            module.get_session = session
            return await module.search_searxng(f"{url}/compat/searxng/search?q=<query>", "green tea", 3, language="en")

    def titles(results: Any) -> list[str]:
        return [result.title for result in results]

    nobody = SimpleNamespace(state=SimpleNamespace())
    external, jina = open_webui_module("web.external"), open_webui_module("web.jina_search")
    perplexity, firecrawl = open_webui_module("web.perplexity_search"), open_webui_module("web.firecrawl")
    loader = open_webui_module("loaders.external_web").ExternalWebLoader
    loaded = loader(page, f"{url}/compat/openwebui/loader", token, continue_on_failure=False)
    return {
        "titles": {
            "searxng": titles(asyncio.run(searxng())),
            "external": titles(
                external.search_external(nobody, f"{url}/compat/openwebui/search", token, "green tea", 3)
            ),
            "perplexity": titles(
                perplexity.search_perplexity_search(token, "green tea", 3, api_url=f"{url}/compat/perplexity/search")
            ),
            "firecrawl": titles(firecrawl.search_firecrawl(url, token, "green tea", 3)),
        },
        "jina": [
            result.snippet
            for result in jina.search_jina(token, "the page of this test", 1, f"{url}/compat/jina-search/")
        ],
        "scraped": firecrawl.scrape_firecrawl_url(url, token, page).page_content,
        "loaded": [document.page_content for document in loaded.lazy_load()],
    }


def failure_of(work: Callable[[], Any]) -> str:
    """How a client tells of a failure, in its words."""
    return str(told_by(work).get("text", ""))


LITELLM = {
    "exa_ai": "/compat/exa",
    "brave": "/compat/brave/res/v1/web/search",
    "serper": "/compat/serper",
    "tavily": "/compat/tavily",
    "firecrawl": "/v2",
    "perplexity": "/compat/perplexity",
    "searxng": "/compat/searxng",
}
"""Its providers, and where each of them is spoken."""
CLIENTS: dict[str, Callable[[str, str, str], Any]] = {
    "tavily": tavily,
    "tavily_async": tavily_async,
    "perplexity": perplexity,
    "searx": searx,
    "firecrawl": firecrawl,
    "firecrawl_1": firecrawl_1,
    "exa": exa,
    "langchain_tavily": langchain_tavily,
    "open_webui": open_webui,
    "litellm": litellm,
}


def told_by(work: Callable[[], Any]) -> dict[str, Any]:
    """What a client makes of our answers, or of a failure."""
    try:
        return {"answer": work()}
    except Exception as error:  # noqa: BLE001 - how a client tells of a failure is what is looked at
        return {"error": type(error).__name__, "text": str(error), "status": getattr(error, "status_code", None)}


def main() -> None:
    name, url, token, page = sys.argv[1:]
    sys.stdout.write(json.dumps(told_by(lambda: CLIENTS[name](url, token or NO_TOKEN, page))))


if __name__ == "__main__":
    main()
