"""The guides of the two hosts in Python: what they show is run, and what the contracts want said is said."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import seekread
from seekread.cli.app import app
from seekread.integrations import squidbot
from seekread.integrations.basirah import WebSearchTool
from seekread.sync import portal
from seekread.toolkit.guidance import COMPANY_RESEARCH, PROMPTS
from tests.support.environments import ROOT

GUIDES = ROOT / "docs" / "guides"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def guide(name: str) -> str:
    return (GUIDES / f"{name}.md").read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The blocks of a guide in one language."""
    return [text for kind, text in BLOCK.findall(guide(name)) if kind == language]


def drop_in(host: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The table of a host's drop-in, and the files it names."""
    folder = Path(seekread.__file__).parent / "integrations" / host
    table = tomllib.loads((folder / "dropin.toml").read_text(encoding="utf-8"))
    return table, {file: (folder / "dropin" / file).read_text(encoding="utf-8") for file in table["files"]}


def imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module)):
                yield module


@pytest.mark.proves("S0-9", "S0-23")
def test_in_squidbot_one_adapter_changes_and_it_looks_inwards_only() -> None:
    """adapters → ports ← core: no other file is written, none is edited, and the new one knows core and settings."""
    table, files = drop_in("squidbot")
    assert list(files) == ["squidbot/adapters/tools/web_search.py"]
    assert "edit" not in table
    own = {module for text in files.values() for module in imported(text) if module.startswith("squidbot")}
    assert own == {"squidbot.config.schema", "squidbot.core.models"}
    for words in (
        "adapters → ports ← core", "`core/`, `ToolPort`, the other adapters and the existing tests are as they were",
        "registers the tool if `settings.tools.web_search.enabled`",
    ):  # fmt: skip
        assert words in guide("hosts/squidbot")


@pytest.mark.proves("S0-9", "S0-28")
def test_squidbots_guide_names_the_places() -> None:
    """In the document's words, and where the shipped host has them."""
    rows = [line.split("|")[1].strip() for line in guide("hosts/squidbot").splitlines() if line.startswith("| `")]
    assert rows == [
        "`squidbot/adapters/tools/web_search.py`",
        "`tests/adapters/tools/test_web_search.py`",
        "`tools.web_search` in `squidbot/config/schema.py`",
        "`_make_agent_loop()` in `squidbot/cli/gateway.py` (earlier in `cli/main.py`)",
    ]


def test_squidbots_settings_are_those_the_shipped_host_takes() -> None:
    """The host refuses a null."""
    shown = json.loads(blocks("hosts/squidbot", "json")[0])["tools"]["web_search"]
    assert list(shown) == ["enabled", "provider", "url", "api_key"]
    assert [type(value) for value in shown.values()] == [bool, str, str, str]
    squidbot.WebSearchTool(config=shown)


def test_squidbots_mcp_server_is_the_one_the_command_prints() -> None:
    """In an environment of its own, since the host's mcp is of another generation."""
    shown = json.loads(blocks("hosts/squidbot", "json")[1])
    said = json.loads(CliRunner().invoke(app, ["mcp", "config", "--client", "squidbot", "--uvx"]).stdout)
    entry, printed = (document["tools"]["mcp_servers"]["seekread"] for document in (shown, said))
    assert {**entry, "env": None} == {**printed, "env": None}


@pytest.mark.process
@pytest.mark.proves("S0-21")
def test_ddgs_is_there_without_an_extra_and_loaded_when_it_is_used() -> None:
    named = [re.split(r"[^\w-]", requirement)[0] for requirement in PROJECT["dependencies"]]
    assert "ddgs" in named
    assert loaded("seekread.integrations.squidbot", "WebSearchTool(config={'provider': 'duckduckgo'})") == []


def loaded(module: str, expression: str) -> list[str]:
    """Packages of the documents that using a tool loads, before it searches."""
    program = (
        f"import sys; from {module} import *; {expression}\n"
        "print(*[name for name in ('ddgs', 'requests', 'dotenv', 'bs4', 'httpx') if name in sys.modules])"
    )
    environ = {**os.environ, "BRAVE_SEARCH_API_KEY": "k"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    return done.stdout.split()


@pytest.mark.process
@pytest.mark.proves("S1-37", "S1-56")
def test_basirahs_packages_are_named_and_none_is_ours() -> None:
    """The drop-in takes the host's `requests`; without a host nothing of the list is needed."""
    for pin in ("`requests==2.31.0`", "`python-dotenv==1.0.0`", "optionally, `beautifulsoup4==4.12.0`"):
        assert pin in guide("hosts/basirah")
    ours = [*PROJECT["dependencies"], *(p for extra in PROJECT["optional-dependencies"].values() for p in extra)]
    assert not [line for line in ours if line.startswith(("requests", "python-dotenv", "beautifulsoup4", "httpx>"))]
    assert loaded("seekread.integrations.basirah", "WebSearchTool()") == []
    _, files = drop_in("basirah")
    assert set(imported(*files.values())) == {
        "typing", "requests", "seekread.integrations.basirah", "src.tools.base",
    }  # fmt: skip


@pytest.mark.proves("S1-18", "S1-54")
def test_the_plan_that_basirahs_guide_shows_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(blocks("hosts/basirah", "toml")[0])
    monkeypatch.setenv("SEEKREAD_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "k")
    quota = portal.call(lambda: WebSearchTool()._parts.ledger.quota("brave", "anybody"))
    assert quota.limit == 2_000
    for words in ("Free with 2,000", "Basic with 15,000", "Pro with 100,000 searches a month"):
        assert words in guide("hosts/basirah")


FAMILIES = {
    "Business understanding": ["pivots", "product launches", "received", "competitive landscape", "position"],
    "Management": ["backgrounds and track records", "controversies", "red flags", "interviews", "statements"],
    "Moat": ["brand", "loyalty", "switching costs", "network effects", "competitive advantages", "pricing power"],
    "Risk": ["litigation", "regulation", "controversies", "recalls", "quality", "labour disputes", "operations"],
    "Industry": ["trends", "disruption", "competitive dynamics", "emerging competitors", "substitutes"],
}
ADVICE = [
    "specific, targeted questions of 3-10 words",
    'relevant keywords: "brand loyalty customer retention rate", not "customers like company"',
    '"litigation OR lawsuit OR legal issues"',
    "quotes for exact phrases, sparingly",
    '"Warren Buffett investment philosophy"',
    'neither too broad nor over-specified: "management changes 2023"',
    'not "management changes executive appointments C-suite September 2023"',
    "quick validation of a specific claim",
    "standard research",
    "comprehensive investigation",
]  # fmt: skip
PLACES = {
    "the guide": guide("company-research"),
    "a prompt": next(prompt.text for prompt in PROMPTS if prompt.name == "company_research"),
    "the skill": next(path for path in ROOT.glob("*/**/SKILL.md") if "term2" in path.parts).read_text(encoding="utf-8"),
}


@pytest.mark.proves("S1-2", "S1-49")
@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_of_research_says_what_it_is_for(family: str) -> None:
    """What the contract lists, in the guide as in the text that agents get."""
    for text in (guide("company-research"), COMPANY_RESEARCH):
        [line] = [line for line in text.splitlines() if line.startswith(f"- {family}: ")]
        assert not [words for words in FAMILIES[family] if words not in line]
        assert "current information about a company that filings and financial databases do not hold" in text


@pytest.mark.proves("S1-50")
@pytest.mark.parametrize("place", [*PLACES, "get_info()"])
def test_the_advice_is_given_wherever_an_agent_may_get_it(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the guide, a skill, a prompt and `get_info()`; never in the tool's description."""
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "k")
    tool = WebSearchTool()
    text = PLACES.get(place) or tool.get_info()["guidance"]
    assert not [words for words in ADVICE if words not in text]
    assert re.search(r"Leave (a|the) company to", text)
    assert not [words for words in ADVICE if words in tool.description + str(tool.parameters)]


@pytest.mark.proves("S1-46")
def test_each_type_of_search_says_what_it_is_for() -> None:
    for text in (guide("company-research"), COMPANY_RESEARCH):
        for line in (
            "- general: Standard web search, for background research and evergreen content",
            "- news: News-focused search, for current events, announcements and press releases",
            "- recent: Recent content only (last 30 days), for the latest developments and breaking news",
        ):
            assert line in text.splitlines()


def checkout(name: str, folder: Path) -> Path:
    """Files of the host that tell a checkout from any other folder, known to git."""
    table, _ = drop_in(name)
    for marker in table["marker"]:
        (folder / marker).parent.mkdir(parents=True, exist_ok=True)
        (folder / marker).write_text("# the host's own\n", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "The host"]):
        subprocess.run([*git, *words], check=True)
    return folder


@pytest.mark.process
@pytest.mark.parametrize("name", ["squidbot", "basirah"])
def test_the_commands_of_a_guide_run(name: str, tmp_path: Path) -> None:
    """The checkout here is no more than the files that prove one, so its own tests cannot be run."""
    folder = checkout(name, tmp_path)
    commands = blocks(f"hosts/{name}", "sh")[0].splitlines()
    _, wanted = drop_in(name)
    written = {}
    for line in commands:
        words = line.partition("#")[0].replace("PATH", str(folder)).split()
        assert words[:2] == ["seekread", "host"]
        done = CliRunner().invoke(app, words[1:])
        assert done.exit_code in ({0, 1, 4} if "check" in words else {0}), done.output
        written[words[2]] = {file: (folder / file).read_text(encoding="utf-8") for file in wanted}
    assert written["add"] == wanted
    assert set(written["remove"].values()) == {"# the host's own\n"}
