"""One set of words and patterns reads every date, of results, of pages and of documents."""

import pytest

from seekread.page.dates import MONTHS, day_in, day_in_address, day_in_figures, moment_in


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-04", "2026-03-04"),
        ("2026-3-4", "2026-03-04"),
        ("2026-03-04T10:11:12Z", "2026-03-04T10:11:12Z"),
        ("2026-03-04 10:11", "2026-03-04T10:11:00"),
        ("2026-03-04T10:11:12.345+0100", "2026-03-04T10:11:12+0100"),
        ("20260304T101112Z", "2026-03-04T10:11:12Z"),
        ("20260304", "2026-03-04"),
        ("March 4, 2026", "2026-03-04"),
        ("MARCH 4TH 2026", "2026-03-04"),
        ("4th Mar 2026", "2026-03-04"),
        ("Sept. 4, 2026", "2026-09-04"),
        ("Wed, 04 Mar 2026 10:11:12 GMT", "2026-03-04"),
        ("4. März 2026", "2026-03-04"),
        ("4 août 2026", "2026-08-04"),
        ("4 septiembre 2026", "2026-09-04"),
        ("04.03.2026", "2026-03-04"),
        ("4. 3. 2026", "2026-03-04"),
        ("2026/03/04", "2026-03-04"),
        ("2026.3.4", "2026-03-04"),
        ("2026年3月4日", "2026-03-04"),
        ("2026 年 3 月 4 日", "2026-03-04"),
        ("posted by 12 people, 4 March 2026, 3 comments", "2026-03-04"),
        ("12 items 2026, then 4 March 2026", "2026-03-04"),
        ("2026-02-31, or rather 4 March 2026", "2026-03-04"),
        ("1865-04-15", "1865-04-15"),
    ],
)
def test_a_date_is_found_in_any_common_spelling(written: str, moment: str) -> None:
    assert moment_in(written) == moment
    assert day_in(written) == moment[:10]


@pytest.mark.parametrize(
    "written",
    ["", "soon", "2026-13-44", "2026-02-30", "10/03/2026", "4 mayor 2026", "decided 12, 2026", "99 March 2026",
     "12026-03-04", "3 March 20261", "0 March 2026", "2026", "March 2026", "9999-01-01"],
)  # fmt: skip
def test_what_is_no_day_or_could_be_two_is_none(written: str) -> None:
    assert moment_in(written) is None


@pytest.mark.parametrize("name", MONTHS)
def test_every_month_is_known_by_its_name_before_and_after_the_day(name: str) -> None:
    assert day_in(f"{name.capitalize()} 5, 2026") == day_in(f"5. {name.upper()} 2026")
    assert day_in(f"5 {name} 2026") == f"2026-{MONTHS[name]:02}-05"


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.example/2026/03/04/flood", "2026-03-04"),
        ("https://a.example/news/2026-3-4-flood", "2026-03-04"),
        ("https://a.example/2026/13/04/2026/03/04", "2026-03-04"),
        ("https://a.example/2026/03/flood", None),
        ("", None),
    ],
)
def test_the_day_of_an_address_is_the_one_in_its_path(url: str, day: str | None) -> None:
    assert day_in_address(url) == day


def test_a_long_text_takes_no_long_time() -> None:
    for piece in ("1 ", "a", "1 may ", "may  1 ", "2026", "2026-", " " * 9 + "1", "年"):
        assert day_in(piece * 20_000) is None


@pytest.mark.parametrize(
    ("written", "language", "day"),
    [
        ("25/03/2026", "", "2026-03-25"),
        ("03/25/2026", "", "2026-03-25"),
        ("03/04/2026", "", None),
        ("03/04/2026", "en", None),
        ("03/04/2026", "en-US", "2026-03-04"),
        ("03/04/2026", "en-GB", "2026-04-03"),
        ("03/04/2026", "fr", "2026-04-03"),
        ("04/04/2026", "", "2026-04-04"),
        ("31/02/2026", "fr", None),
    ],
)
def test_figures_are_a_day_where_they_or_the_language_leave_no_choice(
    written: str, language: str, day: str | None
) -> None:
    assert day_in_figures(written, language) == day
