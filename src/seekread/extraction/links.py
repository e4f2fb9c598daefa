"""Links made safe: absolute, without scripts or credentials, at most 2,000 characters, flagged when they smell."""

import math
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from urllib.parse import urljoin, urlsplit, urlunsplit

from seekread.extraction.signals import Tally
from seekread.page.gate import SCHEMES

LONGEST = 2000
WEB = frozenset({"http", "https"})
ALLOWED = SCHEMES
ABSOLUTE = re.compile(r"https?://[^/?#]")
FROM_ORIGIN = re.compile(r"/(?![/.])(?:[^/?#;]|/(?!\.))*+(?:[?#]|\Z)")
"""An address from the root, without dots to follow."""
PLAIN = re.compile(r"https?://[a-z0-9.-]+/[A-Za-z0-9/._~%-]*+")
"""An address in which nothing is to be made safe."""
PLAIN_HOST = re.compile(r"[a-z0-9.-]+")
CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""What no address holds, and no tree of XML either: controls, halves of characters, and what is no character."""
UNSAFE = str.maketrans(
    {
        " ": "%20",
        "(": "%28",
        ")": "%29",
        "<": "%3C",
        ">": "%3E",
        '"': "%22",
        "\\": "%5C",
        "`": "%60",
        "|": "%7C",
        "[": "%5B",
        "]": "%5D",
    }
)
"""Characters that would end a Markdown link early, percent-encoded."""
ENTROPY = 4.0
"""Bits per character above which a long query value is noise to a reader: data on its way out."""


def safe_link(target: str, base: str | None, tally: Tally) -> str:
    """An absolute address that is safe to follow and to write in Markdown, or an empty string."""
    target = CONTROLS.sub("", target.strip())
    if not target or target.startswith("#"):
        return ""
    try:
        address = absolute(target, base or "")
        if len(address) <= LONGEST and PLAIN.fullmatch(address):
            return address
        parts = urlsplit(address)
        if PLAIN_HOST.fullmatch(parts.netloc):
            host, port = parts.netloc, ""
        else:
            host = parts.hostname or ""
            port = f":{parts.port}" if parts.port else ""
    except ValueError:
        tally.note("unsafe-link", "not a valid address")
        return ""
    if parts.scheme not in ALLOWED:
        # A relative address on a page of unknown origin leads nowhere, but there is nothing unsafe about it.
        if parts.scheme:
            tally.note("unsafe-link", f"scheme {parts.scheme[:20]}")
        return ""
    if parts.scheme in WEB:
        if not host:
            return ""
        if "@" in parts.netloc:
            tally.note("unsafe-link", "credentials removed")
        host = f"[{host}]" if ":" in host else host
        if host + port != parts.netloc:
            parts = parts._replace(netloc=host + port)
    # The address that links of the page are relative to may hold controls too.
    address = CONTROLS.sub("", urlunsplit(parts)).translate(UNSAFE)
    if len(address) > LONGEST:
        tally.note("unsafe-link", f"longer than {LONGEST:,} characters")
        return ""
    smell(parts.query, host, tally)
    return address


def absolute(target: str, base: str) -> str:
    """An address without what it is relative to; most are relative to the origin, and joined at once."""
    if ABSOLUTE.match(target):
        return target
    if FROM_ORIGIN.match(target) and (origin := origin_of(base)):
        return origin + target
    return urljoin(base, target)


@lru_cache(maxsize=100)
def origin_of(base: str) -> str:
    """The scheme and the host of an address of the web, or an empty string."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in WEB and parts.netloc else ""


def smell(query: str, host: str, tally: Tally) -> None:
    """Flag a link whose query looks like data being carried away, or whose host mixes alphabets."""
    if len(query) >= 64 and any(entropy(value) > ENTROPY for value in re.split(r"[&;=]", query) if len(value) >= 64):
        tally.note("suspicious-link", "long query of high entropy")
    if not host.isascii() and len(alphabets(host)) > 1:
        tally.note("suspicious-link", "host mixes alphabets")


def entropy(text: str) -> float:
    """Bits per character."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def alphabets(host: str) -> set[str]:
    """The scripts a host is written in, by the first word of each letter's Unicode name."""
    return {unicodedata.name(letter, "?").partition(" ")[0] for letter in host if letter.isalpha()} - {"?"}
