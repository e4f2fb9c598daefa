"""Citation numbers become links in rich channels, stay as they are in plain ones, and quotations are checked."""

import pytest

from seekread.models import Source
from seekread.page.citations import Style, check, link, markers
from seekread.toolkit.guidance import CITATION_SENTENCE

SOURCES = (
    Source(citation_id=1, url="https://one.example/a_(b)?x=1&y=2", title="One [first] *page*"),
    Source(citation_id=2, url="https://two.example/", title="Two <b>bold</b>"),
    Source(citation_id=3, url="javascript:alert(1)", title="Three"),
    Source(citation_id=4, url="https://four.example/", title=""),
)


def numbers(text: str) -> list[tuple[int, ...]]:
    return [marker.numbers for marker in markers(text)]


@pytest.mark.proves("S3-25")
def test_the_sentence_for_the_system_prompt_is_literal() -> None:
    assert CITATION_SENTENCE == (
        "When stating facts from web search results, append the citation ID in brackets, e.g. [1]."
    )


@pytest.mark.proves("S3-25")
def test_markdown_links_markers_and_lists_the_cited_sources() -> None:
    assert link("It rains [1], it pours [2].\n", SOURCES).text == (
        "It rains [[1]](https://one.example/a_%28b%29?x=1&y=2), it pours [[2]](https://two.example/).\n\n"
        "**Sources**\n\n"
        "- \\[1\\] [One \\[first\\] \\*page\\*](https://one.example/a_%28b%29?x=1&y=2)\n"
        "- \\[2\\] [Two \\<b\\>bold\\</b\\>](https://two.example/)\n"
    )


def test_footnotes_point_to_their_definitions() -> None:
    assert link("It rains [1].", SOURCES, style="footnotes").text == (
        "It rains [^1].\n\n**Sources**\n\n[^1]: [One \\[first\\] \\*page\\*](https://one.example/a_%28b%29?x=1&y=2)\n"
    )


def test_html_escapes_everything_but_its_own_links() -> None:
    assert link("<script>a && b</script> [2]", SOURCES, style="html").text == (
        "&lt;script&gt;a &amp;&amp; b&lt;/script&gt; "
        '<a href="https://two.example/" rel="noopener noreferrer nofollow">[2]</a>\n'
        '<h2>Sources</h2>\n<ol>\n<li value="2"><a href="https://two.example/" rel="noopener noreferrer nofollow">'
        "Two &lt;b&gt;bold&lt;/b&gt;</a></li>\n</ol>\n"
    )


def test_html_attributes_cannot_be_left_through_a_url() -> None:
    source = Source(citation_id=1, url='https://x.example/"onclick="alert(1)', title="x")
    text = link("[1]", [source], style="html").text
    assert '"onclick' not in text
    assert "%22onclick" in text


@pytest.mark.proves("S3-25")
def test_plain_channels_get_the_text_unchanged() -> None:
    text = "It rains [1], and [9].  \n"
    linked = link(text, SOURCES, style="plain")
    assert (linked.text, linked.unknown) == (text, (9,))


@pytest.mark.parametrize("style", ["markdown", "html", "footnotes"])
def test_a_source_that_is_not_of_the_web_is_never_linked(style: Style) -> None:
    text = link("Careful [3].", SOURCES, style=style).text
    assert "javascript" not in text
    assert "Three" in text


def test_a_source_without_a_title_goes_by_its_address() -> None:
    assert "[https://four.example/](https://four.example/)" in link("[4]", SOURCES).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1]", [(1,)]),
        ("word[1].", [(1,)]),
        ("[1, 2]", [(1, 2)]),
        ("[1,2;4]", [(1, 2, 4)]),
        ("[1-3]", [(1, 2, 3)]),
        ("[1–3, 7]", [(1, 2, 3, 7)]),
        ("[1][2]", [(1,), (2,)]),
        ("[2, 2]", [(2,)]),
        ("[3-1]", []),
        ("[1-100000]", []),
        ("[x] [a1] []", []),
        ("`[1]` and ``a ` [2]``", []),
        ("```\n[1]\n```\n[2]", [(2,)]),
        ("~~~\n[1]\n", []),
        ("[1](https://a.example)", []),
        ("[see [1] there](https://a.example) [2]", [(2,)]),
        ("![1](https://a.example/x.png)", []),
        ("[1]: https://a.example", []),
        ("[^1]", []),
        (r"\[1]", []),
        ("<https://a.example/[1]>", []),
        ("https://a.example/?a[1]=2", []),
        ("https://a.example [1]", [(1,)]),
        ('<a title="[1]">', []),
        ("don't `open [1]", [(1,)]),
    ],
)
def test_markers_are_numbers_in_brackets_outside_code_and_links(text: str, expected: list[tuple[int, ...]]) -> None:
    assert numbers(text) == expected


def test_a_group_links_what_it_can_and_reports_the_rest() -> None:
    linked = link("Both [2, 8] and [7-8].", SOURCES)
    assert linked.unknown == (7, 8)
    assert linked.text.startswith("Both [[2]](https://two.example/)[8] and [7-8].\n")


def test_a_text_without_known_citations_gets_no_footer() -> None:
    assert link("Nothing cited, see [9].", SOURCES).text == "Nothing cited, see [9]."
    assert link("", SOURCES).text == ""


PAGES = {1: "Ms Berg said: “It **never** rained here.” The sun shone for 41 days.", 2: "Nothing of that kind."}


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ('She said "it never rained here" [1].', "stands"),
        ('She said "It never rained here." [1]', "stands"),
        ("She said “it never rained here”, as did nobody else [1, 2].", "stands"),
        ('She said "it: never rained ... here" [1].', "stands"),
        ('She said "it has never rained here" [1].', "absent"),
        ('The sun shone for "31 days" [1].', "absent"),
        ('She said "it always snowed in the mountains" [1].', "absent"),
        ('It was sunny for "1 days" [1].', "absent"),
        ('She said "it never rained here" [2].', "absent"),
        ('She said "it snowed in the mountains" [1, 4].', "unread"),
        ('She said "it never rained here" [1, 4].', "stands"),
        ('She said "it never rained here" [9].', "unknown"),
        ("The sun shone for weeks [1].", "unquoted"),
    ],
)
def test_a_cited_sentence_is_held_against_the_page(text: str, standing: str) -> None:
    (checked,) = check(text, SOURCES, PAGES)
    assert checked.stands == standing
    assert checked.sentence == text


def test_a_checked_quote_says_where_it_stands() -> None:
    (checked,) = check('Here: "The sun shone for 41 days" [2][1].', SOURCES, PAGES)
    (quoted,) = checked.quotes
    assert checked.citation_ids == (2, 1)
    assert quoted.citation_id == 1
    assert quoted.found is not None
    assert PAGES[1][quoted.found.start : quoted.found.end] == "The sun shone for 41 days"


def test_a_quote_that_is_absent_says_what_the_nearest_page_says() -> None:
    (checked,) = check('Here: "The sun shone for 31 days" [2][1].', SOURCES, PAGES)
    (quoted,) = checked.quotes
    assert (quoted.citation_id, quoted.found) == (None, None)
    assert quoted.differences == ("the page says 41, the quotation 31",)


def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    text = 'It is "dry". [1] It is wet. [2] Nobody knows. The end [4].'
    assert [(each.sentence, each.citation_ids) for each in check(text, SOURCES, PAGES)] == [
        ('It is "dry". [1]', (1,)),
        ("It is wet. [2]", (2,)),
        ("The end [4].", (4,)),
    ]


def test_a_quotation_of_two_sentences_is_one() -> None:
    (checked,) = check('She said "It never rained here. The sun shone for 41 days" [1].', SOURCES, PAGES)
    assert [each.text for each in checked.quotes] == ["It never rained here. The sun shone for 41 days"]


def test_sentences_without_citations_and_code_are_not_checked() -> None:
    assert check('Nothing "cited" here.\n\n```\n"x" [1]\n```\n', SOURCES, PAGES) == ()
