"""The hosts' examples run as a newcomer would run them, offline."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from seekread.integrations.yodoca import Source, WebSearchToolResult, link
from seekread.testing import simulators
from tests.support.environments import ROOT

pytestmark = pytest.mark.process

EXAMPLES = ROOT / "examples"


def run(host: str, *arguments: str, **environ: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=EXAMPLES / host,
        env={**os.environ, **environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.proves("S0-15")
def test_squidbot(tmp_path: Path) -> None:
    """The settings of the guide, and a search."""
    with simulators.start("searxng") as service:
        config = json.loads((EXAMPLES / "squidbot" / "config.json").read_text())
        config["tools"]["web_search"]["url"] = service.base_url
        path = tmp_path / "config.json"
        path.write_text(json.dumps(config))
        shown = run("squidbot", "try_it.py", str(path), "green tea")
    assert shown.startswith("1. green tea & more, part 1 — https://www.example.org/green-tea/1\n   ")


@pytest.mark.proves("S1-55")
def test_basirah() -> None:
    """Number of results, title, address, `age - source`, number of snippets; then news of the month."""
    with simulators.start("brave") as service:
        shown = run("basirah", "company_research.py", **service.environment())
        news = service.received[-1]
    assert shown.startswith("Found 5 results\n\nbusiness model competitive advantages Apple Inc & more, part 1\n")
    assert "  October 30, 2026 - example.org\n  Snippets: 5\n" in shown
    assert shown.endswith("\nRecent news: 10 articles\n")
    assert news.path.endswith("/news/search")
    assert news.params["freshness"] == "pm"


@pytest.mark.proves("S1-26")
def test_basirah_without_a_key_says_what_to_set() -> None:
    done = subprocess.run(
        [sys.executable, "company_research.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=EXAMPLES / "basirah",
    )
    assert done.returncode != 0
    assert "BRAVE_SEARCH_API_KEY not set" in done.stderr


def test_term2() -> None:
    """S2-31, S2-39: a key in the environment, Markdown out; without one, what is missing."""
    with simulators.start("tavily") as service:
        shown = run("term2", "try_it.py", "green tea", **service.environment())
    assert shown.startswith('web_search: "green tea" completed\n## Search Results\n\n### 1. green tea & more, part 1\n')
    without = run("term2", "try_it.py", "green tea")
    assert without.startswith(
        "web_search: \"green tea\" completed\nError: Web search provider 'tavily' is not properly"
    )


@pytest.mark.proves("S2-32", "S2-40")
def test_term2_a_provider_of_ones_own() -> None:
    """The four steps of the page, executed: it asks Serper, with the key the environment brought."""
    chosen = {"WEB_SEARCH_PROVIDER": "serper"}
    with simulators.start("serper") as service:
        shown = run("term2", "serper_provider.py", "green tea", **chosen, **service.environment())
        wrong = run("term2", "serper_provider.py", "tea", **chosen, **service.environment() | {"SERPER_API_KEY": "no"})
        first, _ = service.received
    assert shown.startswith("## Search Results\n\n### 1. green tea & more, part 1\n\n**URL:** https://www.example.org")
    assert (first.method, first.path, first.json) == ("POST", "/search", {"q": "green tea"})
    assert wrong.startswith("Error: Serper API error (403): ")
    without = run("term2", "serper_provider.py", "tea", **chosen)
    assert without.startswith("Error: Web search provider 'serper' is not properly configured.")


SKILL = ROOT / "src" / "seekread" / "integrations" / "term2" / "skill" / "SKILL.md"


def test_term2_skill() -> None:
    """S1-50, S2-28: every command the skill shows exists with its options; the host finds it by its front matter."""
    text = SKILL.read_text(encoding="utf-8")
    assert re.match(r"---\nname: web\ndescription: .+\n---\n", text)
    shown = re.findall(r"^    seekread (\w+) (.*)$", text, re.MULTILINE)
    assert {command for command, _ in shown} == {"search", "open"}
    for command in ("search", "open"):
        listed = run("term2", "-m", "seekread", command, "--help")
        used = {option for name, line in shown if name == command for option in re.findall(r"--[a-z-]+", line)}
        assert not [option for option in used if option not in listed]
    with simulators.start("tavily") as service:
        output = run(
            "term2", "-m", "seekread", "search", "--format", "term2", "--quiet", "green tea", **service.environment()
        )
    assert output.startswith("## Search Results\n\n### 1. green tea")


@pytest.mark.proves("S3-25")
def test_yodoca_channel() -> None:
    """Links and a footer where a channel shows them; the sources are those of the last search in the thread."""
    searches = [
        WebSearchToolResult(sources=[Source(citation_id=1, url=f"https://example.org/{name}", title=name)])
        for name in ("old", "new")
    ]
    history = [{"type": "function_call_output", "output": str(result)} for result in searches]
    history += [{"type": "function_call_output", "output": "no JSON"}, {"role": "assistant", "content": "…"}]
    sent: list[tuple[str, str]] = []

    class Context:
        async def get_thread_history(self, _thread: str) -> list[dict[str, str]]:
            return history

    async def send(user: str, text: str) -> None:
        sent.append((user, text))

    channel = module(EXAMPLES / "yodoca" / "rich_channel.py").RichChannel(Context(), send)
    anyio.run(channel.send_to_user, "someone", "Tea is <old> [1].")
    [(user, text)] = sent
    assert user == "someone"
    assert text.startswith('Tea is &lt;old&gt; <a href="https://example.org/new"')
    assert "https://example.org/old" not in text
    assert link("Tea is old [1].", [], "plain").text == "Tea is old [1]."
