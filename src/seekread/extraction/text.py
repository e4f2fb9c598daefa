"""Plain text and Markdown that somebody else wrote: they pass through the gate, and stand as they are otherwise."""

import re

from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.signals import Tally
from seekread.models import Link
from seekread.page.blocks import heading_title
from seekread.page.gate import GatedMarkdown, gated

HEADING = re.compile(r"^#{1,6}[^\S\n]+.{1,300}$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(<?(https?://[^\s()<>]{1,2000})")


def read_text(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """Plain text stands as it is; its first line serves as a title when it looks like one."""
    text = tally.clean_characters(text)
    first = text.strip().partition("\n")[0].strip()
    markdown = shown(gated(text, images=options.images), tally)
    return Extracted(markdown=markdown, title=first if 0 < len(first) <= 100 else "")


def read_markdown(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """Markdown passes through without its comments; its first heading is the title."""
    text = shown(gated(tally.clean_characters(text), images=options.images, comments=False), tally)
    heading = HEADING.search(text[:20_000])
    links = tuple(Link(text=match[1], url=match[2]) for match in LINK.finditer(text))
    return Extracted(markdown=text, title=heading_title(heading[0]) if heading else "", links=links)


def shown(markdown: GatedMarkdown, tally: Tally) -> str:
    """The text, with what was done to it counted."""
    if markdown.comments:
        tally.note("hidden-text", "comments", characters=markdown.comments)
    if markdown.as_code:
        tally.note("shown-as-code", "parsers would read this Markdown in different ways")
    return markdown.text
