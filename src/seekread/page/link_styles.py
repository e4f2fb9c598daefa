"""
How the links of a text are written when it is shown: where they stand, as a list below it, or not at all.

A tenth of what a model reads of a page are addresses. They go when a part is rendered, never from the page that is
kept, so offsets, hashes and quotations are those of the page with its links. Code is left as it is. What is left of a
link may meet a bracket or a sign beside it and speak with it, so a text that has lost some passes the gate again.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, islice

from seekread.late import dataclass
from seekread.options import LinkStyle
from seekread.page.blocks import fences
from seekread.page.gate import gated

INSIDE = r"(?:\\.|[^\[\]\\\n]|\[(?:\\.|[^\[\]\\\n]){0,300}\]){0,1000}"
LINK = re.compile(rf"(?<![\\!])\[(?P<text>{INSIDE})\]\((?P<target>[^()\s]{{1,2000}})(?: \"[^\"\n]{{0,500}}\")?\)")
CODE = re.compile(r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
IMAGE = "image: "
LIST = "\n\nLinks:\n\n"


@dataclass(frozen=True)
class RestyledText:
    """A text whose links are written in another way: how many addresses left it, and how many are listed below it."""

    text: str
    links: int = 0
    listed: int = 0


def restyled(text: str, style: LinkStyle, limit: int = 1_000_000) -> RestyledText:
    """A text with its links in a style; a list ends where the text would grow beyond the limit."""
    return STYLES[style](text, limit)


def inline(text: str, _limit: int) -> RestyledText:
    """Links stay where they are."""
    return RestyledText(text)


def none(text: str, _limit: int) -> RestyledText:
    """Of every link its words."""
    bare, links = without_targets(text)
    return RestyledText(bare, len(links))


def listed(text: str, limit: int) -> RestyledText:
    """Of every link its words, and below the text each address once with the words that first led to it."""
    bare, links = without_targets(text)
    rows = [f"- [{words}]({target})" for target, words in links.items()]
    lengths = accumulate((len(row) + 1 for row in rows), initial=len(bare) + len(LIST))
    fitting = rows[: sum(length <= limit for length in islice(lengths, 1, None))]
    return RestyledText(bare + LIST + "\n".join(fitting) if fitting else bare, len(links), len(fitting))


STYLES: Mapping[LinkStyle, Callable[[str, int], RestyledText]] = {"inline": inline, "list": listed, "none": none}


def without_targets(text: str) -> tuple[str, dict[str, str]]:
    """A text without the targets of its links, and those with their words."""
    pieces: list[str] = []
    links: dict[str, str] = {}
    done = 0
    for match in links_in(text):
        words = match["text"]
        links.setdefault(match["target"], words)
        at_start = text[match.start() - 1 : match.start()] in {"", "\n"}
        mark = "\\" if at_start and words[:1] in {"#", ">"} else ""
        pieces += [text[done : match.start()], f"[{words}]" if words.startswith(IMAGE) else mark + words]
        done = match.end()
    bare = "".join((*pieces, text[done:]))
    return (gated(bare).text if links else bare), links


def links_in(text: str) -> Iterator[re.Match[str]]:
    """The links of a text in their order, without those in code."""
    code = iter(sorted([*fences(text), *(match.span() for match in CODE.finditer(text))]))
    start, end = next(code, (len(text), len(text)))
    for match in LINK.finditer(text):
        while end <= match.start() and start < len(text):
            start, end = next(code, (len(text), len(text)))
        if not (start <= match.start() < end):
            yield match
