"""A room of our own that is full is told as such, everywhere and in everybody's words, with how long to wait."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from seekread.errors import Overloaded
from seekread.models import Page, SearchResult
from seekread.outcomes import MEANINGS
from seekread.provider import Job, Query
from seekread.render.failure import exit_code
from seekread.server.app import ServiceOptions
from seekread.testing.server import LoopbackServer
from tests.unit.server.test_mounted import call

SAID = "Too much is under way here right now. Wait 3 s and try once more; nothing was spent."


async def full() -> Any:
    raise Overloaded("there is no room for another call", retry_after=2.5)


@dataclass(frozen=True)
class Full:
    """A provider there is no room for."""

    name: ClassVar[str] = "full"

    def search(self, _query: Query) -> Job[list[SearchResult]]:
        return Job(full)

    def read(self, _url: str) -> Job[Page]:
        return Job(full)


@pytest.fixture
def crowded(start: Any) -> Any:
    running = start(ServiceOptions(host="0.0.0.0", allowed_hosts=("127.0.0.1",)), providers=["full"], readers=["full"])
    running.service.parts.registry.register(Full())
    running.client.headers["authorization"] = f"Bearer {running.tokens.create('app')}"
    return running


VENDORS: dict[str, Any] = {
    "/compat/tavily/search": lambda told: told["detail"]["error"],
    "/compat/searxng/search": lambda told: told["error"],
    "/compat/perplexity/search": lambda told: told["error"]["message"],
    "/compat/openwebui/search": lambda told: told["detail"],
    "/compat/openwebui/loader": lambda told: told["detail"],
    "/compat/jina/": lambda told: told["message"],
    "/v2/search": lambda told: told["error"],
    "/v2/scrape": lambda told: told["error"],
    "/v1/search": lambda told: told["detail"],
    "/v1/open": lambda told: told["detail"],
}


def ask(running: Any, path: str, url: str, **options: Any) -> Any:
    """Send what the clients of an address send."""
    if path.startswith("/compat/searxng"):
        return running.get(f"{path}?q=tea&format=json", **options)
    body = {"/v1/open": {"url": url}, "/v1/search": {"query": "tea"}}
    return running.post(path, body.get(path, {"query": "tea", "url": url, "urls": [url]}), **options)


@pytest.mark.parametrize("path", VENDORS)
def test_every_dialect_says_so_in_its_own_shape(crowded: Any, site: LoopbackServer, path: str) -> None:
    reply = ask(crowded, path, site.url)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "3")
    assert VENDORS[path](reply.json()).endswith(SAID)


@pytest.mark.parametrize("path", VENDORS)
def test_so_does_the_service_about_itself(start: Any, site: LoopbackServer, path: str) -> None:
    running = start(ServiceOptions(max_concurrent=1))
    with running.service.concurrency.one():
        reply = ask(running, path, site.url)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    assert VENDORS[path](reply.json()) == SAID.replace("3 s", "1 s")


@pytest.mark.parametrize("path", VENDORS)
def test_and_about_a_token_with_too_much_under_way(start: Any, site: LoopbackServer, path: str) -> None:
    running = start()
    narrow = running.tokens.create("narrow", max_concurrent=1)
    with running.service.concurrency.one(running.tokens.find(narrow)):
        reply = ask(running, path, site.url, headers={"authorization": f"Bearer {narrow}"})
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "1")
    assert "1 requests under way at once" in VENDORS[path](reply.json())


def test_our_own_problem_carries_the_outcome_and_every_attempt(crowded: Any, site: LoopbackServer) -> None:
    for path in ("/v1/search", "/v1/open"):
        told = ask(crowded, path, site.url).json()
        assert (told["type"], told["outcome"]) == ("urn:problem-type:seekread:overloaded", "overloaded")
        assert [(each["provider"], each["outcome"]) for each in told["attempts"]] == [("full", "overloaded")]


def test_several_pages_nobody_had_room_for_are_one_problem(crowded: Any, site: LoopbackServer) -> None:
    reply = crowded.post("/v1/open", {"urls": [site.url, f"{site.url}/2"]})
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "3")


def test_a_client_that_asks_again_by_itself_may(crowded: Any, site: LoopbackServer) -> None:
    told = crowded.post("/compat/perplexity/search", {"query": "tea"})
    assert told.headers["x-should-retry"] == "true"
    named = crowded.post("/compat/jina/", {"url": site.url}).json()
    assert (named["status"], named["name"]) == (50303, "ServiceNodeResourceDrainError")


def test_an_agent_reads_it_as_a_result(crowded: Any, site: LoopbackServer) -> None:
    token = crowded.client.headers["authorization"].removeprefix("Bearer ")
    for name, arguments in (("web_search", {"query": "tea"}), ("open_page", {"url": site.url})):
        answer = call(crowded, token, name, **arguments)
        assert answer["isError"]
        assert SAID in answer["content"][0]["text"]


@pytest.mark.parametrize("path", ["/?q=tea", "/read?url={site}"])
def test_a_person_reads_it_too(crowded: Any, site: LoopbackServer, path: str) -> None:
    shown = crowded.get(path.format(site=site.url))
    assert (shown.status_code, shown.headers["retry-after"]) == (503, "3")
    assert MEANINGS["overloaded"].search_failed in shown.text
    assert MEANINGS["overloaded"].remedy in shown.text


def test_the_command_line_has_an_exit_code_for_it() -> None:
    assert exit_code(Overloaded("there is no room for another call", retry_after=2.5)) == 5
