"""The `Seekread` behind tools: who makes it, when, and who closes it."""

import pytest

from seekread.client import Seekread
from seekread.toolkit.web import LazyWeb

pytestmark = pytest.mark.anyio


def in_memory() -> Seekread:
    return Seekread(settings={"store": "memory:"})


async def test_it_is_made_with_the_first_call_and_only_once() -> None:
    made: list[Seekread] = []

    def make() -> Seekread:
        made.append(in_memory())
        return made[-1]

    web = LazyWeb(make=make)
    await web.close()
    assert made == []
    assert web() is web() is made[0]
    await web.close()
    await web.close()
    assert len(made) == 1


async def test_after_closing_there_is_a_new_one() -> None:
    web = LazyWeb(make=in_memory)
    first = web()
    await web.close()
    assert web() is not first
    await web.close()


async def test_the_callers_stays_open() -> None:
    async with in_memory() as own:
        web = LazyWeb(own)
        await web.close()
        assert web() is own
        refused = await own.open_page("http://127.0.0.1:1/")
    assert refused.outcome == "refused"
