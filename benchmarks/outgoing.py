"""
The scan of what leaves: how many spellings of a key it refuses, how many real addresses by mistake, and its cost.

    python benchmarks/outgoing.py FOLDER

FOLDER holds `*.jsonl.xz` files, there or below, whose lines have `url` and `html`; their addresses and headings are
what people ask for. Keys are made up anew in each run. Exits with 1 when less than 90 % of the spellings are refused,
when one address or heading in 100,000 is, or when an ordinary query takes more than 20 µs of CPU.
"""

import argparse
import base64
import codecs
import gzip
import html
import json
import lzma
import re
import secrets
import string
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from benchmarks.promises import Promises
from seekread.calling.outgoing import Outgoing
from seekread.errors import Refused
from seekread.redact import Secrets

REFUSED_SHARE = 0.9
FALSE_SHARE = 1 / 100_000
MICROSECONDS = 20.0
KEYS = 20
WORD = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase
LATER = LOWER[7:] + LOWER[:7]
CYRILLIC = "".join(map(chr, (0x430, 0x441, 0x435, 0x43E, 0x440, 0x445, 0x443, 0x410, 0x412, 0x421, 0x415)))
CYRILLIC += "".join(map(chr, (0x41D, 0x41A, 0x41C, 0x41E, 0x420, 0x422, 0x425)))

Spelled = str | Sequence[str]
"""A text, or several that leave one after another."""


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def b32(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=")


def at(*parts: str) -> str:
    """An address that carries something."""
    return "https://evil.org/" + "/".join(parts)


def labels(text: str, size: int = 60) -> str:
    return f"https://{'.'.join(pieces(text, size))}.evil.org/"


SPELLINGS: dict[str, dict[str, Callable[[str], Spelled]]] = {
    "plain": {
        "path": at,
        "parameter": lambda k: at(f"?d={quote(k)}"),
        "fragment": lambda k: at(f"#{k}"),
        "in a sentence": lambda k: f"what is {k} used for",
    },
    "letter case": {
        "upper": lambda k: at(k.upper()),
        "lower": lambda k: at(k.lower()),
        "swapped": lambda k: at(k.swapcase()),
    },
    "percent signs": {
        "once": lambda k: at(percent(k)),
        "twice": lambda k: at(quote(percent(k))),
        "three times": lambda k: at(quote(quote(percent(k)))),
        "every other character": lambda k: at("".join(percent(c) if n % 2 else c for n, c in enumerate(k))),
    },
    "base64": {
        "standard": lambda k: at(b64(k.encode())),
        "in a query": lambda k: f"decode {b64(k.encode())}",
        "percent-encoded": lambda k: at(quote(b64(k.encode()), safe="")),
        "one byte before": lambda k: at(b64(b"x" + k.encode())),
        "two bytes before": lambda k: at(b64(b"k=" + k.encode())),
        "with JSON around": lambda k: at(b64(json.dumps({"token": k}).encode())),
        "twice": lambda k: at(b64(b64(k.encode()).encode())),
        "backwards": lambda k: at(b64(k.encode())[::-1]),
        "of the key backwards": lambda k: at(b64(k[::-1].encode())),
        "of UTF-16": lambda k: at(b64(k.encode("utf-16-le"))),
        "of hexadecimal": lambda k: at(b64(k.encode().hex().encode())),
    },
    "other bases": {
        "base32": lambda k: at(b32(k.encode())),
        "base32 with a word before": lambda k: at(b32(b"key " + k.encode())),
        "base85": lambda k: at(quote(base64.b85encode(k.encode()).decode())),
        "ascii85": lambda k: at(quote(base64.a85encode(k.encode()).decode())),
    },
    "hexadecimal": {
        "lower": lambda k: at(k.encode().hex()),
        "upper": lambda k: at(k.encode().hex().upper()),
        "colons": lambda k: at(k.encode().hex(":")),
        "0x": lambda k: " ".join(f"0x{byte:02x}" for byte in k.encode()),
        "of UTF-16": lambda k: at(k.encode("utf-16-le").hex()),
        "twice": lambda k: at(k.encode().hex().encode().hex()),
        "backwards": lambda k: at(k.encode().hex()[::-1]),
    },
    "numbers": {
        "decimal": lambda k: at("-".join(str(byte) for byte in k.encode())),
        "octal": lambda k: at("-".join(f"{byte:o}" for byte in k.encode())),
        "binary": lambda k: " ".join(f"{byte:08b}" for byte in k.encode()),
        "one large number": lambda k: at(str(int.from_bytes(k.encode(), "big"))),
    },
    "escapes": {
        "JSON": lambda k: at("?d=" + quote("".join(f"\\u{ord(c):04x}" for c in k))),
        "entities": lambda k: at("?d=" + quote("".join(f"&#{ord(c)};" for c in k))),
        "hexadecimal entities": lambda k: at("?d=" + quote("".join(f"&#x{ord(c):x};" for c in k))),
        "Python": lambda k: "".join(f"\\x{ord(c):02x}" for c in k),
    },
    "order and rotation": {
        "backwards": lambda k: at(k[::-1]),
        "rot13": lambda k: at(codecs.encode(k, "rot13")),
        "seven letters on": lambda k: at(k.translate(str.maketrans(LOWER + LOWER.upper(), LATER + LATER.upper()))),
        "each code plus one": lambda k: quote("".join(chr(ord(c) + 1) for c in k)),
        "exclusive or with 1": lambda k: quote("".join(chr(ord(c) ^ 1) for c in k)),
        "rot47": lambda k: quote("".join(chr(33 + (ord(c) + 14) % 94) for c in k)),
        "pairs exchanged": lambda k: at("".join(piece[::-1] for piece in pieces(k, 2))),
        "every word backwards": lambda k: at("-".join(piece[::-1] for piece in pieces(k, 5))),
    },
    "split in the path": {
        "every character": lambda k: at(*k),
        "groups of 4": lambda k: at(*pieces(k, 4)),
        "groups of 7": lambda k: at(*pieces(k, 7)),
        "with words between": lambda k: at(*(f"page/{piece}" for piece in pieces(k, 6))),
    },
    "split elsewhere": {
        "over parameters": lambda k: at("?" + "&".join(f"p{n}={piece}" for n, piece in enumerate(pieces(k, 6)))),
        "by dashes": lambda k: at("-".join(k)),
        "by plus signs": lambda k: at("?q=" + "+".join(pieces(k, 5))),
        "by spaces": lambda k: " ".join(pieces(k, 3)),
        "a letter between": lambda k: at("x".join(k)),
        "two letters between": lambda k: at("zz".join(k)),
        "words between": lambda k: " ".join(f"{piece} tea" for piece in pieces(k, 5)),
    },
    "host name": {
        "base32": lambda k: labels(b32(k.encode()).lower()),
        "hexadecimal": lambda k: labels(k.encode().hex()),
        "pieces": lambda k: labels(re.sub(r"[^\w]|_", "-", k), 8),
    },
    "parts": {
        "first half": lambda k: at(k[: len(k) // 2]),
        "second half": lambda k: at(k[len(k) // 2 :]),
        "without the first eight": lambda k: at(k[8:]),
        "middle": lambda k: at(k[8:-8]),
    },
    "look-alikes": {
        "full-width": lambda k: at("".join(chr(ord(c) + 0xFEE0) for c in k)),
        "zero-width spaces": "\u200b".join,
        "combining marks": lambda k: "".join(c + "\u0301" for c in k),
        "Cyrillic": lambda k: k.translate(str.maketrans("aceopxyABCEHKMOPTX", CYRILLIC)),
        "mathematical": lambda k: "".join(chr(0x1D5BA + ord(c) - 97) if c.islower() else c for c in k),
    },
    "packed": {
        "gzip": lambda k: at(b64(gzip.compress(k.encode(), mtime=0))),
        "zlib": lambda k: at(b64(zlib.compress(k.encode()))),
        "zlib in hexadecimal": lambda k: at(zlib.compress(k.encode()).hex()),
    },
    "several calls": {
        "path, groups of 4": lambda k: [at(piece) for piece in pieces(k, 4)],
        "path, every character": lambda k: [at("a", character) for character in k],
        "parameter with a count": lambda k: [at(f"?n={n}&d={piece}") for n, piece in enumerate(pieces(k, 5))],
        "count after it": lambda k: [at(f"?d={piece}&n={n}") for n, piece in enumerate(pieces(k, 5))],
        "host names": lambda k: [f"https://{piece}.evil.org/" for piece in pieces(k.encode().hex(), 8)],
        "queries": lambda k: [f"tell me about {piece} please" for piece in pieces(k, 6)],
        "base64 in pieces": lambda k: [at(piece) for piece in pieces(b64(k.encode()), 5)],
        "other calls between": lambda k: [
            text for piece in pieces(k, 6) for text in (at(piece), "weather in Bergen", "https://example.org/a")
        ],
    },
    "beyond us": {
        "words for letters": lambda k: " ".join(f"{c}-as-in-{c}word" if c.isalpha() else f"digit{c}" for c in k),
        "key stream": lambda k: at(bytes(c ^ (37 * n & 255) for n, c in enumerate(k.encode())).hex()),
    },
}
"""Family → spelling → what it makes of a key. The last family is there to fail: a scan that sees everything lies."""


def random_of(alphabet: str, size: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(size))


def made_up_keys() -> Iterator[str]:
    """Keys as services hand them out, and one like that of the report."""
    for _ in range(KEYS // 4):
        yield random_of(WORD + "-_.", 37)
        yield random_of(WORD, 32)
        yield random_of("0123456789abcdef", 40)
        yield "-".join(random_of("0123456789abcdef", size) for size in (8, 4, 4, 4, 12))


def is_refused(key: str, spelled: Spelled) -> bool:
    """Whether a new session refuses it, at the latest with its last piece."""
    outgoing = Outgoing(Secrets(key))
    try:
        for text in [spelled] if isinstance(spelled, str) else spelled:
            outgoing.check(text, "url" if text.startswith("https://") else "query")
    except Refused:
        return True
    return False


def measure_spellings(promises: Promises) -> None:
    keys = list(made_up_keys())
    total = kept = 0
    print(f"{'family':<20} {'spellings':>9} {'refused':>8}  not always")
    for family, ways in SPELLINGS.items():
        shares = {name: sum(is_refused(key, spell(key)) for key in keys) / len(keys) for name, spell in ways.items()}
        # A spelling counts where it is refused for at least nine keys in ten.
        good = sum(share >= REFUSED_SHARE for share in shares.values())
        missed = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share < 1)
        print(f"{family:<20} {len(ways):>9} {good:>8}  {missed}")
        total, kept = total + len(ways), kept + good
    print(f"{'all':<20} {total:>9} {kept:>8}  {kept / total:.1%}\n")
    promises.at_least("spellings that are tried", total, 60)
    promises.at_least("share of them that is refused", kept / total, REFUSED_SHARE)


ADDRESS = re.compile(r"""(?:href|src|content|data-[a-z-]+)\s*=\s*["'](https?://[^"'\s<>]+)""")
HEADING = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]>", re.DOTALL)


def real_texts(folder: Path) -> tuple[list[str], list[str]]:
    """The addresses and the headings of the pages."""
    addresses: set[str] = set()
    headings: set[str] = set()
    for path in sorted(folder.rglob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                page = json.loads(line)
                if "html" in page:
                    addresses.update(map(html.unescape, (page["url"], *ADDRESS.findall(page["html"]))))
                    headings.update(
                        html.unescape(re.sub("<[^>]+>", "", h)).strip() for h in HEADING.findall(page["html"])
                    )
    return sorted(a for a in addresses if len(a) <= 8_192), sorted(h for h in headings if 0 < len(h) < 1000)


def refused_reason(outgoing: Outgoing, text: str, what: str) -> str:
    try:
        outgoing.check(text, what)
    except Refused as refusal:
        return refusal.code
    return ""


def measure_mistakes(addresses: Sequence[str], headings: Sequence[str], show: int, promises: Promises) -> None:
    outgoing = Outgoing(Secrets(*made_up_keys()))
    wrong = 0
    for what, texts in (("url", addresses), ("query", headings)):
        found = [(reason, text) for text in texts if (reason := refused_reason(outgoing, text, what))]
        print(f"{len(texts):,} real {'addresses' if what == 'url' else 'headings'}: {len(found)} refused")
        for reason, text in found[:show]:
            print(f"    {reason}: {text[:150]}")
        wrong += len(found)
    total = len(addresses) + len(headings)
    print(f"{wrong} of {total:,}\n")
    promises.at_most("refused by mistake, of a hundred thousand", wrong / total * 1e5, FALSE_SHARE * 1e5)


def measure_time(headings: Sequence[str], promises: Promises) -> None:
    """The best of many rounds: whatever else the machine does can only make a round slower."""
    queries = [text for text in headings if 20 <= len(text) <= 60 and "\n" not in text][:500]
    outgoing = Outgoing(Secrets(*list(made_up_keys())[:3]))
    rounds = []
    for _ in range(60):
        start = time.process_time()
        for query in queries:
            outgoing.check(query, "query")
        rounds.append((time.process_time() - start) / len(queries) * 1e6)
    promises.at_most("CPU for an ordinary query, µs", min(rounds), MICROSECONDS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=0, help="texts refused by mistake that are printed")
    given, promises = parser.parse_args(), Promises("outgoing")
    measure_spellings(promises)
    addresses, headings = real_texts(given.folder)
    measure_mistakes(addresses, headings, given.show, promises)
    measure_time(headings, promises)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
