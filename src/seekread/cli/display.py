"""
How results look on a terminal: aligned, wrapped, with colour and links, and the words that were looked for in bold.

Everything from the web is made harmless before any escape of ours is put around it. Where there is no terminal nothing
of this is used.
"""

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator
from typing import TextIO
from urllib.parse import urlsplit

from seekread.config.terminal_wishes import terminal_wishes
from seekread.late import dataclass
from seekread.models import SearchResponse, SearchResult
from seekread.printable import on_a_line

NARROWEST, WIDEST = 40, 100
"""Columns that text is wrapped to at least and at most: longer lines are hard to read."""
SNIPPET = 400
"""Characters of a snippet that are shown."""
STYLES = {"bold": "1", "dim": "2", "green": "32", "red": "31", "yellow": "33", "cyan": "36"}


@dataclass(frozen=True)
class ScreenLook:
    """What a stream can show."""

    rich: bool = False
    """Whether it is a terminal with a person before it, or one is asked for."""
    colour: bool = False
    width: int = 80

    def styled(self, text: str, *styles: str) -> str:
        """Text in some styles; the same text where there is no colour."""
        codes = ";".join(STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour and text else text

    def linked(self, text: str, url: str) -> str:
        """Text that leads somewhere when it is clicked on."""
        target = url.replace(" ", "%20")
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\" if self.colour else text


def look_of(stream: TextIO) -> ScreenLook:
    """How a stream looks, by itself and by what the environment says."""
    wishes = terminal_wishes()
    here = stream.isatty()
    if not here and wishes.colour is not True:
        return ScreenLook()
    colour = wishes.colour if wishes.colour is not None else not wishes.dumb
    columns = shutil.get_terminal_size().columns if here else 80
    return ScreenLook(True, colour, max(NARROWEST, min(WIDEST, columns)))


def output_look() -> ScreenLook:
    return look_of(sys.stdout)


def results_shown(response: SearchResponse, look: ScreenLook) -> str:
    """A response for a person."""
    words = matched_words(response.query)
    parts = [wrapped(f"{look.styled('Answer', 'bold')}  ", on_a_line(response.answer), look)] if response.answer else []
    margin = len(str(len(response.results))) + 2
    parts += [result_shown(result, look, words, margin) for result in response.results]
    if not response.results:
        parts.append(f"No results found for: {on_a_line(response.query)}")
    return "\n\n".join(parts)


def result_shown(result: SearchResult, look: ScreenLook, words: "re.Pattern[str] | None", margin: int) -> str:
    """One result: its title, where it stands, and what it says."""
    number = look.styled(f"{result.citation_id:>{margin - 2}}", "dim")
    url, blank = on_a_line(result.url), " " * margin
    titles = list(lines_of(on_a_line(result.title) or url, look.width - margin))
    head = [look.linked(look.styled(line, "bold", "cyan"), url) for line in titles]
    place = shortened_url(url, look.width - margin)
    further = "  ".join(on_a_line(fact) for fact in (result.published_date, *result.flags) if fact)
    facts = [look.styled(look.linked(place, url), "green")]
    # Beside the address where there is room, below it where there is none.
    beside = bool(further) and columns(place) + 2 + columns(further) <= look.width - margin
    facts = ["  ".join([*facts, look.styled(further, "dim")])] if beside else facts
    facts += [look.styled(line, "dim") for line in lines_of("" if beside else further, look.width - margin)]
    snippet = on_a_line(" ".join(result.snippet.split()))[:SNIPPET]
    body = [marked(line, look, words) for line in lines_of(snippet, look.width - margin)]
    first, *more = head
    return "\n".join([f"{number}  {first}", *(blank + line for line in (*more, *facts, *body))])


def matched_words(query: str) -> "re.Pattern[str] | None":
    """A pattern for the words of a query that say something."""
    words = set(re.findall(r"\w{3,}", query))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})", re.IGNORECASE) if words else None


def marked(line: str, look: ScreenLook, words: "re.Pattern[str] | None") -> str:
    """A line with the words that were looked for in bold."""
    return words.sub(lambda found: look.styled(found[0], "bold"), line) if words and look.colour else line


def shortened_url(url: str, width: int) -> str:
    """An address as people read it, cut in the middle of its path where it is too long."""
    parts = urlsplit(url)
    shown = f"{parts.netloc}{parts.path.rstrip('/')}" if parts.netloc else url
    return shown if len(shown) <= width else f"{shown[: width * 2 // 3]}…{shown[-(width // 3 - 2) :]}"


def wrapped(label: str, text: str, look: ScreenLook) -> str:
    return "\n".join([label, *lines_of(text, look.width)])


def lines_of(text: str, width: int) -> Iterator[str]:
    """Text in lines of so many columns, broken between words where that can be."""
    line, used = "", 0
    for word in pieces(text, width):
        size = columns(word)
        if line and used + size > width:
            yield line.rstrip()
            line, used = "", 0
        line += word
        used += size
    if line.strip():
        yield line.rstrip()


def pieces(text: str, width: int) -> Iterator[str]:
    """Words with the blank behind them; wide characters and words that fit nowhere come one by one."""
    for word in re.findall(r"\S+\s*", text):
        if columns(word) == len(word) <= width:
            yield word
        else:
            yield from word


def columns(text: str) -> int:
    """How many columns a text takes: characters of East Asia take two, those that stand upon others none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
