"""
A linear look at HTML before any parser sees it, and the page as a parser may see it.

Parsers that build a tree are quadratic or worse in a few directions: depth, open formatting tags (each is opened
again in every block that follows), attributes on one tag, options in one list. Small pages can cost seconds and
gigabytes that way. The scan follows the standard's rules for what stays open closely enough that a page cannot
look flat here and be deep there, and it stops at the first limit it meets.

A page beyond a limit is tamed, not given up: what a browser would nest no deeper is closed before it goes on, a tag
with too many attributes keeps those that count, and what cannot be helped is cut off there. So no flood at the end
of a page decides how its beginning is read.

Rules kept, because each closes a way around the count:

- An end tag of a formatting element closes that element only; what was opened inside stays open.
- An end tag of an ordinary element does nothing once a special element (`div`, `p`, …) stands in between.
- An end tag of a special element does not reach through a table cell or another scope.
- A formatting element stays active when its block ends; at most three equal ones count, as in the standard.
- Text of `script`, `style` and the like holds no tags, except inside `svg` and `math`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from seekread.late import dataclass

MAX_DEPTH = 512
"""The depth at which browsers stop nesting."""
MAX_FORMATTING = 256
MAX_TAG = 65536
"""Bytes of one tag without its quoted values: those cost little, and real pages keep whole documents in them."""
MAX_TAGS = 300_000
MAX_OPTIONS = 20_000
MAX_ATTRIBUTES = 2000
WIDE, MANY = 500, 50
"""Characters of a tag from which on its attributes are counted, and the number of them that is usual."""
MAX_PAIRS = 20_000_000
"""Parsers compare each attribute of a tag with those before it: so many of that, on all tags with many."""
MAX_STEPS = 3_000_000
"""Bound on the walks over open elements, so that the scan itself stays linear."""


def words(text: str) -> frozenset[str]:
    """The words of a text, for sets of names."""
    return frozenset(text.split())


VOID = words("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
FORMATTING = words("a b big code em font i nobr s small strike strong tt u")
SPECIAL = words(
    "address applet article aside blockquote body button caption center colgroup dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li "
    "listing main marquee menu nav noembed noframes noscript object ol p plaintext pre search section select "
    "style summary table tbody td template textarea tfoot th thead title tr ul xmp"
)
SCOPES = words("applet caption html marquee object table td template th")
# Active formatting elements end with these, and only with these.
MARKERS = SCOPES - {"html", "table"}
MARKER = ("", "")
TABLE_PARTS = words("caption colgroup table tbody td tfoot th thead tr")
# Which open elements a start tag ends, and which others hide them from it.
Ending = tuple[frozenset[str], frozenset[str]]
PARAGRAPH: Ending = (words("p"), SCOPES | {"button"})
IN_LISTS = SPECIAL - words("address div p")
IN_TABLES = words("html table template")
SECTIONS = words("tbody tfoot thead")
ENDINGS: dict[str, tuple[Ending, ...]] = {
    **dict.fromkeys((SPECIAL - TABLE_PARTS - SCOPES) | words("table hr p"), (PARAGRAPH,)),
    "li": ((words("li"), IN_LISTS), PARAGRAPH),
    **dict.fromkeys(words("dd dt"), ((words("dd dt"), IN_LISTS), PARAGRAPH)),
    "option": ((words("option"), SPECIAL | {"optgroup"}),),
    "optgroup": ((words("option optgroup"), SPECIAL),),
    **dict.fromkeys(words("td th"), ((words("td th"), IN_TABLES),)),
    "tr": ((words("td th tr"), IN_TABLES),),
    **dict.fromkeys(SECTIONS, ((words("caption colgroup td th tr") | SECTIONS, IN_TABLES),)),
    **dict.fromkeys(words("rp rt"), ((words("rp rt"), SPECIAL),)),
}
# What nearly all elements are: those that end an open paragraph when they begin, and those that end nothing.
BLOCKS = frozenset(name for name, endings in ENDINGS.items() if endings == (PARAGRAPH,)) - SCOPES - {"body", "head"}
LISTS = words("menu ol ul")
FOREIGN = words("math svg")
# Elements that change more than what is open when they begin or end; all others end simply.
TOUCHING = FORMATTING | MARKERS | FOREIGN
# Elements that need a closer look when they begin, and all that a start tag may end.
INTRICATE = FOREIGN | words("body head html option")
ENDED = {name: frozenset[str]().union(*(ended for ended, _ in endings)) for name, endings in ENDINGS.items()}
RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes"

ATTRIBUTES = r"""([^>=]*+(?>=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|)[^>=]*+)*+)"""
# An end, a tag with the text in it that holds no tags, a whole tag (with its end where only text stands in between), a
# comment or another thing that is no element, or the first character of a tag that the end of the page cuts off.
# Quantifiers are possessive and everything is told by what stands there, so that no part is walked over twice.
TOKEN = re.compile(
    rf"""<(?:/([A-Za-z][^\s/>]*+)>"""
    rf"""|(?=[sStTxXiInN])((?i:{RAW}))(?=[\s/>]){ATTRIBUTES}>[^<]*+(?:<(?!/(?i:\2)[\s/>])[^<]*+)*+"""
    rf"""|(/?)([A-Za-z][^\s/>]*+){ATTRIBUTES}>([^<]*+</\5>)?+"""
    r"""|!(?=--)[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)|(?:[!?]|/(?![A-Za-z]))[^>]*+>?|([A-Za-z/]))""",
)
END, RAW_WITH_TEXT, TAG, LEAF, UNFINISHED = 1, 3, 6, 7, 8
"""The last group of each kind of tag."""
QUOTED = re.compile(r"""=\s*+(?>"[^"]*+"|'[^']*+')""")


@dataclass(frozen=True)
class Scan:
    """What the scan saw. `refusal` names the limit that was passed, or is empty."""

    tags: int
    refusal: str = ""


@dataclass(frozen=True)
class Tamed:
    """A page within the limits, and what had to be done for it."""

    html: str
    why: str = ""
    cut: int = 0
    """Characters at the end that are left out."""


def tame(html: str) -> Tamed:
    """The page as it is, or brought within the limits."""
    refusal = prescan(html).refusal
    return replace(Tamer(html).tame(), why=refusal) if refusal else Tamed(html)


def prescan(html: str) -> Scan:
    """Scan a page; the answer says whether a tree may be built from it."""
    return Scanner(html).scan()


def end_of_tag(tag: re.Match[str]) -> int:
    """Where a tag ends, without the text that belongs to it and the end of that."""
    return tag.end(TAG if tag.lastindex == LEAF else tag.lastindex or 0) + 1


class Scanner:
    """The open elements, the active formatting elements and the counts, while a page goes by."""

    max_tags = MAX_TAGS
    max_depth = MAX_DEPTH
    max_formatting = MAX_FORMATTING
    max_options = MAX_OPTIONS

    def __init__(self, html: str) -> None:
        self.html = html
        self.open: list[str] = []
        self.held: defaultdict[str, int] = defaultdict(int)
        """How many of each name are open."""
        self.active: list[tuple[str, str]] = []
        self.tags = 0
        self.options = 0
        self.pairs = 0
        self.steps = 0
        self.foreign = 0
        self.markers = 0

    def scan(self) -> Scan:
        for _, closing, name, attributes in self.elements():
            refusal = self.meet(closing, name, attributes)
            if refusal:
                return Scan(self.tags, refusal)
        return Scan(self.tags)

    def elements(self) -> Iterator[tuple[re.Match[str], str, str, str]]:
        """
        The tags that need a closer look: where each stands, whether it closes, its name, its attributes.

        Nearly all tags begin what ends nothing else, or end what was begun last: they are taken into account here.
        """
        standing, held = self.open, self.held
        position: int | None = 0
        while position is not None:
            tags, position = TOKEN.finditer(self.html, position), None
            for tag in tags:
                kind = tag.lastindex
                if kind is None:
                    continue
                if kind == UNFINISHED:
                    # A tag that never ends is dropped by every parser, with all that follows.
                    return
                self.tags += 1
                if kind == END:
                    closing, name, attributes = "/", tag[END].lower(), ""
                    if standing and standing[-1] == name and (name not in TOUCHING or self.deactivates(name)):
                        standing.pop()
                        held[name] -= 1
                        continue
                elif kind == RAW_WITH_TEXT:
                    closing, name, attributes = "", tag[2].lower(), tag[kind]
                else:
                    closing, name, attributes = tag.group(4, 5, TAG)
                    name = name.lower()
                if closing or not self.begins_simply(name, attributes, ends=kind == LEAF):
                    yield tag, closing, name, attributes
                elif kind == LEAF:
                    self.tags += 1
                    continue
                if kind == LEAF or (kind == RAW_WITH_TEXT and self.foreign):
                    # Its end has still to be looked at; the text of a script in a drawing or a formula may hold tags.
                    position = end_of_tag(tag)
                    break

    def deactivates(self, name: str) -> bool:
        """End the formatting, or the scope of formatting, that began last, if it has this name; say whether it has."""
        if self.foreign or not self.active or self.active[-1][0] != (name if name in FORMATTING else ""):
            return False
        self.active.pop()
        self.markers -= name in MARKERS
        return True

    def begins_simply(self, name: str, attributes: str, *, ends: bool) -> bool:
        """
        Begin an element that ends no other and is within the limits; say whether it was one.

        One that `ends` before anything begins in it leaves no trace.
        """
        standing, held = self.open, self.held
        if len(attributes) > WIDE or self.tags > self.max_tags or len(standing) >= self.max_depth:
            return False
        if self.foreign:
            if name in INTRICATE or name in TOUCHING:
                return False
            if name in VOID or attributes.endswith("/"):
                return not ends
        elif name in BLOCKS:
            if held["p"]:
                return False
        elif name in VOID:
            return not ends
        elif name in FORMATTING:
            active = self.active
            # Where none is active, none is ended and none pushed out.
            if held[name] or (active and (active[-1][0] or len(active) > 3)):
                return False
            if not ends:
                active.append((name, attributes))
        elif name == "li":
            if held["p"] or (held[name] and standing[-1] not in LISTS):
                return False
        elif name in INTRICATE or (name in ENDED and any(map(held.__getitem__, ENDED[name]))):
            return False
        elif name in MARKERS and not ends:
            self.active.append(MARKER)
            self.markers += 1
        if not ends:
            standing.append(name)
            held[name] += 1
        return True

    def drop(self, index: int) -> str:
        """Take one out of the open elements; its name."""
        name = self.open.pop(index)
        self.held[name] -= 1
        return name

    def meet(self, closing: str, name: str, attributes: str) -> str:
        """Take one tag into account; the name of the limit it passes, or an empty string."""
        if self.tags > self.max_tags:
            return f"more than {self.max_tags:,} tags"
        if len(attributes) > WIDE and (refusal := self.count(attributes)):
            return refusal
        if closing:
            self.close(name)
        else:
            self.begin(name, attributes)
        if name == "option":
            self.options += not closing
        if self.options > self.max_options:
            return f"more than {self.max_options:,} options"
        if len(self.open) > self.max_depth:
            return f"nested deeper than {self.max_depth}"
        if len(self.active) - self.markers > self.max_formatting:
            return f"more than {self.max_formatting} open formatting tags"
        if self.steps > MAX_STEPS:
            return "tangled tags"
        return ""

    def count(self, attributes: str) -> str:
        """Take the attributes of a wide tag into account; the name of the limit they pass, or an empty string."""
        bare = QUOTED.sub("=", attributes)
        if len(bare) > MAX_TAG:
            return "a tag is longer than 64 kB"
        number = len(bare.split())
        if number > MAX_ATTRIBUTES:
            return f"more than {MAX_ATTRIBUTES:,} attributes on one tag"
        if number > MANY:
            if self.pairs + number * number > MAX_PAIRS:
                return "too many attributes"
            self.pairs += number * number
        return ""

    def begin(self, name: str, attributes: str) -> None:
        if name in VOID or (self.foreign and attributes.endswith("/")):
            return
        if name in {"html", "body", "head"} and self.held[name]:
            return
        if not self.foreign:
            if name in ENDINGS:
                self.end_others(name)
            if name == "a":
                # A second link ends the first one.
                self.close(name)
        self.open.append(name)
        self.held[name] += 1
        if name in {"svg", "math"}:
            self.foreign += 1
        elif name in FORMATTING and not self.foreign:
            self.activate(name, attributes)
        elif name in MARKERS:
            self.active.append(MARKER)
            self.markers += 1

    def end_others(self, name: str) -> None:
        """End what the standard ends without an end tag: an item by the next item, a paragraph by a block."""
        for ended, hiding in ENDINGS[name]:
            if not any(map(self.held.__getitem__, ended)):
                continue
            for index in range(len(self.open) - 1, -1, -1):
                self.steps += 1
                if self.open[index] in ended:
                    self.pop_to(index)
                elif self.open[index] in hiding:
                    break

    def activate(self, name: str, attributes: str) -> None:
        """Remember a formatting element; the fourth equal one pushes out the first."""
        entry = (name, attributes)
        self.steps += len(self.active)
        if self.active.count(entry) >= 3:
            self.active.remove(entry)
        self.active.append(entry)

    def deactivate(self, name: str) -> None:
        for index in range(len(self.active) - 1, -1, -1):
            self.steps += 1
            if not self.active[index][0]:
                return
            if self.active[index][0] == name:
                del self.active[index]
                return

    def close(self, name: str) -> None:
        if name in FORMATTING and not self.foreign:
            self.deactivate(name)
            if self.held[name]:
                self.remove(name)
            return
        special = name in SPECIAL
        for index in range(len(self.open) - 1, -1, -1):
            self.steps += 1
            standing = self.open[index]
            if standing == name:
                self.pop_to(index)
                return
            if name not in TABLE_PARTS and standing in (SCOPES if special else SPECIAL):
                return

    def remove(self, name: str) -> None:
        """Take the nearest open element of a name out from between the others."""
        for index in range(len(self.open) - 1, -1, -1):
            self.steps += 1
            if self.open[index] == name:
                self.drop(index)
                return
            if self.open[index] in SCOPES:
                return

    def pop_to(self, index: int) -> None:
        while len(self.open) > index:
            self.pop()

    def pop(self) -> None:
        name = self.drop(-1)
        if name in {"svg", "math"}:
            self.foreign -= 1
        elif name in MARKERS and self.markers:
            while self.active.pop()[0]:
                pass
            self.markers -= 1


FEWER_TAGS = 75_000
"""Tags that are read of a page that passes a limit: such a page is costly in other ways too."""
COUNTING = words(
    "style class id hidden aria-hidden inert popover open href src alt color bgcolor text size rel type role"
)
"""Attributes that are kept of a tag with too many."""
ATTRIBUTE = re.compile(r"""([^\s=>"'/]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>]*+))?+""")


class Tamer(Scanner):
    """Goes over a page like the scan, and writes it down within limits that are narrower: it is a page of no good."""

    max_tags = FEWER_TAGS
    max_depth = 100
    max_formatting = 64
    max_options = 1000

    def tame(self) -> Tamed:
        html, start = self.html, 0
        written: list[str] = []
        for tag, closing, name, attributes in self.elements():
            refusal = self.meet(closing, name, attributes)
            if refusal:
                written.append(html[start : tag.start()])
                instead = self.instead(closing, name, attributes)
                if instead is None:
                    return Tamed("".join(written), cut=len(html) - tag.start())
                written.append(instead)
                start = end_of_tag(tag)
        written.append(html[start:])
        return Tamed("".join(written))

    def instead(self, closing: str, name: str, attributes: str) -> str | None:
        """What stands in the place of a tag that passes a limit; `None` when the page ends there."""
        if self.tags > FEWER_TAGS or self.steps > MAX_STEPS or closing:
            return None
        if name == "option":
            # Nobody reads the choices of a form; one less does no harm.
            self.options -= 1
            self.tags -= 1
            return ""
        kept = counting(attributes) if len(attributes) > WIDE else attributes
        if len(attributes) > WIDE and self.count(attributes) and self.meet_again(name, kept):
            return f"<{name}{kept}>"
        if len(self.open) > self.max_depth:
            if not attributes.strip():
                self.drop(-1)
                self.tags -= 1
                return ""
            # As browsers do: what is too deep stands beside what it would have stood in.
            around = self.drop(-2)
            return f"</{around}><{name}{kept}>"
        if len(self.active) - self.markers > self.max_formatting:
            self.close(name)
            self.begin(name, kept)
            return f"</{name}><{name}{kept}>" if len(self.active) - self.markers <= self.max_formatting else None
        return None

    def meet_again(self, name: str, kept: str) -> bool:
        """Take a shortened tag into account; say whether it is within the limits now."""
        self.tags -= 1
        return not self.meet("", name, kept)


def counting(attributes: str) -> str:
    """The attributes of a tag that count, of the first of each name."""
    found: dict[str, str] = {}
    for attribute in ATTRIBUTE.finditer(attributes):
        name = attribute[1].lower()
        if name in COUNTING:
            found.setdefault(name, attribute[0])
    return "".join(f" {attribute}" for attribute in found.values())
