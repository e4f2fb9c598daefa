"""Documents are taken apart where their headings are."""

import pytest

from seekread.index.document import LONGEST_SECTION, DocumentSection, take_apart, without_marks


def test_a_section_is_named_by_the_headings_above_it_without_the_title() -> None:
    text = take_apart("# Guide\n\nIntro.\n\n## Install\n\n### Linux\n\nUse apt.\n\n## Run\n\nGo.\n")
    assert text.title == "Guide"
    assert text.sections == (
        DocumentSection("", "Intro."),
        DocumentSection("Install \u203a Linux", "Use apt."),
        DocumentSection("Run", "Go."),
    )


def test_underlined_headings_are_headings_too() -> None:
    text = take_apart("Guide\n=====\n\nIntro.\n\nInstall\n-------\n\nUse apt.\n")
    assert (text.title, text.sections) == (
        "Guide",
        (DocumentSection("", "Intro."), DocumentSection("Install", "Use apt.")),
    )


def test_code_is_left_as_it_is() -> None:
    text = take_apart("Before **it**:\n\n```python\nvalues[0](**options) \\* `x`\n```\n\nAfter **it**.\n")
    assert text.sections == (DocumentSection("", "Before it:\nvalues[0](**options) \\* `x`\nAfter it."),)


def test_a_comment_in_code_is_not_a_heading() -> None:
    text = take_apart("# Guide\n\n```sh\n# not a heading\n~~~\nmake\n```\n\nAfter.\n")
    assert text.sections == (DocumentSection("", "# not a heading\n~~~\nmake\nAfter."),)


@pytest.mark.parametrize(
    "front",
    ['---\ntitle: "Given"\ndate: 2024-03-05T10:00:00Z\n---\n', "+++\ntitle = 'Given'\ndate = 2024-03-05\n+++\n"],
)
def test_front_matter_gives_title_and_date_and_is_not_text(front: str) -> None:
    text = take_apart(f"{front}\n# Heading\n\nBody.\n")
    assert (text.title, text.date) == ("Given", "2024-03-05")
    assert text.sections == (DocumentSection("Heading", "Body."),)


def test_a_rule_at_the_top_is_not_front_matter() -> None:
    assert take_apart("---\n\nBody.").sections[0].text.endswith("Body.")


def test_plain_text_is_one_section_without_a_title() -> None:
    text = take_apart("just\r\nwords")
    assert (text.title, text.sections) == ("", (DocumentSection("", "just\nwords"),))


def test_a_document_that_is_only_a_title_can_still_be_found() -> None:
    assert take_apart("# Alone").sections == (DocumentSection("", ""),)


def test_a_long_text_is_split_between_paragraphs_and_nothing_is_lost() -> None:
    paragraphs = [f"Paragraph {number} " + "word " * 100 for number in range(60)]
    sections = take_apart("\n\n".join(paragraphs)).sections
    assert len(sections) > 3
    assert all(len(section.text) <= LONGEST_SECTION for section in sections)
    assert all(section.text.startswith("Paragraph") for section in sections)
    assert " ".join(" ".join(s.text for s in sections).split()) == " ".join(" ".join(paragraphs).split())


def test_a_text_without_any_break_is_split_all_the_same() -> None:
    sections = take_apart("x" * (2 * LONGEST_SECTION + 1)).sections
    assert [len(section.text) for section in sections] == [LONGEST_SECTION, LONGEST_SECTION, 1]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("see [the docs](https://x.example/a) now", "see the docs now"),
        ("![a picture](p.png) here", "a picture here"),
        ("**bold** and *soft* and `code_name`", "bold and soft and code_name"),
        ("`__init__` and f(**a, **b)", "__init__ and f(**a, **b)"),
        ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
        ("> quoted", "quoted"),
        (r"1\. a \[link\] \d", r"1. a [link] \d"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b \n\n 1 | 2"),
        ("one <!-- hidden --> two", "one  two"),
        ("one <!-- two", "one <!-- two"),
        ("[![a picture](p.png)](https://x.example/a) here", "a picture here"),
    ],
)
def test_marks_are_taken_off_and_words_stay(markdown: str, words: str) -> None:
    assert without_marks(markdown) == words


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [" ", "\t", "<!--", "[", "**a ", "a`", "| ", "a``", "[a]["])
def test_a_single_long_line_of_signs_is_read_at_once(piece: str) -> None:
    """A pattern that looks at the line again from every place would take hours."""
    size = 400_000 // len(piece)
    assert take_apart(f"{piece * size}x").title == ""
    assert take_apart(f"---\ntitle:{' ' * size}{piece * size}x\n---\n").title.endswith("x")


@pytest.mark.parametrize(
    ("written", "day"),
    [("2024-02-03", "2024-02-03"), ("3 February 2024", "2024-02-03"), ("2024-13-01", None), ("soon", None)],
)
def test_the_date_in_the_front_matter_is_read_as_every_other_date(written: str, day: str | None) -> None:
    assert take_apart(f"---\ndate: {written}\n---\nText.").date == day
