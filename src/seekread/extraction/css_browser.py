"""What browsers declare for elements themselves, and what attributes such as `hidden` and `bgcolor` stand for."""

import re

from seekread.extraction.colours import legacy_colour
from seekread.extraction.markup import Box
from seekread.extraction.prescan import words

HTML_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
NEVER_SHOWN = words(
    "area base basefont datalist head link meta noembed noframes param rp script style template title noscript"
)
BROWSER_PROPERTIES = words("display content-visibility color background-color font-size visibility white-space")
"""What browsers and attributes declare by themselves."""


def own_of_browser(box: Box) -> dict[str, str]:
    """What browsers declare themselves, and what attributes stand for."""
    found = of_browser(box)
    if not PRESENTING.isdisjoint(box.attributes):
        found.update(of_attributes(box))
    return found


def of_browser(box: Box) -> dict[str, str]:
    """What browsers declare for an element themselves."""
    attributes, tag = box.attributes, box.tag
    found = dict(HINTS[tag]) if tag in HINTS else {}
    if tag in NEVER_SHOWN or (tag == "dialog" and "open" not in attributes) or "popover" in attributes:
        found["display"] = "none"
    if tag == "a" and "href" in attributes:
        found["color"] = "linktext"
    if tag == "button" and "disabled" in attributes:
        found.update({"color": "rgba(16, 16, 16, .3)", "background-color": "rgba(239, 239, 239, .3)"})
    if tag == "input" and box.attribute("type").lower() in UNPAINTED:
        del found["background-color"]
    if tag == "table" and box.markup.quirks:
        found["font-size"] = "medium"
    return found


UNPAINTED = words("checkbox radio range file image hidden")
"""Kinds of fields without a ground of their own."""


PRESENTING = words("hidden bgcolor text color size")
"""Attributes that stand for a style."""


def of_attributes(box: Box) -> dict[str, str]:
    """What attributes of an element stand for; a page's own rules are asked to go back before them."""
    found: dict[str, str] = {}
    attributes, tag = box.attributes, box.tag
    if "hidden" in attributes:
        found_until = box.attribute("hidden").lower() == "until-found"
        found["content-visibility" if found_until else "display"] = "hidden" if found_until else "none"
    if attributes.get("bgcolor"):
        found["background-color"] = legacy_colour(box.attribute("bgcolor"))
    if tag == "body" and attributes.get("text"):
        found["color"] = legacy_colour(box.attribute("text"))
    if tag == "font" and attributes.get("color"):
        found["color"] = legacy_colour(box.attribute("color"))
    if tag == "font" and attributes.get("size"):
        found["font-size"] = html_size(box.attribute("size"))
    return found


HINTS: dict[str, dict[str, str]] = {
    "slot": {"display": "contents"},
    "mark": {"background-color": "mark", "color": "marktext"},
    "button": {"background-color": "buttonface", "color": "buttontext", "font-size": "13.3333px"},
    "input": {"background-color": "field", "color": "fieldtext", "font-size": "13.3333px"},
    "select": {"background-color": "field", "color": "fieldtext", "font-size": "13.3333px"},
    "h1": {"font-size": "2em"},
    "h2": {"font-size": "1.5em"},
    "h3": {"font-size": "1.17em"},
    "h5": {"font-size": ".83em"},
    "h6": {"font-size": ".67em"},
    "small": {"font-size": "smaller"},
    "big": {"font-size": "larger"},
    "sub": {"font-size": "smaller"},
    "sup": {"font-size": "smaller"},
    "rt": {"font-size": "50%"},
    "code": {"font-size": ".8125em"},
    "mphantom": {"visibility": "hidden"},
    "pre": {"white-space": "pre"},
    "listing": {"white-space": "pre"},
    "xmp": {"white-space": "pre"},
    "textarea": {
        "background-color": "field",
        "color": "fieldtext",
        "font-size": "13.3333px",
        "white-space": "pre-wrap",
    },
    "nobr": {"white-space": "nowrap"},
}


def html_size(text: str) -> str:
    number = re.match(r"\s*([-+]?)(\d+)", text)
    if number is None:
        return "medium"
    size = int(number[2]) + {"+": 3, "-": -2 * int(number[2]) + 3}.get(number[1], 0)
    return HTML_SIZES[min(max(size, 1), 7) - 1]
