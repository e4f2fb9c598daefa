"""
The reader: a page as an agent gets it, in parts, with everything that can be asked of it afterwards.

The page is read once; outline, places, passages and quotations work on what was read, without another fetch.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from anyio import to_thread
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from seekread.client import WHOLE
from seekread.errors import InvalidQuery
from seekread.hostnames import completed
from seekread.late import dataclass
from seekread.models import Page
from seekread.page.blocks import blocks, fences, heading_title, inline_text
from seekread.page.cited import CheckedQuotation
from seekread.page.gate import link_text
from seekread.page.invisible import one_line
from seekread.page.outline import Heading, Match
from seekread.page.passages import Passage
from seekread.page.quote import text_fragment
from seekread.page.snapshot import Snapshot
from seekread.render.failure import asked_wrongly
from seekread.render.inline import link_target
from seekread.render.pages import page_markdown
from seekread.server.console.links import fields, here, is_own_wish
from seekread.server.console.markdown import RenderedMarkdown, render, render_part
from seekread.server.console.pages import HEADERS, page
from seekread.server.problems import unread
from seekread.server.sessions import current

PLACES = 50
MOST_PASSAGES, FEWEST_PASSAGES = 1600, 400
"""Characters of passages shown for a question."""
CONTEXT = 80
MOST_HEADINGS = 300
LONGEST_QUESTION = 2000
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
MARKS = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>|[-*+]|`{3,}\w*|\|[-|: ]*)(?=\s|$)|\|")


@dataclass(frozen=True)
class ShownPart:
    """The part of a page that is shown, rendered, and the parts around it."""

    rendered: RenderedMarkdown
    offset: int
    end: int
    total: int
    previous: int | None
    next: int | None


@dataclass(frozen=True)
class TextPlace:
    """Where something stands on the page: the part to open and the block to jump to."""

    offset: int | None
    """`None` means the part that is shown."""
    anchor: int


@dataclass(frozen=True)
class FoundPlace:
    """A place that was found on the page."""

    before: str
    match: str
    after: str
    heading: str
    place: TextPlace


@dataclass(frozen=True)
class AnsweringPassage:
    """A passage that answers a question."""

    passage: Passage
    html: Markup
    place: TextPlace
    citation: str


@dataclass(frozen=True)
class ShownQuote:
    """What became of a quotation; the place is that of the nearest passage when it is not on the page."""

    outcome: CheckedQuotation
    place: TextPlace | None
    markdown: str


@dataclass(frozen=True)
class ReadForm:
    """What stands in the reader's form: a page, and what is asked of it."""

    url: str
    offset: int
    q: str
    find: str
    ask: str
    quote: str

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> "ReadForm":
        """The question as it was sent."""
        offset = sent.get("offset", "")
        texts = {name: sent.get(name, "").strip()[:LONGEST_QUESTION] for name in ("url", "q", "find", "ask", "quote")}
        texts["url"] = completed(texts["url"])
        return cls(offset=int(offset[:12]) if offset.isascii() and offset.isdigit() else 0, **texts)


async def read_page(request: Request) -> Response:
    """A page, or why it could not be read."""
    asked = ReadForm.of(await fields(request) if request.method == "POST" else request.query_params)
    if not asked.url:
        return page(request, "read.html", {"asked": asked, "document": None, "held_back": False})
    if not is_own_wish(request):
        return page(request, "read.html", {"asked": asked, "document": None, "held_back": True})
    if request.method == "POST":
        return await given(request, asked)
    again = request.query_params.get("again") == "1"
    document = await current().open_page(asked.url, max_length=WHOLE, max_age=0 if again else None)
    if not document.success:
        refused = unread(document)
        values = {
            "asked": asked,
            "document": document,
            "wrong": asked_wrongly(document),
            "unseen": not current().parts.provenance.knows(asked.url),
        }
        return page(request, "unread.html", values, status=refused.problem.status, headers=refused.headers)
    if request.query_params.get("as") == "markdown":
        return as_markdown(document)
    size = current().parts.settings.read.max_length
    values = await to_thread.run_sync(lambda: answers(Snapshot(document), asked, size))
    return page(request, "read.html", {"asked": asked, "document": document, "held_back": False, **values})


async def given(request: Request, asked: ReadForm) -> Response:
    """
    Take an address as the person's own, and show it.

    Only a form that was sent says so: an address that is merely asked for may come from a link.
    """
    session = current()
    session.trust(asked.url)
    await session.share_trusted()
    return RedirectResponse(here(request, "/read", url=asked.url, q=asked.q), 303, headers=HEADERS)


def as_markdown(document: Page) -> Response:
    """The whole page as Markdown, for copying. As plain text, it stays text in every browser."""
    return PlainTextResponse(page_markdown(document), headers=HEADERS)


def answers(snapshot: Snapshot, asked: ReadForm, size: int) -> dict[str, Any]:
    """Everything the reader shows about a page."""
    text = snapshot.text
    part = shown_part(snapshot, asked.offset, size)
    places = Places(text, part)
    values: dict[str, Any] = {
        "part": part,
        "outline": [(heading, places.of(heading.offset)) for heading in headings_below_title(snapshot.outline())],
        "most_headings": MOST_HEADINGS,
        "language": language(snapshot.page),
        "citation": page_citation(snapshot.page),
        "notes": snapshot.page.notes[:-1],
        "found": None,
        "answering": None,
        "checked": None,
        "problem": "",
    }
    try:
        if asked.find:
            matches = snapshot.find(asked.find, context=CONTEXT, limit=PLACES)
            values["found"] = [in_its_line(match, places) for match in matches]
        if asked.ask:
            found = snapshot.passages(asked.ask, budget=passage_budget(len(text))).passages
            best_first = sorted((each for each in found if not each.head), key=lambda passage: -passage.score)
            values["answering"] = [answering(snapshot.page, passage, places) for passage in best_first]
        if asked.quote:
            values["checked"] = checked(snapshot, asked.quote, places)
    except InvalidQuery as error:
        values["problem"] = str(error)
    return values


def shown_part(snapshot: Snapshot, offset: int, size: int) -> ShownPart:
    """The part of the page from an offset on; one past the end shows the beginning."""
    text = snapshot.text
    window = snapshot.window(offset if offset < len(text) else 0, size)
    opening = unclosed_fence(text, window.offset)
    title = own_title(snapshot.page) if window.offset == 0 else 0
    rendered = render(opening + window.content[title:], offset=window.offset + title - len(opening))
    return ShownPart(
        rendered=rendered,
        offset=window.offset,
        end=window.end,
        total=window.total,
        previous=before(text, window.offset, size) if window.offset else None,
        next=window.next_offset,
    )


def own_title(document: Page) -> int:
    """Where the text goes on after a first heading that only repeats the title above it; 0 if there is none."""
    first, _, _ = document.content.partition("\n")
    repeats = first.startswith("# ") and heading_title(first).casefold() == one_line(document.title).casefold()
    return len(first) if repeats else 0


def unclosed_fence(text: str, offset: int) -> str:
    """The line that opens the code an offset stands in, so that the rest of the code is shown as code."""
    inside = next((start for start, end in fences(text) if start < offset < end), None)
    return "" if inside is None else text[inside : text.index("\n", inside) + 1].lstrip()


def before(text: str, offset: int, size: int) -> int:
    """Where the part before an offset begins: after a paragraph, line or word in the first half of one size back."""
    start = max(0, offset - size)
    if start == 0:
        return 0
    ends = ((text.find(mark, start, start + size // 2), len(mark)) for mark in ("\n\n", "\n", " "))
    return next((place + length for place, length in ends if place >= 0), start)


class Places:
    """Says where to jump for a place on the page."""

    def __init__(self, text: str, part: ShownPart) -> None:
        self._part = part
        self._starts = [block.start for block in blocks(text)] or [0]

    def of(self, offset: int) -> TextPlace:
        """The block an offset stands in: in the part that is shown, or at the head of another one."""
        if self._part.offset <= offset < self._part.end and self._part.rendered.anchors:
            return TextPlace(None, at_or_before(self._part.rendered.anchors, offset))
        start = at_or_before(self._starts, offset)
        return TextPlace(start, start)


def at_or_before(offsets: Any, offset: int) -> int:
    """The last of the offsets that is not behind this one."""
    found: int = offsets[max(0, bisect_right(offsets, offset) - 1)]
    return found


def headings_below_title(headings: tuple[Heading, ...]) -> list[Heading]:
    """The headings worth listing: a title that stands over everything else is not one of them."""
    alone = len(headings) > 1 and all(heading.level > headings[0].level for heading in headings[1:])
    return list(headings[1:] if alone else headings)


def in_its_line(match: Match, places: Places) -> FoundPlace:
    """A place with as much around it as belongs to the same paragraph, as a reader sees it."""
    before, after = match.before.rpartition("\n\n")[2], match.after.partition("\n\n")[0]
    return FoundPlace(
        before=("" if before != match.before else "…") + readable(before),
        match=match.match,
        after=readable(after) + ("" if after != match.after else "…"),
        heading=match.heading,
        place=places.of(match.offset),
    )


def readable(markdown: str) -> str:
    """A stretch of Markdown without the marks of blocks; it may begin or end anywhere."""
    return inline_text(MARKS.sub(" ", markdown))


def passage_budget(total: int) -> int:
    """How much of a page is shown for a question: little of a short one, or it would stand there twice."""
    return max(FEWEST_PASSAGES, min(MOST_PASSAGES, total // 4))


def answering(document: Page, passage: Passage, places: Places) -> AnsweringPassage:
    text = passage.text.strip()
    return AnsweringPassage(passage, render_part(text), places.of(passage.offset), quoted(document, text))


def checked(snapshot: Snapshot, text: str, places: Places) -> ShownQuote:
    """Hold a quotation against the page."""
    outcome = snapshot.check_quote(text)
    if outcome.citation is not None:
        return ShownQuote(outcome, places.of(outcome.citation.start), quoted(snapshot.page, outcome.citation.text))
    return ShownQuote(outcome, places.of(outcome.nearest.start) if outcome.nearest else None, "")


def quoted(document: Page, text: str) -> str:
    """A quotation as Markdown, with a link that opens the page where it stands."""
    lines = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    link = text_fragment(document.final_url or document.url, text)
    return f"{lines}\n>\n> — [{link_text(title_of(document))}]({link_target(link)}), {read_when(document)}"


def page_citation(document: Page) -> str:
    """The page as a source, in Markdown."""
    facts = [document.metadata.get(name, "") for name in ("author", "site_name")]
    facts += [document.metadata.get("date", "")[:10], read_when(document)]
    url = document.final_url or document.url
    told = ", ".join(link_text(one_line(fact)) for fact in facts if fact)
    return f"[{link_text(title_of(document))}]({link_target(url)}), {told}"


def language(document: Page) -> str:
    """The language a page says it is in, if that is the name of a language."""
    named = document.metadata.get("language", "")
    return named if LANGUAGE.fullmatch(named) else ""


def title_of(document: Page) -> str:
    return one_line(document.title) or document.final_url or document.url


def read_when(document: Page) -> str:
    return f"read {document.fetched_at[:10]} (sha256 {document.sha256[:12]})"
