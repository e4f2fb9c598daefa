"""`seekread doctor` says what is set up, what is missing and what to know."""

import importlib.metadata
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from seekread.cli.app import app
from seekread.cli.doctor import Listening
from seekread.config.misspelt import misspelt_variables
from seekread.provider import Reply, Request
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.server import Fault
from seekread.testing.simulators.simulator import Simulator
from tests.support.state_files import open_state

SETTINGS = Path(__file__).parents[3] / "docs" / "reference" / "settings.md"


def doctor(*arguments: str, store: str = "memory:", **environ: str) -> "tuple[int, str]":
    done = CliRunner().invoke(app, ["--store", store, "doctor", *arguments], env=environ)
    return done.exit_code, done.output


@pytest.fixture
def web() -> Iterator[dict[str, Simulator]]:
    """Brave, DuckDuckGo and Wikipedia, simulated."""
    with ExitStack() as running:
        yield {name: running.enter_context(simulators.start(name)) for name in ("brave", "duckduckgo", "wikipedia")}


def environment(web: dict[str, Simulator]) -> dict[str, str]:
    return {name: value for one in web.values() for name, value in one.environment().items()}


def test_live_says_whom_it_will_ask_and_tells_of_each(web: dict[str, Simulator]) -> None:
    code, text = doctor("--live", **environment(web))
    assert "asking brave, duckduckgo, wikipedia a question with a known answer; charged like a search by brave" in text
    assert [f"✓ {name} finds what it must find" in text for name in web] == [True, True, True]
    assert [len(one.received) for one in web.values()] == [1, 1, 1]
    assert code == 0


def test_the_operators_domains_do_not_hide_the_known_answer(web: dict[str, Simulator]) -> None:
    code, text = doctor("--live", **environment(web), SEEKREAD_ALLOWED_DOMAINS="example.net")
    assert "✓ brave finds what it must find" in text
    assert code == 0


def test_without_live_nobody_is_asked(web: dict[str, Simulator]) -> None:
    doctor(**environment(web))
    assert not any(one.received for one in web.values())


def test_live_finds_out_who_is_blocked_and_whose_key_is_wrong(web: dict[str, Simulator]) -> None:
    web["brave"].fail(web["brave"].refusals["wrong key"].fault)
    web["duckduckgo"].fail(Fault(202, "challenge"))
    code, text = doctor("--live", **environment(web))
    assert code == 1
    assert "✗ brave could not answer: auth_failed (" in text
    assert "✗ duckduckgo could not answer: blocked (" in text
    assert "✓ wikipedia finds what it must find" in text


def test_a_fresh_installation_is_told_what_to_know() -> None:
    """S3-40"""
    code, text = doctor()
    assert code == 0
    assert "a search asks duckduckgo → wikipedia" in text
    assert "unofficial" in text
    assert "not the only provider in production" in text
    assert "Tavily, Brave, or a SearXNG of your own" in text


def test_a_key_moves_its_provider_to_the_front_and_is_not_shown() -> None:
    code, text = doctor(BRAVE_API_KEY="brave-secret-key")
    assert code == 0
    assert "a search asks brave →" in text
    assert "brave-secret-key" not in text


def test_a_provider_that_is_not_set_up_is_a_problem() -> None:
    code, text = doctor(WEB_SEARCH_PROVIDER="brave")
    assert code == 1
    assert "BRAVE_SEARCH_API_KEY" in text


@pytest.mark.parametrize("name", ["SEEKREAD_PAGE_PROXY", "SEEKREAD_ALLOW_PRIVATE"])
def test_what_weakens_the_guard_is_said(name: str) -> None:
    value = "http://proxy.example:3128" if name.endswith("PROXY") else "127.0.0.1:8080"
    assert name.removeprefix("SEEKREAD_").lower() in doctor(**{name: value})[1]


def test_who_is_set_up_and_not_asked_is_told() -> None:
    """An engine of one's own is asked alone, which surprises whoever has set up another."""
    environ = {"SEARXNG_URL": "http://127.0.0.1:9", "BRAVE_API_KEY": "x"}
    assert "· brave: set up, and not asked, because searxng of your own is asked alone" in doctor(**environ)[1]
    assert "config set search.fallback brave" in doctor(**environ)[1]
    assert "not asked" not in doctor(**environ, SEEKREAD_FALLBACK="brave")[1]


def test_a_failure_that_came_twice_is_told_once() -> None:
    code, text = doctor("--live", SEARXNG_URL="http://127.0.0.1:9")
    assert code == 1
    assert text.count("the connection was refused") == 1


def test_an_extra_that_is_not_wholly_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(package: str) -> str:
        if package in {"protego", "jinja2"}:
            raise importlib.metadata.PackageNotFoundError(package)
        return real(package)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "· not installed: seekread[robots,server]" in doctor()[1]


@pytest.mark.parametrize("command", ["chromium-browser", "google-chrome"])
def test_a_chromium_that_the_reader_would_use_is_not_denied(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("seekread.readers.browser.chromium.APPLICATIONS", ())
    assert "no Chromium was found" in doctor()[1]
    (tmp_path / command).write_text("#!/bin/sh\n")
    (tmp_path / command).chmod(0o755)
    assert "no Chromium was found" not in doctor()[1]


def test_a_damaged_state_file_is_named_where_it_was_moved(tmp_path: Path) -> None:
    file = tmp_path / "state.sqlite"
    file.write_bytes(b"no database")
    code, text = doctor(store=str(file))
    assert code == 0
    assert "state is kept: 0 entries" in text
    [broken] = tmp_path.glob("state.sqlite.broken-*")
    assert f"a damaged state file was moved aside: {broken}" in text
    assert doctor(store=str(file))[1].count(str(broken)) == 1, "until somebody deletes it"


def test_a_state_file_of_a_newer_version_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "state.sqlite"
    open_state(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version=99")
    code, text = doctor(store=str(file))
    assert code == 1
    assert "layout 99 of a newer seekread" in text
    assert "update seekread" in text


def test_a_variable_with_a_typing_mistake_is_a_problem_and_names_the_right_one() -> None:
    code, text = doctor(SEEKREAD_LIMT="3", BRAVE_SERCH_API_KEY="x", BRAVE_MOOD="good")
    assert code == 1
    assert "✗ the variable SEEKREAD_LIMT is read by nobody\n  → did you mean SEEKREAD_LIMIT?" in text
    assert "did you mean BRAVE_SEARCH_API_KEY?" in text
    assert "BRAVE_MOOD" not in text, "that may be another program's"


def test_every_variable_that_is_documented_is_read_by_somebody() -> None:
    documented = set(re.findall(r"`(SEEKREAD_[A-Z0-9_]+)`", SETTINGS.read_text(encoding="utf-8")))
    assert len(documented) > 40
    assert not [name for name in documented if name in misspelt_variables(dict.fromkeys(documented, "x"))]


def test_certificates_that_cannot_be_read_are_a_problem() -> None:
    code, text = doctor(SSL_CERT_FILE="/nowhere/ca.pem")
    assert code == 1
    assert "✗ setting ca_file" in text
    assert "it comes from the environment SSL_CERT_FILE" in text


def test_settings_that_make_no_sense_are_a_finding_like_any_other() -> None:
    code, text = doctor(SEEKREAD_LIMIT="many")
    assert (code, text.startswith("✗ setting limit")) == (1, True)


def test_json_says_the_same() -> None:
    code, text = doctor("--json", SEEKREAD_LIMT="3")
    found = json.loads(text)
    assert code == 1
    assert {key: value for key, value in found[1].items() if key != "hint"} == {
        "mark": "problem",
        "text": "the variable SEEKREAD_LIMT is read by nobody",
    }


def test_live_says_where_a_key_that_was_rejected_comes_from(web: dict[str, Simulator]) -> None:
    code, text = doctor("--live", **{**environment(web), "BRAVE_SEARCH_API_KEY": "", "BRAVE_API_KEY": "nonsense-key"})
    assert code == 1
    assert "✗ brave could not answer" in text
    assert "→ brave: its api_key comes from the environment BRAVE_API_KEY" in text
    assert "nonsense-key" not in text


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("{host}", 200, "SEARXNG_URL has no scheme: write http://{host}"),
        ("{url}/search", 404, "leave /search out: {url}"),
        ("{url}/wrong", 404, "try {url} without /wrong"),
        ("{url}", 404, "does the instance live below a path"),
        ("{url}", 403, "add `json` to `search.formats`"),
        ("{url}", 401, "SEARXNG_URL, before the host and an @, or a token into SEARXNG_API_KEY"),
    ],
)
def test_an_address_of_searxng_that_is_wrong_is_told_with_its_repair(address: str, status: int, words: str) -> None:
    with simulators.start("searxng") as searxng:
        if status != 200:
            searxng.fail(Fault(status, "no"))
        places = {"url": searxng.url, "host": searxng.url.removeprefix("http://")}
        code, text = doctor("--live", SEARXNG_URL=address.format(**places))
        assert code == 1
        assert words.format(**places) in text
        searched = CliRunner().invoke(app, ["search", "tea"], env={"SEARXNG_URL": address.format(**places)})
        assert words.format(**places) in searched.output


class Dated:
    """A service that says what time it is."""

    def __init__(self, date: str) -> None:
        self.date = date

    async def send(self, _request: Request, *, seconds: float) -> Reply:
        return Reply(200, {"date": self.date}, str(seconds).encode())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("Thu, 01 Jan 2026 10:10:00 GMT", "10 minutes slow"),
        ("Thu, 01 Jan 2026 09:00:00 GMT", "60 minutes fast"),
        ("Thu, 01 Jan 2026 10:01:00 GMT", ""),
        ("yesterday", ""),
    ],
)
async def test_a_clock_that_is_wrong_is_noticed(date: str, words: str) -> None:
    ours = FakeClock(datetime(2026, 1, 1, 10, tzinfo=UTC).timestamp())
    listening = Listening(Dated(date), ours)
    await listening.send(Request("GET", "http://127.0.0.1"), seconds=1)
    assert [words in finding.text for finding in listening.findings()] == ([True] if words else [])


def test_what_is_left_of_a_plan_is_told(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        store, file = str(tmp_path / "s.sqlite"), tmp_path / "c.toml"
        file.write_text('[spending.plans]\nbrave = "free"\n')
        environ = {**brave.environment(), "SEEKREAD_CONFIG": str(file)}
        CliRunner().invoke(app, ["--store", store, "search", "-p", "brave", "tea"], env=environ)
        assert re.search(r"· brave: [\d.]+ of \d+ \w+ are left", doctor(store=store, **environ)[1])
