"""
Text as a terminal may have it.

A terminal obeys control characters, and text from the web may hold them: they could retitle the window, write over
lines that stand above, or turn an address round. So each is shown as an escape instead, in the spelling of JSON, which
leaves JSON valid. What is said on one line stays on it, whatever it repeats.
"""

import re

OBEYED = re.compile(
    "[\x00-\x08\x0b\x0d-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls but for tab, line feed and form feed; controls of direction; other ends of lines; halves of characters."""
ENDS = re.compile("[\t\n\x0c]")


def shown(text: str) -> str:
    """Text without anything that a terminal would obey or could not show."""
    return OBEYED.sub(escape, text)


def on_a_line(text: str) -> str:
    """The same, with the ends of its lines shown too."""
    return ENDS.sub(escape, shown(text))


def escape(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"
