# ruff: noqa: RUF001 (typographic signs and other scripts are what this file is about)
"""
Quotations: are wrong ones turned away and right ones found?

    python benchmarks/quotes.py FOLDER [--count 10000] [--seed 13] [--show 5]

FOLDER holds `*.jsonl` files whose lines have a `text`, the page; a file is named after its language (`wiki.de.jsonl`).
From every page stretches are taken and changed in one way each. The wrong ones have another number, unit, negation,
name, date or order, a word less or more: none may be accepted. The right ones are verbatim or changed in what makes no
difference, or leave out, marked, words that say nothing of weight: at least 99.5 % must be found.
Last, pages made to be slow: a page four times as long may take eight times as long, not sixteen.

Exit code 1 when a promise is missed. What is a negation, a number or a name here is decided without seekread's lists.
"""

import argparse
import json
import random
import re
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.promises import Promises
from seekread.page.quote import Quotable

FOUND = 0.995
TRIES = 400
"""Stretches that are looked at for one change before it is given up: not every page has a date."""
SHORTEST, LONGEST = 25, 220
SPACELESS = ("zh", "th", "ja", "lo", "my", "km")
NOT = {"en": "not", "de": "nicht", "ru": "не", "zh": "不", "th": "ไม่", "es": "no", "ro": "nu", "el": "δεν",
       "tr": "değil", "vi": "không", "ar": "لا", "hi": "नहीं"}  # fmt: skip
MONTHS = [
    names.split()
    for names in (
        "January February March April June July August September October November December",
        "Januar Februar März April Juni Juli August September Oktober November Dezember",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    )
]
UNITS = (
    ("million", "billion"), ("percent", "per mille"), ("%", "‰"), ("miles", "kilometres"), ("km", "cm"), ("kg", "g"),
    ("mg", "kg"), ("ml", "l"), ("years", "months"), ("days", "weeks"), ("hours", "minutes"), ("minutes", "hours"),
    ("yards", "feet"), ("feet", "metres"), ("points", "goals"), ("$", "€"), ("£", "$"), ("°C", "°F"), ("nm", "mm"),
    ("μl", "ml"), ("Millionen", "Milliarden"), ("Milliarden", "Millionen"), ("Jahre", "Monate"),
    ("Prozent", "Promille"), ("Meilen", "Kilometer"), ("Yards", "Meter"), ("Punkte", "Tore"), ("Tage", "Wochen"),
    ("US-Dollar", "Euro"),
    ("миллионов", "миллиардов"), ("млн", "млрд"), ("процентов", "промилле"), ("лет", "месяцев"), ("ярдов", "метров"),
    ("км", "см"), ("миль", "километров"), ("долларов", "рублей"), ("очков", "голов"), ("дней", "недель"),
    ("年", "月"), ("万", "亿"), ("亿", "万"), ("码", "米"), ("英里", "公里"), ("美元", "欧元"), ("平方公里", "公顷"),
    ("分", "秒"), ("次", "天"), ("人", "个"), ("ล้าน", "พันล้าน"), ("ปี", "เดือน"), ("หลา", "เมตร"), ("ไมล์", "กิโลเมตร"),
    ("คน", "ตัว"), ("ครั้ง", "วัน"), ("แต้ม", "ประตู"), ("กิโลเมตร", "เมตร"), ("เปอร์เซ็นต์", "บาท"),
)  # fmt: skip
WEIGHTY = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without|except|unless|hardly|barely|scarcely|nowhere"
    r"|nicht|kein\w*|nie|niemals|niemand\w*|nichts|weder|noch|ohne|kaum|nirgends"
    r"|не|ни|нет|без|никогда|никто|никого|ничего|ничто|нигде|никак\w*|нельзя"
    r"|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion|half|dozen|twice"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|zwanzig|zweimal"
    r"|две|два|двух|три|трех|четыре|пять|шесть|семь|восемь|девять|десять|сто|тысяч\w*|миллион\w*|миллиард\w*|половина)\b"
    r"|[不没無无非未勿莫否别二两三四五六七八九十百千万亿零半]|ไม่|มิ|ไร้|ห้าม|อย่า|ปราศจาก|สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ|ร้อย|พัน|ล้าน"
    r"|\d|n['’]t\b",
    re.IGNORECASE,
)
MARKS = ("…", "...", "[...]", "[…]", "(…)", "(...)")
PUNCTUATION = re.compile(r"(?<!\d)[.,:/]|[.,:/](?!\d)|[^\w.,:/%‰$€£°]+")
EDGE = re.compile(r"\s+|(?<=[，。、；：！？）])")
STOP = re.compile(r"[.!?。！？;；:：\n]")


@dataclass(frozen=True)
class BenchPage:
    """A page with the places where a stretch may begin and end."""

    text: str
    language: str
    quotable: Quotable
    edges: tuple[int, ...]
    plain: str

    @property
    def is_spaceless(self) -> bool:
        return self.language in SPACELESS


Change = Callable[[str, BenchPage, random.Random], str | None]
"""A stretch of a page changed in one way; `None` if there is nothing to change in it."""


def plain(text: str) -> str:
    """A text for a rough comparison of our own: words and numbers, small, with one space between them."""
    text = PUNCTUATION.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(text.split())} "


def squeezed(text: str) -> str:
    """The same without spaces, for scripts that need none."""
    return plain(text).replace(" ", "")


def stretch(page: BenchPage, draw: random.Random) -> str:
    """Some text of a page from one edge of a word to another."""
    start = draw.choice(page.edges)
    ends = [edge for edge in page.edges if SHORTEST <= edge - start <= LONGEST]
    return page.text[start : draw.choice(ends)].strip() if ends else ""


def pieces(text: str, page: BenchPage, draw: random.Random) -> list[str]:
    """A stretch in pieces that can be moved: words, or a few characters where no spaces stand."""
    if not page.is_spaceless:
        return text.split(" ")
    width = draw.choice((2, 3))
    return re.findall(rf"\d[\d.,]*|[A-Za-z]+|[^\W\dA-Za-z]{{1,{width}}}[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*|\W+", text)


def together(parts: list[str], page: BenchPage) -> str:
    return ("" if page.is_spaceless else " ").join(parts)


def has_letters(piece: str) -> bool:
    return any(map(str.isalpha, piece))


def other_number(text: str, _page: BenchPage, draw: random.Random) -> str | None:
    """One digit changed, two exchanged, or one more."""
    places = [match.start() for match in re.finditer(r"\d", text)]
    if not places:
        return None
    place = draw.choice(places)
    digit = text[place]
    how = draw.randrange(3)
    if how == 0 and text[place + 1 : place + 2].isdigit() and text[place + 1] != digit:
        return text[:place] + text[place + 1] + digit + text[place + 2 :]
    if how == 1:
        return text[: place + 1] + draw.choice("0123456789") + text[place + 1 :]
    return text[:place] + draw.choice([each for each in "0123456789" if each != digit]) + text[place + 1 :]


def other_unit(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """Another unit beside a number."""
    found = []
    for unit, other in UNITS:
        edge = "" if page.is_spaceless or not unit.isalpha() else r"\b"
        for match in re.finditer(rf"(?<=\d)\s?({re.escape(unit)}){edge}|({re.escape(unit)})(?=\d)", text):
            group = 1 if match[1] else 2
            found.append(text[: match.start(group)] + other + text[match.end(group) :])
    return draw.choice(found) if found else None


def other_negation(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """A negation less, or one more in the middle."""
    word = NOT.get(page.language, "not")
    edge = "" if page.is_spaceless else r"\b"
    present = re.search(rf"\S\s*({edge}{word}{edge})\s*\S", text)
    if present and draw.random() < 0.5:
        return text[: present.start(1)].rstrip() + ("" if page.is_spaceless else " ") + text[present.end(1) :].lstrip()
    parts = pieces(text, page, draw)
    place = draw.randrange(1, len(parts)) if len(parts) > 1 else 0
    return together([*parts[:place], word, *parts[place:]], page) if place else None


def other_name(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """A capitalised word, or a few characters where there are none, exchanged for others of the page."""
    pattern = (
        r"[A-Z][a-z]{2,}|[一-鿿]{2}|[\u0e01-\u0e2e][\u0e00-\u0e4e]{3}"
        if page.is_spaceless
        else r"\b[^\W\d_a-zа-я]\w{2,}\b"
    )
    ours, others = list(re.finditer(pattern, text)), re.findall(pattern, page.text)
    if not ours or not others:
        return None
    name, other = draw.choice(ours), draw.choice(others)
    return text[: name.start()] + other + text[name.end() :] if other.casefold() != name[0].casefold() else None


def other_date(text: str, _page: BenchPage, draw: random.Random) -> str | None:
    """Another year, or another month."""
    for months in MONTHS if draw.random() < 0.5 else ():
        for month in months:
            if month in text:
                return text.replace(month, draw.choice([each for each in months if each != month]), 1)
    year = re.search(r"(?<!\d)(?:1\d|20|25)\d\d(?!\d)", text)
    if not year:
        return None
    return text[: year.start()] + str(int(year[0]) + draw.choice((-100, -10, -1, 1, 10, 100))) + text[year.end() :]


def other_order(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """Two neighbours exchanged."""
    parts = pieces(text, page, draw)
    pairs = [n for n in range(len(parts) - 1) if has_letters(parts[n]) and has_letters(parts[n + 1])]
    pairs = [n for n in pairs if plain(parts[n]) != plain(parts[n + 1])]
    if not pairs:
        return None
    place = draw.choice(pairs)
    parts[place], parts[place + 1] = parts[place + 1], parts[place]
    return together(parts, page)


def word_less(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """A word from the middle dropped."""
    parts = pieces(text, page, draw)
    inner = [n for n in range(1, len(parts) - 1) if has_letters(parts[n])]
    if not inner:
        return None
    place = draw.choice(inner)
    return together([*parts[:place], *parts[place + 1 :]], page)


def word_more(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """A word of the page added somewhere in the middle."""
    parts = pieces(text, page, draw)
    others = [each for each in pieces(stretch(page, draw), page, draw) if has_letters(each)]
    if len(parts) < 2 or not others:
        return None
    place = draw.randrange(1, len(parts))
    return together([*parts[:place], draw.choice(others), *parts[place:]], page)


def verbatim(text: str, _page: BenchPage, _draw: random.Random) -> str:
    return text


def other_case(text: str, _page: BenchPage, draw: random.Random) -> str:
    return draw.choice((str.upper, str.lower, str.swapcase, str.title))(text)


def other_punctuation(text: str, _page: BenchPage, draw: random.Random) -> str | None:
    """Commas and stops dropped, exchanged and put where none were; never between digits."""
    signs = re.compile(r"(?<![\d.])[.,;:!?，。；：！？、]+(?![\d.])|(?<=\d)[.,;:!?，。；：！？、](?=\s|$)")
    changed = signs.sub(lambda _: draw.choice((" ", ", ", "; ", ". ", " – ", "，")), text)
    return changed if changed != text and not re.search(r"\.\s?\.\s?\.", changed) else None


def other_spacing(text: str, page: BenchPage, draw: random.Random) -> str:
    """Other kinds of white space; none, or more, where a script needs none."""
    changed = re.sub(r"\s+", lambda _: draw.choice(("  ", "\n", "\u00a0", "\u2009", "\t", " \n ")), text)
    if page.is_spaceless:
        changed = re.sub(
            r"(?<=[一-鿿\u0e01-\u0e2e])(?=[一-鿿\u0e01-\u0e2e])", lambda _: draw.choice(("", "", "", " ")), changed
        )
        changed = re.sub(r"(?<=[一-鿿])\s+(?=[一-鿿])", "", changed)
    return changed


def other_hyphens(text: str, _page: BenchPage, draw: random.Random) -> str | None:
    """Hyphens and dashes of another kind, between letters also as a space or nothing."""
    changed = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", lambda _: draw.choice(("‐", "‑", "–", " ", "")), text)
    changed = re.sub(r"(?<=\s)[-–—](?=\s)|(?<=\d)[-–](?=\d)", lambda _: draw.choice("-–—‒"), changed)
    return changed if changed != text else None


def other_quotes(text: str, _page: BenchPage, draw: random.Random) -> str:
    """Quotation marks of another kind, around words and around the whole."""
    changed = re.sub(r"[\"“”„«»]", lambda _: draw.choice('"“”„«»'), text).replace("'", "’")
    opening, closing = draw.choice(("“”", "„“", "«»", '""', "「」", "‘’"))
    return f"{opening}{changed}{closing}"


def other_digits(text: str, _page: BenchPage, draw: random.Random) -> str | None:
    """The digits of another script, and wide ones."""
    digits = str.maketrans(
        "0123456789", draw.choice(("０１２３４５６７８９", "๐๑๒๓๔๕๖๗๘๙", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९"))
    )
    changed = text.translate(digits)
    return changed if changed != text else None


def other_typography(text: str, _page: BenchPage, draw: random.Random) -> str:
    """Decomposed accents, soft hyphens, zero-width spaces, wide letters."""
    how = draw.randrange(4)
    if how == 0:
        return unicodedata.normalize("NFD", text)
    if how == 1:
        return re.sub(r"(?<=[a-zа-я])(?=[a-zа-я])", lambda _: draw.choice(("", "", "", "\u00ad")), text)
    if how == 2:
        return re.sub(r"(?<=\S) (?=\S)", " \u200b", text)
    return re.sub(r"[A-Za-z]", lambda match: chr(ord(match[0]) + 0xFEE0), text)


def left_out(text: str, page: BenchPage, draw: random.Random) -> str | None:
    """Some words without weight from the middle of a sentence left out, marked."""
    parts = pieces(text, page, draw)
    length = draw.randint(1, 6)
    if len(parts) < length + 6:
        return None
    first = draw.randrange(3, len(parts) - length - 2)
    gap = together(parts[first : first + length], page)
    around = together(parts[first - 1 : first + length], page)
    if STOP.search(around) or WEIGHTY.search(f" {gap} ") or any(map(str.isupper, gap)) or not has_letters(gap):
        return None
    if WEIGHTY.search(together(parts[first - 1 : first + length + 1], page)) or re.search(r"[$€£%°]", gap):
        return None
    before, after = together(parts[:first], page), together(parts[first + length :], page)
    return f"{before} {draw.choice(MARKS)} {after}"


WRONG: dict[str, Change] = {
    "number": other_number, "unit": other_unit, "negation": other_negation, "name": other_name, "date": other_date,
    "order": other_order, "dropped": word_less, "added": word_more,
}  # fmt: skip
RIGHT: dict[str, Change] = {
    "verbatim": verbatim, "case": other_case, "punctuation": other_punctuation, "spacing": other_spacing,
    "hyphens": other_hyphens, "quotes": other_quotes, "digits": other_digits, "typography": other_typography,
    "left out": left_out,
}  # fmt: skip


def load(folder: Path) -> dict[str, list[BenchPage]]:
    """The pages of each file; those of papers and of encyclopedias apart."""
    loaded: dict[str, list[BenchPage]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        language = path.stem.rpartition(".")[2]
        rough = squeezed if language in SPACELESS else plain
        texts = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines() if line]
        loaded[path.stem] = [
            BenchPage(text, language, Quotable(text), tuple(match.end() for match in EDGE.finditer(text)), rough(text))
            for text in texts
        ]
    return loaded


def samples(
    pages: list[BenchPage], change: Change, count: int, draw: random.Random, *, wrong: bool
) -> Iterator[tuple[BenchPage, str, str]]:
    """Stretches with their changed forms; a wrong one that happens to stand elsewhere on the page is left out."""
    for _ in range(count):
        for _ in range(TRIES):
            page = draw.choice(pages)
            text = stretch(page, draw)
            changed = change(text, page, draw) if len(text) >= SHORTEST else None
            if changed is None or not changed.strip():
                continue
            rough = squeezed if page.is_spaceless else plain
            if wrong and rough(changed) in page.plain:
                continue
            yield page, text, changed
            break


@dataclass
class Cell:
    """What came of the quotations of one kind and one file."""

    checked: int = 0
    accepted: int = 0
    seconds: float = 0.0


def run(
    loaded: dict[str, list[BenchPage]],
    changes: dict[str, Change],
    count: int,
    draw: random.Random,
    show: int,
    *,
    wrong: bool,
) -> dict[tuple[str, str], Cell]:
    """Check about so many quotations, as many of each kind on each file as there are."""
    cells: dict[tuple[str, str], Cell] = defaultdict(Cell)
    shown: Counter[str] = Counter()
    each = -(-count // (len(changes) * len(loaded)))
    for kind, change in changes.items():
        for name, pages in loaded.items():
            cell = cells[kind, name]
            for page, text, changed in samples(pages, change, each, draw, wrong=wrong):
                began = time.process_time()
                checked = page.quotable.check(changed)
                cell.seconds += time.process_time() - began
                cell.checked += 1
                cell.accepted += checked.found is not None
                if (checked.found is not None) == wrong and shown[kind] < show:
                    shown[kind] += 1
                    why = checked.found.text if checked.found else "; ".join(checked.differences)
                    print(f"MISSED {kind} {name}\n  page      {text!r}\n  quotation {changed!r}\n  {why!r}")
    return cells


def table(cells: dict[tuple[str, str], Cell], title: str, names: list[str]) -> tuple[int, int]:
    """Print accepted of checked by kind and file, and the CPU of one check; return the sums."""
    print(f"\n{title:<14}" + "".join(f"{name:>20}" for name in names) + f"{'all':>16}{'ms':>8}")
    for kind in dict.fromkeys(kind for kind, _ in cells):
        row = [cells[kind, name] for name in names]
        checked, accepted = sum(cell.checked for cell in row), sum(cell.accepted for cell in row)
        milliseconds = 1000 * sum(cell.seconds for cell in row) / max(1, checked)
        figures = "".join(f"{f'{cell.accepted} of {cell.checked}':>20}" for cell in row)
        print(f"{kind:<14}{figures}{f'{accepted} of {checked}':>16}{milliseconds:>8.2f}")
    everything = list(cells.values())
    accepted, checked = sum(cell.accepted for cell in everything), sum(cell.checked for cell in everything)
    milliseconds = 1000 * sum(cell.seconds for cell in everything) / max(1, checked)
    print(f"{'all':<14}{'':>{20 * len(names)}}{f'{accepted} of {checked}':>16}{milliseconds:>8.2f}")
    return accepted, checked


HOSTILE: dict[str, Callable[[int], tuple[str, str]]] = {
    "one letter": lambda size: ("a" * size, "a" * (size // 50)),
    "one word": lambda size: ("a " * (size // 2), "a " * (size // 100) + "b"),
    "one word, cut": lambda size: ("a5% " * (size // 4), "a5 " * (size // 200) + "a5"),
    "two words": lambda size: ("a b " * (size // 4), "b a " * (size // 200) + "a"),
    "gaps": lambda size: ("a not " * (size // 6), "a … a … a … b"),
    "many gaps": lambda size: ("a b " * (size // 4), "a … b … " * (size // 200)),
    "hyphens": lambda size: ("a-" * (size // 2), "a" * (size // 100)),
    "brackets": lambda size: ("[" * size, "[a" * (size // 100)),
    "dots": lambda size: (". " * (size // 2), "a" + ". " * (size // 100) + "b"),
    "Chinese": lambda size: ("不" * (size // 3), "不" * (size // 300) + "是"),
    "accents": lambda size: ("e\u0301" * (size // 3), "e\u0301" * (size // 300) + " x"),
    "spaces": lambda size: (" " * size, "a" + " " * (size // 4) + "b ..."),
    "marks": lambda size: ("a b " * (size // 4), "… " * (size // 4) + "b"),
    "digits": lambda size: ("1." * (size // 2), "1." * (size // 200) + "2"),
}  # fmt: skip
STEEPEST = 8.0
"""A page and a quotation four times as long: 4 is linear, 16 is quadratic."""


def hostile() -> bool:
    """Print how the time grows with pages made to be slow; say whether it grows linearly."""
    print(f"\n{'hostile':<16}{'250 kB, s':>12}{'1 MB, s':>12}{'ratio':>8}")
    fine = True
    for name, build in HOSTILE.items():
        small, large = (cpu(*build(size)) for size in (250_000, 1_000_000))
        ratio = large / max(small, 0.02)
        fine = fine and ratio <= STEEPEST
        print(f"{name:<16}{small:>12.3f}{large:>12.3f}{ratio:>8.1f}")
    return fine


def cpu(page: str, quotation: str) -> float:
    began = time.process_time()
    Quotable(page).check(quotation)
    return time.process_time() - began


def main() -> int:
    """Print three tables; exit with 1 when a promise is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000, help="wrong quotations, and as many right ones")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--show", type=int, default=0, help="misses of each kind that are printed")
    arguments = parser.parse_args()
    loaded = load(arguments.folder)
    if not loaded:
        sys.exit(f"{arguments.folder} holds no *.jsonl files")
    names = list(loaded)
    wrong = run(loaded, WRONG, arguments.count, random.Random(arguments.seed), arguments.show, wrong=True)
    right = run(loaded, RIGHT, arguments.count, random.Random(arguments.seed + 1), arguments.show, wrong=False)
    accepted, _ = table(wrong, "wrong", names)
    found, of = table(right, "right", names)
    is_linear = hostile()
    print()
    promises = Promises("quotes")
    promises.at_most("wrong ones that are accepted", accepted, 0)
    promises.at_least("share of right ones that is found", found / max(1, of), FOUND)
    promises.at_least("pages made to be slow that are checked in time", is_linear, 1)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
