"""Washing: what readers cannot see does not reach the text, and everything removed is counted."""

import json
import unicodedata

import pytest

from seekread.extraction.document import read_document
from seekread.extraction.html import extract_html
from seekread.page.quote import quote

SECRET = "PAYLOAD"
SENTENCE = (
    "<p>The reservoir stood at sixty per cent this spring, "
    "and the engineers reported steady progress on the repairs of "
    "the northern wall.</p>"
)
PAGE = (
    "<html><head>{head}</head><body><main><article><h1>Basin</h1>{before}{trick}{after}</article></main></body></html>"
)

HIDDEN = {
    "display none": '<p style="display:none">PAYLOAD</p>',
    "display none in capitals and important": '<p style="DISPLAY : None !important">PAYLOAD</p>',
    "display none in CSS escapes": r'<p style="d\69splay:none">PAYLOAD</p>',
    "display none behind a CSS comment": '<p style="/* x */display:/**/none">PAYLOAD</p>',
    "visibility hidden": '<p style="visibility:hidden">PAYLOAD</p>',
    "visibility collapse": '<p style="visibility: collapse">PAYLOAD</p>',
    "content visibility": '<p style="content-visibility:hidden">PAYLOAD</p>',
    "opacity zero": '<p style="opacity:0">PAYLOAD</p>',
    "opacity in per cent": '<p style="opacity:1%">PAYLOAD</p>',
    "filter opacity": '<p style="filter:opacity(0)">PAYLOAD</p>',
    "font size zero": '<p style="font-size:0">PAYLOAD</p>',
    "font size one pixel": '<p style="font-size:1px">PAYLOAD</p>',
    "font size in em": '<p style="font-size:.01em">PAYLOAD</p>',
    "font shorthand": '<p style="font: 0/0 a">PAYLOAD</p>',
    "white on white": '<p style="color:#fff;background:#ffffff">PAYLOAD</p>',
    "colour of the page": '<p style="color:white">PAYLOAD</p>',
    "nearly the colour of the page": '<p style="color:rgb(250, 252, 253)">PAYLOAD</p>',
    "colour of the parent": '<div style="background-color:#102030"><p style="color:hsl(210,50%,13%)">PAYLOAD</p></div>',
    "transparent colour": '<p style="color:transparent">PAYLOAD</p>',
    "colour without opacity": '<p style="color:rgba(0,0,0,0)">PAYLOAD</p>',
    "font element": '<font color="white">PAYLOAD</font>',
    "off screen to the left": '<p style="position:absolute;left:-9999px">PAYLOAD</p>',
    "off screen to the top": '<p style="position:fixed;top:-200em">PAYLOAD</p>',
    "moved off screen": '<p style="transform:translateX(-9999px)">PAYLOAD</p>',
    "margin off screen": '<p style="margin-left:-9999px">PAYLOAD</p>',
    "text indent": '<p style="text-indent:-9999px">PAYLOAD</p>',
    "clip": '<p style="position:absolute;clip:rect(0,0,0,0);width:1px;height:1px;overflow:hidden">PAYLOAD</p>',
    "clip path": '<p style="clip-path:inset(100%)">PAYLOAD</p>',
    "clip path circle": '<p style="clip-path: circle(0)">PAYLOAD</p>',
    "no height": '<div style="height:0;overflow:hidden"><p>PAYLOAD</p></div>',
    "no width": '<div style="max-width:0px;overflow:hidden"><p>PAYLOAD</p></div>',
    "scaled away": '<p style="transform:scale(0)">PAYLOAD</p>',
    "scaled away on one axis": '<p style="transform:scaleY(0)">PAYLOAD</p>',
    "hidden attribute": "<p hidden>PAYLOAD</p>",
    "aria-hidden": '<p aria-hidden="true">PAYLOAD</p>',
    "inert": "<div inert><p>PAYLOAD</p></div>",
    "popover": "<div popover><p>PAYLOAD</p></div>",
    "class in a style element": '<style>.zz{display:none}</style><p class="zz">PAYLOAD</p>',
    "id in a style element": '<style>#zz { visibility: hidden }</style><p id="zz">PAYLOAD</p>',
    "tag and class in a style element": '<style>p.zz{opacity:0}</style><p class="zz">PAYLOAD</p>',
    "one of several selectors": '<style>a:hover,.zz , b{font-size:0}</style><p class="yy zz">PAYLOAD</p>',
    "colour by class": '<style>.zz{color:#fefefe}</style><p class="zz">PAYLOAD</p>',
    "media for every screen": '<style>@media screen{.zz{display:none}}</style><p class="zz">PAYLOAD</p>',
    "first rule after a condition": (
        '<style>@media (min-width:600px){.y{color:red}}.zz{display:none}</style><p class="zz">PAYLOAD</p>'
    ),
    "rule after two conditions": (
        "<style>@media (min-width:6px){.y{top:0}}@media (min-width:7px){.zz{top:0}}#zz{display:none}</style>"
        '<p id="zz">PAYLOAD</p>'
    ),
    "screen reader class": '<p class="sr-only">PAYLOAD</p>',
    "closed dialog": "<dialog><p>PAYLOAD</p></dialog>",
    "comment": "<!-- PAYLOAD -->",
    "noscript": "<noscript><p>PAYLOAD</p></noscript>",
    "template": "<template><p>PAYLOAD</p></template>",
    "title attribute": '<p title="PAYLOAD">A normal paragraph about the basin levels and repairs.</p>',
    "data attribute": '<p data-note="PAYLOAD">A normal paragraph about the basin levels and repairs.</p>',
    "hidden field": '<input type="hidden" value="PAYLOAD">',
    "text area": '<textarea style="display:none">PAYLOAD</textarea>',
    "drawing": '<svg width="0" height="0"><text>PAYLOAD</text></svg>',
    "frame": '<iframe srcdoc="<p>PAYLOAD</p>"></iframe>',
    "hidden formula": '<math style="display:none"><annotation encoding="application/x-tex">PAYLOAD</annotation></math>',
}


def page(trick: str, head: str = "") -> str:
    return PAGE.format(head=head, before=SENTENCE * 4, trick=trick, after=SENTENCE.replace("spring", "autumn") * 4)


@pytest.mark.proves("S3-33")
@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_text_is_dropped_and_counted(name: str) -> None:
    """What no reader sees does not reach a model, and its removal is in the signals."""
    extracted = extract_html(page(HIDDEN[name]), "https://basin.example/")
    assert SECRET not in extracted.markdown
    assert "The reservoir stood" in extracted.markdown
    assert sum(signal.count for signal in extracted.signals) >= 1


@pytest.mark.parametrize("name", ["display none", "screen reader class", "colour of the page", "hidden attribute"])
def test_without_the_wash_hidden_text_stays(name: str) -> None:
    assert SECRET in extract_html(page(HIDDEN[name]), wash=False).markdown


@pytest.mark.parametrize(
    "trick",
    [
        "<details><summary>More</summary><p>PAYLOAD is said here for those who open it.</p></details>",
        '<div role="tabpanel" style="display:none"><p>PAYLOAD is said on the second tab.</p></div>',
        '<button aria-controls="more">More</button><div id="more" hidden><p>PAYLOAD is below it.</p></div>',
        '<p style="color:white;background:#222">PAYLOAD is written white on black for all to read.</p>',
        '<div style="background:url(x.jpg)"><p style="color:white">PAYLOAD is written white on a picture.</p></div>',
        '<style>@media print{.zz{display:none}}</style><p class="zz">PAYLOAD is only left out on paper.</p>',
        '<style>.zz{display:none}.zz.open{display:block}</style><p class="zz open">PAYLOAD is shown.</p>',
        '<style>.z{display:none}@media (min-width:600px){.z{display:block}}</style><p class="z">PAYLOAD if wide.</p>',
        "<style>@media (width){.y{top:0}}@media (max-width:6px){.z{display:none}}</style><p class=z>PAYLOAD</p>",
        '<script src="/fade.js"></script><p style="opacity:0;transform:translateY(20px)">PAYLOAD fades in.</p>',
        '<p hidden="until-found">PAYLOAD is found by searching the page for it.</p>',
    ],
)
def test_what_a_reader_can_see_or_open_is_kept(trick: str) -> None:
    assert SECRET in extract_html(page(trick)).markdown


def test_hidden_text_goes_however_much_of_the_page_it_is() -> None:
    hidden = "".join(
        f'<p style="opacity:0">Paragraph {number} is shown to nobody at all, ever.</p>' for number in range(40)
    )
    extracted = extract_html(page(hidden))
    assert "Paragraph 7" not in extracted.markdown
    assert "The reservoir stood" in extracted.markdown


def test_the_visible_half_of_a_price_is_kept() -> None:
    price = '<p>Now <span class="sr-only">Current price $21.00</span><span aria-hidden="true">$21.00</span> only</p>'
    markdown = extract_html(page(price)).markdown
    assert markdown.count("$21.00") == 1
    assert "Current price" not in markdown


def test_a_mark_that_only_separates_words_stays_between_them() -> None:
    line = '<p>Ida Brook<span aria-hidden="true">·</span>3 min read about the repairs of the northern wall</p>'
    assert "Ida Brook·3 min read" in extract_html(page(line)).markdown


TEMPLATES = {
    "declared article": "<meta property=og:type content=article><body><div class=post>{before}{trick}{after}</div>",
    "bare body": "<body>{before}{trick}{after}",
    "main part": "<body><nav><a href=/>Home</a></nav><main>{before}{after}{trick}</main><footer>Basin</footer>",
    "style sheet elsewhere": '<link rel="stylesheet" href="/a.css"><body><main>{before}{trick}{after}</main>',
    "product": (
        '<script type="application/ld+json">{{"@type": "Product"}}</script>'
        "<body><div id=content>{before}{trick}{after}</div>"
    ),
    "thread": "<body><div class=post>{before}</div><div class=post>{trick}{after}</div>",
    "table": "<body><table><tr><td>{before}</td><td>{trick}{after}</td></tr></table>",
    "list": "<body><main><ul><li>{before}</li><li>{trick}</li><li>{after}</li></ul></main>",
    "several articles": "<body><main><article>{before}</article><article>{trick}{after}</article></main>",
    "after the text": "<body><article>{before}{after}</article>{trick}",
}


@pytest.mark.proves("S3-33")
@pytest.mark.parametrize("template", TEMPLATES)
def test_hidden_text_is_dropped_on_pages_of_every_kind(template: str) -> None:
    """Where a trick stands does not matter, except that colours are not judged by half of the style sheets."""
    after = SENTENCE.replace("spring", "autumn") * 4
    leaked = [
        name
        for name, trick in HIDDEN.items()
        if SECRET in extract_html(TEMPLATES[template].format(before=SENTENCE * 4, trick=trick, after=after)).markdown
    ]
    assert leaked == (["colour by class"] if template == "style sheet elsewhere" else [])


def test_noscript_is_read_when_the_page_is_a_shell_without_it() -> None:
    extracted = extract_html(f"<body><div id='app'></div><noscript><h1>Thread</h1>{SENTENCE * 6}</noscript></body>")
    assert "The reservoir stood" in extracted.markdown
    assert extracted.outcome == "ok"


HIDDEN_CHARACTERS = "\u200b\U000e0049\u202e\ufe01"
KEPT_CHARACTERS = "می\u200cخواهم ❤\ufe0f 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "text/markdown", "application/json", "application/xml"])
def test_invisible_characters_are_removed_from_documents_of_every_kind_and_counted(kind: str) -> None:
    green = f"gr{HIDDEN_CHARACTERS}een {KEPT_CHARACTERS}"
    texts = {
        "application/json": json.dumps({"title": f"Te{HIDDEN_CHARACTERS}a", "text": green}, ensure_ascii=False),
        "application/xml": f"<?xml version='1.0'?><tea>{green}</tea>",
        "text/html": page(f"<p>{green}</p>"),
    }
    text = texts.get(kind, f"# Te{HIDDEN_CHARACTERS}a\n\n{green}")
    extracted = read_document(text.encode(), f"{kind}; charset=utf-8", "https://basin.example/")
    assert f"green {KEPT_CHARACTERS}" in extracted.markdown
    assert not set(HIDDEN_CHARACTERS) & set(extracted.title)
    classes = {s.detail.split(",")[0] for s in extracted.signals if s.kind == "invisible-characters"}
    assert {"zero width", "tag character", "bidirectional control", "variation selector"} <= classes


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "text/markdown"])
def test_no_document_speaks_to_a_terminal(kind: str) -> None:
    """Colours, titles, links and bells are written with controls, which are no text."""
    line = "a \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J tea\x08\x08 house"
    text = page(f"<p>{line}</p>") if kind == "text/html" else line
    markdown = read_document(text.encode(), f"{kind}; charset=utf-8", "https://basin.example/").markdown
    assert not {character for character in markdown if unicodedata.category(character) == "Cc"} - {"\n"}
    assert "tea house" in markdown


def test_text_that_is_no_page_stands_as_it_came_and_is_quoted_in_either_spelling() -> None:
    """Composed or not, a person sees the same; comparisons fold, so that offsets belong to the text as it came."""
    text = "Das Cafe\u0301 am Ufer ist im Fru\u0308hling offen."
    extracted = read_document(text.encode(), "text/plain; charset=utf-8", "https://basin.example/")
    assert extracted.markdown == text
    for asked in ("Das Caf\u00e9 am Ufer ist im Fr\u00fchling", "Das Cafe\u0301 am Ufer ist im Fru\u0308hling"):
        found = quote(extracted.markdown, asked)
        assert found is not None
        assert extracted.markdown[found.start : found.end] == text[: text.index(" offen")]


def test_invisible_characters_written_as_entities_are_removed_too() -> None:
    extracted = extract_html(page("<p>Water&#8203;mark&#xE0041; of the&shy; mill.</p>"))
    assert "Watermark of the mill." in extracted.markdown


def test_base64_and_stuffing_are_collapsed() -> None:
    blob, stuffed = "QUJD" * 100, "cheap pumps here " * 40
    extracted = extract_html(page(f"<p>Data {blob} end of the data.</p><p>Before {stuffed} after all that.</p>"))
    assert "[base64 300 bytes]" in extracted.markdown
    assert extracted.markdown.count("cheap pumps here") == 1
    assert {"base64", "stuffing"} <= {signal.kind for signal in extracted.signals}
