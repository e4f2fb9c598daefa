"""
What of a page nobody sees: the one engine behind the wash.

1. The page's style sheets are cut into rules; those that could hide something name the elements worth a look.
   On most pages there are few, and where there are none the work ends here.
2. The full cascade is worked out for these elements and what is around them, at the width of a desk.
3. A box that hides all it holds is found once, with its reason. Reasons that something inside can undo (visibility,
   size of letters, colour) are weighed for each text by itself.
4. What a telephone or a tablet shows is said to be so: hiding it is layout.

Nothing is removed here: what is found goes to the wash, which knows what may stay.
Sheets that ask for more work than any page needs are not the way out: then the last compound of each selector that
hides decides alone, which hides too much rather than too little, and a signal says so.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.colours import alike, parse_colour
from seekread.extraction.covers import Cover, covered_by, covered_by_generated, is_raised, is_sunk, shares_cell
from seekread.extraction.css_cascade import Cascade, SelectorRule
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.css_look import Look
from seekread.extraction.css_possible import USED
from seekread.extraction.css_select import OutOfBudget, StepBudget
from seekread.extraction.css_sheet import Declarations, Sheets, read_sheets
from seekread.extraction.css_values import amount, amounts, kind_of
from seekread.extraction.fonts import blank_letters
from seekread.extraction.hiding import NARROW, Check, box_reason, clips, is_closed_part, is_inline, text_width
from seekread.extraction.inks import Inks
from seekread.extraction.markup import Box, GeneratedBox, Markup
from seekread.extraction.prescan import words
from seekread.extraction.shadows import STAND_IN, children_of, flattened
from seekread.extraction.suspects import Suspicion, face_size

STEPS = 400_000
"""Steps of matching for one page; no page of the public sets needs more than a tenth."""
ONE_LINE = 900.0
"""Pixels of text that are taken for one line."""
MOST_SHADOWS = 20
"""Shadow trees of one page that are looked at."""
MOST_SPACES = 1000
"""Characters at the beginning of a text that are looked at for space."""
TINY = 3.0
"""Pixels below which letters are no text."""
NEGATIVE = frozenset("-(")
"""One of these is in every length that may be less than none."""
QUIRKS = re.compile(r"\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<!doctype\s+html", re.IGNORECASE | re.DOTALL)
SCREEN_READERS = words(
    "sr-only visuallyhidden visually-hidden screenreader screen-reader screenreader-text screen-reader-text "
    "screenreader-only screen-reader-only u-hidden u-hidden-visually u-visuallyhidden u-visually-hidden "
    "u-visually-hidden-visually a-offscreen element-invisible cdk-visually-hidden assistive-text hide-visually "
    "offscreen off-screen"
)
"""Names by which style sheets everywhere hide text from eyes and keep it for screen readers."""
PARTS_OF_SUCH_NAMES = ("sr-only", "visually", "screen", "u-hidden", "element-invisible", "assistive-text")
NAMED_ALIKE = ", ".join(f'[class*="{part}" i]' for part in PARTS_OF_SUCH_NAMES)
"""What may have such a name: each of them has one of these parts, which are fewer to ask for."""
GENERATED = words("before after")
"""Parts of elements that stand beside the words in them."""
OWN = (
    "[hidden], [aria-hidden], [inert], [popover], dialog, details, rp, noembed, noframes, mphantom, maction, "
    "font[color], font[size], body[text], [bgcolor]"
)
"""Elements that may be hidden by what they are themselves."""
MARK = "data-seekread-unseen"
"""Marks what a browser of ours does not show, with the reason."""
COVERING = words(
    "position background-color background-image backdrop-filter left right top bottom width height z-index"
)
"""Properties of a box that is laid over others."""
NOT_JUDGED = frozenset({"html", "body", "head", "script", "style", "title", "noscript", "svg", "option"})
"""Elements that are the page itself, or whose words are never text."""
SHOWN_ELSEWHERE = "shown on some screens"
FOR_SCREEN_READERS = "for screen readers"
OPENABLE = frozenset(
    {"display none", "hidden", "visibility hidden", "no size", "aria-hidden", "transparent", "inert", "not rendered"}
)
"""How parts are hidden that something on the page opens."""
FADING = frozenset({"transparent", "visibility hidden"})
"""How parts are hidden that fade in."""
OPENABLE_BY_ITSELF = frozenset({"closed details", "hidden until found"})
"""What a reader can open in any browser, unless it is hidden besides."""
UNREADABLE = "hidden by a style sheet that asks for too much work"


@dataclass(frozen=True, slots=True)
class Unseen:
    """A box that is not seen, or, with `texts`, only the words that stand in it directly."""

    box: Box
    reason: str
    texts: bool = False
    moving: bool = False
    """Whether it is about to be shown: it fades, moves, or is animated."""
    source: Box | None = None
    """The element around the words that hides them, where that is known."""
    clickable: bool = False
    """Whether what stands before it asks to be clicked."""
    undefined: bool = False
    """Whether a selector takes the element that hides it for one that no script has defined yet."""


@dataclass
class Sight:
    """What was found on a page, and what was not looked at."""

    markup: Markup
    findings: list[Unseen] = field(default_factory=list)
    unjudged: list[Unseen] = field(default_factory=list)
    """Texts whose colour may be hidden or not, depending on a style sheet that nobody looked at."""
    unread: int = 0
    exhausted: bool = False
    cut: bool = False
    unseen_page: bool = False
    """Whether the page is hidden as a whole, from its root or `body` on."""
    rendered: bool = False
    """Whether a browser looked, after the scripts of the page had run."""


Spares = Callable[["Unseen"], bool]
"""Says whether something stays although it is not seen; then what is inside it is looked at too."""


def spare_nothing(_finding: Unseen) -> bool:
    return False


def look_at(
    document: LexborHTMLParser, html: str, spares: Spares = spare_nothing, linked: Mapping[str, str] | None = None
) -> Sight:
    """Find what a reader of a page does not see."""
    markup = Markup(document, quirks=QUIRKS.match(html) is None)
    sources = list(sources_of(document, linked or {}))
    known = ((source, condition) for source, condition in sources if source is not None)
    sheets = read_sheets(known, markup)
    unread = sheets.unread + sum(source is None for source, _ in sources)
    sight = Sight(markup, unread=unread, cut=sheets.cut)
    try:
        Search(markup, sheets, sight, StepBudget(STEPS), spares).run()
    except (OutOfBudget, RecursionError):
        sight.findings.clear()
        sight.unjudged.clear()
        sight.exhausted = True
        sight.findings.extend(by_last_compound(markup, sheets))
        Search(markup, Sheets(unread=1), sight, StepBudget(10 * STEPS), spares).run()
    return sight


def marked_by_browser(document: LexborHTMLParser, spares: Spares = spare_nothing) -> Sight:
    """What a browser of ours found unseen: it marked it in the copy it made, from which it took out such marks."""
    markup = Markup(document)
    sight = Sight(markup, rendered=True)
    for node in document.css(f"[{MARK}]"):
        box = markup.box(node)
        reason, _, how = (node.attributes.get(MARK) or "").partition(",")
        sight.findings.append(Unseen(box, reason, texts=reason != "display none", moving=how == "moving"))
        box.attributes.pop(MARK, None)
    search = Search(markup, Sheets(), sight, StepBudget(STEPS), spares)
    for node in (*document.css(OWN), *named_for_screen_readers(markup)):
        box = markup.box(node)
        if box.key in search.hidden or search.is_inside_hidden(box) or not has_text(node):
            continue
        for part in (box, *search.closed_parts(box)):
            if reason := search.own_reason(part):
                search.found(part, reason)
        search.judge_closed_words(box)
    return sight


def sources_of(document: LexborHTMLParser, linked: Mapping[str, str]) -> Iterator[tuple[str | None, str]]:
    """The style sheets of a page with their conditions, in order; `None` for one that nobody looked at."""
    for node in document.css('style, link[rel~="stylesheet" i]'):
        attributes = node.attributes
        if is_fallback(node):
            continue
        kind = (attributes.get("type") or "text/css").strip().lower()
        if node.tag == "style":
            if kind == "text/css":
                yield node.text() or "", attributes.get("media") or ""
            continue
        href = attributes.get("href") or ""
        if not href or "alternate" in (attributes.get("rel") or "").lower() or kind != "text/css":
            continue
        if href.lower().startswith("data:text/css"):
            yield f'@import "{href}";', attributes.get("media") or ""
        else:
            yield linked.get(href.strip()), attributes.get("media") or ""


def is_fallback(node: LexborNode) -> bool:
    """Say whether a style sheet is only for browsers without scripts."""
    around = node.parent
    while around is not None:
        if around.tag == "noscript":
            return True
        around = around.parent
    return False


class Search:
    """One search through one page."""

    def __init__(self, markup: Markup, sheets: Sheets, sight: Sight, budget: StepBudget, spares: Spares) -> None:
        self.spares = spares
        self.markup = markup
        self.sheets = sheets
        self.sight = sight
        self.cascade = Cascade(markup, sheets, budget)
        self.looks = [Look(self.cascade, bit, width) for bit, width in enumerate(WIDTHS)]
        self.inks = [Inks(look) for look in self.looks]
        self.hidden: set[int] = {finding.box.key for finding in sight.findings}
        self.judged: set[int] = set()
        self.worded: dict[int, bool] = {}
        """Whether elements hold text, as far as it was asked."""
        self.listed: dict[tuple[int, bool], list[Box]] = {}
        self.first_lines: dict[int, dict[str, str]] = {}
        self.contents: list[tuple[Box, str]] = []
        """What a rule for the contents of `details` hides, and why."""
        self.covers: list[Cover] = []

    def run(self) -> None:
        document, cascade = self.markup.document, self.cascade
        styled = [(node, cascade.style(node.attrs.get("style") or "")) for node in document.css("[style]")]
        suspicion = Suspicion(self.sheets, (declared for _, declared in styled))
        boxes: dict[int, Box] = {}
        texts: dict[int, Box] = {}
        for node, declared in styled:
            hides = suspicion.of(declared)
            if any(hides) and (is_for_others(node, declared) or self.has_words(node)):
                note(self.markup.box(node), hides, boxes, texts)
        for rule in self.sheets.rules:
            if rule.widths & 1 and any(hides := suspicion.of(rule.declarations)):
                known = boxes if not hides[1] else texts if not hides[0] else boxes.keys() & texts.keys()
                for entry in cascade.entries_of(rule):
                    for box in self.matched(entry, known):
                        if entry.selector.pseudo_element not in GENERATED:
                            note(box, hides, boxes, texts)
                        self.note_generated(entry, box)
        cascade.remarkable.update(suspicion.odd)
        for node in document.css(OWN):
            if not self.has_words(node):
                continue
            box = self.markup.box(node)
            if box.tag == "mphantom":
                cascade.remarkable.add("visibility")
            note(box, (True, box.tag in {"font", "body", "mphantom"} or "bgcolor" in box.attributes), boxes, texts)
        for node in named_for_screen_readers(self.markup):
            note(self.markup.box(node), (True, False), boxes, texts)
        self.judge_boxes(boxes.values())
        for box, reason in self.contents:
            if box.key not in self.hidden and has_text(box.node):
                self.found(box, reason)
        templates = (node for node in document.tags("template") if "shadowrootmode" in node.attributes)
        for node in islice(templates, MOST_SHADOWS):
            self.judge_shadow(self.markup.box(node))
        self.judge_texts(texts.values())
        self.judge_columns(box for box in {**boxes, **texts}.values() if box.tag == "col")
        self.judge_covered(boxes.values())

    def note_generated(self, entry: SelectorRule, box: Box) -> None:
        """Note what a rule for a part of an element means for the whole: its first line, or a box laid over it."""
        look, part = self.looks[0], entry.selector.pseudo_element
        match part:
            case "first-line":
                self.first_lines[box.key] = look.part(box, part)
            case "before" | "after":
                cover = covered_by_generated(look, box, look.part(box, part))
                if cover is not None:
                    self.covers.append(cover)
            case "details-content" if box.tag == "details":
                contents = GeneratedBox(box)
                look.known[contents.key] = look.part(box, part)
                if reason := box_reason(look, contents) or (
                    "visibility hidden" if is_invisible(look, contents) else ""
                ):
                    self.contents.extend((one, reason) for one in box.children if one.tag != "summary")

    def matched(self, entry: SelectorRule, known: Container[int]) -> Iterator[Box]:
        """The elements that a rule is about, but for those that are noted already."""
        part, declared = entry.selector.pseudo_element, entry.declarations
        if part not in {"", *USED}:
            return
        covering = not COVERING.isdisjoint(declared)
        boxes = self.boxes_of(self.cascade.candidates(entry.selector), without_words=bool(part) or covering)
        fits = self.cascade.fits
        for box in boxes:
            if (part or box.key not in known) and fits(entry, box):
                yield box

    def boxes_of(self, nodes: list[LexborNode], *, without_words: bool) -> list[Box]:
        """The elements of a list, with or without those that have no words; worked out once for each list."""
        key = id(nodes), without_words
        found = self.listed.get(key)
        if found is None:
            box = self.markup.box
            found = self.listed[key] = [
                box(node) for node in nodes if without_words or node.tag == "col" or self.has_words(node)
            ]
        return found

    def has_words(self, node: LexborNode) -> bool:
        """Say whether an element holds text; looked at once, because many rules are about the same elements."""
        key = node.mem_id
        known = self.worded.get(key)
        if known is None:
            known = self.worded[key] = has_text(node)
        return known

    def judge_boxes(self, boxes: Iterable[Box]) -> None:
        """Find the boxes that hide all they hold, the outermost of each."""
        for box in boxes:
            if box.tag in {"html", "body"} and box_reason(self.looks[0], box):
                self.sight.unseen_page = True
            if box.tag in NOT_JUDGED or box.key in self.hidden or self.is_inside_hidden(box):
                continue
            for part in (box, *self.closed_parts(box)):
                if self.has_words(part.node) and (reason := self.reason(part)):
                    self.found(part, reason)
            if box.key not in self.hidden:
                self.judge_closed_words(box)

    def judge_closed_words(self, box: Box) -> None:
        """Find the words that stand in closed `details` without an element of their own."""
        if box.tag == "details" and "open" not in box.attributes and box.node.text(deep=False).strip():
            self.found(box, "closed details", texts=True)

    def closed_parts(self, box: Box) -> list[Box]:
        if box.tag == "details":
            return box.children
        if box.tag == "maction":
            return box.children[1:]
        if "grid-template-rows" in self.cascade.properties and self.looks[0].own(box, "grid-template-rows") is not None:
            return box.children
        return []

    def is_inside_hidden(self, box: Box) -> bool:
        hidden, around = self.hidden, box.parent
        while around is not None:
            if around.key in hidden:
                return True
            around = around.parent
        return False

    def found(self, box: Box, reason: str, *, texts: bool = False) -> None:
        source = self.hider(box) if reason == "visibility hidden" else box
        moving = reason in FADING and is_moving(self.looks[0], source)
        clickable = reason in OPENABLE and is_behind_pointer(self.looks[0], source)
        undefined = source.key in self.cascade.matcher.undefined
        finding = Unseen(box, reason, texts, moving, source, clickable, undefined)
        self.sight.findings.append(finding)
        if not texts and not self.spares(finding):
            self.hidden.add(box.key)

    def hider(self, box: Box) -> Box:
        """The element that makes words invisible, themselves or from around."""
        look = self.looks[0]
        declares = (one for one in (box, *box.ancestors()) if look.own(one, "visibility") not in {None, "inherit"})
        return next(declares, box)

    def reason(self, box: Box) -> str:
        """Why a box is not seen, by what it is or by its style."""
        own = self.own_reason(box)
        if own and own not in OPENABLE_BY_ITSELF:
            return own
        reason = box_reason(self.looks[0], box)
        if own and reason in {"", "not rendered"}:
            return own
        if not reason and (is_sunk(self.looks[0], self.inks[0], box) or shares_cell(self.looks[0], self.inks[0], box)):
            return "covered"
        if reason and self.cascade.varies and any(not box_reason(look, box) for look in self.looks[1:]):
            return SHOWN_ELSEWHERE
        return named_reason(box, reason)

    def own_reason(self, box: Box) -> str:
        if box.attribute("aria-hidden").lower() == "true":
            return "aria-hidden"
        if "inert" in box.attributes:
            return "inert"
        if box.attribute("hidden").lower() == "until-found" and "hidden" in box.attributes:
            return "hidden until found"
        if is_closed_part(box):
            return "closed details"
        if box.parent is not None and box.parent.tag == "maction" and box.index:
            # Browsers show the first of the sides of a switch.
            return "not rendered"
        return FOR_SCREEN_READERS if is_for_screen_readers(box) else ""

    def judge_texts(self, boxes: Iterable[Box]) -> None:
        """Find the words that are not seen, box by box."""
        for box in boxes:
            if box.tag == "head" or box.key in self.judged:
                continue
            for one in self.with_words(box):
                if one.key in self.judged:
                    continue
                self.judged.add(one.key)
                if one.key in self.hidden or self.is_inside_hidden(one):
                    continue
                self.judge_words(one)

    def with_words(self, box: Box) -> Iterator[Box]:
        """The boxes inside one, and itself, in which words stand directly."""
        last = 0
        for node in box.node.traverse(include_text=True):
            if not node.is_text_node or (parent := node.parent) is None or parent.mem_id == last:
                continue
            if parent.tag not in NOT_JUDGED - {"body"} and (node.text_content or "").strip():
                last = parent.mem_id
                self.cascade.budget.spend(3)
                yield self.markup.box(parent)

    def judge_words(self, box: Box) -> None:
        reason = self.words_reason(0, box)
        if not reason:
            return
        if self.cascade.varies and any(not self.words_reason(bit, box) for bit in range(1, len(WIDTHS))):
            reason = SHOWN_ELSEWHERE
        if reason == "colour of the background" and self.sight.unread and self.may_be_painted(box):
            self.sight.unjudged.append(Unseen(box, reason, texts=True))
            return
        self.found(box, reason, texts=True)

    def words_reason(self, bit: int, box: Box) -> str:
        """Why the words in a box are not seen at a width, or an empty string."""
        look, remarkable = self.looks[bit], self.cascade.remarkable
        for reason, check, needed in WORD_REASONS:
            # What no declaration of the page could bring about need not be asked of every text.
            if not needed.isdisjoint(remarkable) and check(look, box):
                return reason
        return self.inks[bit].unseen(box) or (self.first_line_reason(look, box) if self.first_lines else "")

    def first_line_reason(self, look: Look, box: Box) -> str:
        """Why the words in a box are not seen because they are its first line."""
        block = next((one for one in (box, *box.ancestors()) if one.key in self.first_lines), None)
        if block is None or text_width(look, block) > ONE_LINE:
            return ""
        declared = self.first_lines[block.key]
        colour = parse_colour(declared["color"]) if "color" in declared else None
        ground = self.inks[0].ground(box).colour
        if colour is not None and ground is not None and alike(colour.over(ground), ground):
            return "colour of the background"
        size = amount(declared["font-size"]) if "font-size" in declared else None
        return "tiny font" if size is not None and size < TINY else ""

    def may_be_painted(self, box: Box) -> bool:
        """
        Say whether a style sheet out of sight may paint what lies below a text.

        It can paint whatever has a class or an id. Where words without a colour of their own stand beside the text,
        it has not painted it in the colour of the text.
        """
        painter = self.inks[0].ground(box).painter
        for one in (box, *box.ancestors()):
            if one is painter or one.tag in {"body", "html"}:
                return False
            if one.classes or one.identifier:
                return not self.has_company(one, box)
        return False

    def has_company(self, around: Box, box: Box) -> bool:
        whole = len(" ".join(around.node.text().split()))
        coloured = sum(
            len(" ".join(one.node.text(deep=False).split()))
            for one in self.with_words(around)
            if self.inks[0].colour(one) == self.inks[0].colour(box)
        )
        return coloured < whole / 2

    def judge_covered(self, boxes: Iterable[Box]) -> None:
        """Find the words below boxes that are laid over them."""
        look, inks = self.looks[0], self.inks[0]
        for box in boxes:
            if look.value(box, "position") == "absolute" and box.key not in self.hidden:
                cover = covered_by(look, inks, box)
                if cover is not None:
                    self.covers.append(cover)
        for around, above, veil in self.covers:
            for box in self.with_words(around):
                if above is not None and (box is above or box.is_inside(above)):
                    continue
                if box.key in self.hidden or self.is_inside_hidden(box) or is_raised(look, box, around):
                    continue
                if not veil or inks.is_lost_behind(box, veil):
                    self.found(box, "covered", texts=True)

    def judge_shadow(self, template: Box) -> None:
        """Find what a shadow tree has no slot for, or hides in one."""
        host = template.parent
        if host is None or host.key in self.hidden or self.is_inside_hidden(host):
            return
        children = children_of(host)
        html, placed = flattened(host, template, children)
        self.cascade.budget.spend(len(html) // 20)
        document = LexborHTMLParser(html)
        sight = look_at(document, html)
        unseen, markup = {finding.box.key for finding in sight.findings}, sight.markup
        for number, child in enumerate(children):
            node = document.css_first(f'[{STAND_IN}="{number}"]')
            shown = number in placed and node is not None
            if shown and node is not None:
                box = markup.box(node)
                shown = all(one.key not in unseen for one in (box, *box.ancestors()))
            if not shown and (child.is_text or has_text(child.box.node)):
                self.found(child.box, "replaced by a shadow tree", texts=child.is_text)
        markup.forget()

    def judge_columns(self, columns: Iterable[Box]) -> None:
        """Find the cells below a column that is collapsed, or that a table of fixed columns gives no width."""
        look = self.looks[0]
        for box in columns:
            table = next((one for one in box.ancestors() if one.tag == "table"), None)
            if table is None:
                continue
            collapsed = look.value(box, "visibility") == "collapse"
            wide = look.length(box, "width", look.width)
            narrow = wide is not None and wide <= NARROW and look.value(table, "table-layout") == "fixed"
            for row in table.below() if collapsed or narrow else ():
                cell = row.children[box.index] if row.tag == "tr" and len(row.children) > box.index else None
                if cell is not None and has_text(cell.node) and (collapsed or any(clips(look, cell))):
                    self.found(cell, "visibility hidden" if collapsed else "no size")


def note(box: Box, hides: tuple[bool, bool], boxes: dict[int, Box], texts: dict[int, Box]) -> None:
    """Note an element for a closer look at itself, at the texts in it, or at both."""
    if hides[0]:
        boxes[box.key] = box
    if hides[1]:
        texts[box.key] = box


def is_for_others(node: LexborNode, declared: Declarations) -> bool:
    """Say whether an element without words may hide those of others: it covers them, or is the column of a table."""
    return not COVERING.isdisjoint(declared) or node.tag == "col"


def named_for_screen_readers(markup: Markup) -> list[LexborNode]:
    """The elements whose names say that they are for screen readers."""
    if markup.knows_classes:
        classes = [name for name in markup.by_class if name.lower() in SCREEN_READERS]
        return [node for name in classes for node in markup.by_class[name]]
    named = markup.document.css(NAMED_ALIKE)
    return [node for node in named if are_for_screen_readers(node.attrs.get("class") or "")]


def is_for_screen_readers(box: Box) -> bool:
    return are_for_screen_readers(box.attribute("class"))


def are_for_screen_readers(classes: str) -> bool:
    return not SCREEN_READERS.isdisjoint(classes.lower().split())


def has_text(node: LexborNode) -> bool:
    return bool(node.text().strip())


def named_reason(box: Box, reason: str) -> str:
    """A reason in the words of what hides the box."""
    if reason != "display none":
        return reason
    if "hidden" in box.attributes:
        return "hidden"
    if "popover" in box.attributes:
        return "closed popover"
    return "closed dialog" if box.tag == "dialog" else reason


def zoom(look: Look, box: Box) -> float:
    """By how much letters are enlarged."""
    if "zoom" not in look.cascade.properties:
        return 1.0
    factor = 1.0
    for one in (box, *box.ancestors()):
        written = look.own(one, "zoom")
        if written is not None:
            own = amount(written)
            factor *= own or 1.0
    return factor


def is_indented_away(look: Look, box: Box) -> bool:
    """Say whether the first line, and with it all there is, stands off the page or beyond the edge of its box."""
    style = look.value(box, "white-space")
    single = "nowrap" in (style, look.value(box, "text-wrap-mode")) or style == "pre"
    if not single and NEGATIVE.isdisjoint(look.value(box, "text-indent")):
        return False
    block, inset = box, 0.0
    while is_inline(look, block) and block.parent is not None:
        inset += sum(look.length(block, f"{name}-left", look.width) or 0.0 for name in ("padding", "margin"))
        block = block.parent
    indent = look.length(box, "text-indent", look.room(block)) or 0.0
    if indent <= -50:
        return text_width(look, block) * 0.7 <= -indent
    if not single or not any(clips(look, block)):
        return False
    return indent + inset + leading_space(look, box, tabs=style == "pre") >= look.room(block)


def leading_space(look: Look, box: Box, *, tabs: bool) -> float:
    """How wide the space before the first letter of a box is."""
    spacing = look.length(box, "letter-spacing") or 0.0
    font, wide = look.font_size(box), 0.0
    for character in islice(box.node.text(), MOST_SPACES):
        if character == "\t" and tabs:
            stops = look.value(box, "tab-size", "8")
            wide += (amount(stops) or 0.0) * (font / 2 if kind_of(stops) == "number" else 1.0)
        elif character == "\xa0" or (tabs and character == " "):
            wide += font / 4 + spacing + (look.length(box, "word-spacing") or 0.0)
        elif not character.isspace():
            break
    return wide


def is_invisible(look: Look, box: Box) -> bool:
    return look.value(box, "visibility", "visible") != "visible"


def is_tiny(look: Look, box: Box) -> bool:
    adjust = look.value(box, "font-size-adjust")
    size = look.font_size(box) * zoom(look, box) * shrunk_by_face(look, box)
    return size < TINY or (bool(adjust) and amount(adjust) == 0)


def face_of(look: Look, box: Box) -> Mapping[str, str] | None:
    """The font that a page brings along for the words in a box."""
    family = look.value(box, "font-family").partition(",")[0].strip("\"' ").lower()
    return look.cascade.sheets.faces.get(family)


def shrunk_by_face(look: Look, box: Box) -> float:
    face = face_of(look, box) if look.cascade.resizing_fonts else None
    return 1.0 if face is None else face_size(face)


def is_inkless(look: Look, box: Box) -> bool:
    """Say whether a font draws every letter of the words in a box without ink."""
    face = face_of(look, box)
    letters = {letter for letter in box.node.text(deep=False) if not letter.isspace()}
    return face is not None and letters <= blank_letters(face.get("src", ""))


def is_replaced(look: Look, box: Box) -> bool:
    return look.value(box, "-webkit-text-security", "none") != "none"


WORD_REASONS: tuple[tuple[str, Check, frozenset[str]], ...] = (
    ("visibility hidden", is_invisible, words("visibility")),
    ("tiny font", is_tiny, words("font-size zoom font-size-adjust font-family")),
    ("letters without ink", is_inkless, words("font-family")),
    ("letters replaced", is_replaced, words("-webkit-text-security")),
    ("indented away", is_indented_away, words("text-indent letter-spacing word-spacing tab-size padding-left")),
)
"""Why words are not seen, but for their colour, and the properties without which a check has nothing to say."""


def is_moving(look: Look, box: Box) -> bool:
    """Say whether a box fades, moves or is about to."""
    specified = look.specified(box)
    return (
        any(amounts(specified.get("transition-duration", "0s")))
        or specified.get("will-change", "auto") != "auto"
        or specified.get("animation-name", "none") != "none"
        or specified.get("transform", "none") != "none"
        or specified.get("translate", "none") != "none"
    )


def is_behind_pointer(look: Look, box: Box) -> bool:
    """Say whether what stands before a box asks to be clicked."""
    if "cursor" not in look.cascade.properties:
        return False
    before = box.before
    return before is not None and look.value(before, "cursor") == "pointer"


STRONG = {
    "display": {"none"},
    "visibility": {"hidden", "collapse"},
    "content-visibility": {"hidden"},
    "opacity": {"0", "0%", ".0", "0.0"},
    "font-size": {"0", "0px", "0em", "0%"},
}


def by_last_compound(markup: Markup, sheets: Sheets) -> Iterator[Unseen]:
    """What rules hide if only the last compound of their selectors is asked: too much, and cheap."""
    seen: set[int] = set()
    hiding = Suspicion(Sheets(), ())
    names: set[str] = set()
    for rule in sheets.rules:
        if hides_outright(rule.declarations) or hiding.of(rule.declarations)[0]:
            names.update(last_names(rule.selectors[-1]))
    for name in names:
        nodes = markup.by_id.get(name[1:], ()) if name[0] == "#" else markup.by_class.get(name[1:], ())
        for node in nodes:
            if node.mem_id not in seen and node.tag not in {"html", "body"} and has_text(node):
                seen.add(node.mem_id)
                yield Unseen(markup.box(node), UNREADABLE)


def hides_outright(declared: Declarations) -> bool:
    return any(name in declared and declared[name].value in values for name, values in STRONG.items())


LAST_NAMES = re.compile(r"[.#][\w-]+")


def last_names(selectors: str) -> Iterator[str]:
    """The classes and ids of the last compound of each selector."""
    for selector in selectors.split(","):
        compound = re.split(r"[\s>+~]", selector.strip())[-1]
        yield from LAST_NAMES.findall(compound)
