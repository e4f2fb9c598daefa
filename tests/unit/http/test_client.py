"""The client for services: it lives on any event loop, and goes through the proxies it was given and no others."""

import asyncio
import gc
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from seekread.errors import BadReply, NotConfigured, Unreachable
from seekread.http.client import ServiceClient
from seekread.provider import Request
from seekread.testing.server import Answer, LoopbackServer, Received


def echo(request: Received) -> Answer:
    return Answer({"host": request.host, "path": request.path})


@pytest.fixture
def service() -> Iterator[LoopbackServer]:
    with LoopbackServer(echo) as running:
        yield running


@pytest.fixture
def proxy() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda request: Answer(f"through the proxy to {request.host}")) as running:
        yield running


async def get(client: ServiceClient, url: str) -> str:
    return (await client.send(Request("GET", url), seconds=10)).text()


async def once(client: ServiceClient, url: str) -> str:
    try:
        return await get(client, url)
    finally:
        await client.close()


# A connection left behind on a closed loop can only be collected, and complains.
left_behind = pytest.mark.filterwarnings("ignore::ResourceWarning")


@left_behind
def test_one_client_serves_event_loops_one_after_another(service: LoopbackServer) -> None:
    client = ServiceClient()
    for _ in range(3):
        assert "host" in asyncio.run(get(client, service.url))
    asyncio.run(client.close())
    assert len(service.received) == 3
    gc.collect()


@left_behind
def test_closing_works_from_another_loop_and_twice(service: LoopbackServer) -> None:
    client = ServiceClient()
    asyncio.run(get(client, service.url))

    async def close() -> None:
        await client.close()
        await client.close()

    asyncio.run(close())
    assert "host" in asyncio.run(once(client, service.url))
    gc.collect()


def test_a_proxy_serves_the_addresses_it_was_given_for(proxy: LoopbackServer, service: LoopbackServer) -> None:
    proxies = {"http://": proxy.url, "all://127.0.0.1": None}
    assert anyio.run(once, ServiceClient(proxies=proxies), "http://service.example/") == (
        "through the proxy to service.example"
    )
    assert "host" in anyio.run(once, ServiceClient(proxies=proxies), service.url)
    assert len(proxy.received) == 1


def test_the_environment_is_not_asked_when_proxies_were_given(
    proxy: LoopbackServer, service: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    assert "host" in anyio.run(once, ServiceClient(proxies={}), service.url)
    assert proxy.received == []
    assert "through the proxy" in anyio.run(once, ServiceClient(), service.url)


def test_one_proxy_for_everything_wins_over_the_others(proxy: LoopbackServer, service: LoopbackServer) -> None:
    client = ServiceClient(proxy=proxy.url, proxies={"http://": "http://127.0.0.1:9", "all://127.0.0.1": None})
    assert "through the proxy" in anyio.run(once, client, service.url)


@pytest.mark.parametrize("address", ["gopher://me:hunter2@127.0.0.1:1", "http://me:hunter2@127.0.0.1:port"])
def test_a_proxy_that_cannot_be_used_is_not_set_up_and_its_password_stays_unsaid(address: str) -> None:
    for client in (ServiceClient(proxy=address), ServiceClient(proxies={"all://": address})):
        with pytest.raises(NotConfigured, match="proxy") as caught:
            anyio.run(once, client, "http://127.0.0.1:9/")
        assert "hunter2" not in str(caught.value) + repr(client)


def test_a_file_of_certificates_that_is_not_there_is_not_set_up(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.pem", tmp_path / "empty.pem"):
        (tmp_path / "empty.pem").write_text("no certificate")
        with pytest.raises(NotConfigured, match="ca_file"):
            anyio.run(once, ServiceClient(ca_file=str(path)), "https://127.0.0.1:9/")


def test_a_user_name_in_the_address_logs_in_there(service: LoopbackServer) -> None:
    """As for a SearXNG of one's own behind a password."""
    anyio.run(once, ServiceClient(proxies={}), service.url.replace("//", "//me:p%40ss@"))
    assert service.received[0].headers["authorization"] == "Basic bWU6cEBzcw=="
    assert "p%40ss" not in service.received[0].host


def test_parameters_are_written_as_forms_are(service: LoopbackServer) -> None:
    asked = Request(
        "GET", f"{service.url}/a b?old=1", params={"q": "grün & tee", "n": 5, "on": True, "not": None, "s": ["x", "y"]}
    )
    client = ServiceClient(proxies={})

    async def run() -> None:
        await client.send(asked, seconds=10)
        await client.close()

    asyncio.run(run())
    assert service.received[0].path == "/a%20b"
    assert service.received[0].query == "q=gr%C3%BCn+%26+tee&n=5&on=true&s=x&s=y"


def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        anyio.run(once, ServiceClient(), "http://127.0.0.1:9/")


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "gzip"}])
def test_a_reply_that_grows_past_its_cap_is_not_read_to_its_end(headers: dict[str, str]) -> None:
    """However good it would have been: what counts is what it grows to, not what was sent."""
    body = json.dumps({"results": ["tea" * 1000] * 10}).encode()
    sent = gzip.compress(body) if headers else body
    with LoopbackServer(lambda _request: Answer(sent, headers=headers)) as service:
        with pytest.raises(BadReply, match="larger than 1000 bytes"):
            asyncio.run(once(ServiceClient(max_reply=1000), service.url))
        assert asyncio.run(once(ServiceClient(max_reply=len(body)), service.url)) == body.decode()
