"""
Formulas as TeX: `$…$` in a line, `$$…$$` on their own.

Formulas come as MathML with a TeX annotation, as KaTeX, MathJax or Wikipedia markup around it, as MathJax scripts, or
as bare MathML, which is written out in a line.
"""

import re
from typing import cast

from selectolax.lexbor import LexborHTMLParser

from seekread.extraction.tree import BACKSLASH, Element, replace_with_text, text_of

WRAPPERS = (
    "self::mjx-container or contains(@class, 'mwe-math-element') or contains(@class, 'MathJax_Display')"
    " or contains(concat(' ', @class, ' '), ' katex ') or contains(concat(' ', @class, ' '), ' MathJax ')"
)
LONGEST = 2000
SPACING = re.compile(r"\s+")
DISPLAY_STYLE = re.compile(r"^\{\\displaystyle\s*(.*)\}$", re.DOTALL)


def keep_scripts(document: LexborHTMLParser) -> None:
    """Turn MathJax's `<script type="math/tex">` into text before scripts are dropped."""
    for node in document.css('script[type^="math/tex"]'):
        mark = "$$" if "display" in (node.attributes.get("type") or "") else "$"
        node.replace_with(f"{mark}{(node.text() or '').strip()}{mark}")


def write_out(tree: Element) -> None:
    """Replace every formula of a tree by its TeX."""
    if next(tree.iter("math"), None) is None:
        return
    for wrapper in cast("list[Element]", tree.xpath(f".//*[{WRAPPERS}]")):
        formula = next(wrapper.iter("math"), None)
        parent = wrapper.getparent()
        if formula is None or parent is None:
            continue
        names = f"{wrapper.get('class')} {parent.get('class')}".lower()
        put(wrapper, tex_of(formula), display=formula.get("display") == "block" or "display" in names)
    for formula in list(tree.iter("math")):
        if formula.getparent() is not None and not is_hidden(formula):
            put(formula, tex_of(formula), display=formula.get("display") == "block")
    for preview in cast("list[Element]", tree.xpath(".//*[contains(@class, 'MathJax_Preview')]")):
        replace_with_text(preview, "")


def is_hidden(formula: Element) -> bool:
    """Say whether a bare formula is itself hidden; the wash decides about it then."""
    return bool(formula.get("style") or "hidden" in formula.attrib)


def put(element: Element, tex: str, *, display: bool) -> None:
    """Put TeX in the place of an element."""
    if not tex or len(tex) > LONGEST:
        return
    mark = "$$" if display else "$"
    replace_with_text(element, f"{mark}{tex}{mark}".replace("\\", BACKSLASH))


def tex_of(formula: Element) -> str:
    """The TeX of a formula: its annotation, its alternative text, or the formula written out."""
    for annotation in formula.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower():
            return tidy_tex(annotation.text or "")
    if formula.get("alttext"):
        return tidy_tex(formula.get("alttext") or "")
    return tidy_tex(linear(formula))


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
        case "msup" | "mover":
            return f"{first}^{{{second}}}"
        case "msub" | "munder":
            return f"{first}_{{{second}}}"
        case "msubsup" | "munderover":
            return f"{first}_{{{second}}}^{{{third}}}"
        case "mtr":
            return " & ".join(children) + r" \\ "
    return "".join(children) if children else text_of(node)
