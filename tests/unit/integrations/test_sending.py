"""What a host may hand over as its way to the services, and that every form fails in our own words."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import httpx2
import pytest

from seekread.errors import TimedOut, Unreachable
from seekread.integrations.masking import masked
from seekread.integrations.sending import BorrowedClient, OwnClient, Punctual, pause, sender_for
from seekread.provider import Reply, Request
from seekread.testing.server import Answer, LoopbackServer

pytestmark = pytest.mark.anyio

ASK = Request("GET", "https://service.example/search", params={"q": "x", "n": None}, headers={"A": "b", "C": None})


class Own:
    async def send(self, request: Request, *, seconds: float) -> Reply:
        return Reply(200, {}, b"{}")


async def test_each_form_is_recognised() -> None:
    assert isinstance(sender_for(None), OwnClient)
    assert isinstance(sender_for(httpx2.MockTransport(lambda _: httpx2.Response(200))), OwnClient)
    borrowed, own = sender_for(MagicMock()), Own()
    assert isinstance(borrowed, Punctual)
    assert isinstance(borrowed.sender, BorrowedClient)
    assert sender_for(own) == Punctual(own)


async def test_whoever_brings_a_sender_that_hangs_gets_an_answer_in_time() -> None:
    class Hanging:
        async def send(self, request: Request, *, seconds: float) -> Reply:
            await asyncio.sleep(60)
            raise AssertionError

    with pytest.raises(TimedOut, match="no reply within"):
        await sender_for(Hanging()).send(ASK, seconds=0.05)


async def test_a_borrowed_client_gets_what_was_set() -> None:
    client = MagicMock()
    client.get = AsyncMock(return_value=MagicMock(status_code=200, headers={"X-A": 1}, content=b"body"))
    reply = await BorrowedClient(client).send(ASK, seconds=3)
    assert (reply.status, dict(reply.headers), reply.body) == (200, {"x-a": "1"}, b"body")
    client.get.assert_awaited_once_with(ASK.url, params={"q": "x"}, headers={"A": "b"}, timeout=3)


async def test_a_borrowed_client_posts_json() -> None:
    client = MagicMock()
    client.post.return_value = MagicMock(status_code=201, headers=None, content=None, text="text")
    sent = Request("POST", "https://service.example", json={"a": 1, "b": None})
    reply = await BorrowedClient(client).send(sent, seconds=3)
    assert reply.text() == "text"
    assert client.post.call_args.kwargs["json"] == {"a": 1}


async def test_a_reply_without_a_number_must_say_it_is_good() -> None:
    """Bare mocks have no status; `raise_for_status` decides."""
    good = MagicMock()
    good.json.return_value = {"results": []}
    client = MagicMock()
    client.get = AsyncMock(return_value=good)
    assert (await BorrowedClient(client).send(ASK, seconds=3)).json() == {"results": []}
    problem = RuntimeError("429 Too Many Requests")
    problem.response = MagicMock(status_code=429)  # type: ignore[attr-defined]
    good.raise_for_status.side_effect = problem
    assert (await BorrowedClient(client).send(ASK, seconds=3)).status == 429


@pytest.mark.parametrize(
    ("raised", "error", "words"),
    [
        (httpx2.ReadTimeout(""), TimedOut, "no reply within 3 s"),
        (TimeoutError(), TimedOut, "no reply within 3 s"),
        (ConnectionError("refused"), Unreachable, "refused"),
        (KeyError(), Unreachable, "KeyError"),
    ],
)
async def test_foreign_failures_get_our_names(raised: Exception, error: type[Exception], words: str) -> None:
    client = MagicMock()
    client.get = AsyncMock(side_effect=raised)
    with pytest.raises(error, match=words):
        await BorrowedClient(client).send(ASK, seconds=3)


async def test_any_kind_of_sleep_is_waited_for() -> None:
    slept: list[float] = []

    async def later(seconds: float) -> None:
        slept.append(seconds)

    await pause(slept.append, 1.0)
    await pause(later, 2.0)
    assert slept == [1.0, 2.0]


def test_our_own_client_serves_one_loop_after_another_and_after_it_was_closed() -> None:
    with LoopbackServer(lambda _: Answer({"ok": True})) as server:
        client = OwnClient()

        async def once() -> Any:
            reply = await client.send(Request("GET", server.url), seconds=5)
            await client.close()
            return reply.json()

        assert [asyncio.run(once()) for _ in range(2)] == [{"ok": True}] * 2
        assert server.received[0].headers["user-agent"].startswith("seekread/")


@pytest.mark.proves("S3-32")
def test_a_whole_key_is_masked_before_a_part_of_it() -> None:
    """Not even the end of a key is left over, whatever shape it has."""
    for number in range(20):
        key = f"odd-{number}-0123456789-abcdefghij"
        assert masked(f"a {key} b", [key[:8], key]) == "a *** b"
        assert masked(f"a ***{key[8:]} b", [key]) == "a *** b"
