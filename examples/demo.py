"""
Search, fail over, read and cite: the real engine, offline, without a key.

Everything runs on this machine: a site that serves seekread's own documentation, and a search service that turns us
away. State goes to a folder that is thrown away at the end.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import anyio

from seekread import Seekread
from seekread.index.sources import shipped_docs
from seekread.index.store import IndexStore
from seekread.index.update import add_pages
from seekread.models import Attempt, Page
from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer, Received

QUESTION = "when is the next provider asked"


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")


@contextmanager
def step(title: str) -> Iterator[None]:
    """Announce a step and say how long it took."""
    say(f"\n── {title}")
    started = perf_counter()
    yield
    say(f"   ({(perf_counter() - started) * 1000:.0f} ms)")


def documentation(received: Received) -> Answer:
    """Serve the shipped documentation as Markdown."""
    page = shipped_docs() / received.path.strip("/")
    if not page.is_file() or shipped_docs() not in page.resolve().parents:
        return Answer("no such page", 404)
    return Answer(page.read_text(encoding="utf-8"), content_type="text/markdown; charset=utf-8")


async def demo(state: Path) -> None:
    with LoopbackServer(documentation) as site, simulators.start("brave") as brave:
        brave.fail(Fault(429, headers={"Retry-After": "30"}))
        settings = {
            "store": str(state / "state.sqlite"),
            "index_path": str(state / "index.sqlite"),
            # The guard refuses this machine's own addresses; one of them is allowed by name.
            "allow_private": [site.url.removeprefix("http://")],
        }
        # Brave needs a key; this one opens nothing but the simulator.
        async with Seekread(["brave", "index"], settings=settings, providers={"brave": brave.settings()}) as web:
            with step("Read the documentation that ships with seekread, and index it"):
                urls = [
                    f"{site.url}/{path.relative_to(shipped_docs())}" for path in sorted(shipped_docs().rglob("*.md"))
                ]

                async def whole(url: str) -> Page:
                    return await web.open_page(url, max_length=1_000_000)

                report = await add_pages(IndexStore(state / "index.sqlite"), urls, whole)
                say(f"   {report.added} pages read through the guard and indexed")

            with step(f"Search: {QUESTION}"):
                response = await web.search(QUESTION, limit=3)
                for attempt in response.attempts:
                    say(f"   {told(attempt)}")
                for result in response.results:
                    say(f"   [{result.citation_id}] {result.title}")
                    say(f"       {result.snippet[:150]}")
                for note in response.notes:
                    say(f"   note: {note}")

            best = response.results[0]
            with step("Open the best result: only the passages that answer the question"):
                page = await web.open_page(best.url, query=QUESTION, max_length=600)
                say("   " + page.content.strip().replace("\n", "\n   "))
                say(f"   {page.notes[-1]} It was not fetched again: read {page.age_seconds or 0:.0f} s ago.")

            with step("Cite: does the quotation really stand there?"):
                snapshot = await web.snapshot(page.snapshot or "")
                found = snapshot.passages(QUESTION, budget=300).passages
                best_passage = max(found, key=lambda passage: passage.score).text
                sentence = max(re.split(r"\.\s|\*\*", best_passage), key=len).strip()
                citation = snapshot.quote(sentence)
                say(f"   “{sentence}” [{best.citation_id}]" if citation else "   it does not")
                if citation:
                    place = f"characters {citation.start} to {citation.end}"
                    say(f"   {citation.kind}, {place}, sha256 {citation.sha256[:12]}…")
                wrong = snapshot.check_quote("The moon is made of cheese")
                say(f"   “The moon is made of cheese” → not there: {'; '.join(wrong.differences)}")

            with step("The guard: an address of a cloud's metadata service"):
                refused = await web.open_page("http://169.254.169.254/latest/meta-data/")
                say(f"   {refused.outcome}: {refused.error}")


def told(attempt: Attempt) -> str:
    why = f" — {attempt.message}" if attempt.message else ""
    return f"{attempt.provider}: {attempt.outcome}, {attempt.milliseconds} ms{why}"


def main() -> None:
    say("seekread: search, fail over, read, cite. Offline, without a key.")
    with tempfile.TemporaryDirectory(prefix="seekread-demo-") as folder:
        anyio.run(demo, Path(folder))
    say("\nNext: `seekread search QUERY`, `seekread open URL`, and the guides under docs/.")


if __name__ == "__main__":
    main()
