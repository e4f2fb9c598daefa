"""term2's guide: what it says about the host's own side, and that what it shows can be done."""

import re
import tomllib

import pytest
from click.testing import CliRunner

from seekread.cli.app import app
from seekread.testing import simulators
from tests.support.environments import ROOT

GUIDE = (ROOT / "docs" / "guides" / "hosts" / "term2.md").read_text(encoding="utf-8")
SHIPPED = ROOT / "src" / "seekread" / "integrations" / "term2"
DROPIN = tomllib.loads((SHIPPED / "dropin.toml").read_text(encoding="utf-8"))


def says(*words: str) -> bool:
    return all(word in GUIDE for word in words)


def section(heading: str) -> str:
    """What stands under a heading."""
    return GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_the_guide_is_one_command_and_what_a_reader_needs() -> None:
    first = GUIDE.split("```")[1].strip().splitlines()[1:]
    assert first == ['pip install "seekread[server]"', "seekread host add term2 path/to/term2", "seekread serve"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert "server" in extras


@pytest.mark.proves("S2-23")
def test_the_guide_says_in_which_modes_the_tool_is() -> None:
    assert "if (!liteMode) tools.push(createWebSearchToolDefinition({settingsService, loggingService}))" in GUIDE
    assert says("`source/agent.ts`; the document leaves lite mode out", "the shipped host has it in all modes")


@pytest.mark.proves("S2-24")
def test_the_guide_settles_which_search_tool_is_active() -> None:
    options = re.findall(r"^- Option ([ABC]): (.+)$", GUIDE, re.MULTILINE)
    assert [name for name, _ in options] == ["A", "B", "C"]
    told = dict(options)
    assert "remove it and use only this one. Recommended" in told["A"]
    assert "keep it for the OpenAI provider, this one for the others" in told["B"]
    assert "keep both and let the model choose" in told["C"]
    assert says("webSearchTool()", "never leave both active by default", "two search tools confuse the model")
    assert says("you choose the provider, results are displayed properly, and it works with any LLM")


@pytest.mark.proves("S2-28")
def test_the_guide_discourages_keys_in_files() -> None:
    assert '{"webSearch": {"provider": "tavily", "tavily": {"apiKey": "tvly-xxxxx"}}}' in GUIDE
    assert says("~/.config/term2/settings.json", "~/.local/state/term2-nodejs/settings.json")
    assert says("Keys in files are discouraged; environment variables are recommended.")


@pytest.mark.proves("S2-31")
def test_the_guide_keeps_the_checklist() -> None:
    steps = re.findall(r"^- \[ \] (.+)$", section("Checklist"), re.MULTILINE)
    assert steps == [
        "Set `TAVILY_API_KEY`.",
        "Run the assistant and ask for something that needs a search, in plain words.",
        "The Markdown is displayed correctly.",
        "Without a key the error message shows.",
        "With an invalid key the error is handled.",
    ]


@pytest.mark.proves("S2-37")
def test_the_guide_names_every_file_of_the_host_that_changes() -> None:
    changed = {*DROPIN["files"], *(edit["file"] for edit in DROPIN["edit"])}
    told = section("What changes in the host")
    assert not [name for name in changed if f"| `{name}` |" not in told]
    assert set(re.findall(r"^\| `(source/[^`{]+)` \|", told, re.MULTILINE)) == changed
    assert all((SHIPPED / "dropin" / name).is_file() for name in DROPIN["files"])


@pytest.mark.proves("S2-39")
def test_the_guide_tells_how_to_get_a_key_and_the_key_works() -> None:
    """What it says to export is what a search needs."""
    told = section("A key")
    assert "Go to tavily.com, sign up, open API Keys, create a key, then `export TAVILY_API_KEY=tvly-xxxxx`." in told
    assert "| `TAVILY_API_KEY` | key of Tavily | for the Tavily provider |" in told
    assert "| `WEB_SEARCH_PROVIDER` | overrides `webSearch.provider` | no |" in told
    with simulators.start("tavily") as service:
        exported = {"TAVILY_API_KEY": service.key, "WEB_SEARCH_PROVIDER": "tavily"}
        address = {service.url_variable: service.base_url, "SEEKREAD_CACHE": "false"}
        done = CliRunner().invoke(app, ["search", "--format", "term2", "tea"], env={**exported, **address})
        assert (done.exit_code, len(service.received)) == (0, 1), done.output
        without = CliRunner().invoke(
            app, ["search", "--format", "term2", "tea"], env={**exported, "TAVILY_API_KEY": ""}
        )
        assert (without.exit_code, without.output.startswith("Error: ")) == (4, True)


@pytest.mark.proves("S2-40")
def test_the_guide_adds_a_provider_in_four_steps() -> None:
    told = section("How to add a provider")
    assert "`serper.provider.ts`, which registers itself, an import in `index.ts`, the settings schema" in told
    assert "`buildEnvOverrides()`" in told
    steps = re.findall(r"^ *# (\d)\. ", told, re.MULTILINE)
    assert sorted(steps) == ["1", "2", "3", "4"]


def test_every_setting_of_the_provider_is_in_the_guide() -> None:
    schema = next(edit["insert"] for edit in DROPIN["edit"] if "z.string()" in edit["insert"])
    names = re.findall(r"(\w+): z\.(?:string|number)\(\)", schema)
    assert names == ["url", "token", "contentLength"]
    assert not [name for name in names if f"`webSearch.seekread.{name}`" not in GUIDE]
    assert says("`SEEKREAD_URL`", "`SEEKREAD_TOKEN`")
