"""What the tag and the names of an element say about its text: flags, one bit each, for the block model."""

import re
from functools import lru_cache
from typing import NamedTuple

NAMING = frozenset({"class", "id", "role", "itemprop", "data-testid"})
"""Attributes whose words name what an element is for."""
WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
TAGS = [
    "p", "div", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dt", "dd", "blockquote", "figcaption",
    "button", "label", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "table", "tr",
    "tbody", "form", "figure", "body", "summary", "details", "caption", "address", "dl", "center", "fieldset", "legend",
    "thead", "tfoot", "option",
]  # fmt: skip
TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS, 1)}
"""Tags as the model knows them; 0 is any other."""
FLAGS = [
    "nav", "header", "footer", "aside", "form", "main", "article", "table", "list", "body-of-article", "comment",
    "figure", "blockquote", "pre", "item", "heading", "button", "around", "content", "body-name", "teaser", "caption",
    "section", "structural", "boilerplate", "main-part",
]  # fmt: skip
FLAG = {name: 1 << number for number, name in enumerate(FLAGS)}
TAG_FLAGS: dict[str, int] = {
    "section": FLAG["section"],
    "nav": FLAG["nav"] | FLAG["structural"],
    "header": FLAG["header"],
    "footer": FLAG["footer"] | FLAG["structural"],
    "aside": FLAG["aside"],
    "form": FLAG["form"],
    "main": FLAG["main"] | FLAG["main-part"],
    "article": FLAG["article"],
    "table": FLAG["table"],
    "figure": FLAG["figure"],
    "figcaption": FLAG["caption"],
    "blockquote": FLAG["blockquote"],
    "pre": FLAG["pre"],
    "li": FLAG["item"],
    "button": FLAG["button"] | FLAG["structural"],
    **dict.fromkeys(("ul", "ol", "dl"), FLAG["list"]),
    **dict.fromkeys(("dialog", "menu", "label", "option", "optgroup"), FLAG["structural"]),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), FLAG["heading"]),
}
ROLE_FLAGS: dict[str, int] = {
    "main": FLAG["main"] | FLAG["main-part"],
    **dict.fromkeys(
        (
            "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "menuitem",
            "navigation", "search", "tablist", "toolbar",
        ),
        FLAG["structural"],
    ),
}  # fmt: skip
MAIN_PARTS = frozenset({"main", "content", "main-content"})
"""Identifiers of the part that holds the content."""


def words(text: str) -> frozenset[str]:
    """The words of a text, for sets of names."""
    return frozenset(text.split())


NAME_FLAGS: dict[int, frozenset[str]] = {
    FLAG["around"]: words(
        "nav navbar navigation menu menus submenu footer foot sidebar side rail related recommend recommended "
        "recommendations share sharing social cookie cookies consent banner ad ads advert advertisement adv sponsor "
        "sponsored promo promotion breadcrumb breadcrumbs crumb crumbs newsletter subscribe subscription signup login "
        "signin widget widgets popup modal overlay toolbar pagination pager masthead filter filters facet facets tag "
        "tags toc skip copyright legal cart search trending popular more latest outbrain taboola"
    ),
    FLAG["content"]: words(
        "article content post entry body main story text prose markdown richtext rich description answer question "
        "message reply thread detail details paragraph articlebody copy"
    ),
    FLAG["comment"]: words("comment comments disqus respond commentlist commenter"),
    FLAG["teaser"]: words(
        "related recommend recommended recommendations recommendation teaser teasers promo promos newsletter share "
        "sharing social outbrain taboola next also trending popular sidebar widget widgets footer crumb crumbs "
        "breadcrumb breadcrumbs byline author authors tags tag meta subscribe subscription subscribers cookie cookies "
        "banner advert ad ads signup readmore more recirc recirculation card cards carousel listing latest feed rail "
        "aside"
    ),
    FLAG["caption"]: words("caption captions credit credits image photo gallery figcaption slideshow thumbnail"),
    FLAG["boilerplate"]: words(
        "nav navbar navigation menu submenu breadcrumb breadcrumbs cookie cookies consent gdpr onetrust newsletter "
        "subscribe social share sharing sharedaddy sidebar related recommend recommended recommendation "
        "recommendations promo advert advertisement ad ads sponsor sponsored modal popup drawer offcanvas skip "
        "pagination pager login signin signup footer masthead topbar copyright disqus upsell minicart cart wishlist "
        "facet facets"
    ),
    FLAG["body-name"]: words(
        "articlebody articletext articlecontent bodycopy postcontent postbody entrycontent storybody storycontent "
        "storytext maincontent fulltext"
    ),
    FLAG["body-of-article"]: words("articlebody"),
}
"""Flag → words, one of which is enough."""
PAIRED_FLAGS: dict[int, tuple[frozenset[str], frozenset[str]]] = {
    FLAG["body-name"]: (
        words("post article entry story news blog main page single field full rich art storytext"),
        words("text body content copy entry area inner richtext prose"),
    ),
    FLAG["body-of-article"]: (words("article"), words("body")),
}
"""Flag → two sets of words, one of each of which is enough."""


COUNTED = {FLAG["around"]: 1, FLAG["content"]: 1 << 10, FLAG["teaser"]: 1 << 20}
"""Flag → what an element with it adds to the counts of its names."""


def word_flags() -> tuple[dict[str, int], dict[int, int]]:
    """Word → its flags and marks, and paired flag → the marks of both its sets; marks lie above all flags."""
    flags: dict[str, int] = {}
    pairs: dict[int, int] = {}
    mark = 1 << len(FLAGS)
    for flag, known in NAME_FLAGS.items():
        for word in known:
            flags[word] = flags.get(word, 0) | flag
    for flag, both in PAIRED_FLAGS.items():
        for known in both:
            for word in known:
                flags[word] = flags.get(word, 0) | mark
            pairs[flag] = pairs.get(flag, 0) | mark
            mark <<= 1
    return flags, pairs


WORD_FLAGS, PAIRS = word_flags()
ALL_FLAGS = (1 << len(FLAGS)) - 1


class Naming(NamedTuple):
    """What the names of an element say: its words in lower case, and the flags they set."""

    words: tuple[str, ...] = ()
    flags: int = 0
    counts: int = 0
    """One in ten bits each for names of surroundings, of content, of a teaser: to be added up on the way down."""


def naming(spelled: tuple[tuple[str, str], ...]) -> Naming:
    """What the attributes that name an element say."""
    found: set[str] = set()
    for _, value in spelled:
        words = WORD.findall(value)
        found.update(words if value.islower() else [word.lower() for word in words])
    flags = 0
    for word in found:
        flags |= WORD_FLAGS.get(word, 0)
    flags, counts = flags_of(flags)
    for attribute, value in spelled:
        if attribute == "role":
            flags |= ROLE_FLAGS.get(value, 0)
        elif attribute == "id" and value in MAIN_PARTS:
            flags |= FLAG["main-part"]
    return Naming(tuple(sorted(found)), flags, counts)


@lru_cache(maxsize=4096)
def flags_of(flags: int) -> tuple[int, int]:
    """The flags that the flags and marks of words set together, and what these add to the counts."""
    for flag, marks in PAIRS.items():
        if flags & marks == marks:
            flags |= flag
    return flags & ALL_FLAGS, sum(count for flag, count in COUNTED.items() if flags & flag)
