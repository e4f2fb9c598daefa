"""
The spellings in which a key could leave, and a quick look for them in a text.

Nothing is decoded. Each key is spelled in every way we know (bases, codes, rotations, orders), and only letters and
digits are kept of each spelling, in lower case; of a text the same. So separators, slashes, dots, padding and letter
case make no difference, wherever they stand. A text is suspicious where it shares a long enough run with a spelling:
about nine characters of the key, so that half a key is found as well as a whole one.

To find such a run quickly, all pieces of six characters of every spelling are kept, and of a text those at every sixth
place are looked up: a run of eleven has one of them.
"""

import base64
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from seekread.late import dataclass

PIECE = 6
OVERLAP = 2 * PIECE - 1
"""Characters in common that are always noticed."""
MOST_PLACES = 16
SHORTEST = 6
"""Letters and digits of a key below which it is an ordinary word."""
RUN = 12
"""Letters and digits of a key in plain that may not stand in a row."""
ENOUGH = 9
"""Bytes of a key that may not leave in another spelling."""

PLAIN = bytes(byte for byte in range(256) if not chr(byte).isascii() or not chr(byte).isalnum())
ALPHABET_58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
ALPHABET_36 = "0123456789abcdefghijklmnopqrstuvwxyz"
LOWER, UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def core(text: str | bytes) -> bytes:
    """The letters and digits of a text, in lower case."""
    raw = text.encode("ascii", "ignore") if isinstance(text, str) else text
    return raw.lower().translate(None, PLAIN)


@dataclass(frozen=True)
class Spelling:
    """One way to write a key, of which `need` characters in a row are too many."""

    text: bytes
    need: int
    words: bytes = b""
    """Where it is the key itself: with the case of its letters, to tell words in it from the rest."""

    def betrayed(self, start: int, end: int) -> bool:
        """Whether this much of it tells the key; ordinary words in a key may be said, numbers too."""
        if end - start < self.need:
            return False
        if not self.words or (end - start == len(self.text) and len(self.text) >= RUN):
            return True
        return changes(self.words[start:end]) >= 2


def changes(text: bytes) -> int:
    """How often digits, small and capital letters take turns as in no word, and how many clusters no word has."""
    steps = sum(step not in WORDLIKE for step in pairwise(text.translate(KINDS).decode()))
    return steps + sum(len(cluster) >= 5 for cluster in text.lower().translate(CONSONANTS).split())


KINDS = bytes(ord("0") if chr(b).isdigit() else ord("A") if chr(b).isupper() else ord("a") for b in range(256))
WORDLIKE = frozenset({("0", "0"), ("a", "a"), ("A", "A"), ("A", "a")})
CONSONANTS = bytes(b if chr(b) in "bcdfghjklmnpqrstvwxz" else 32 for b in range(256))


@lru_cache(maxsize=256)
def spellings_of(key: str) -> tuple[Spelling, ...]:
    """Every spelling of one key that is long enough to be looked for."""
    plain = key.encode().translate(None, PLAIN)
    if len(plain) < SHORTEST:
        return ()
    raw = key.encode()
    found = [Spelling(plain.lower(), min(len(plain), RUN), plain)]
    found += [Spelling(text, min(len(text), RUN)) for text in map(core, turned(key)) if len(text) >= SHORTEST]
    for text, per_byte in encoded(raw):
        spelled = core(text)
        need = min(len(spelled), max(round(ENOUGH * per_byte), OVERLAP))
        found += [Spelling(spelled, need), Spelling(spelled[::-1], need)]
    unique = {spelling.text: spelling for spelling in reversed(found) if len(spelling.text) >= PIECE}
    return tuple(unique.values())


def turned(key: str) -> Iterator[str]:
    """The characters of a key in another order, or each replaced by another."""
    yield key[::-1]
    yield "".join(key[at : at + 2][::-1] for at in range(0, len(key), 2))
    yield key[::2] + key[1::2]
    for step in range(1, 26):
        turn = str.maketrans(LOWER + UPPER, LOWER[step:] + LOWER[:step] + UPPER[step:] + UPPER[:step])
        yield key.translate(turn)
    yield key.translate(str.maketrans(LOWER + UPPER, LOWER[::-1] + UPPER[::-1]))
    codes = [ord(character) for character in key]
    changed = [[33 + (code + 14) % 94 for code in codes]]
    changed += [[code + step for code in codes] for step in (-3, -2, -1, 1, 2, 3)]
    changed += [[code ^ mask for code in codes] for mask in range(1, 32)]
    for replaced in changed:
        if all(32 <= code < 127 for code in replaced):
            yield "".join(map(chr, replaced))


def encoded(raw: bytes) -> Iterator[tuple[bytes | str, float]]:
    """The bytes of a key in other alphabets, with the characters that each byte takes."""
    wide = b"".join(bytes((byte, 0)) for byte in raw)
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(raw) + packer.flush()
    for inner, factor in ((raw, 1.0), (raw[::-1], 1.0), (wide, 2.0), (packed, 1.5)):
        yield inner.hex(), 2 * factor
        yield from ((text, 4 / 3 * factor) for text in shifted(inner, 3, base64.b64encode))
    yield from ((text, 8 / 5) for text in shifted(raw, 5, base64.b32encode))
    yield from ((text, 1.4) for code in (base64.b85encode, base64.a85encode) for text in shifted(raw, 4, code))
    for once in shifted(raw, 3, base64.b64encode):
        yield once.translate(bytes.maketrans(*ROT13)), 4 / 3
        yield once.hex(), 8 / 3
        yield from ((text, 16 / 9) for text in shifted(once, 3, base64.b64encode))
    yield raw.hex().encode().hex(), 4
    yield from ((text, 8 / 3) for text in shifted(raw.hex().encode(), 3, base64.b64encode))
    for pattern, width in (("{}", 2.6), ("{:03}", 3), ("{:o}", 3), ("{:b}", 7), ("{:07b}", 7), ("{:08b}", 8)):
        yield "".join(map(pattern.format, raw)), width
    for pattern, width in (("u{:04x}", 5), ("u00{:x}", 5), ("x{:x}", 3), ("0x{:x}", 4), ("x{:04x}", 5), ("25{:x}", 4)):
        yield "".join(map(pattern.format, raw)), width
    number = int.from_bytes(raw, "big")
    yield from ((in_base(number, alphabet), 2.0) for alphabet in ("0123456789", ALPHABET_36, ALPHABET_58))


ROT13 = ((LOWER + UPPER).encode(), (LOWER[13:] + LOWER[:13] + UPPER[13:] + UPPER[:13]).encode())


def shifted(raw: bytes, group: int, code: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """The same in base64 and its like, whatever number of bytes stands before it; what those touch is left out."""
    width = len(code(b"x" * group).rstrip(b"="))
    for before in range(group):
        yield code(b"x" * before + raw).rstrip(b"=")[-(-before * width // group) :]


def in_base(number: int, alphabet: str) -> str:
    """A number in the digits of an alphabet."""
    digits = ""
    while number:
        number, digit = divmod(number, len(alphabet))
        digits = alphabet[digit] + digits
    return digits


class Lookout:
    """Looks for any spelling of some keys."""

    def __init__(self, keys: frozenset[str]) -> None:
        self._spellings = [spelling for key in keys for spelling in spellings_of(key)]
        self._pieces = {
            spelling.text[at : at + PIECE]
            for spelling in self._spellings
            for at in range(len(spelling.text) - PIECE + 1)
        }

    def suspects(self, text: bytes) -> bool:
        """Whether a text may hold a run of `OVERLAP` characters of a spelling."""
        return not self._pieces.isdisjoint([text[at : at + PIECE] for at in range(0, len(text), PIECE)])

    def sees(self, text: bytes) -> bool:
        """Whether a text, of which only letters and digits are kept, tells a key."""
        if not self.suspects(text):
            return False
        shared = self._pieces.intersection(text[at : at + PIECE] for at in range(0, len(text), PIECE))
        return any(told(spelling, text, piece) for piece in shared for spelling in self._spellings)


def told(spelling: Spelling, text: bytes, piece: bytes) -> bool:
    """Whether a text shares enough with a spelling around a piece that stands in both."""
    for place in places(spelling.text, piece):
        for at in places(text, piece):
            start = place - common(spelling.text[:place][::-1], text[:at][::-1])
            end = place + common(spelling.text[place:], text[at:])
            if spelling.betrayed(start, end):
                return True
    return False


def places(text: bytes, piece: bytes) -> Iterator[int]:
    """Where a piece stands in a text; the first few, for texts that are made of nothing else."""
    at = text.find(piece)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(piece, at + 1)


def common(one: bytes, other: bytes) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@lru_cache(maxsize=16)
def lookout_for(keys: frozenset[str]) -> Lookout:
    """What looks for these keys; making it takes milliseconds."""
    return Lookout(keys)
