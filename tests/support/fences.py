"""Texts for models without their fences, to be compared."""

import re

FENCE = re.compile(r"(untrusted web content from [^\n]*)\n<<<([0-9a-f]{32})\n(.*?)\n\2>>>", re.DOTALL)


def unfenced(text: str) -> str:
    """A text with each fence taken away, and what it held left; a text without a fence is a mistake of the test."""
    bare, count = FENCE.subn(r"\3", text)
    assert count, text
    return bare


def sources(text: str) -> list[str]:
    """The marks above the fences of a text."""
    return [match[1] for match in FENCE.finditer(text)]
