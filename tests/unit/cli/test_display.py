"""Results on a terminal: aligned, wrapped, with colour and links, and nothing from the web is obeyed."""

import io
import re

import pytest

from seekread.cli.display import ScreenLook, columns, lines_of, look_of, results_shown, shortened_url
from seekread.config.terminal_wishes import terminal_wishes
from seekread.models import SearchResponse, SearchResult

COLOUR, PLAIN = ScreenLook(True, True, 60), ScreenLook(True, False, 60)
ESCAPES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")


def response(**fields: str) -> SearchResponse:
    given = {"title": "Green tea", "url": "https://example.org/a", "snippet": "About green tea.", **fields}
    result = SearchResult.model_validate({"citation_id": 1, **given})
    return SearchResponse(query="green tea", query_sent="green tea", results=(result,), outcome="ok")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "rich", "colour"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
    ],
)
def test_a_terminal_gets_colour_unless_somebody_does_not_want_it(
    environ: dict[str, str], rich: bool, colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    look = look_of(Terminal())
    assert (look.rich, look.colour) == (rich, colour)


def test_without_a_terminal_nothing_is_styled_unless_it_is_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert look_of(io.StringIO()) == ScreenLook()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert look_of(io.StringIO()).colour
    assert terminal_wishes({"FORCE_COLOR": "0"}).colour is None


def test_words_that_were_looked_for_are_bold_and_the_title_is_a_link() -> None:
    text = results_shown(response(), COLOUR)
    assert "\x1b[1mgreen\x1b[0m" in text
    assert "\x1b]8;;https://example.org/a\x1b\\" in text
    assert "\x1b" not in results_shown(response(), PLAIN)


def test_long_texts_are_wrapped_and_aligned() -> None:
    text = results_shown(response(title="tea " * 40, snippet="green tea is " * 20), PLAIN)
    lines = text.splitlines()
    assert max(map(columns, lines)) <= 60
    assert all(line.startswith("   ") for line in lines[1:])


def test_what_stands_beside_the_address_goes_below_it_where_there_is_no_room() -> None:
    narrow = ScreenLook(True, False, 40)
    found = response(url="https://example.org/" + "a" * 24, published_date="2026-10-29")
    assert max(map(len, results_shown(found, narrow).splitlines())) <= 40
    assert "\n   2026-10-29" in results_shown(found, narrow)
    assert "a  2026-10-29" in results_shown(found, PLAIN)


HOSTILE = "\x1b]0;title\x07 \x1b[2J evil \u202e txet \r over\nline"


def test_nothing_from_the_web_is_obeyed() -> None:
    shown = results_shown(response(title=HOSTILE, snippet=HOSTILE, url=f"https://example.org/{HOSTILE}"), COLOUR)
    ours = ESCAPES.sub("", shown)
    assert "\x1b" not in ours
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", ours)


@pytest.mark.parametrize(
    "text", ["ein Satz mit Wörtern", "日本語の文章はここで折り返す" * 3, "x" * 200, "", "e\u0301" * 50]
)
def test_no_line_is_wider_than_it_may_be_and_nothing_is_lost(text: str) -> None:
    lines = list(lines_of(text, 20))
    assert all(columns(line) <= 20 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_an_address_is_cut_in_the_middle() -> None:
    long = shortened_url("https://example.org/" + "path/" * 40 + "end", 50)
    assert len(long) <= 50
    assert long.startswith("example.org/path")
    assert long.endswith("end")
