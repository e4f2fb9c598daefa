"""Plain text and Markdown, which pass through and are made safe. Each function is linear in its input."""

import re

from seekread.extraction.extracted import Extracted
from seekread.models import Link, Signal

IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,100}\])")
HTML_IMAGE = re.compile(
    r"<(?:img|iframe|video|audio|embed|object|script|style|link|source)\s[^<>]{0,4000}>", re.IGNORECASE
)
UNSAFE_TARGET = re.compile(
    r"(\]\(\s{0,5}<?|^ {0,3}\[[^\[\]\n]{1,100}\]:\s{0,5}<?)(?:javascript|data|vbscript|blob|file):[^\s)>]{0,10000}",
    re.IGNORECASE | re.MULTILINE,
)
LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(<?(https?://[^\s()<>]{1,2000})")


def read_text(text: str) -> Extracted:
    """Plain text stands as it is; its first line serves as a title when it looks like one."""
    text = safe_markdown(text)
    first = text.partition("\n")[0].strip()
    return Extracted(markdown=text, title=first if 0 < len(first) <= 100 else "")


def read_markdown(text: str) -> Extracted:
    """Markdown passes through, made safe; its first heading is the title."""
    whole = len(text)
    text = without_comments(text)
    hidden = whole - len(text)
    text = safe_markdown(text)
    heading = re.search(r"^#{1,6}[^\S\n]+(.{1,300})$", text[:20_000], re.MULTILINE)
    signals = (Signal(kind="hidden-text", detail=f"comments, {hidden} characters"),) if hidden else ()
    links = tuple(Link(text=match[1], url=match[2]) for match in LINK.finditer(text))
    return Extracted(markdown=text, title=heading[1].strip(" #") if heading else "", links=links, signals=signals)


def without_comments(text: str) -> str:
    """Text without its HTML comments; one that never ends is text, as it is for Markdown."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[position:start])
        position = end + 3
    return "".join((*pieces, text[position:]))


def safe_markdown(text: str) -> str:
    """
    Text whose images are named instead of loaded and whose links lead to the web or nowhere.

    Where it is shown, an image would send a request without anybody clicking.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    text = IMAGE.sub(lambda match: f"[image: {match[1]}]" if match[1] else "[image]", text)
    text = HTML_IMAGE.sub("[image]", text)
    return UNSAFE_TARGET.sub(lambda match: f"{match[1]}#", text)
