"""
Mark text from the web as foreign before a model reads it.

The fence carries a nonce made for one call. Content that contains the nonce could close the fence itself, so it is
refused; with 128 random bits that does not happen by accident. Whatever somebody else wrote stands inside, titles and
names included; what we say about it stands outside. Fences belong to texts for models: content, lengths and offsets
never count them.
"""

import re
import secrets

from seekread.page.invisible import one_line

NONCE = re.compile(r"[0-9a-f]{32}")


def fence(text: str, *, source: str, nonce: str | None = None) -> str:
    """Put text between fences that name a nonce, under a line that says where it comes from."""
    nonce = secrets.token_hex(16) if nonce is None else nonce
    if not NONCE.fullmatch(nonce):
        raise ValueError(f"a fence needs a nonce of 32 hexadecimal digits, not {nonce!r}")
    if nonce in text:
        raise ValueError("the text contains the nonce of its own fence: use a new one")
    return f"{untrusted(source)}\n<<<{nonce}\n{text}\n{nonce}>>>"


def untrusted(source: str) -> str:
    """The words that stand above whatever a model reads of the web."""
    return f"untrusted web content from {one_line(source)}"
