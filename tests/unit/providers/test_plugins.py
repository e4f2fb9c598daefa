"""Ours come through the same door as anyone's: what a plug-in declares counts exactly as it does for us."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from seekread import AllFailed, Refused, Seekread
from seekread.models import Page
from seekread.provider import Call, Job, Query, Reply, Request, SearchResult, SecretStr, Unreachable, setting
from seekread.providers.registry import build
from seekread.testing.server import Answer, LoopbackServer, Received

KEY = "opaque7Kq9zZ31xw"


@pytest.fixture
def echo() -> Iterator[LoopbackServer]:
    """A service that repeats the key it was sent, in the place where a number should stand."""

    def answer(received: Received) -> Answer:
        return Answer({"total": f"{received.headers['x-acme-token']} is not valid"})

    with LoopbackServer(answer) as running:
        yield running


@dataclass(frozen=True)
class Acme:
    """A service whose key travels in a header nobody else uses."""

    base_url: str
    opaque: SecretStr = setting()
    path: str = setting("index", about="Where its search stands.")
    guard: str = setting("polite", about="How it guards.")

    name: ClassVar[str] = "acme"

    def search(self, query: Query) -> Call[list[SearchResult]]:
        headers = {"X-Acme-Token": self.opaque.get_secret_value()}
        return Call(Request("GET", f"{self.base_url}/{self.path}", {"q": query.text}, headers), parse)


def parse(reply: Reply) -> list[SearchResult]:
    return [SearchResult(title=str(n), url=f"https://a.org/{n}") for n in range(int(reply.json()["total"]))]


@pytest.mark.anyio
async def test_a_plug_ins_key_is_masked_wherever_it_travels(echo: LoopbackServer) -> None:
    async with Seekread(settings={"store": "memory:", "attempts": 1}) as web:
        web.register(Acme(echo.url, SecretStr(KEY)))
        with pytest.raises(AllFailed) as caught:
            await web.search("tea")
        told = [str(caught.value), *(attempt.message for attempt in caught.value.response.attempts)]
        assert "invalid literal" in told[1]
        assert not [text for text in told if KEY in text]
        with pytest.raises(Exception, match="contains a configured secret"):
            await web.search(f"who uses {KEY}")


@pytest.mark.anyio
async def test_a_key_that_comes_after_the_first_search_cannot_leave_either(echo: LoopbackServer) -> None:
    async with Seekread(settings={"store": "memory:", "attempts": 1}) as web:
        web.register(Acme(echo.url, SecretStr("another-key-of-old")))
        with pytest.raises(AllFailed):
            await web.search(f"who uses {KEY}")
        web.register(AcmePages(echo.url, SecretStr(KEY)))
        with pytest.raises(Refused, match="contains a configured secret"):
            await web.search(f"who uses {KEY}")


@dataclass(frozen=True)
class AcmePages:
    """A cloud reader whose key travels in a header nobody else uses."""

    base_url: str
    opaque: SecretStr = setting()

    name: ClassVar[str] = "pages"

    def read(self, url: str) -> Call[Page]:
        headers = {"X-Acme-Token": self.opaque.get_secret_value()}
        return Call(Request("GET", self.base_url, {"url": url}, headers), parse_page)


def parse_page(reply: Reply) -> Page:
    return Page(url="https://a.org/", content="words " * int(reply.json()["total"]))


@pytest.mark.anyio
async def test_a_plug_in_readers_key_is_masked_too(echo: LoopbackServer) -> None:
    async with Seekread(settings={"store": "memory:", "readers": ["pages"]}) as web:
        web.register(AcmePages(echo.url, SecretStr(KEY)))
        # An address that needs no resolver; only the reader ever hears of it.
        page = await web.open_page("http://93.184.216.34/page")
    assert "invalid literal" in page.error
    assert KEY not in page.model_dump_json()


def test_a_setting_called_like_a_part_of_ours_keeps_its_value() -> None:
    parts = Seekread(providers={"acme": {"base_url": "http://127.0.0.1", "opaque": KEY}})._parts
    made = build(Acme, parts._field_values)
    assert (made.path, made.guard) == ("index", "polite")


@dataclass
class Shelf:
    """A reader on this machine, whose sites are sometimes down."""

    name: ClassVar[str] = "shelf"
    local: ClassVar[bool] = True
    washed: ClassVar[list[str]] = []

    def read(self, url: str) -> Job[Page]:
        async def run() -> Page:
            if "dead" in url:
                raise Unreachable("no answer")
            if "loud" in url:
                loud = "![a](https://evil.example/) <b>\u200bwords"
                return Page(url=url, title="A\n# page\u202e", content=loud, notes=("a\nb",))
            return Page(url=url, title="A page", content="Some **words** to read.")

        return Job(run)


@pytest.mark.anyio
@pytest.mark.process
async def test_a_plug_ins_local_reader_is_never_rested_for_a_dead_site() -> None:
    settings = {"store": "memory:", "readers": ["shelf"], "allow_private": ["127.0.0.1:9"]}
    async with Seekread(settings=settings) as web:
        web.register(Shelf())
        for number in range(12):
            page = await web.open_page(f"http://127.0.0.1:9/dead/{number}")
            assert page.outcome == "unreachable"
        page = await web.open_page("http://127.0.0.1:9/healthy")
        assert (page.outcome, page.content) == ("ok", "Some **words** to read.")
        assert await web._parts.ledger.usage() == []


@pytest.mark.anyio
@pytest.mark.process
async def test_a_plug_ins_markdown_is_foreign_on_whichever_machine_it_was_made() -> None:
    settings = {"store": "memory:", "readers": ["shelf"], "allow_private": ["127.0.0.1:9"]}
    async with Seekread(settings=settings) as web:
        web.register(Shelf())
        page = await web.open_page("http://127.0.0.1:9/loud")
    assert page.content == "[image: a] \\<b>words"
    assert (page.title, page.notes[0]) == ("A # page", "a b")


def plugin(folder: Path, source: str, *, group: str = "seekread.providers") -> dict[str, str]:
    """A package beside ours that announces a provider named `acme`."""
    info = folder / "somebody-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\nacme = somebody:Acme\n")
    (folder / "somebody.py").write_text(source)
    return {**os.environ, "PYTHONPATH": str(folder)}


def seekread(*arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "seekread", "--store", "memory:", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=env)


@pytest.mark.process
@pytest.mark.parametrize("group", ["seekread.providers", "seekread.readers"])
def test_nothing_of_a_plug_in_runs_before_it_is_asked(tmp_path: Path, group: str) -> None:
    marker = tmp_path / "was here"
    env = plugin(
        tmp_path, f"import pathlib\npathlib.Path({str(marker)!r}).touch()\nraise RuntimeError('no')", group=group
    )
    env |= {"SEARXNG_URL": "http://127.0.0.1:9", "ACME_API_KEY": KEY}
    assert seekread("search", "tea", env=env).returncode == 1
    assert seekread("-v", "open", "http://127.0.0.1/", env=env).returncode == 6
    assert seekread("usage", env=env).returncode == 0
    assert not marker.exists()


@pytest.mark.process
def test_one_that_fails_at_import_is_named_and_hurts_nobody(tmp_path: Path) -> None:
    env = plugin(tmp_path, "raise RuntimeError('half written')")
    told = seekread("doctor", env=env)
    assert told.returncode == 0
    assert "acme cannot be imported: RuntimeError: half written" in told.stdout
    assert "Traceback" not in told.stderr
    asked = seekread("search", "tea", "-p", "acme", env=env)
    assert (asked.returncode, asked.stderr.count("half written")) == (4, 1)
    assert '"name": "acme"' in seekread("providers", "--json", env=env).stdout


KEYLESS = """
class Acme:
    name = "acme"
    async def search(self, query, *, limit=5):
        return [{"title": query, "url": "https://books.example/"}]
"""


def asked_by_default(env: dict[str, str]) -> str:
    ask = "from seekread import Seekread; print([p.name for p in Seekread()._parts.chain(())])"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, timeout=60, env=env)
    return done.stdout.strip()


@pytest.mark.process
def test_a_plug_in_comes_after_ours_unless_the_settings_name_it(tmp_path: Path) -> None:
    env = plugin(tmp_path, KEYLESS)
    assert asked_by_default(env).endswith("'wikipedia', 'acme']")
    assert asked_by_default({**env, "WEB_SEARCH_PROVIDER": "acme"}) == "['acme']"
