"""Headings, sections and places on a page that was read."""

import pytest

from seekread.errors import InvalidQuery
from seekread.page.outline import find, missing, outline, section

PAGE = """\
Before any heading.

# The *Guide* to [seekread](https://example.org/a_(b))

Welcome.

## Installation

Install it.

### Linux

Use the **package manager**
of your system.

### Windows ###

```sh
# not a heading
## neither
```

## API

### Errors

What can go wrong.

## Usage

### Errors

What to do.

    # indented code
#hashtag
"""


def titles(text: str) -> list[tuple[str, int, str]]:
    return [(heading.number, heading.level, heading.title) for heading in outline(text)]


def test_the_outline_lists_headings_outside_code_with_their_numbers() -> None:
    assert titles(PAGE) == [
        ("1", 1, "The Guide to seekread"),
        ("1.1", 2, "Installation"),
        ("1.1.1", 3, "Linux"),
        ("1.1.2", 3, "Windows"),
        ("1.2", 2, "API"),
        ("1.2.1", 3, "Errors"),
        ("1.3", 2, "Usage"),
        ("1.3.1", 3, "Errors"),
    ]


def test_a_heading_knows_where_its_section_is() -> None:
    for heading in outline(PAGE):
        part = PAGE[heading.offset : heading.offset + heading.length]
        assert part.startswith("#" * heading.level + " ")
        assert part == PAGE[heading.offset :] or PAGE[heading.offset + heading.length] == "#"


def test_levels_that_are_skipped_or_climb_still_number_well() -> None:
    assert titles("### c\n\n# a\n\n#### d\n\n## b\n") == [
        ("1", 3, "c"),
        ("2", 1, "a"),
        ("2.1", 4, "d"),
        ("2.2", 2, "b"),
    ]


def test_a_page_without_headings_has_an_empty_outline() -> None:
    assert outline("Only text.\n\n~~~\n# code\n~~~\n") == ()


@pytest.mark.parametrize(
    "code",
    [
        "````\n```\n# no\n````\n",
        "```\n``` python\n# no\n```\n",
        "~~~\n```\n# no\n~~~\n",
        "> ```\n> # no\n> ```\n",
        "- item\n\n  ```\n# no\n  ```\n",
    ],
    ids=["longer fence", "fence with a language", "other fence", "quoted", "in a list"],
)
def test_a_heading_begins_only_after_the_code_has_ended(code: str) -> None:
    assert [heading.title for heading in outline(f"{code}\n# yes\n")] == ["yes"]


def test_a_section_includes_its_subsections() -> None:
    found = section(PAGE, "installation")
    assert found is not None
    text = PAGE[found.offset : found.end]
    assert text.startswith("## Installation")
    assert "package manager" in text
    assert "# not a heading" in text
    assert "## API" not in text


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("LINUX", "1.1.1"),
        ("  the guide   to seekread ", "1"),
        ("API > Errors", "1.2.1"),
        ("usage/errors", "1.3.1"),
        ("1.1.2", "1.1.2"),
        ("section 1.2", "1.2"),
        ("install", "1.1"),
        ("guide", "1"),
        ("Installation:", "1.1"),
    ],
)
def test_a_section_goes_by_title_path_number_or_part_of_its_title(name: str, number: str) -> None:
    found = section(PAGE, name)
    assert found is not None
    assert found.heading.number == number


def test_a_number_in_the_title_goes_before_the_place_in_the_outline() -> None:
    text = "# Paper\n\n## Abstract\n\n## 1. Introduction\n\n## 2. Results\n"
    found = section(text, "2")
    assert found is not None
    assert found.heading.title == "2. Results"


def test_a_title_that_fits_two_sections_gets_none_and_lists_both() -> None:
    assert section(PAGE, "errors") is None
    assert (
        missing(PAGE, "errors")
        == "'errors' fits 2 sections. Use a number or a path: 1.2.1 API > Errors; 1.3.1 Usage > Errors."
    )


def test_an_unknown_section_lists_near_titles() -> None:
    assert section(PAGE, "Instalation") is None
    assert (
        missing(PAGE, "Instalation")
        == "There is no section 'Instalation'. Near to it: 1.1 The Guide to seekread > Installation."
    )


def test_an_unknown_section_without_near_titles_lists_the_headings() -> None:
    assert "The page has: 1 The Guide to seekread; 1.1" in missing(PAGE, "Zoology")
    assert "no headings" in missing("Only text.", "Zoology")


def test_an_empty_name_fits_nothing() -> None:
    assert section(PAGE, "  ") is None


def test_find_ignores_case_white_space_and_markup() -> None:
    (match,) = find(PAGE, "PACKAGE  manager of your")
    assert match.match == "package manager**\nof your"
    assert PAGE[match.offset : match.end] == match.match
    assert match.heading == "Linux"
    assert match.before.endswith("Use the **")
    assert match.after.startswith(" system.")


def test_find_gives_as_much_context_and_as_many_matches_as_asked() -> None:
    text = "one two three " * 50
    matches = find(text, "two", context=4, limit=3)
    assert [(match.before, match.match, match.after) for match in matches] == [("one ", "two", " thr")] * 3
    assert [match.offset for match in matches] == [4, 18, 32]


def test_nothing_found_is_an_empty_answer() -> None:
    assert find(PAGE, "unicorn") == ()


def test_finding_nothing_is_a_mistake() -> None:
    with pytest.raises(InvalidQuery, match="give a word or a phrase"):
        find(PAGE, " \n ")


def test_letters_that_grow_when_folded_keep_their_offsets() -> None:
    text = "Die Straße nach Gießen ist ﬁnster."
    (match,) = find(text, "GIESSEN IST FINSTER")
    assert match.match == "Gießen ist ﬁnster"
