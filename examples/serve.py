"""
The service and its console on this machine, offline and without a key: what `make serve` runs.

A simulated engine and the local index are both asked, and every result leads to seekread's own documentation, served
from here. State goes to a folder that is thrown away at the end.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio

from seekread import Seekread
from seekread.errors import Misconfigured
from seekread.index.sources import shipped_docs
from seekread.index.store import IndexStore
from seekread.index.update import add_pages
from seekread.models import Page
from seekread.providers.brave import Brave
from seekread.server.run import PORT, Recipe, serve
from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer, Received


def documentation(received: Received) -> Answer:
    """Serve the shipped documentation as Markdown."""
    text = pages().get(received.path.strip("/"))
    return Answer(text or "no such page", 200 if text else 404, content_type="text/markdown; charset=utf-8")


def leading_to(site: str) -> Fault:
    """
    Let the simulated engine find pages that can be opened here: those that hold the words most often.

    The question that tries an engine out is answered as anywhere.
    """
    known = {answer.question for answer in Brave.known_answers}
    texts = {f"{site}/{name}": text.lower() for name, text in pages().items()}

    def change(body: Any) -> Any:
        if body["query"]["original"] in known:
            return body
        words = body["query"]["original"].lower().split()
        found = sorted(texts, key=lambda url: -sum(texts[url].count(word) for word in words))
        results = body.get("web", {}).get("results", [])
        for result, url in zip(results, found, strict=False):
            result["url"] = url
            result["title"] = texts[url].partition("\n")[0].strip("# ").capitalize()
        return body

    return Fault(change=change)


def pages() -> dict[str, str]:
    """The documentation by path."""
    folder = shipped_docs()
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))}


async def fill_index(urls: list[str], settings: dict[str, Any]) -> int:
    """Read the documentation through the guard and index it."""
    async with Seekread(settings=settings) as web:

        async def whole(url: str) -> Page:
            return await web.open_page(url, max_length=1_000_000)

        return (await add_pages(IndexStore(Path(settings["index_path"])), urls, whole)).added


def announce(address: str) -> None:
    sys.stdout.write(
        f"\nseekread listens on {address}\n\n"
        f"  in a browser     {address}/\n"
        f"  search           curl '{address}/v1/search?query=guard'\n"
        f"  its description  {address}/openapi.json\n\n"
        "Everything is simulated and stays on this machine. Ctrl-C ends it.\n"
    )
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="The service against simulators.")
    parser.add_argument("--port", type=int, help=f"port to listen on (default: {PORT}, or a free one)")
    port = parser.parse_args().port
    with (
        tempfile.TemporaryDirectory(prefix="seekread-serve-") as folder,
        LoopbackServer(documentation) as site,
        simulators.start("brave") as brave,
    ):
        # Settings and tokens of the person who runs this are left alone.
        os.environ |= {"XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
        urls = [f"{site.url}/{name}" for name in pages()]
        brave.fail(leading_to(site.url))
        settings = {
            "providers": ["index", "brave"],
            "route": "fuse",
            "store": f"{folder}/state.sqlite",
            "index_path": f"{folder}/index.sqlite",
            # The guard refuses this machine's own addresses; one of them is allowed by name.
            "allow_private": [site.url.removeprefix("http://")],
        }
        sys.stdout.write(f"{anyio.run(fill_index, urls, settings)} pages of documentation are indexed.\n")
        recipe = Recipe(settings=settings, providers={"brave": brave.settings()})
        try:
            serve(recipe, port=PORT if port is None else port, announce=announce)
        except Misconfigured:
            if port is not None:
                raise
            serve(recipe, port=0, announce=announce)


if __name__ == "__main__":
    main()
