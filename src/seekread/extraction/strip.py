"""
The reader of last resort: tags off, text kept, in one linear pass and without a tree.

It serves pages that the pre-scan refuses and pages that killed a worker. It cannot know what is hidden,
so its result always carries a signal that says so.
"""

import html as entities
import re

from seekread.extraction.extracted import Extracted
from seekread.extraction.prescan import words
from seekread.models import Signal

SKIPPED = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "template", "noembed", "noframes", "iframe", "svg", "textarea", "select")
}
BLOCKS = words(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol option p pre section summary table "
    "tbody td tfoot th thead title tr ul"
)
SKIP_START = re.compile(rf"<(?:!--|({'|'.join(SKIPPED)})(?=[\s/>]))", re.IGNORECASE)
TAG = re.compile(
    rf"<[/!?]?(?:({'|'.join(sorted(BLOCKS, key=len, reverse=True))})(?=[\s/>])|[A-Za-z])[^>]*+>", re.IGNORECASE
)
TAG_CUT_OFF = re.compile(r"<[/!?]?[A-Za-z].*", re.DOTALL)
TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,1000})", re.IGNORECASE)
ROOM = 10
"""Characters of HTML looked at for each character of text wanted: enough for any page that has text at all."""


def strip_tags(html: str, *, limit: int, reason: str) -> Extracted:
    """The text of a page without its tags, at most `limit` characters, flagged with the reason."""
    text = without_skipped(html[: limit * ROOM])
    # Behind the last ">" no tag is complete; a search for one there would look at the rest again and again.
    end = text.rfind(">") + 1
    whole, rest = text[:end], text[end:]
    text = TAG.sub(lambda tag: "\n" if tag[1] else "", whole) + TAG_CUT_OFF.sub("", rest)
    text = entities.unescape(text).replace("\0", "")
    lines = (" ".join(line.split()) for line in text.split("\n"))
    text = "\n\n".join(line for line in lines if line)[:limit]
    title = TITLE.search(html[:200_000])
    return Extracted(
        markdown=text,
        title=entities.unescape(title[1]).strip() if title else "",
        signals=(Signal(kind="tags-stripped", detail=f"{reason}; hidden text could not be removed"),),
    )


def without_skipped(html: str) -> str:
    """HTML without comments and without elements whose text nobody reads."""
    pieces: list[str] = []
    endless: set[str] = set()
    position = 0
    while (start := SKIP_START.search(html, position)) is not None:
        name = (start[1] or "").lower()
        if name in endless:
            pieces.append(html[position : start.end()])
            position = start.end()
            continue
        pieces.append(html[position : start.start()])
        end = end_of_skipped(html, name, start)
        if end is None:
            # A block that never ends would swallow the page: skip its tag alone, and do not search for its end again.
            endless.add(name)
            pieces.append(start[0])
        position = start.end() if end is None else end
    return "".join((*pieces, html[position:]))


def end_of_skipped(html: str, name: str, start: re.Match[str]) -> int | None:
    """Where a comment or a skipped element ends; a comment without an end reaches to the end of the page."""
    if not name:
        end = html.find("-->", start.start() + 2)
        return len(html) if end < 0 else end + 3
    closing = SKIPPED[name].search(html, start.end())
    return closing.start() if closing else None
