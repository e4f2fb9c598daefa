"""
The files that take a place in a host, beside that host's interfaces and through the seams its own tests use.

The interfaces under `stubs/` are rebuilt from the hosts' public contracts. The hosts patch `httpx.AsyncClient` and
`asyncio.to_thread` in the tool's module, and `requests.Session.get`; so do these tests.
"""

import importlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock, patch

import pytest

from seekread.integrations import basirah, squidbot
from tests.support.environments import ROOT

pytest.importorskip("httpx", reason="squidbot's HTTP client is not installed here")
pytest.importorskip("requests", reason="basirah's HTTP client is not installed here")

FOLDERS = {module.__name__.rpartition(".")[2]: Path(module.__file__ or "").parent for module in (squidbot, basirah)}
STUBS = Path(__file__).parent / "stubs"
WEB_SEARCH = "squidbot.adapters.tools.web_search"
ROWS = [{"title": f"Result {number}", "url": f"https://r{number}.com", "content": f"S{number}."} for number in range(5)]


def checkout(host: str, folder: Path) -> Path:
    """The host's interfaces with the drop-in put in place."""
    shutil.copytree(STUBS / host, folder / host)
    shutil.copytree(FOLDERS[host] / "dropin", folder / host, dirs_exist_ok=True)
    return folder / host


@pytest.fixture
def host(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The module of a host that makes its tools; nothing of the host is left behind."""
    name, package = request.param
    monkeypatch.syspath_prepend(checkout(name, tmp_path))
    hidden = {known: sys.modules.pop(known) for known in list(sys.modules) if known.partition(".")[0] == package}
    yield importlib.import_module(f"{package}.wiring")
    for known in [known for known in sys.modules if known.partition(".")[0] == package]:
        del sys.modules[known]
    sys.modules.update(hidden)


in_squidbot = pytest.mark.parametrize("host", [("squidbot", "squidbot")], indirect=True, ids=["squidbot"])
in_basirah = pytest.mark.parametrize("host", [("basirah", "src")], indirect=True, ids=["basirah"])


@pytest.mark.parametrize("name", FOLDERS)
def test_the_table_names_the_files_that_are_shipped(name: str) -> None:
    table = tomllib.loads((FOLDERS[name] / "dropin.toml").read_text(encoding="utf-8"))
    shipped = FOLDERS[name] / "dropin"
    assert table["host"] == name
    assert set(table["files"]) == {str(path.relative_to(shipped)) for path in shipped.rglob("*.py")}
    assert set(table["files"]) <= set(table["marker"])
    assert all(25 <= len((shipped / file).read_text(encoding="utf-8").splitlines()) <= 50 for file in table["files"])


@pytest.mark.process
def test_the_files_are_in_the_wheel() -> None:
    """Whoever installs seekread has them."""
    listing = (
        "from hatchling.builders.wheel import WheelBuilder\n"
        "print(*(file.distribution_path for file in WheelBuilder('.').recurse_included_files()))"
    )
    done = subprocess.run([sys.executable, "-c", listing], cwd=ROOT, capture_output=True, text=True, check=True)
    for name, folder in FOLDERS.items():
        table = tomllib.loads((folder / "dropin.toml").read_text(encoding="utf-8"))
        inside = f"seekread/integrations/{name}"
        wanted = {f"{inside}/dropin.toml", *(f"{inside}/dropin/{file}" for file in table["files"])}
        assert wanted <= set(done.stdout.split())


@pytest.mark.process
@pytest.mark.proves("S0-7", "S0-23")
@pytest.mark.parametrize("name", FOLDERS)
def test_the_hosts_strict_type_checker_takes_the_tool_for_one_of_its_own(name: str, tmp_path: Path) -> None:
    """A read-only property is no attribute, and a class that looks the same is not the host's result."""
    folder = checkout(name, tmp_path)
    package = {"squidbot": "squidbot", "basirah": "src"}[name]
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n[mypy-requests.*]\nignore_missing_imports = true\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "-p", package],
        cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


# squidbot


def config(**values: str) -> Any:
    from squidbot.config.schema import Settings  # type: ignore[import-not-found,unused-ignore]

    given = {"enabled": True, "provider": "searxng", "url": "http://searx.local", "api_key": "", **values}
    return Settings.model_validate({"tools": {"web_search": given}})


async def search(host: Any, query: str = "tea", *, limit: int = 5, **settings: Any) -> Any:
    """One call through the host's registry."""
    return await host.tools_of(config(**settings)).execute("web_search", "call_1", query=query, max_results=limit)


def client_that(**get: Any) -> Any:
    """The host's way to replace its HTTP client, in the tool's module."""
    client = AsyncMock()
    client.get = AsyncMock(**get)
    made = MagicMock()
    made.return_value.__aenter__ = AsyncMock(return_value=client)
    made.return_value.__aexit__ = AsyncMock(return_value=False)
    return patch(f"{WEB_SEARCH}.httpx.AsyncClient", made), client.get, made


def reply(json: Any) -> Any:
    """A reply as the host's tests make it: no status, no bytes, no headers."""
    made = MagicMock()
    made.json.return_value = json
    return made


@in_squidbot
@pytest.mark.anyio
@pytest.mark.proves("S0-12", "S0-22", "S0-23", "X-29")
@pytest.mark.parametrize(
    ("settings", "json", "address"),
    [
        ({}, {"results": ROWS}, "http://searx.local/search"),
        (
            {"provider": "brave", "api_key": "test-key"},
            {"web": {"results": [{**row, "description": row["content"]} for row in ROWS]}},
            "https://api.search.brave.com/res/v1/web/search",
        ),
    ],
)
async def test_squidbots_own_client_is_asked(host: Any, settings: dict[str, str], json: Any, address: str) -> None:
    replaced, get, made = client_that(return_value=reply(json))
    with replaced:
        result = await search(host, limit=2, **settings)
    assert result.content == "1. Result 0 — https://r0.com\n   S0.\n\n2. Result 1 — https://r1.com\n   S1."
    assert (result.is_error, result.tool_call_id) == (False, "call_1")
    assert type(result).__module__ == "squidbot.core.models"
    assert get.await_args.args == (address,)
    made.assert_called_once_with(timeout=10.0)


@in_squidbot
@pytest.mark.anyio
@pytest.mark.proves("S0-20", "S0-22")
async def test_squidbot_hears_of_nothing_and_nothing_else_is_added(host: Any) -> None:
    """The contract fixes this text; this profile asks one provider, so there is nobody else to be named beside it."""
    asked: list[tuple[dict[str, Any], Any]] = [
        ({}, {"results": []}),
        ({"provider": "brave", "api_key": "k"}, {"web": {"results": []}}),
    ]
    for settings, json in asked:
        replaced, get, _ = client_that(return_value=reply(json))
        with replaced:
            result = await search(host, "rare thing", **settings)
        assert (result.content, result.is_error) == ("No results found for: rare thing", False)
        assert get.await_count == 1


@in_squidbot
@pytest.mark.anyio
@pytest.mark.proves("S0-6", "S0-22")
async def test_squidbots_failures_are_told(host: Any) -> None:
    refused = reply(None)
    refused.raise_for_status.side_effect = Exception("404 Not Found")
    for get in ({"side_effect": Exception("connection refused")}, {"return_value": refused}):
        replaced, asked, _ = client_that(**get)
        with replaced:
            result = await search(host)
        assert result.is_error
        assert result.content in {"Search failed: connection refused", "Search failed: 404 Not Found"}
        assert asked.await_count == 1


@in_squidbot
@pytest.mark.anyio
@pytest.mark.proves("S0-13", "S0-22")
async def test_squidbots_threads_run_duckduckgo(host: Any) -> None:
    """A mock of `asyncio.to_thread` is all that is asked; before, it was passed by and the network was tried."""
    rows = [{"title": "DDG One", "href": "https://ddg-one.com", "body": "DDG snippet."}]
    to_thread = partial(patch, f"{WEB_SEARCH}.asyncio.to_thread", new_callable=AsyncMock)
    with to_thread(return_value=rows) as asked:
        result = await search(host, provider="duckduckgo")
    assert result.content == "1. DDG One — https://ddg-one.com\n   DDG snippet."
    assert asked.await_count == 1
    with to_thread(side_effect=Exception("ddg error")):
        result = await search(host, provider="duckduckgo")
    assert (result.content, result.is_error) == ("Search failed: Exception: ddg error", True)


@in_squidbot
@pytest.mark.proves("S0-17", "S0-18", "S0-23")
def test_squidbot_fails_fast_on_a_wrong_choice(host: Any) -> None:
    with pytest.raises(ValueError, match="Unknown provider"):
        host.tools_of(config(provider="bing"))
    with pytest.raises(ValueError, match="api_key"):
        host.tools_of(config(provider="brave"))
    (definition,) = host.tools_of(config()).get_definitions()
    assert (definition.name, list(definition.parameters["properties"])) == ("web_search", ["query", "max_results"])


@in_squidbot
@pytest.mark.anyio
@pytest.mark.parametrize("arguments", [{}, {"query": None}])
async def test_squidbot_is_told_of_a_missing_query(host: Any, arguments: dict[str, Any]) -> None:
    result = await host.tools_of(config()).execute("web_search", "call_1", **arguments)
    assert (result.content, result.is_error) == ("Error: query is required", True)


# basirah


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "test_api_key_12345")


def answered(status: int = 200, json: Any = None) -> Any:
    """A reply as the host's tests make it: a status, and for some a body."""
    made = Mock(status_code=status)
    if json is not None:
        made.json.return_value = json
    return made


FOUND = {"web": {"results": [{"title": "Apple", "url": "https://www.apple.com/", "age": "2 days ago"}]}}


@in_basirah
@pytest.mark.usefixtures("key")
@pytest.mark.proves("X-29", "S1-36")
def test_basirahs_own_session_is_asked(host: Any) -> None:
    tool = host.tools()["web_search"]
    assert tool.api_key == tool.session.headers["X-Subscription-Token"] == "test_api_key_12345"
    assert type(tool).__mro__[-3].__name__ == "Tool"
    with patch("requests.Session.get", return_value=answered(json=FOUND)) as get:
        answer = host.call(tool, {"query": "management changes", "company": "Apple Inc", "freshness": "week"})
    assert answer["data"]["query"] == "management changes Apple Inc"
    assert answer["data"]["results"][0]["source"] == "apple.com"
    assert get.call_args[1]["params"]["freshness"] == "pw"


@in_basirah
@pytest.mark.usefixtures("key")
@pytest.mark.proves("X-29", "S1-40")
def test_basirahs_bare_mocks_are_understood(host: Any) -> None:
    tool = host.tools()["web_search"]
    tool._sleep = lambda _: None
    import requests

    for status, words in ((401, "Invalid API key"), (429, "Rate limit"), (404, "404")):
        with patch("requests.Session.get", return_value=answered(status)) as get:
            assert words in host.call(tool, {"query": "x"})["error"]
        assert get.call_count == 1
    late = requests.exceptions.Timeout("Request timeout")
    with patch("requests.Session.get", side_effect=[answered(500), late, answered(json={"web": {"results": []}})]):
        answer = host.call(tool, {"query": "x"})
    assert (answer["success"], answer["data"]["results"]) == (True, [])


@in_basirah
@pytest.mark.proves("S1-26")
def test_basirah_without_a_key_does_not_start(host: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="BRAVE_SEARCH_API_KEY environment variable not set"):
        host.tools()
