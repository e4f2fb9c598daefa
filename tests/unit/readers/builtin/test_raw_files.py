"""Files on code hosts as their raw file, repositories as their README, sites by llms.txt."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from seekread.http.guard import Guard, GuardPolicy
from seekread.models import Page
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.raw_files import RULES, RawRule, llms_address, raw_addresses, rule
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import PAGE

pytestmark = [pytest.mark.anyio, pytest.mark.process]

RAW = "https://raw.githubusercontent.com/anna/wall"
TEXT = reply(b"# The wall\n\nSee [plans](https://harbour.example/)", content_type="text/plain; charset=utf-8")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def workers() -> AsyncIterator[Workers]:
    async with Workers(WorkerLimits(size=1, seconds=60)) as running:
        yield running


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("https://github.com/anna/wall/blob/main/src/a%20b.py", f"{RAW}/main/src/a%20b.py"),
        ("https://github.com/anna/wall", f"{RAW}/HEAD/README.md"),
        ("https://github.com/anna/wall.git", f"{RAW}/HEAD/README.md"),
        ("https://github.com/anna/wall/", f"{RAW}/HEAD/README.md"),
        ("https://gitlab.com/a/b/c/-/blob/main/x.md", "https://gitlab.com/a/b/c/-/raw/main/x.md"),
        ("https://codeberg.org/a/b/src/branch/main/x.md", "https://codeberg.org/a/b/raw/branch/main/x.md"),
        (
            "https://gist.github.com/anna/0123456789abcdef0123",
            "https://gist.githubusercontent.com/anna/0123456789abcdef0123/raw",
        ),
    ],
)
def test_the_table_says_where_the_text_lies(url: str, first: str) -> None:
    assert next(raw_addresses(url)) == first


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/anna/wall/issues/7",
        "https://github.com/anna",
        "https://github.com/topics/harbour",
        "https://github.com/anna/wall?tab=security",
        "https://github.com.evil.example/anna/wall/blob/main/a.py",
        "https://evil.example/github.com/anna/wall/blob/main/a.py",
        "https://user@github.com/anna/wall",
    ],
)
def test_other_pages_are_left_alone(url: str) -> None:
    assert list(raw_addresses(url)) == []


def test_only_a_front_page_has_an_llms_txt() -> None:
    assert llms_address("https://harbour.example/") == "https://harbour.example/llms.txt"
    assert llms_address("https://harbour.example/wall") is None
    assert llms_address("https://harbour.example/?q=1") is None


def test_every_rule_leads_to_the_host_of_its_own_project() -> None:
    """A rule never hands an address to a third party."""
    homes = {"github.com": "githubusercontent.com", "gist.github.com": "githubusercontent.com"}
    for one in RULES:
        assert all(homes.get(one.host, one.host) in target.split("/")[2] for target in one.targets)


@asynccontextmanager
async def reading(web: RudeWeb, workers: Workers, **settings: Any) -> AsyncIterator[Builtin]:
    async with Fetcher(Guard(GuardPolicy(allow_private=(web.endpoint,)))) as fetcher:
        yield Builtin(fetcher, workers, **settings)


def rules_of(web: RudeWeb) -> tuple[RawRule, ...]:
    return (
        rule(web.endpoint, r"/(?P<owner>\w+)/(?P<name>\w+)", web.url("/raw/README.md"), web.url("/raw/README")),
        rule(web.endpoint, r"/blob/(?P<file>.+)", web.url("/raw/{file}")),
        rule(web.endpoint, r"/refused", "http://169.254.169.254/latest"),
    )


async def read(scripts: dict[str, bytes], path: str, workers: Workers, **settings: Any) -> tuple[Page, list[str]]:
    with RudeWeb(scripts) as web:
        async with reading(web, workers, rules=rules_of(web), **settings) as builtin:
            page = await builtin.read(web.url(path)).run()
        return page, [asked.path for asked in web.asked]


async def test_a_file_is_read_as_it_lies_in_its_repository(workers: Workers) -> None:
    page, asked = await read({"/raw/a.md": TEXT, "/blob/a.md": reply(PAGE)}, "/blob/a.md", workers)
    assert (page.title, page.content) == ("The wall", "# The wall\n\nSee [plans](https://harbour.example/)")
    assert asked == ["/raw/a.md"]
    assert page.url.endswith("/blob/a.md")
    assert page.final_url.endswith("/raw/a.md")
    assert "raw-file" in {signal.kind for signal in page.signals}


async def test_a_repository_is_read_by_the_first_readme_it_has(workers: Workers) -> None:
    page, asked = await read({"/raw/README": TEXT, "/anna/wall": reply(PAGE)}, "/anna/wall", workers)
    assert page.content.startswith("# The wall")
    assert asked == ["/raw/README.md", "/raw/README"]


@pytest.mark.parametrize("path", ["/blob/gone.md", "/refused"])
async def test_where_a_rule_leads_nowhere_the_page_itself_is_read(workers: Workers, path: str) -> None:
    page, asked = await read({path: reply(PAGE)}, path, workers)
    assert page.title == "The harbour wall"
    assert asked[-1] == path


async def test_raw_files_can_be_switched_off(workers: Workers) -> None:
    page, asked = await read({"/raw/a.md": TEXT, "/blob/a.md": reply(PAGE)}, "/blob/a.md", workers, raw_files=False)
    assert page.title == "The harbour wall"
    assert asked == ["/blob/a.md"]


async def test_llms_txt_is_read_on_request_and_never_a_page_in_its_place(workers: Workers) -> None:
    site = {"/": reply(PAGE), "/llms.txt": TEXT}
    page, asked = await read(site, "/", workers)
    assert (page.title, asked) == ("The harbour wall", ["/"])
    page, _ = await read(site, "/", workers, llms_txt=True)
    assert page.title == "The wall"
    assert [link.url for link in page.links] == ["https://harbour.example/"]
    page, asked = await read({"/": reply(PAGE), "/llms.txt": reply(PAGE)}, "/", workers, llms_txt=True)
    assert (page.title, asked) == ("The harbour wall", ["/llms.txt", "/"])
