"""Whatever a document of any kind holds, it does not speak Markdown: two independent parsers are the judges."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.speech import CONSTRUCTS, SIGNS, WRITERS, said, speaking_text

TEXTS = st.lists(st.sampled_from(SIGNS + CONSTRUCTS), min_size=1, max_size=20).map("".join)


def test_the_judges_hear_what_speaks() -> None:
    """A judge that never objects would prove nothing."""
    for speaking in ("![a](b)", "<b>", "[a](javascript:x)", "<ftp://a.example/>", "<div>\n\nx"):
        judges = {finding.partition(":")[0] for finding in said(speaking)}
        assert judges == {"markdown-it", "markdown-it with tables", "cmark"}
    assert not said("# A [link](https://a.example/) and `<b>`")


@pytest.mark.parametrize("writer", sorted(WRITERS))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=TEXTS)
def test_no_document_speaks(writer: str, text: str) -> None:
    assert not said(WRITERS[writer](text))


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_no_document_speaks_whatever_chance_writes(writer: str) -> None:
    chance = random.Random(writer)
    texts = [speaking_text(chance) for _ in range(40)]
    assert not [text for text in texts if said(WRITERS[writer](text))]
