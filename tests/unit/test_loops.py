"""What belongs to an event loop: one value for each, closed with it, left alone by a fork."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import anyio.lowlevel
import pytest
import uvloop

from seekread import Seekread
from seekread.loops import PerLoop, running_loop


class Value:
    """Something that can be closed, and says what became of it."""

    def __init__(self) -> None:
        self.ended = ""
        self.closed_on: asyncio.AbstractEventLoop | None = None

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.ended, self.closed_on = "closed", asyncio.get_running_loop()

    def give_up(self) -> None:
        self.ended = "given up"


def per_loop() -> PerLoop[Value]:
    return PerLoop(Value, close=Value.close, give_up=Value.give_up)


async def taken(values: PerLoop[Value]) -> tuple[Value, asyncio.AbstractEventLoop]:
    assert values.here() is values.here()
    return values.here(), asyncio.get_running_loop()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run, anyio.run], ids=["asyncio", "uvloop", "anyio"])
def test_a_value_is_closed_on_its_loop_when_that_ends(run: object) -> None:
    values, found = per_loop(), []

    async def main() -> None:
        found.append(await taken(values))

    for _ in range(2):
        if run is anyio.run:
            anyio.run(main)
        else:
            run(main())  # type: ignore[operator]
    (first, first_loop), (second, _) = found
    assert first is not second
    assert (first.ended, first.closed_on) == ("closed", first_loop)
    assert values.values() == []


def test_the_value_of_a_loop_that_was_closed_without_a_word_is_given_up_when_another_comes() -> None:
    values, loop = per_loop(), asyncio.new_event_loop()
    value, _ = loop.run_until_complete(taken(values))
    loop.close()
    assert value.ended == ""
    asyncio.run(taken(values))
    assert value.ended == "given up"


def test_closing_closes_each_value_on_its_own_loop() -> None:
    values = per_loop()
    held: list[tuple[Value, asyncio.AbstractEventLoop]] = []
    there, done = threading.Event(), threading.Event()

    async def other() -> None:
        held.append(await taken(values))
        there.set()
        await asyncio.to_thread(done.wait, 60)

    async def main() -> None:
        held.append(await taken(values))
        await values.close()
        assert values.values() == []

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, other())
        assert there.wait(60)
        stopped = asyncio.new_event_loop()
        left, _ = stopped.run_until_complete(taken(values))
        asyncio.run(main())
        done.set()
        future.result(timeout=60)
    assert [(value.ended, value.closed_on) for value, _ in held] == [("closed", loop) for _, loop in held]
    assert left.ended == "given up"
    stopped.close()


def test_a_value_that_nobody_holds_any_more_is_closed_on_its_loop() -> None:
    async def main() -> None:
        values = per_loop()
        value = values.here()
        del values
        gc.collect()
        with anyio.fail_after(60):
            while not value.ended:
                await anyio.lowlevel.checkpoint()
        assert value.ended == "closed"

    asyncio.run(main())


def test_under_another_kind_of_loop_one_sentence_says_what_to_do() -> None:
    """Trio drives a coroutine like this: step by step, and without an asyncio loop."""
    web = Seekread(settings={"store": "memory:"})
    calls = (web.search("tea"), web.open_page("https://a.example/"), web.open_pages(["https://a.example/"]),
             web.snapshot("s1"), web.close())  # fmt: skip
    for call in calls:
        with pytest.raises(RuntimeError, match=r"seekread runs on asyncio.*trio\.to_thread"):
            call.send(None)
    with pytest.raises(RuntimeError, match="seekread runs on asyncio"):
        running_loop()
