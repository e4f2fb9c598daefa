"""
Step 1, outgoing: neither a query nor an address carries a key out, in one call or in several.

A text is read as it stands, without its percent signs and entities, with look-alikes as plain letters, without the
names of its parameters, every other word, and every other character where it is long. In each reading the spellings of
the configured keys are looked for (`disguises`), and everybody's keys by their shape (`key_shapes`).

What a session sends is remembered as far as it takes to see a key that leaves piece by piece: of each site, and of all
queries, the last few hundred characters that were new from one call to the next.
"""

import base64
import html
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from urllib.parse import unquote

from seekread.calling.disguises import OVERLAP, PLAIN, Lookout, core, lookout_for
from seekread.clock import SystemClock
from seekread.errors import Refused
from seekread.hostnames import host_of, site_of
from seekread.key_shapes import keys_in
from seekread.late import dataclass
from seekread.ports import Clock
from seekread.redact import Secrets

LONGEST = 20_000
"""Characters that are scanned. Longer texts are refused: an unscanned end could carry anything."""
LAYERS = 6
"""How often a text is freed of percent signs."""
PARAMETER = re.compile(r"[?&;][^=&;#/]*=")
LONG = re.compile(r"[^\s]{20,}")
LONG_WORD = 16
"""Words are shorter."""
BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}")
HEXADECIMAL = re.compile(r"(?:[0-9A-Fa-f]{2}[:%. -]?){20,}")
BETWEEN = b"/?&=;#,:+|@ \t\r\n"
BREAKS = bytes(32 if byte in BETWEEN else byte for byte in range(256))
ODD = bytes(byte for byte in PLAIN if byte not in BETWEEN)
"""What stands between the words of a query or an address, and what is dropped from them."""
LOOK_ALIKES = str.maketrans(
    "авсԁеһіјкӏмпорԛгѕтухѵԝуАВСЕНІЈКМОРЅТХУѴԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχϲϳ",
    "abcdehijklmnopqrstyxvwyABCEHIJKMOPSTXYVWABEZHIKMNOPTYXaeiknoptuxcj",
)
"""Letters of other scripts that look like ours."""

MOST_SITES = 32
MOST_WORDS = 64
TAIL = 400
"""What a session keeps: sites, words of the last call to each, characters of each of three tails."""
DAY = 86_400.0


@dataclass
class Tails:
    """What the calls to one site said: the last word of each, the longest that was new, and all that was new."""

    before: list[bytes] = field(default_factory=list)
    last: bytes = b""
    longest: bytes = b""
    whole: bytes = b""

    def tell(self, words: list[bytes], lookout: Lookout) -> bool:
        """Add a call; say whether the calls together tell a key."""
        before, self.before = self.before, words[:MOST_WORDS]
        if not words or words == before:
            return False
        new = [word for word in words if word not in before] or words[-1:]
        last, longest, whole = self.last, self.longest, self.whole
        final, largest, together = words[-1], max(new, key=len), b"".join(new)
        self.last, self.longest, self.whole = last + final, longest + largest, whole + together
        # Only where a piece meets what was there before is anything new.
        edges = b"%b%b|%b%b|%b%b" % (last[-OVERLAP:], final, longest[-OVERLAP:], largest, whole[-OVERLAP:], together)
        told = lookout.suspects(edges) and any(map(lookout.sees, (self.last, self.longest, self.whole)))
        if len(self.whole) > TAIL or len(self.last) > TAIL:
            self.last, self.longest, self.whole = self.last[-TAIL:], self.longest[-TAIL:], self.whole[-TAIL:]
        return told


@dataclass
class Said:
    """What one session has sent: how much of it in a day, and the ends of what was new."""

    budget: int | None = None
    clock: Clock = field(default_factory=SystemClock)
    _count: int = 0
    _since: float | None = None
    _tails: OrderedDict[str, Tails] = field(default_factory=OrderedDict)

    def count(self, text: str, what: str) -> None:
        """Refuse a text that is more than the session may send in a day."""
        if self.budget is None:
            return
        now = self.clock.time()
        if self._since is None or not 0 <= now - self._since < DAY:
            self._since, self._count = now, 0
        if self._count + len(text) > self.budget:
            raise Refused(
                "text_budget",
                f"the {what} was not sent: a session may send {self.budget:,} characters of queries and addresses "
                "in a day; text_budget under [policy] decides",
            )
        self._count += len(text)

    def tells(self, text: str, words: list[bytes], what: str, lookout: Lookout) -> bool:
        """Whether this text, after those before it, tells a key."""
        site = what
        if what == "url":
            site, host = site_of(text), host_of(text)
            # The labels of a host are words too.
            words = words_of(text.lower().replace(host, host.replace(".", " "), 1) if host else text)
        tails = self._tails.pop(site, None) or Tails()
        self._tails[site] = tails
        if len(self._tails) > MOST_SITES:
            self._tails.popitem(last=False)
        return tails.tell(words, lookout)


@dataclass(frozen=True)
class Outgoing:
    """Looks at every text before it is sent. `secrets` are the configured keys, `said` is the session's memory."""

    secrets: Secrets = field(default_factory=Secrets)
    scan: bool = True
    said: Said = field(default_factory=Said, repr=False)

    def check(self, text: str, what: str, *, counted: bool = True) -> None:
        """Refuse text that tells a configured secret or holds something with the shape of a key, however encoded."""
        if counted:
            self.said.count(text, what)
        if not self.scan:
            return
        if len(text) > LONGEST:
            raise Refused("too_long", f"the {what} is longer than {LONGEST:,} characters and was not sent")
        lookout = lookout_for(self.secrets.keys())
        try:
            looked_at = innocent(text, lookout)
        except Guilty:
            looked_at = look_at(text, lookout)
        if looked_at.tells or self.said.tells(looked_at.plain, looked_at.words, what, lookout):
            raise Refused("secret_in_" + what, f"the {what} contains a configured secret and was not sent")
        if looked_at.has_key:
            raise Refused(
                "key_shape_in_" + what,
                f"the {what} contains something that looks like a key and was not sent; "
                "set scan_outgoing = false under [policy] if that is intended",
            )


@dataclass(frozen=True)
class LookedAt:
    """A text by itself: what it says plainly, in words, and whether it tells a configured key or holds another."""

    plain: str
    words: list[bytes]
    tells: bool
    has_key: bool


class Guilty(Exception):
    """A text that holds a key. It is raised, because what is returned would be remembered."""


@lru_cache(maxsize=64)
def innocent(text: str, lookout: Lookout) -> LookedAt:
    """A text that holds no key; what is sent again and again is looked at once."""
    found = look_at(text, lookout)
    if found.tells or found.has_key:
        raise Guilty
    return found


def look_at(text: str, lookout: Lookout) -> LookedAt:
    """Look at a text from all sides."""
    texts = layers(text)
    words = words_of(texts[-1])
    read = readings(texts[-1], words)
    if len(texts) > 1:
        read += readings(text, words_of(text))
    return LookedAt(texts[-1], words, lookout.sees(b"|".join(read)), any(map(has_key, texts)))


def layers(text: str) -> list[str]:
    """A text as it stands, and what it says once nothing is escaped and every letter is a plain one."""
    plain = text
    for _ in range(LAYERS):
        before = plain
        plain = unquote(plain) if "%" in plain else plain
        plain = html.unescape(plain) if "&" in plain else plain
        if plain == before:
            break
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain).translate(LOOK_ALIKES)
    return [plain] if plain == text or not text.isascii() else [text, plain]


def words_of(text: str) -> list[bytes]:
    """The words of a text, of which letters and digits are kept, in lower case."""
    return text.encode("ascii", "ignore").lower().translate(BREAKS, ODD).split()


def readings(text: str, words: list[bytes]) -> list[bytes]:
    """The ways to read a text that a key may be spread over."""
    found = [b"".join(words)]
    if len(words) > 3:
        found += [b"".join(words[::2]), b"".join(words[1::2])]
    if "=" in text:
        found.append(core(PARAMETER.sub(" ", text)))
    if words and len(max(words, key=len)) >= LONG_WORD:
        found += [core(text[start::step]) for step in (2, 3) for start in range(step)]
    return found


def has_key(text: str) -> bool:
    """Whether a text holds somebody's key, plainly, backwards, or in base64 or hexadecimal."""
    if not LONG.search(text) and "://" not in text:
        return False
    return any(keys_in(text)) or any(any(keys_in(hidden, plain=False)) for hidden in unwrapped(text))


def unwrapped(text: str) -> Iterator[str]:
    """What long pieces of a text may hide."""
    for piece in HEXADECIMAL.findall(text):
        yield bytes.fromhex(re.sub(r"[^0-9A-Fa-f]", "", piece)).decode("latin-1")
    for piece in BASE64.findall(text):
        yield piece[::-1]
        if piece.startswith("eyJ"):
            # A web token, which was judged as such.
            continue
        plain = piece.translate(str.maketrans("-_", "+/"))
        for start in range(4):
            whole = plain[start:] if (len(plain) - start) % 4 != 1 else plain[start:-1]
            yield base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("latin-1")
