"""
Characters nobody sees: the one list of them. They are removed from text and counted by class.

Joiners stay where a script needs them, variation selectors stay with the emoji they style, and the three flags that are
spelled with tag characters stay whole. Everything else that is invisible carries nothing for a reader, only for a
model. Pages, search results and answers are washed alike.
"""

import re
import unicodedata
from collections import Counter
from operator import eq

CONTROLS = r"\x00-\x08\x0e-\x1f\x7f"
"""The controls of ASCII but for those that are white space: tabs, line ends and the form feed."""
INVISIBLE = (
    CONTROLS + r"\x80-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
"""All of them, as the inside of a regular expression's brackets."""
CONTROL = re.compile(f"[{CONTROLS}]")
USUAL_BYTES = bytes(code for code in range(128) if not CONTROL.match(chr(code)))
"""ASCII without its controls."""
UNPRINTABLE_BYTES = bytes((*range(32), 127))
DOUBLED = re.compile("  ")
"""Two spaces: a compiled pattern finds them three times as fast as `in`, which stops at every space."""
RUN_OF_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"})
"""Categories of characters that stand for nothing visible, kinds of space included."""
TAGGED_FLAGS = frozenset(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
"""England, Scotland and Wales: a black flag followed by tag characters, the only such sequences in use."""
JOINERS = "\u200c\u200d"
JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc]"
)
"""Arabic, Indic, South East Asian and Mongolian letters: joiners between them change what is written."""
CLASSES: tuple[tuple[str, str], ...] = (
    ("soft hyphen", "\u00ad"),
    ("bidirectional control", "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
    ("byte order mark", "\ufeff"),
    ("zero width", "\u200b\u200c\u200d\u2060\u034f\u180e"),
)
CLASS_OF = {character: name for name, characters in CLASSES for character in characters}
BASE64 = re.compile(r"(?:data:[\w.+/-]{1,60};base64,)?[A-Za-z0-9+/]{200,}={0,2}|[A-Za-z0-9_-]{200,}={0,2}")
LONGEST_PHRASE = 6
RUN = 10
"""A phrase of up to six words that comes ten times in a row is stuffing; no prose does that."""


def visible(text: str) -> str:
    """A text without its invisible characters."""
    return text if is_plain(text) else clean(text)[0]


def is_plain(text: str) -> bool:
    """Whether a look is enough, as it is for most texts in English."""
    return text.isascii() and not CONTROL.search(text)


def one_line(text: str) -> str:
    """The visible characters of a text without line breaks and doubled spaces, so that it cannot leave its line."""
    if text.isascii() and not DOUBLED.search(text) and not has_unprintables(text):
        # As most are already, and a look is a small part of the work.
        return text.strip(" ")
    return " ".join(visible(text).split())


def has_unprintables(text: str) -> bool:
    """Say whether a text of ASCII has white space other than the plain kind, or controls: its bytes tell fastest."""
    written = text.encode()
    return len(written.translate(None, UNPRINTABLE_BYTES)) != len(written)


def is_unseen(character: str) -> bool:
    """Say whether a character has no place in an address: it is blank, a control or private, and no joiner."""
    return character not in JOINERS and unicodedata.category(character) in UNSEEN


def clean(text: str) -> tuple[str, Counter[str]]:
    """Remove the invisible characters of a text; returns what is left and how many went, by class."""
    found: Counter[str] = Counter()
    unusual = without_usual(text)
    if not RUN_OF_INVISIBLE.search(unusual):
        return text, found

    def judge(match: re.Match[str]) -> str:
        around, run = match.string, match.group()
        before = around[match.start() - 1] if match.start() else ""
        after = around[match.end()] if match.end() < len(around) else ""
        kept = needed(run, before, after)
        found.update(map(class_of, run.replace(kept, "", 1)))
        return kept

    if CONTROL.search(unusual):
        return RUN_OF_INVISIBLE.sub(judge, text), found
    # Python knows at once whether a string is ASCII; cut up at tags, most of a page is.
    pieces = [piece if piece.isascii() else RUN_OF_INVISIBLE.sub(judge, piece) for piece in text.split("<")]
    return "<".join(pieces), found


def without_usual(text: str) -> str:
    """A text without the usual characters of ASCII, so nearly nothing of most; its bytes are the fastest to sift."""
    return text.encode("utf-8", "surrogatepass").translate(None, USUAL_BYTES).decode("utf-8", "surrogatepass")


def needed(run: str, before: str, after: str) -> str:
    """The part of a run of invisible characters that the visible characters around it need."""
    if before == "\U0001f3f4" and run in TAGGED_FLAGS:
        return run
    pictures = is_picture(before)
    if pictures and run[0] == "\ufe0f":
        return run[:2] if run[1:2] == "\u200d" and is_picture(after) else run[:1]
    if run[0] == "\u200d" and pictures and is_picture(after):
        return run[0]
    if run[0] in JOINERS and JOINING.match(before) and (JOINING.match(after) or not after.isalnum()):
        return run[0]
    if run[0] in "\u180b\u180c\u180d\u180f" and "\u1800" <= before <= "\u18af":
        return run[0]
    # Ideographic variants (U+FE00 to U+FE02, U+E0100 and up) choose a form of the character before them.
    if "\u3400" <= before <= "\u9fff" and (run[0] in "\ufe00\ufe01\ufe02" or "\U000e0100" <= run[0] <= "\U000e01ef"):
        return run[0]
    return ""


def is_picture(character: str) -> bool:
    """Say whether a character is an emoji or a sign that can be shown as one."""
    return bool(character) and (
        "\U0001f000" <= character <= "\U0001faff"
        or character in "#*0123456789"
        or unicodedata.category(character) == "So"
        or "\u2190" <= character <= "\u2bff"
        or character in "\u3030\u303d\u203c\u2049"
    )


def class_of(character: str) -> str:
    """The class a removed character is counted under."""
    if character < "\u00a0":
        return "control character"
    if character >= "\U000f0000":
        return "private use"
    if character >= "\U000e0100" or "\ufe00" <= character <= "\ufe0f":
        return "variation selector"
    if character >= "\U000e0000":
        return "tag character"
    if "\ud800" <= character <= "\udfff":
        return "half a character"
    return CLASS_OF.get(character, "invisible filler")


def collapse_base64(text: str) -> tuple[str, int]:
    """Replace each long run of base64 by its size."""
    if len(text) < 200 or max(map(len, text.split()), default=0) < 200:
        return text, 0
    return BASE64.subn(lambda match: f"[base64 {len(match.group()) * 3 // 4} bytes]", text)


def collapse_runs(text: str) -> tuple[str, int]:
    """Write a phrase that is repeated ten times in a row or more only once."""
    words = text.split()
    if len(words) < RUN or max(Counter(words).values()) < RUN or not may_repeat(words):
        return text, 0
    kept: list[str] = []
    runs = position = 0
    while position < len(words):
        length, times = longest_run(words, position)
        if times >= RUN:
            kept += words[position : position + length]
            position += length * times
            runs += 1
        else:
            kept.append(words[position])
            position += 1
    return (" ".join(kept), runs) if runs else (text, 0)


def may_repeat(words: list[str]) -> bool:
    """Say whether a phrase may repeat often enough: then as many words are the same as those one phrase further on."""
    return any(sum(map(eq, words, words[length:])) >= length * (RUN - 1) for length in range(1, LONGEST_PHRASE + 1))


def longest_run(words: list[str], start: int) -> tuple[int, int]:
    """The phrase length that repeats from a position on, and how often it comes."""
    for length in range(1, LONGEST_PHRASE + 1):
        # Looking one phrase ahead keeps ordinary prose at one comparison a word and length.
        if words[start : start + length] != words[start + length : start + 2 * length]:
            continue
        times = 2
        while words[start : start + length] == words[start + times * length : start + (times + 1) * length]:
            times += 1
        if times >= RUN:
            return length, times
    return 1, 1
