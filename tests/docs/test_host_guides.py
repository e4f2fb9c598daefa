"""The hosts' guides say what must be changed."""

import pytest

from tests.support.environments import ROOT

GUIDES = ROOT / "docs" / "guides"


def guide(host: str) -> str:
    return (GUIDES / "hosts" / f"{host}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("host", "words"),
    [
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
    """S3-19, S3-38: the host's own side is shown in its guide."""
    text = guide(host)
    assert not [word for word in words if word not in text]


@pytest.mark.parametrize("host", ["squidbot", "basirah", "yodoca"])
def test_a_guide_starts_with_the_three_lines_to_change(host: str) -> None:
    first = guide(host).split("```")[1].strip().splitlines()[1:]
    assert len(first) == 3
