"""
What belongs to a crawl: whose pages, how far from the first, how many, with which words in their address.

Addresses that never end are not followed: identifiers of sessions are taken out of them, and those that repeat
themselves, or that name no text, are left out. What only their pages show to be endless is up to `traps`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from seekread.hostnames import host_of, matches
from seekread.late import dataclass

SESSION = re.compile(
    r"(?:phpsess|jsession|asp(?:net)?_?session|session_?)id\w*|php_?sess|sid|sess|session|oscsid|zenid|cfid|cftoken",
    re.IGNORECASE,
)
"""Names of parameters that name a visitor and not a page."""
SESSION_IN_PATH = re.compile(r";(?:jsession|phpsess|s)id=[^/?#;]*|/\(S\([a-z0-9]{20,}\)\)", re.IGNORECASE)
NO_TEXT = frozenset(
    {"7z", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "deb", "dmg", "eot", "exe", "flac", "gif", "gz", "ico",
     "iso", "jar", "jpeg", "jpg", "js", "m4a", "m4v", "map", "mjs", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "ogg",
     "ogv", "otf", "png", "rar", "rpm", "svg", "swf", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm",
     "webmanifest", "webp", "wmv", "woff", "woff2", "xz", "zip", "zst"}
)  # fmt: skip
"""Ends of names of files that hold no text."""
MOST_REPEATS = 3
"""How often one part may stand in a path; a link relative to the wrong place repeats it without end."""
MOST_PARTS, MOST_PARAMETERS, LONGEST = 20, 8, 2000


@dataclass(frozen=True)
class SiteScope:
    """Which addresses a crawl follows, and how many it reads."""

    start: str
    depth: int = 10
    limit: int = 1000
    include: tuple[str, ...] = ()
    """Patterns such as `/docs/*` one of which the path of a page must match, with its query …"""
    exclude: tuple[str, ...] = ()
    """… and patterns none of which it may."""
    subdomains: bool = False

    def address(self, url: str, ignored: Iterable[str] = ()) -> str | None:
        """The address to follow for a link: in its plain spelling, without the parameters to ignore; or none."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        if parts.scheme not in {"http", "https"} or not self.is_of_the_site(url):
            return None
        path = SESSION_IN_PATH.sub("", parts.path) or "/"
        kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not is_of_session(pair[0], ignored)]
        query = urlencode(kept) if len(kept) < len(parse_qsl(parts.query, keep_blank_values=True)) else parts.query
        if len(url) > LONGEST or len(kept) > MOST_PARAMETERS or goes_round(path) or names_no_text(path):
            return None
        return urlunsplit((parts.scheme, parts.netloc, path, query, "")) if self._is_wanted(path, query) else None

    def is_of_the_site(self, url: str) -> bool:
        """Whether an address is of the site itself; its port is not looked at, for schemes have their own."""
        home, host = host_of(self.start).removeprefix("www."), host_of(url).removeprefix("www.")
        if urlsplit(url).port not in {None, 80, 443, urlsplit(self.start).port}:
            return False
        return host == home or (self.subdomains and matches(host, home))

    def _is_wanted(self, path: str, query: str) -> bool:
        whole = f"{path}?{query}" if query else path
        if any(matching(pattern).fullmatch(whole) for pattern in self.exclude):
            return False
        return not self.include or any(matching(pattern).fullmatch(whole) for pattern in self.include)


@lru_cache(maxsize=256)
def matching(pattern: str) -> re.Pattern[str]:
    """What a pattern stands for: `*` is any text, and everything else itself, for `?` begins a query."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def is_of_session(name: str, ignored: Iterable[str]) -> bool:
    return bool(SESSION.fullmatch(name)) or name in ignored


def goes_round(path: str) -> bool:
    """Whether a path repeats itself, or is deeper than sites are."""
    parts = [part for part in path.split("/") if part]
    return len(parts) > MOST_PARTS or max(Counter(parts).values(), default=0) > MOST_REPEATS


def names_no_text(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "." in name and name.rpartition(".")[2].lower() in NO_TEXT
