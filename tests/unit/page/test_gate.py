"""The gate: foreign Markdown passes, and says nothing it may not."""

import random

import pytest

from seekread.page import gate
from seekread.page.gate import code_block, cut_markdown, gated, link_text, unspoken, unspoken_paragraph
from tests.support.speech import said, speaking_text

HARMLESS = """\
# A guide

Text with *emphasis*, [a link](https://a.example/x "title"), [another][one], <https://a.example/>, <me@a.example>,
a relative [page](guide.md#part), `<b>code</b>`, 5 < 6, #include <stdio.h>, a&b, and an exclamation!

- an item

  ```html
  <img src="x"> ![a](https://b.example/)
  ```

> a quotation

Like this:

    <b>indented code</b>

| a | b |
|---|---|
| 1 | 2 |

~~~
![a](https://b.example/)
~~~

[one]: https://a.example/one"""


def test_what_says_nothing_stays_byte_for_byte() -> None:
    assert gated(HARMLESS).text == HARMLESS


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("![a [b] c](https://evil.example/x)", "[image: a (b) c]"),
        ("![a\nb](https://evil.example/x(y))", "[image: a b]"),
        ("![](https://evil.example/x)", "[image]"),
        ("> ![a](\n> https://evil.example/x)", "> [image: a]"),
        ("[![badge](https://evil.example/x)](https://a.example)", "[[image: badge]](https://a.example)"),
        ("![r]\n\n[r]: https://evil.example/x", "[image: r]\n\n[r]: https://evil.example/x"),
        ("!\u200b[a](https://evil.example/x)", "[image: a]"),
        ('a <img alt="b" src="https://evil.example/x"> c', "a [image: b] c"),
        ("![undefined]", "\\![undefined]"),
        ("a <b>bold</b> word", "a \\<b>bold\\</b> word"),
        ("<script/src=x></script>", "\\<script/src=x>\\</script>"),
        ("[a](java&#115;cript:alert(1))", "[a]\\(java&#115;cript:alert(1))"),
        ("[a](< javascript:alert(1)>)", "[a]\\(< javascript:alert(1)>)"),
        ("> [a][r]\n>\n> [r]: javascript:alert(1)", "> [a][r]\n>\n> [r]\\: javascript:alert(1)"),
        ("<javascript:alert(1)>", "\\<javascript:alert(1)>"),
        ("https://a.example/\\<img src=x>", "https://a.example/\\[image]"),
        ("https://a.example/<b>", "https://a.example/&lt;b>"),
        ("a\r![a](https://evil.example/x)", "a\n[image: a]"),
    ],
)
def test_what_would_speak_is_edited_where_it_stands(markdown: str, text: str) -> None:
    assert gated(markdown).text == text
    assert not said(text)


@pytest.mark.parametrize(
    "markdown",
    [
        '+ " ```> $`"www.e.org<a href="javascript:x">r<a@b.c>alert(1)`a`?> ]]><javascript:x><https://e.org>!` x',
        "- [r]:\n|-|-|\n?>- [s]    b \n  ````\nword\n-->[r]: https://e.org\n|-|-|\n<script>\n===\n\n[r]:",
        '[^1]: :www.e.org>](`a`\\\n---\n    http://<[<https://e.org>**<a href="javascript:x">\n<b>',
        "2. a===\n   \n> [r]:\n10) * [r]: https://e.org\n  word\n   x\n\n    1. <javascript:x>",
        "[r]: https://e.org\n>`\n\n    [s]: x\n* > [^1]: [r]:\n: >\n\n    ![a][r]\\",
        "```10) # : ?> | > x\n|-|-|\n``|-|-|\n\\[r]: https://e.org\n<!-- ",
        "a | `b | <img src=x> | c` |\n|-|-|-|-|\n| `d | <b> | e` |",
    ],
)
def test_code_is_what_every_parser_takes_for_code(markdown: str) -> None:
    """In each of these one parser sees code where another sees text."""
    assert not said(gated(markdown).text)


def test_images_that_are_asked_for_are_links_and_never_images() -> None:
    markdown = "![a](https://b.example/p.png) ![c](data:image/png,x) <img src=https://b.example/q.png>"
    linked = gated(markdown, images=True).text
    assert linked == "[image: a](https://b.example/p.png) [image: c] [image](https://b.example/q.png)"
    assert not said(linked)


def test_comments_go_where_they_are_comments_and_are_counted() -> None:
    passed = gated("a <!-- obey --> b\n\n```\n<!-- kept -->\n```", comments=False)
    assert passed.text == "a  b\n\n```\n<!-- kept -->\n```"
    assert passed.comments == len("<!-- obey -->")
    assert gated("a <!-- seen --> b").text == "a \\<!-- seen --> b"


@pytest.mark.parametrize("seed", range(300))
def test_the_gate_is_idempotent(seed: int) -> None:
    once = gated(speaking_text(random.Random(seed))).text
    assert gated(once).text == once


def pieces_of_paragraphs(seed: int) -> list[str]:
    """Paragraphs without sense, many of them with plain images, code, tags and targets side by side."""
    chance = random.Random(seed)
    plain = (
        "![a](b)",
        "`c<d>`",
        "[e](f)",
        "<b>",
        "``g`h``",
        "[![i](j)](k)",
        " ",
        "[l](m`n)",
        '[o](p "q")',
        "[r](s![t](u))",
    )
    made = ("".join(chance.choice(plain) for _ in range(chance.randint(1, 8))) for _ in range(400))
    return [*made, *(part for _ in range(500) for part in speaking_text(chance).split("\n\n"))]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_found_without_a_parser_is_what_the_parser_finds(seed: int) -> None:
    """Code, tags, images and links are told apart by signs alone where the parser would do the same."""
    told = [(text, spans) for text in pieces_of_paragraphs(seed) if (spans := gate.plain_spans(text)) is not None]
    assert len(told) > 200
    for text, spans in told:
        assert [span[:2] for span in spans] == [span[:2] for span in gate.parsed_spans(text, {})], text


@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_text_that_is_not_parsed_again_would_be_read_as_it_was(
    seed: int, images: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = pieces_of_paragraphs(seed)
    once = [gated(text, images=images).text for text in texts]
    monkeypatch.setattr(gate, "stays_as_read", lambda *_: False)
    assert [gated(text, images=images).text for text in texts] == once


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("![a](b)(`<x>`)", "[image: a](`\\<x>`)"),
        ("![a](b): javascript:x", "[image: a]\\: javascript:x"),
        ("`<x>` <b title='`'> ![a](b)", "`\\<x>` \\<b title='`'> [image: a]"),
    ],
)
def test_an_edit_that_makes_something_of_its_neighbour_is_looked_at_again(markdown: str, text: str) -> None:
    assert gated(markdown).text == text
    assert not said(text)


def test_a_text_that_never_rests_becomes_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seekread.page.gate.MOST_TURNS", 1)
    passed = gated("<div> ``` c")
    assert passed.as_code
    assert passed.text == "````\n\\<div> ``` c\n````"
    monkeypatch.undo()
    assert gated(passed.text).text == passed.text


@pytest.mark.parametrize("part", ["![", "[x](", "<img ", "<!--", "[a]: ", "<a href='", "`a", "> ", "- "])
def test_what_never_closes_is_passed_all_the_same(part: str) -> None:
    """The suite's own limit of time is the assertion: each of these once took time squared."""
    assert gated(part * 20_000).text


def test_a_fence_is_longer_than_any_inside() -> None:
    assert code_block("a ```` b", "xml") == "`````xml\na ```` b\n`````"


@pytest.mark.parametrize(
    ("plain", "markdown"),
    [
        ("![a](https://b.example/)", "\\![a]\\(https://b.example/)"),
        ("\\![a](x)", "\\![a]\\(x)"),
        ("\\\\<b>", "\\\\\\<b>"),
        ("[r]: https://b.example/", "[r]\\: https://b.example/"),
        ("www.a.example\\<b>", "www.a.example\\&lt;b>"),
        ("5 < 6 [x] a!", "5 < 6 [x] a!"),
    ],
)
def test_plain_text_is_written_so_that_it_says_nothing(plain: str, markdown: str) -> None:
    assert unspoken(plain) == markdown
    assert not said(markdown)


def test_a_paragraph_is_no_heading_and_no_quotation() -> None:
    assert unspoken_paragraph("# 1 of 3") == "\\# 1 of 3"
    assert unspoken_paragraph("> 100 people") == "\\> 100 people"
    assert unspoken_paragraph("#1 of 3") == "#1 of 3"


def test_a_link_cannot_be_ended_by_its_text() -> None:
    """The text of a result's title, between the brackets of a link."""
    assert link_text("a](b) <b> `c` \\") == "a\\](b) \\<b> \\`c\\` \\\\"
    assert not said(f"[{link_text('![a](x) <img src=x> [')}](https://a.example/)")


def test_a_cut_leaves_nothing_open_that_was_closed() -> None:
    whole = "first\n\nsecond `<img src=x>` end"
    for limit in range(1, len(whole)):
        assert not said(cut_markdown(whole, limit))
    assert cut_markdown(whole, 10) == "first"
