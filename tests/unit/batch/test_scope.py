"""Which addresses belong to a crawl, and what a trap looks like."""

import pytest

from seekread.batch.record import PageRecord
from seekread.batch.scope import SiteScope
from seekread.batch.traps import LEARNT_AFTER, Traps, shape_of, words_of

START = "https://www.harbour.example/docs/"


@pytest.mark.parametrize(
    ("link", "followed"),
    [
        ("https://harbour.example/a#part", "https://harbour.example/a"),
        ("http://www.harbour.example/", "http://www.harbour.example/"),
        ("https://harbour.example/a?PHPSESSID=1&b=2", "https://harbour.example/a?b=2"),
        ("https://harbour.example/a;jsessionid=1A2B?b=2", "https://harbour.example/a?b=2"),
        ("https://harbour.example/(S(abcdefghij0123456789abcd))/a", "https://harbour.example/a"),
        ("https://harbour.example/a?q=b%20c", "https://harbour.example/a?q=b%20c"),
        ("https://elsewhere.example/", None),
        ("https://harbour.example:9999/", None),
        ("https://cdn.harbour.example/", None),
        ("https://harbour.example/anchor.PNG", None),
        ("https://harbour.example/a/b/a/b/a/b/a/", None),
        ("https://harbour.example/" + "x" * 3000, None),
        ("https://harbour.example/?" + "&".join(f"p{n}=1" for n in range(20)), None),
        ("mailto:harbour@harbour.example", None),
        ("http://[broken", None),
    ],
)
def test_what_belongs_to_a_site(link: str, followed: str | None) -> None:
    assert SiteScope(START).address(link) == followed


def test_domains_below_belong_to_it_where_that_is_wanted() -> None:
    assert SiteScope(START, subdomains=True).address("https://cdn.harbour.example/a")
    assert not SiteScope(START, subdomains=True).address("https://notharbour.example/a")


def test_patterns_are_about_path_and_query_and_a_question_mark_is_one() -> None:
    scope = SiteScope(START, include=("/docs/*",), exclude=("*?print=*", "*/old/*"))
    paths = ["/docs/a", "/docs/a?print=1", "/docs/old/a", "/blog/a", "/docs/a?page=2"]
    wanted = [path for path in paths if scope.address(f"https://harbour.example{path}")]
    assert wanted == ["/docs/a", "/docs/a?page=2"]


def test_addresses_of_one_program_have_one_shape() -> None:
    assert shape_of("https://a.example/calendar/2026?month=5&year=1") == shape_of(
        "https://a.example/calendar/1999?year=3&month=12"
    )


def test_a_parameter_that_changes_nothing_is_learnt() -> None:
    traps = Traps()
    for number in range(LEARNT_AFTER):
        assert not traps.ignored
        traps.copied(f"https://a.example/{number}?visit={number}", f"https://a.example/{number}")
    assert traps.ignored == {"visit"}
    assert SiteScope("https://a.example/").address("https://a.example/x?visit=9&b=1", traps.ignored) == (
        "https://a.example/x?b=1"
    )


def test_two_parameters_at_once_teach_nothing() -> None:
    traps = Traps()
    for number in range(9):
        traps.copied(f"https://a.example/?a={number}&b=1", "https://a.example/")
    assert not traps.ignored


def test_a_page_that_does_not_exist_is_known_by_its_words() -> None:
    sorry = "We are sorry, the page you looked for has sailed away from this harbour. Try the search instead."
    traps = Traps(missing=words_of(sorry))
    record = PageRecord(url="https://a.example/x", markdown=f"{sorry} (x)")
    assert traps.is_missing(record)
    assert not traps.is_missing(record.model_copy(update={"markdown": "A page about ships and what they carry."}))
    assert not Traps().is_missing(record)


def staleness(titles: list[str]) -> list[bool]:
    """Whether each of some pages of one shape, with one sentence that differs in a word, says nothing new."""
    traps, text = Traps(), "There is nothing in the harbour's list for today, tomorrow and the days that follow: {}."
    return [
        traps.is_stale(PageRecord(url=f"https://a.example/list/{number}", title=title, markdown=text.format(title)))
        for number, title in enumerate(titles)
    ]


def test_pages_that_say_little_are_gone_on_with_where_each_is_about_something_else() -> None:
    ships = [f"The ship {''.join(chr(ord('a') + int(letter)) * 3 for letter in str(number))}" for number in range(50)]
    assert not any(staleness(ships))


def test_pages_that_only_count_on_say_nothing_new() -> None:
    assert all(staleness([f"Page {number}" for number in range(20)])[1:])
    months = ["January", "February", "March", "April"]
    assert all(staleness([f"{month} {year}" for year in range(2026, 2030) for month in months])[4:])
