"""
Which selectors could match anything on a page, told by the names in them alone.

A page has few of the names that its style sheets speak of: most rules of most sheets end here.
"""

import re
from functools import lru_cache

from seekread.extraction.css_select import NEVER, PLAIN, PLAIN_SELECTOR, PSEUDO_ELEMENTS, SHORT, SINGLE_COLON
from seekread.extraction.markup import Markup
from seekread.extraction.prescan import words

NAMED = re.compile(r"[.#][\w\u0080-\U0010ffff-]+")
HELD = re.compile(r"""\((?:[^()"']|"[^"]*+"|'[^']*+')*+\)|\[(?:[^\[\]"']|"[^"]*+"|'[^']*+')*+\]""")
"""What stands in parentheses or brackets, the innermost."""
DEEP_ENOUGH = 4
PSEUDO = re.compile(r"(::?)([\w-]+)")
CONDITION = re.compile(
    r"""\[\s*[a-zA-Z][\w-]*\s*(?:[~|^$*]?=\s*(?:"[^"\\]*+"|'[^'\\]*+'|[a-zA-Z_][\w-]*)\s*(?:[is]\s*)?)?\]"""
)
"""What is asked of an attribute."""
CHOICE = re.compile(r":(?:not|is|where)\(([^()]*)\)")
USED = words("before after first-line details-content")
"""Parts of elements that are looked at."""
UNUSED = PSEUDO_ELEMENTS - USED
UNDERSTOOD = NEVER | PSEUDO_ELEMENTS | PLAIN.keys()


def without_arguments(selectors: str) -> str | None:
    """Selectors without what stands in parentheses and brackets; `None` when that is not told easily."""
    for _ in range(DEEP_ENOUGH):
        if "(" not in selectors and "[" not in selectors:
            return selectors
        selectors = HELD.sub("", selectors)
    return None


def is_possible(markup: Markup, selectors: str) -> bool:
    """Say whether the page has every class and id that one of several selectors names, in a state it can be in."""
    known = markup.possible.get(selectors)
    if known is None:
        known = markup.possible[selectors] = has_names(markup, selectors)
    return known


def has_names(markup: Markup, selectors: str) -> bool:
    if "\\" in selectors:
        return True
    bare = without_arguments(selectors) if "(" in selectors or "[" in selectors else selectors
    if bare is None:
        return True
    names = markup.names
    for selector in (bare.lower() if markup.quirks else bare).split(","):
        # Mostly the first name decides.
        first = NAMED.search(selector)
        if (first is None or (first[0] in names and names.issuperset(NAMED.findall(selector, first.end())))) and (
            ":" not in selector or not any(is_dead(*found) for found in PSEUDO.findall(selector.lower()))
        ):
            return True
    return False


def is_dead(colons: str, name: str) -> bool:
    """Say whether nothing on a page that was just opened is what a pseudo-class or pseudo-element names."""
    if colons == "::" or name in SINGLE_COLON:
        return name in UNUSED or name.startswith("-webkit-")
    return name in NEVER


@lru_cache(maxsize=10_000)
def is_understood(selector: str) -> bool:
    """Say whether a selector is right for sure, so that it need not be read when it can match nothing."""
    if len(selector) > SHORT:
        return False
    selector = CONDITION.sub(".x", selector)
    for _ in range(DEEP_ENOUGH):
        selector = CHOICE.sub(plain_choice, selector)
    for colons, name in PSEUDO.findall(selector.lower()):
        if name not in UNDERSTOOD or ((colons == "::" or name in SINGLE_COLON) and not selector.lower().endswith(name)):
            return False
    return PLAIN_SELECTOR.fullmatch(PSEUDO.sub(".x", selector)) is not None


def plain_choice(found: re.Match[str]) -> str:
    """A name in the place of a choice of selectors that are understood; what cannot be understood if they are not."""
    return ".x" if all(is_understood(one.strip()) for one in found[1].split(",")) else "!"
