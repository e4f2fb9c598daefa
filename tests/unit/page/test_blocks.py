"""The blocks of Markdown, as everybody who cuts, lists, ranks, indexes or shows a page sees them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.index.document import take_apart
from seekread.page.blocks import blocks
from seekread.page.outline import outline
from seekread.server.console.markdown import render

MIXTURE = st.lists(
    st.sampled_from(
        ["# a", "## b #", "c", "d e", "===", "---", "--", "***", "___", "```", "~~~", "| f |", "", "", "="]
    ),
    max_size=12,
).map("\n".join)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\nb\n\nc", [("paragraph", "a\nb"), ("paragraph", "c")]),
        ("# a\nb", [("heading", "# a"), ("paragraph", "b")]),
        ("a\n===\nb", [("heading", "a\n==="), ("paragraph", "b")]),
        ("a\nb\n---", [("paragraph", "a\nb"), ("paragraph", "---")]),
        ("- a\n  b\n- c", [("item", "- a\n  b"), ("item", "- c")]),
        ("- a\n---", [("item", "- a"), ("paragraph", "---")]),
        ("1984.\nIt was\n-", [("paragraph", "1984.\nIt was\n-")]),
        ("> a\n---", [("paragraph", "> a"), ("paragraph", "---")]),
        ("___\na\n---", [("paragraph", "___"), ("heading", "a\n---")]),
        ("* * *\na", [("paragraph", "* * *"), ("paragraph", "a")]),
        ("| a |\n| - |\nb", [("table", "| a |\n| - |"), ("paragraph", "b")]),
        ("a\n```\n# b\n\n---\n```\nc", [("paragraph", "a"), ("code", "```\n# b\n\n---\n```"), ("paragraph", "c")]),
        ("~~~\n```\na", [("code", "~~~\n```\na")]),
    ],
)
def test_lines_make_blocks(text: str, found: list[tuple[str, str]]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("line", "level"), [("===", 1), ("=", 1), ("---", 2), ("--", 2), ("-", 0), ("= =", 0), ("", 0)]
)
def test_a_line_of_signs_makes_a_title_of_the_line_above(line: str, level: int) -> None:
    assert [block.level for block in blocks(f"Title\n{line}\n")] == [level]


@given(MIXTURE)
def test_outline_index_and_console_see_the_same_headings(text: str) -> None:
    listed = [(heading.level, heading.title) for heading in outline(text)]
    shown = re.findall(r"<h(\d) id=\"c\d+\">(.*?)</h", str(render(text).html))
    assert [(int(level) - 1, title) for level, title in shown] == listed
    assert take_apart(f"# Title\n\n{text}").title == "Title"
    named = {name for section in take_apart(f"# Title\n\n{text}").sections for name in section.heading.split(" › ")}
    assert named - {""} <= {title for _, title in listed}
