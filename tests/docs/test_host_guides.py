"""The hosts' guides say what must be changed."""

import pytest

from seekread.toolkit.guidance import COMPANY_RESEARCH
from tests.support.environments import ROOT

GUIDES = ROOT / "docs" / "guides"


def guide(host: str) -> str:
    return (GUIDES / "hosts" / f"{host}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (
            "squidbot",
            # S0-9, S0-23, S0-28
            [
                "squidbot/adapters/tools/web_search.py", "tests/adapters/tools/test_web_search.py", "config/schema.py",
                "_make_agent_loop()", "settings.tools.web_search.enabled", "adapters → ports ← core", "mcp_servers",
                "duckduckgo", "api_key",
            ],
        ),
        (
            "basirah",
            # S1-14, S1-18, S1-37, S1-56
            [
                "src/tools/web_search_tool.py", "BRAVE_SEARCH_API_KEY", "requests==2.31.0", "python-dotenv==1.0.0",
                "beautifulsoup4==4.12.0", "2,000", "15,000", "100,000", "get_info()",
            ],
        ),
        (
            "yodoca",
            # S3-19, S3-27, S3-38, S3-40
            [
                "sandbox/extensions/web_search/", "core/agents/orchestrator.py", "core/tools/provider.py",
                "supports_hosted_tools()", "CoreToolsProvider", "unofficial", "configure_extension",
                "no aliases", "hosted search may rank better",
            ],
        ),
    ],
)  # fmt: skip
def test_a_guide_names_what_changes_in_the_host(host: str, words: list[str]) -> None:
    """S0-9, S0-23, S0-28, S3-19, S3-38: the host's own side is shown in its guide."""
    text = guide(host)
    assert not [word for word in words if word not in text]


@pytest.mark.parametrize("host", ["squidbot", "basirah", "yodoca"])
def test_a_guide_starts_with_the_three_lines_to_change(host: str) -> None:
    first = guide(host).split("```")[1].strip().splitlines()[1:]
    assert len(first) == 3


def test_the_company_guide_says_what_the_shipped_text_says() -> None:
    """S1-46, S1-49, S1-50: one text for the guide, `get_info()` and prompts."""
    text = (GUIDES / "company-research.md").read_text(encoding="utf-8")
    for line in COMPANY_RESEARCH.splitlines():
        assert line in text
