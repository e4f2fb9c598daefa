# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
Citations: numbers in brackets become links, and quotations are held against the pages they cite.

A marker is `[1]`, `[1, 2]`, `[1-3]` or a mix of them, outside code and outside links that are already there.
A number that no source has is left as it stands and reported, never dropped and never linked.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal
from urllib.parse import quote as percent_encoded

from seekread.late import dataclass
from seekread.models import Source
from seekread.page.blocks import blocks, fences
from seekread.page.quote import KINDS, Quotable, Quote
from seekread.page.sentences import sentences

Style = Literal["markdown", "html", "footnotes", "plain"]
Standing = Literal["stands", "absent", "unquoted", "unread", "unknown"]
"""
What became of the quotations in a cited sentence.

`stands`: all are on a cited page. `absent`: at least one is not there, and its `differences` say why. `unquoted`: the
sentence quotes nothing. `unread`: a cited page that could decide was not read. `unknown`: a number that no source has.
"""

MARKER = re.compile(r"(?<!\\)\[(\d{1,6}(?:\s*[,;–-]\s*\d{1,6})*)\](?![(:=\w])")
RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
LONGEST_RANGE = 100
PROTECTED = re.compile(
    r"""
    (?<!`)(?P<ticks>`{1,8})(?!`)(?:[^\n]|\n(?!\s*\n)){1,2000}?(?<!`)(?P=ticks)(?!`)    # code in a line
  | !?\[[^\[\]\n]{0,1000}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,1000})?\]       # a link or an image
      \([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\ "[^"\n]{0,300}")?\)
  | ^\ {0,3}\[[^\[\]\n]{1,200}\]:[^\n]*$                                  # what a reference or footnote means
  | <(?:https?://[^\s<>]{1,2000}|[A-Za-z/][^<>\n]{0,1000})>               # an address or a tag
  | https?://[^\s<>\[\]]{1,2000}\[[^\s<>]{0,2000}                           # an address with brackets of its own
    """,
    re.VERBOSE | re.MULTILINE,
)
QUOTED = re.compile(
    r'"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|„([^“”\n]{1,2000})[“”]|«([^»\n]{1,2000})»|»([^«\n]{1,2000})«'
    r"|「([^」\n]{1,2000})」|『([^』\n]{1,2000})』"
)


@dataclass(frozen=True)
class Linked:
    """A text with its markers linked, and the cited numbers that no source has."""

    text: str
    unknown: tuple[int, ...]


@dataclass(frozen=True)
class CheckedQuote:
    """
    A quoted string, the cited page it was found on, and where.

    `found` is `None` if it was on none; `differences` then say what the page that was compared with it says instead.
    """

    text: str
    citation_id: int | None
    found: Quote | None
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """A cited sentence and what became of its quotations."""

    sentence: str
    citation_ids: tuple[int, ...]
    quotes: tuple[CheckedQuote, ...]
    stands: Standing


@dataclass(frozen=True)
class Marker:
    """A marker in a text and the numbers it cites."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class CitationForm:
    """How one style writes text, a linked number, and the list of sources."""

    escape: Callable[[str], str]
    link: Callable[[Source], str]
    footer: Callable[[Sequence[Source]], str]


def link(text: str, sources: Sequence[Source], style: Style = "markdown") -> Linked:
    """
    Turn citation markers into links and add the cited sources at the end.

    `plain` returns the text as it is, for channels that show no links; `html` escapes everything else.
    """
    known = {source.citation_id: source for source in sources}
    found = tuple(markers(text))
    cited = dict.fromkeys(number for marker in found for number in marker.numbers)
    unknown = tuple(sorted(number for number in cited if number not in known))
    if style == "plain":
        return Linked(text, unknown)
    form = FORMS[style]
    pieces: list[str] = []
    done = 0
    for marker in found:
        pieces.append(form.escape(text[done : marker.start]))
        if any(number in known for number in marker.numbers):
            pieces.extend(form.link(known[n]) if n in known else form.escape(f"[{n}]") for n in marker.numbers)
        else:
            pieces.append(form.escape(text[marker.start : marker.end]))
        done = marker.end
    pieces.append(form.escape(text[done:]))
    used = sorted((known[number] for number in cited if number in known), key=lambda source: source.citation_id)
    if used:
        pieces[-1] = pieces[-1].rstrip()
        pieces.append(form.footer(used))
    return Linked("".join(pieces), unknown)


def markers(text: str) -> Iterator[Marker]:
    """The citation markers of a text, those in code and links left out."""
    protected = iter(sorted([*fences(text), *(match.span() for match in PROTECTED.finditer(text))]))
    start, end = next(protected, (len(text), len(text)))
    for match in MARKER.finditer(text):
        while end <= match.start() and start < len(text):
            start, end = next(protected, (len(text), len(text)))
        if start < match.end() and match.start() < end:
            continue
        numbers = expanded(match[1])
        if numbers:
            yield Marker(match.start(), match.end(), numbers)


def expanded(inside: str) -> tuple[int, ...]:
    """The numbers of a marker, ranges written out. Nothing if it cannot be one, as in `[3-1]` or `[1990-2200]`."""
    numbers: dict[int, None] = {}
    for match in RANGE.finditer(inside):
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + LONGEST_RANGE:
            return ()
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return tuple(numbers)


def source_address(source: Source) -> str | None:
    """The address of a source, safe inside Markdown and HTML; `None` if it is not one of the web."""
    if not source.url.lower().startswith(("http://", "https://")):
        return None
    return percent_encoded(source.url, safe="%/:=&?~#+!$,;'@*[]-._").replace("[", "%5B").replace("]", "%5D")


def title(source: Source) -> str:
    """The title in one line; a source without one goes by its address."""
    return " ".join(source.title.split()) or source.url


def markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)


def markdown_link(source: Source) -> str:
    url = source_address(source)
    return f"[[{source.citation_id}]]({url})" if url else f"[{source.citation_id}]"


def markdown_entry(source: Source) -> str:
    url, name = source_address(source), markdown_text(title(source))
    return f"[{name}]({url})" if url else name


def markdown_footer(sources: Sequence[Source]) -> str:
    entries = "\n".join(f"- \\[{source.citation_id}\\] {markdown_entry(source)}" for source in sources)
    return f"\n\n**Sources**\n\n{entries}\n"


def footnotes_footer(sources: Sequence[Source]) -> str:
    entries = "\n".join(f"[^{source.citation_id}]: {markdown_entry(source)}" for source in sources)
    return f"\n\n**Sources**\n\n{entries}\n"


def html_anchor(source: Source, shown: str) -> str:
    url = source_address(source)
    if url is None:
        return html.escape(shown)
    return f'<a href="{html.escape(url)}" rel="noopener noreferrer nofollow">{html.escape(shown)}</a>'


def html_footer(sources: Sequence[Source]) -> str:
    entries = "\n".join(
        f'<li value="{source.citation_id}">{html_anchor(source, title(source))}</li>' for source in sources
    )
    return f"\n<h2>Sources</h2>\n<ol>\n{entries}\n</ol>\n"


FORMS: dict[str, CitationForm] = {
    "markdown": CitationForm(str, markdown_link, markdown_footer),
    "footnotes": CitationForm(str, lambda source: f"[^{source.citation_id}]", footnotes_footer),
    "html": CitationForm(html.escape, lambda source: html_anchor(source, f"[{source.citation_id}]"), html_footer),
}


def check(text: str, sources: Sequence[Source], snapshots: Mapping[int, str]) -> tuple[Checked, ...]:
    """Say for each cited sentence whether what it quotes stands on the pages it cites (`citation_id` → page text)."""
    known = {source.citation_id for source in sources}
    found = Markers(text)
    pages = {number: Quotable(page) for number, page in snapshots.items()}
    checked: list[Checked] = []
    for start, end in cited_sentences(text, found):
        numbers = tuple(dict.fromkeys(number for marker in found.between(start, end) for number in marker.numbers))
        quoted = [next(filter(None, match.groups())) for match in QUOTED.finditer(text, start, end)]
        quotes = tuple(on_a_page(each, numbers, pages) for each in quoted if any(map(str.isalnum, each)))
        checked.append(Checked(text[start:end], numbers, quotes, standing(numbers, quotes, known, pages.keys())))
    return tuple(checked)


class Markers:
    """The markers of a text, to be asked for by place."""

    def __init__(self, text: str) -> None:
        self.all = tuple(markers(text))
        self.starts = [marker.start for marker in self.all]

    def between(self, start: int, end: int) -> Sequence[Marker]:
        return self.all[bisect_left(self.starts, start) : bisect_left(self.starts, end)]


def standing(
    numbers: Sequence[int], quotes: Sequence[CheckedQuote], known: AbstractSet[int], read: AbstractSet[int]
) -> Standing:
    """What became of the quotations of one sentence, the worst first."""
    if not known >= set(numbers):
        return "unknown"
    if not quotes:
        return "unquoted"
    if any(each.found is None for each in quotes):
        return "absent" if read >= set(numbers) else "unread"
    return "stands"


def on_a_page(text: str, numbers: Sequence[int], pages: Mapping[int, Quotable]) -> CheckedQuote:
    """The best place of a quoted string on the cited pages that were read, or what differs on the one nearest to it."""
    read = [number for number in numbers if number in pages]
    places = [(found, number) for number in read if (found := pages[number].quote(text)) is not None]
    if places:
        found, number = min(places, key=lambda place: KINDS.index(place[0].kind))
        return CheckedQuote(text, number, found)
    checks = [pages[number].check(text) for number in read]
    nearest = next((each for each in checks if each.nearest is not None), checks[0] if checks else None)
    return CheckedQuote(text, None, None, nearest.differences if nearest else ())


def cited_sentences(text: str, found: Markers) -> Iterator[tuple[int, int]]:
    """
    The sentences that hold a marker.

    A marker after the full stop belongs to the sentence before it, and a quotation of two sentences parts none.
    """
    for block in blocks(text):
        if block.kind == "code" or not found.between(block.start, block.end):
            continue
        spans: list[tuple[int, int]] = []
        quoted = [match.span() for match in QUOTED.finditer(text, block.start, block.end)]
        opened = [first for first, _ in quoted]
        for start, end in sentences(text, block.start, block.end):
            lead = after_markers(text, found.between(start, end), start)
            nearest = bisect_left(opened, start) - 1
            inside_quotation = nearest >= 0 and start < quoted[nearest][1]
            if spans and (inside_quotation or lead >= end):
                spans[-1] = (spans[-1][0], end)
            elif spans and lead > start:
                spans[-1] = (spans[-1][0], lead)
                spans.append((next_word(text, lead), end))
            else:
                spans.append((start, end))
        yield from (span for span in spans if found.between(*span))


def after_markers(text: str, found: Sequence[Marker], start: int) -> int:
    """Where the markers at the beginning of a sentence end; `start` if there are none."""
    place = start
    for marker in found:
        if text[place : marker.start].strip(" .,"):
            break
        place = marker.end
    while start < place < len(text) and text[place] in ".,":
        place += 1
    return place


def next_word(text: str, place: int) -> int:
    """The first place from here on that is not white space."""
    while place < len(text) and text[place].isspace():
        place += 1
    return place
