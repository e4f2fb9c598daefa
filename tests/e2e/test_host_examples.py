"""The hosts' examples run as a newcomer would run them, offline."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

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


class Manifest(BaseModel):
    """The host's manifest model, as far as it concerns a tool extension."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    version: str
    entrypoint: str
    description: str
    setup_instructions: str
    enabled: bool
    config: dict[str, Any]


@pytest.mark.proves("S3-14", "S3-42")
def test_yodoca_folder() -> None:
    """S3-18: manifest and entry point are the document's; the folder keeps the host's own rules."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed here")
    folder = EXAMPLES / "yodoca" / "web_search"
    manifest = Manifest.model_validate(yaml.safe_load((folder / "manifest.yaml").read_text(encoding="utf-8")))
    assert (manifest.id, manifest.name, manifest.version) == ("web_search", "Web Search & Reader", "1.0.0")
    assert manifest.entrypoint == "main:WebSearchExtension"
    assert manifest.description == (
        "Searches the internet and reads web pages.\nProvides web_search and open_page tools.\n"
    )
    assert manifest.enabled is True
    assert manifest.config == {"search_provider": "duckduckgo", "read_provider": "jina", "max_page_length": 15000}
    extension = module(folder / "main.py").WebSearchExtension
    extension.ConfigModel.model_validate(manifest.config)
    code = "".join(path.read_text() for path in folder.glob("*.py"))
    assert "sys.path" not in code
    assert "import core" not in code
    assert (folder / "__init__.py").exists()


@pytest.mark.proves("S3-20", "S3-30")
def test_yodoca() -> None:
    """Loaded as the host loads it, searched, and a private address refused."""
    with simulators.start("searxng") as service:
        shown = run("yodoca", "try_it.py", "searxng", "green tea", **service.environment())
    state, found, page = shown.splitlines()
    assert state == "True No API keys needed for current providers."
    assert [item["citation_id"] for item in json.loads(found)["results"]] == [1, 2, 3]
    assert json.loads(page)["status"] == "error"
