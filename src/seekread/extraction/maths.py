"""
Formulas as TeX: `$…$` in a line, `$$…$$` on their own.

Formulas come as MathML with a TeX annotation, as KaTeX, MathJax or Wikipedia markup around it, as MathJax scripts, or
as bare MathML, which is written out in a line. Some come without MathML: as the glyphs of MathJax, whose characters are
named by classes, as TeX in an attribute that a script draws, or as a picture whose alternative text is TeX.
"""

import re
import unicodedata
from collections import Counter
from typing import cast

from lxml.etree import XPath
from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.tree import BACKSLASH, Element, replace_with_text, text_of

WRAPPERS = (
    "self::mjx-container or contains(@class, 'mwe-math-element') or contains(@class, 'MathJax_Display')"
    " or contains(concat(' ', @class, ' '), ' katex ') or contains(concat(' ', @class, ' '), ' MathJax ')"
)
LONGEST = 2000
SPARE = 2
"""Letters of TeX that stand for no glyph: a unit, a column, a name of a colour."""
COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)")
NAMED_ARGUMENT = re.compile(
    r"\\(?:begin|end|label|tag|color|textcolor|hspace|vspace|class|style|cssId|phantom)\s*\{[^{}]*\}"
    r"|(?<=\})\{[lcr|]+\}"
)
"""Commands whose argument is no glyph."""
GLYPH = re.compile(r"\bmjx-c([0-9A-F]{2,6})\b")
PICTURED = re.compile(
    r"(?:^|\s)(?:latex|tex|math|mathtex)(?:\s|$)|latex\.php|latex\.codecogs|/math/render/", re.IGNORECASE
)
SENTENCE = re.compile(r"[^\W\d_]{2,}(?:[\s,;.!?]+[^\W\d_]{2,}){3,}")
"""Four words in a row: TeX has them between braces at most, and then they are text."""
ACCENTS = {
    "^": "hat",
    "\u02c6": "hat",
    "¯": "bar",
    "\u203e": "bar",
    "→": "vec",
    "~": "tilde",
    "\u02dc": "tilde",
    "˙": "dot",
    "¨": "ddot",
}
"""What stands over a symbol, and what TeX calls it."""
SPACING = re.compile(r"\s+")
DISPLAY_STYLE = re.compile(r"^\{\\displaystyle\s*(.*)\}$", re.DOTALL)


def keep_scripts(document: LexborHTMLParser) -> None:
    """Turn MathJax's `<script type="math/tex">` into text before scripts are dropped."""
    for node in document.css('script[type^="math/tex"]'):
        mark = "$$" if "display" in (node.attributes.get("type") or "") else "$"
        node.replace_with(f"{mark}{(node.text() or '').strip()}{mark}")


def write_out(tree: Element, written: bytes) -> None:
    """Replace every formula of a tree by its TeX; `written` is what the tree was made of."""
    write_drawn(tree, written)
    if b"<math" not in written:
        return
    for wrapper in cast("list[Element]", tree.xpath(f".//math/ancestor::*[{WRAPPERS}]")):
        formula = next(wrapper.iter("math"), None)
        parent = wrapper.getparent()
        if formula is None or parent is None:
            continue
        names = f"{wrapper.get('class')} {parent.get('class')}".lower()
        put(
            wrapper,
            tex_of(formula, beside(wrapper, formula)),
            display=formula.get("display") == "block" or "display" in names,
        )
    for formula in list(tree.iter("math")):
        if formula.getparent() is not None and not is_hidden(formula):
            put(formula, tex_of(formula), display=formula.get("display") == "block")
    if b"MathJax_Preview" in written:
        for preview in cast("list[Element]", tree.xpath(".//*[contains(@class, 'MathJax_Preview')]")):
            replace_with_text(preview, "")


TEX_IN = ("data-math", "data-tex", "data-katex")
"""Attributes with TeX that a script draws."""
TEX_WRITTEN = re.compile(b"data-(?:math|tex|katex)")
DRAWN_BY_SCRIPT = XPath(f"descendant::*[{' or '.join(f'@{name}' for name in TEX_IN)}]")


def write_drawn(tree: Element, written: bytes) -> None:
    """Replace formulas without MathML: glyphs of MathJax, TeX in an attribute, pictures of TeX."""
    for container in list(tree.iter("mjx-container")) if b"<mjx-container" in written else ():
        drawn = next(container.iter("mjx-math"), None)
        if drawn is not None and next(container.iter("math"), None) is None:
            put(container, tidy_tex(drawn_tex(drawn)), display=container.get("display") == "true")
    for element in cast("list[Element]", DRAWN_BY_SCRIPT(tree)) if TEX_WRITTEN.search(written) else ():
        tex = next(filter(None, map(element.get, TEX_IN)), "")
        shown = text_of(element)
        if element.getparent() is not None and is_formula(tex) and (not shown or is_same_formula(shown, tex)):
            put(element, tidy_tex(tex), display="display" in (element.get("class") or "") or element.tag == "div")
    for picture in list(tree.iter("img")):
        alt = picture.get("alt") or ""
        named = f"{picture.get('class') or ''} {picture.get('src') or ''}".lower() if alt else ""
        # Most pictures are named nothing like it, and a look is enough.
        if ("tex" in named or "math" in named) and PICTURED.search(named) and is_formula(alt):
            put(picture, tidy_tex(alt.strip("$")), display=False)


def is_formula(tex: str) -> bool:
    """Say whether a text reads like TeX and not like a sentence."""
    return 0 < len(tex) <= LONGEST and not SENTENCE.search(COMMAND.sub(" ", tex))


def drawn_tex(node: Element) -> str:
    """The formula that MathJax has drawn: each glyph is an element whose class names its character."""
    name = str(node.tag).removeprefix("mjx-")
    if name == "c":
        return "".join(
            chr(int(found[1], 16)) for found in GLYPH.finditer(node.get("class") or "") if int(found[1], 16) < 0x110000
        )
    parts = [text for child in node.iterchildren("*") if (text := drawn_tex(child))]
    first, second = (*parts, "", "")[:2]
    match name:
        case "msup":
            return f"{first}^{{{second}}}"
        case "msub":
            return f"{first}_{{{second}}}"
        case "msubsup":
            return f"{first}^{{{second}}}"
        case "mfrac":
            return f"\\frac{{{drawn_part(node, 'mjx-num')}}}{{{drawn_part(node, 'mjx-den')}}}"
        case "msqrt":
            return f"\\sqrt{{{drawn_part(node, 'mjx-box')}}}"
        case "script" if len(parts) == 2:
            # Both a power and an index: kept apart for the element around.
            return "}_{".join(parts)
    return unicodedata.normalize("NFKC", "".join(parts))


def drawn_part(node: Element, name: str) -> str:
    part = next(node.iterdescendants(name), None)
    return drawn_tex(part) if part is not None else ""


def is_hidden(formula: Element) -> bool:
    """Say whether a bare formula is itself hidden; the wash decides about it then."""
    return bool(formula.get("style") or "hidden" in formula.attrib)


def put(element: Element, tex: str, *, display: bool) -> None:
    """Put TeX in the place of an element."""
    if not tex or len(tex) > LONGEST:
        return
    mark = "$$" if display else "$"
    replace_with_text(element, f"{mark}{tex}{mark}".replace("\\", BACKSLASH))


def beside(wrapper: Element, formula: Element) -> str:
    """What the wrapper of a formula shows beside it: the glyphs that are seen, or a picture of them."""
    around = set(formula.iterancestors())
    shown = [text_of(child) for child in wrapper.iterchildren("*") if child not in around and child is not formula]
    return " ".join((*shown, *(picture.get("alt") or "" for picture in wrapper.iter("img"))))


def tex_of(formula: Element, glyphs: str = "") -> str:
    """The TeX of a formula: its annotation or alternative text if it says what is seen, or the formula written out."""
    written = linear(formula)
    for annotation in formula.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and carries(
            f"{written} {glyphs}", annotation.text or ""
        ):
            return tidy_tex(annotation.text or "")
    if formula.get("alttext") and carries(written, formula.get("alttext") or ""):
        return tidy_tex(formula.get("alttext") or "")
    return tidy_tex(written)


def symbols(tex: str) -> Counter[str]:
    """The letters and digits of a formula, in whichever alphabet, without TeX's commands."""
    tex = NAMED_ARGUMENT.sub(" ", tex)
    plain = unicodedata.normalize("NFKC", COMMAND.sub(" ", tex))
    return Counter(character.lower() for character in plain if character.isascii() and character.isalnum())


def carries(glyphs: str, tex: str) -> bool:
    """Say whether glyphs in sight have the symbols of a formula; a few that only TeX needs may be missing."""
    wanted = symbols(tex)
    missing = (wanted - symbols(glyphs)).total()
    return missing <= SPARE + wanted.total() // 20 and bool(glyphs.strip())


def is_same_formula(glyphs: str, tex: str) -> bool:
    """Say whether glyphs are those of a formula and of little else."""
    return carries(glyphs, tex) and symbols(glyphs).total() <= 3 * symbols(tex).total() + 4 * SPARE


def formula_in(node: LexborNode) -> str:
    """The formula that a part of the page holds for programs, as TeX or as its symbols."""
    formula = node if node.tag == "math" else node.css_first("math")
    if formula is None:
        return ""
    for annotation in formula.css("annotation"):
        if "tex" in (annotation.attributes.get("encoding") or "").lower():
            return annotation.text()
    return formula.text()


def tidy_tex(tex: str) -> str:
    """TeX in one line, without the wrapping that some sites add to every formula."""
    tex = SPACING.sub(" ", tex.replace("$", r"\$")).strip()
    match = DISPLAY_STYLE.match(tex)
    return (match[1] if match else tex).strip()


def linear(node: Element) -> str:
    """MathML written in one line."""
    children = [linear(child) for child in node.iterchildren("*")]
    first, second, third = (*children, "", "", "")[:3]
    match node.tag:
        case "annotation" | "annotation-xml":
            return ""
        case "mfrac":
            return f"\\frac{{{first}}}{{{second}}}"
        case "msqrt":
            return f"\\sqrt{{{''.join(children)}}}"
        case "mroot":
            return f"\\sqrt[{second}]{{{first}}}"
        case "mover" if second in ACCENTS:
            return f"\\{ACCENTS[second]}{{{first}}}"
        case "msup" | "mover":
            return f"{first}^{{{second}}}"
        case "msub" | "munder":
            return f"{first}_{{{second}}}"
        case "msubsup" | "munderover":
            return f"{first}_{{{second}}}^{{{third}}}"
        case "mtr":
            return " & ".join(children) + r" \\ "
    return "".join(children) if children else text_of(node)
