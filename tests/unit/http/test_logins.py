"""Headers for pages behind a login: for the operator's exact origins, and never anywhere else."""

import inspect
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from seekread.cli.app import app
from seekread.client import Seekread
from seekread.config.sources import load
from seekread.errors import Misconfigured
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.logins import PageLogins
from seekread.http.target import parse
from seekread.providers.plugins import installed
from seekread.providers.registry import READ_GROUP
from seekread.readers.builtin.fetch import Fetcher
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import PAGE, redirect

pytestmark = pytest.mark.anyio

KEY = "opensesame-4711-abcdef"
LOGIN = {"Authorization": SecretStr(f"Bearer {KEY}"), "X-Team": SecretStr("harbour")}


def logins(entry: str) -> PageLogins:
    return PageLogins.read({entry: LOGIN})


def sent(entry: str, url: str) -> bool:
    return bool(logins(entry).headers_for(parse(url)))


@pytest.mark.parametrize(
    ("entry", "url", "travels"),
    [
        ("wiki.harbour.org", "https://wiki.harbour.org/page", True),
        ("wiki.harbour.org", "https://WIKI.harbour.org.:443/page", True),
        ("b\u00fccher.de", "https://xn--bcher-kva.de/", True),
        ("wiki.harbour.org", "http://wiki.harbour.org/page", False),
        ("wiki.harbour.org", "https://wiki.harbour.org:8443/page", False),
        ("wiki.harbour.org", "https://a.wiki.harbour.org/page", False),
        ("wiki.harbour.org", "https://harbour.org/page", False),
        ("wiki.harbour.org", "https://wiki.harbour.org.evil.net/", False),
        ("wiki.harbour.org", "https://evil.net/wiki.harbour.org", False),
        ("http://wiki.harbour.org:8080", "http://wiki.harbour.org:8080/", True),
        ("http://wiki.harbour.org:8080", "https://wiki.harbour.org:8080/", False),
    ],
)
def test_headers_belong_to_one_origin(entry: str, url: str, travels: bool) -> None:
    assert sent(entry, url) == travels


@pytest.mark.parametrize(
    "entry", ["*.harbour.org", "", "ftp://harbour.org", "harbour.org/wiki", "https://a:b@harbour.org", "harbour.org?x"]
)
def test_what_is_no_origin_is_refused(entry: str) -> None:
    with pytest.raises(Misconfigured, match="no origin"):
        logins(entry)


@pytest.mark.parametrize(
    ("name", "value"), [("Host", KEY), ("Bad Name", KEY), ("X-A", f"{KEY}\r\nX-B: c"), ("X-A", "")]
)
def test_a_header_that_cannot_be_sent_is_refused_without_its_value(name: str, value: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        PageLogins.read({"harbour.org": {name: SecretStr(value)}})
    assert KEY not in str(caught.value)


def test_nothing_shows_a_value() -> None:
    held = logins("harbour.org")
    assert KEY not in repr(held) + str(held)
    assert KEY in set(held.secrets())


@pytest.fixture
def wiki() -> Iterator[RudeWeb]:
    """A site behind a login, and ways away from it and back."""
    scripts: dict[str, Any] = {"/page": reply(PAGE), "/inside": redirect("/page"), "/robots.txt": reply(b"")}
    with RudeWeb(scripts) as web:
        web.scripts["/from-elsewhere"] = redirect(web.url("/page").replace("127.0.0.1", "localhost"))
        yield web


def held_by(web: RudeWeb, path: str) -> list[bool]:
    """Whether each request for a path carried the login."""
    return [KEY in asked.headers.get("authorization", "") for asked in web.asked if asked.path == path]


async def fetch(wiki: RudeWeb, url: str, *others: RudeWeb, robots: bool = False) -> None:
    private = (wiki.endpoint, *(other.endpoint for other in others))
    private += tuple(endpoint.replace("127.0.0.1", "localhost") for endpoint in private)
    guard = Guard(GuardPolicy(allow_private=private))
    async with Fetcher(guard, logins=logins(f"http://{wiki.endpoint}"), respect_robots=robots) as fetcher:
        await fetcher.fetch(url)


async def test_the_page_asked_for_and_redirects_inside_its_origin_carry_the_login(wiki: RudeWeb) -> None:
    await fetch(wiki, wiki.url("/inside"))
    assert (held_by(wiki, "/inside"), held_by(wiki, "/page")) == ([True], [True])
    assert wiki.asked[0].headers["x-team"] == "harbour"


async def test_a_redirect_to_another_host_loses_the_login(wiki: RudeWeb) -> None:
    """The same port under another name is another origin."""
    await fetch(wiki, wiki.url("/from-elsewhere"))
    assert (held_by(wiki, "/from-elsewhere"), held_by(wiki, "/page")) == ([True], [False])


async def test_a_redirect_to_another_port_loses_the_login_for_good(wiki: RudeWeb) -> None:
    with RudeWeb({"/back": redirect(wiki.url("/page"))}) as other:
        wiki.scripts["/away"] = redirect(other.url("/back"))
        await fetch(wiki, wiki.url("/away"), other)
        assert held_by(other, "/back") == [False]
    assert (held_by(wiki, "/away"), held_by(wiki, "/page")) == ([True], [False])


async def test_a_page_elsewhere_that_leads_here_gets_no_login(wiki: RudeWeb) -> None:
    """Another site may not have us open what only the operator may."""
    with RudeWeb({"/start": redirect(wiki.url("/page"))}) as other:
        await fetch(wiki, other.url("/start"), other)
    assert held_by(wiki, "/page") == [False]


async def test_a_refresh_elsewhere_loses_the_login(wiki: RudeWeb) -> None:
    with RudeWeb({"/taken": reply(PAGE)}) as other:
        wiki.scripts["/refresh"] = reply(f'<meta http-equiv=refresh content="0;url={other.url("/taken")}">'.encode())
        await fetch(wiki, wiki.url("/refresh"), other)
        assert held_by(other, "/taken") == [False]


async def test_robots_are_asked_without_the_login(wiki: RudeWeb) -> None:
    pytest.importorskip("protego")
    await fetch(wiki, wiki.url("/page"), robots=True)
    assert (held_by(wiki, "/robots.txt"), held_by(wiki, "/page")) == ([False], [True])


def settings(wiki: RudeWeb, store: Path, **more: Any) -> dict[str, Any]:
    return {"store": str(store), "allow_private": [wiki.endpoint], "page_seconds": 60, **more}


def with_login(wiki: RudeWeb, value: str = KEY) -> dict[str, Any]:
    return {"page_headers": {f"http://{wiki.endpoint}": {"Authorization": f"Bearer {value}"}}}


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


@pytest.mark.process
async def test_pages_behind_a_login_are_cached_apart(wiki: RudeWeb, tmp_path: Path) -> None:
    """Whoever shares the store without the login, or with another one, reads the page by himself."""
    store = tmp_path / "state.sqlite"
    for login in (with_login(wiki), with_login(wiki), {}, with_login(wiki, "another-login-815")):
        async with Seekread(settings=settings(wiki, store, **login), environ={}) as web:
            assert (await web.open_page(wiki.url("/page"))).success
    assert held_by(wiki, "/page") == [True, False, False]
    assert KEY.encode() not in all_bytes(tmp_path)


@pytest.mark.process
async def test_a_recording_and_the_log_hold_no_login(
    wiki: RudeWeb, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wiki.scripts["/echo"] = lambda asked: (
        reply(PAGE.replace(b"harbour wall", asked.headers["authorization"].encode())),
    )
    tape = tmp_path / "tape.jsonl"
    given = settings(wiki, tmp_path / "state.sqlite", **with_login(wiki))
    with caplog.at_level(logging.DEBUG, "seekread"):
        async with Seekread(settings=given, environ={}, record=tape) as web:
            await web.open_page(wiki.url("/echo"))
            assert KEY not in repr(web._parts.settings) + repr(web._parts.configuration) + repr(web._parts.fetcher)
    assert "***" in tape.read_text()
    assert KEY not in tape.read_text() + caplog.text


async def test_an_address_that_carries_the_login_out_is_refused(wiki: RudeWeb, tmp_path: Path) -> None:
    async with Seekread(settings=settings(wiki, tmp_path / "s", **with_login(wiki)), environ={}) as web:
        page = await web.open_page(f"https://93.184.216.34/?q={KEY}")
    assert page.outcome == "refused"


@pytest.mark.process
async def test_cloud_readers_get_no_login(wiki: RudeWeb, tmp_path: Path) -> None:
    from seekread.testing import simulators

    with simulators.start("tavily") as tavily:
        given = settings(wiki, tmp_path / "s", **with_login(wiki))
        async with Seekread(settings=given, providers={"tavily": tavily.settings()}, environ={}) as web:
            await web.open_page(wiki.url("/page"), reader="tavily")
        assert tavily.received
        assert not [one for one in tavily.received if KEY in json.dumps([dict(one.headers), one.json])]


@pytest.mark.process
async def test_the_archive_gets_no_login(wiki: RudeWeb, tmp_path: Path) -> None:
    """Neither the archive nor the page that it leads back to."""
    path = f"/web/99991231235959id_/{wiki.url('/page')}"
    with RudeWeb({path: redirect(wiki.url("/page"))}) as archive:
        given = settings(wiki, tmp_path / "s", **with_login(wiki))
        given["allow_private"] = [wiki.endpoint, archive.endpoint]
        async with Seekread(settings=given, providers={"wayback": {"base_url": archive.url("")}}, environ={}) as web:
            await web.open_page(wiki.url("/page"), reader="wayback")
        assert [one.path for one in archive.asked] == [path]
        assert not [one for one in (*archive.asked, *wiki.asked) if KEY in json.dumps(dict(one.headers))]


def test_only_readers_with_our_own_fetcher_could_send_a_login() -> None:
    """Those with a browser of their own are never handed any."""
    kinds = {name: reader.load().__mro__ for name, reader in installed(READ_GROUP).items()}
    with_fetcher = {name for name, mro in kinds.items() if any("fetcher" in inspect.get_annotations(k) for k in mro)}
    assert with_fetcher == {"builtin", "whole", "wayback"}


def test_neither_the_environment_nor_a_folder_names_a_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = json.dumps({"harbour.org": {"Authorization": f"Bearer {KEY}"}})
    with pytest.raises(Misconfigured, match="page_headers") as refused:
        load(environ={"SEEKREAD_PAGE_HEADERS": named, "HOME": str(tmp_path)})
    assert KEY not in str(refused.value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"SEEKREAD_PAGE_HEADERS={named}\n")
    assert not load({"dotenv": True}, environ={"HOME": str(tmp_path)}).settings.read.page_headers


def test_the_command_line_shows_no_login(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'[read.page_headers."harbour.org"]\nAuthorization = "Bearer {KEY}"\n')
    for form in ((), ("--json",)):
        result = CliRunner().invoke(app, ["--config", str(file), "config", "show", *form])
        assert result.exit_code == 0, result.output
        assert "harbour.org" in result.output
        assert KEY not in result.output
