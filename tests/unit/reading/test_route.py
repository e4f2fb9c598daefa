"""Which reader is given a page, and when the next one is asked."""

from types import SimpleNamespace
from typing import cast

import pytest

from seekread.errors import InvalidQuery, ProviderError, Unreachable, Unreadable
from seekread.models import Page
from seekread.outcomes import Outcome
from seekread.provider import ReadProvider
from seekread.reading.route import first

pytestmark = pytest.mark.anyio


TRAITS: dict[str, dict[str, bool]] = {
    "builtin": {"local": True},
    "browser": {"local": True, "renders": True},
    "somebodys": {"local": True},
    "archive": {"archives": True},
}


def named(name: str) -> ReadProvider:
    """A reader of that name; the route needs no more of it, for it asks through what it is handed."""
    return cast("ReadProvider", SimpleNamespace(name=name, **TRAITS.get(name, {})))


async def route(*readers: str, **failures: ProviderError) -> tuple[str, list[str]]:
    """Who read the page, and who was asked on the way."""
    asked: list[str] = []

    async def ask(reader: ReadProvider) -> Page:
        asked.append(reader.name)
        if reader.name in failures:
            raise failures[reader.name]
        return Page(url="https://a.org/", reader=reader.name)

    page = await first([named(name) for name in readers], ask)
    return page.reader, asked


async def test_the_first_that_can_read_the_page_reads_it() -> None:
    assert await route("builtin", "jina") == ("builtin", ["builtin"])
    assert await route("builtin", "jina", builtin=Unreachable("down")) == ("jina", ["builtin", "jina"])


async def test_what_is_gone_may_be_kept_by_an_archive_and_by_nobody_else() -> None:
    gone = Unreadable("not_found", "gone")
    assert await route("builtin", "jina", "archive", builtin=gone) == ("archive", ["builtin", "archive"])
    with pytest.raises(Unreadable):
        await route("builtin", "archive", builtin=Unreadable("too_large", "too large"))


async def test_that_an_archive_has_no_copy_is_not_what_is_told() -> None:
    with pytest.raises(Unreachable, match="down"):
        await route("builtin", "archive", builtin=Unreachable("down"), archive=Unreadable("not_found", "no copy"))


@pytest.mark.parametrize("outcome", ["needs_js", "blocked"])
async def test_a_browser_takes_over_where_it_may_get_further(outcome: Outcome) -> None:
    assert await route("builtin", "browser", builtin=Unreadable(outcome, "no")) == ("browser", ["builtin", "browser"])


async def test_a_browser_is_not_tried_in_vain() -> None:
    """What our own fetch could not reach, a browser on the same machine cannot reach either."""
    assert await route("builtin", "browser", "jina", builtin=Unreachable("down")) == ("jina", ["builtin", "jina"])
    assert await route("jina", "browser", jina=Unreachable("down")) == ("browser", ["jina", "browser"])


async def test_what_counts_is_what_a_reader_declares_not_its_name() -> None:
    down = {"somebodys": Unreachable("down")}
    assert await route("somebodys", "browser", "jina", **down) == ("jina", ["somebodys", "jina"])
    assert await route("builtin", "somebodys", builtin=Unreachable("down")) == ("somebodys", ["builtin", "somebodys"])


async def test_a_page_that_is_not_there_is_not_there_for_anybody() -> None:
    asked: list[str] = []

    async def ask(reader: ReadProvider) -> Page:
        asked.append(reader.name)
        raise Unreadable("not_found", "gone")

    with pytest.raises(Unreadable, match="gone"):
        await first([named("builtin"), named("jina")], ask)
    assert asked == ["builtin"]


async def test_nobody_to_ask_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(InvalidQuery, match="no reader is configured"):
        await route()
