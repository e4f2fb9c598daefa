"""What the tools of MCP servers answer: data, data written as text, or results written for people."""

import json
import re
from collections.abc import Mapping
from typing import Any

from seekread.provider import BadReply, SearchResult, SuspiciousEmpty


def data_of(answer: Mapping[str, Any]) -> Any:
    """What a tool answered: data where it gives any, else the text of it, which may be data too."""
    text = "\n".join(part["text"] for part in answer.get("content") or () if part.get("type") == "text")
    if answer.get("isError"):
        raise BadReply(f"the tool failed: {text}"[:200])
    if answer.get("structuredContent") is not None:
        return answer["structuredContent"]
    if not text.strip():
        raise SuspiciousEmpty("the tool answered with nothing at all")
    return json.loads(text) if text.lstrip()[:1] in {"{", "["} else text


ROW = re.compile(r"(?m)^(?:\W*)Title:[ \t]*(?P<title>.*)\n(?:(?!^\W*Title:).*\n)*?\W*URL:[ \t]*(?P<url>\S+)")

LABEL = re.compile(r"(?:Text|Highlights|Snippet|Summary):\s*")
"""What may stand before the words of a result."""
NOTHING = re.compile(r"\W*no (?:\w+ )?results", re.IGNORECASE)
"""How tools say that there is nothing."""


def text_results(text: str) -> list[SearchResult]:
    """Results written for people: a line with a title, one with an address, and the words up to the next title."""
    if NOTHING.match(text):
        raise SuspiciousEmpty("the tool says that it found nothing, and shows nothing for it")
    found = list(ROW.finditer(text))
    ends = [row.start() for row in found[1:]] + [len(text)]
    if not found:
        raise ValueError("the tool answered with text that lists no results")
    return [
        SearchResult(title=row["title"], url=row["url"], snippet=LABEL.sub("", text[row.end() : end].strip()))
        for row, end in zip(found, ends, strict=True)
    ]
