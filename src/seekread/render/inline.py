"""
A piece of somebody else's text that stays in its place: cut at a word, on its lines, inside its link.

What pages and results say must not be able to pose as structure of the text it stands in.
"""

import re
from urllib.parse import quote

CUT = " […]"
"""Marks the place where a text was cut."""
LONGEST_WORD = 40
"""Characters that are given up for the sake of a whole word."""
LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
STRUCTURE = re.compile(r"^([^\S\n]*)(#{1,6}(?:\s|$)|-{3,}[^\S\n]*$)", re.MULTILINE)
FIELD = re.compile(r"\*\*(URL|Published):\*\*")


def shortened(text: str, length: int | None) -> str:
    """Cut at a word, where one ends nearby: not every script has spaces. Mark the cut."""
    if length is None or len(text) <= length:
        return text
    end = text.rfind(" ", max(0, length - LONGEST_WORD), length)
    return text[: end if end > 0 else length].rstrip(" .,;:") + CUT


def plain_lines(text: str) -> str:
    """Text in which every line ends with a line feed, whatever ended it before."""
    return LINE_ENDS.sub("\n", text)


def harmless(text: str) -> str:
    """Text whose lines cannot pose as a heading, a field or a rule."""
    return FIELD.sub(r"*\\*\1:**", STRUCTURE.sub(r"\1\\\2", plain_lines(text)))


def link_target(url: str) -> str:
    """The target of a link: nothing in it can end the link early."""
    encoded = re.sub(r"[<>\s\\`]", lambda found: quote(found[0]), url.strip())
    return f"<{encoded}>"
