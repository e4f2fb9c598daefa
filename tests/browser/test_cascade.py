"""The cascade of the static reader beside Chromium's: the same values on every element of pages as the web has them."""

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from seekread.extraction.colours import alike, parse_colour
from seekread.extraction.css_cascade import Cascade, Look
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.css_select import StepBudget
from seekread.extraction.css_sheet import read_sheets
from seekread.extraction.hiding import opacity
from seekread.extraction.inks import Inks
from seekread.extraction.markup import Box, Markup
from seekread.extraction.visibility import STEPS, sources_of
from seekread.readers.browser.chromium import NOWHERE
from seekread.readers.browser.process import BrowserProcess

pytestmark = [pytest.mark.anyio, pytest.mark.process]

SHOP = """<!doctype html><html><head><style>
:root{--ink:#222;--paper:#fafafa;--gap:calc(4px * 2);--hide:none}
*,*::before{box-sizing:border-box} body{margin:0;font:16px/1.5 sans-serif;color:var(--ink);background:var(--paper)}
.nav ul{list-style:none} .nav li{display:inline-block} .nav li ul{display:none} .nav li:hover ul{display:block}
.btn{color:#fff;background:#06c;padding:var(--gap)} .btn.ghost{background:transparent;color:inherit}
.btn:disabled,.btn[aria-disabled=true]{opacity:.4}
.card{font-size:.875rem} .card > h3{font-size:1.25em} .card .price del{color:#999;font-size:smaller}
.card:nth-child(2n) .tag{visibility:hidden} .card:nth-child(2n) .tag.keep{visibility:visible}
.card:last-of-type{opacity:.9} .card:not(.sale) .sale-only{display:var(--hide)}
@media (max-width:600px){.wide{display:none}} @media (min-width:601px){.narrow{display:none!important}}
@supports (display:grid){.grid{display:grid}} @supports (display:nonsense){.grid{display:none}}
@layer base,theme; @layer theme{.layered{color:rgb(10 20 30)}} @layer base{.layered{color:red}}
.panel{ .head{font-size:2em} &.open > .body{display:block} .body{display:none} }
footer{background:#111;color:hsl(0 0% 90%)} footer a{color:currentColor}
#unique{color:rgb(1,2,3)} .x.y.z#unique{color:rgb(4,5,6)} p#unique{color:rgb(7,8,9)}
p.narrow{display:block}
</style></head><body><div class="nav"><ul><li>One<ul><li>Deep</li></ul></li><li>Two</li></ul></div>
<div class="grid"><div class="card sale"><h3>A</h3><span class="tag">t</span><p class="price"><del>9</del> 8</p>
<span class="sale-only">sale</span></div><div class="card"><h3>B</h3><span class="tag">t</span>
<span class="tag keep">k</span><span class="sale-only">sale</span></div><div class="card"><a class="btn">Go</a>
<a class="btn ghost">No</a><button class="btn" disabled>Off</button></div></div>
<p class="wide">w</p><p class="narrow">n</p><p class="layered">l</p><p id="unique" class="x y">u</p>
<div class="panel open"><div class="head">h</div><div class="body">b</div></div>
<div class="panel"><div class="body">b2</div></div><div hidden>h</div><div hidden style="display:block">s</div>
<footer>F <a href="/x">link</a></footer></body></html>"""

BLOG = """<!doctype html><html lang="de"><head><style media="screen">
html{font-size:62.5%} body{font-size:1.6rem;background:#fff;color:#333} h1{font-size:clamp(2rem,4vw,3.2rem)}
article p:first-of-type::first-letter{font-size:3em} article p+p{opacity:.95} article>p~p em{color:#c00}
:is(h1,h2,h3):where(.big) span{font-size:50%} blockquote{font-size:larger;color:oklch(.5 .1 250)}
[data-theme="dark"]{background:#000;color:#fff} [data-theme="dark" i] a{color:color-mix(in srgb,white 50%,blue)}
.sr{position:absolute;clip:rect(0 0 0 0)} .fade{opacity:0;animation:in .01s forwards}
@keyframes in{to{opacity:1}} .gone{visibility:hidden} .gone .back{visibility:visible} .tiny{font-size:0}
.tiny>*{font-size:1.6rem} :lang(de) q{color:rgb(9 9 9)} section:has(> figure) p{color:rgb(20 40 60)}
</style><style media="print">p{display:none}</style></head><body><article><h1 class="big">T <span>s</span></h1>
<p>One</p><p>Two <em>e</em></p><p>Three <em>f</em> <q>q</q></p><blockquote>B</blockquote>
<section><figure></figure><p>With</p></section><section><p>Without</p></section>
<div data-theme="DARK">d</div><div data-theme="dark">d <a href="/y">l</a></div><div class="fade">f</div>
<div class="gone">g <b class="back">b</b></div><div class="tiny">x<span>y</span></div></article></body></html>"""

PAGES = {"shop": SHOP, "blog": BLOG}
ASK = """() => [...document.body.querySelectorAll("*")].map((one) => {
  const style = getComputedStyle(one);
  return [one.localName, style.display, style.visibility, style.opacity, style.fontSize, style.color,
          style.backgroundColor];
})"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def computed(html: str) -> list[list[str]]:
    process = BrowserProcess()
    try:
        async with process.context(NOWHERE) as context:
            page = await context.new_page()
            await page.set_content(html, wait_until="load")
            await page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
            return list(await page.evaluate(ASK))
    finally:
        await process.close()


def looked_at(html: str) -> tuple[Markup, Look]:
    document = LexborHTMLParser(html)
    markup = Markup(document)
    sources = [(text, condition) for text, condition in sources_of(document, {}) if text is not None]
    sheets = read_sheets(sources)
    return markup, Look(Cascade(markup, sheets, StepBudget(STEPS)), 0, WIDTHS[0])


def differences(box: Box, look: Look, theirs: list[str]) -> dict[str, Any]:
    """What differs on one element: display only as far as nothing, letters by a fraction of a pixel."""
    _, display, visibility, share, size, colour, background = theirs
    inks = Inks(look)
    ink, ground = parse_colour(colour), parse_colour(background)
    own = inks.background(box)
    wrong = {
        "display": (display == "none") != (look.value(box, "display") == "none"),
        "visibility": visibility != look.value(box, "visibility", "visible"),
        "opacity": abs(float(share) - opacity(look, box)) > 0.001,
        "font-size": abs(float(size[:-2]) - look.font_size(box)) > 0.1,
        "color": ink is not None and not alike(ink, inks.colour(box)),
        "background": ground is not None and own is not None and (ground.alpha > 0.5) != (own.alpha > 0.5),
    }
    return {name: (theirs, look.specified(box)) for name, differs in wrong.items() if differs}


@pytest.mark.parametrize("name", PAGES)
async def test_every_element_has_the_values_that_chromium_gives_it(name: str) -> None:
    theirs = await computed(PAGES[name])
    markup, look = looked_at(PAGES[name])
    body = markup.document.body
    assert body is not None
    boxes = list(markup.box(body).below())
    assert [box.tag for box in boxes] == [row[0] for row in theirs]
    wrong = [found for box, row in zip(boxes, theirs, strict=True) if (found := differences(box, look, row))]
    assert not wrong


@pytest.mark.parametrize(
    ("before", "after"),
    [(".card:nth-child(2n)", ".card:nth-child(3n)"), ("!important", ""), ("@layer base,theme;", ""), (".panel{", "x{")],
)
async def test_the_comparison_can_fail(before: str, after: str) -> None:
    """Chromium looks at one sheet and we at another: what differs is told."""
    theirs = await computed(SHOP)
    markup, look = looked_at(SHOP.replace(before, after))
    body = markup.document.body
    assert body is not None
    boxes = markup.box(body).below()
    assert any(differences(box, look, row) for box, row in zip(boxes, theirs, strict=True))
