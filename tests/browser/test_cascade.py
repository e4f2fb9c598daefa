"""The cascade of the static reader beside Chromium's: the same values on every element of pages as the web has them."""

import pytest

from benchmarks.cascade import ASK, differences, looked_at
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

NEWS = """<!doctype html><html><head><style>
@layer reset, theme, page; @layer reset{*{margin:0} p{color:#111} a{color:inherit}}
@layer page{.lead{font-size:1.4em;color:rgb(30 60 90)} .teaser p{opacity:.8} .old{display:none!important}}
@layer theme{.lead{font-size:9em} .teaser{background:#eef} .teaser p{color:revert-layer} .x{all:revert-layer}}
.side{container:side / inline-size;width:280px} .wide{container-type:inline-size}
@container side (width < 300px){.box{display:none}} @container (width > 5000px){.box{visibility:hidden}}
@container style(--mode: quiet){.q{visibility:hidden}} .old{display:block!important} .x{opacity:.5}
@scope (.teaser) to (.inner){p{font-size:14px} :scope{color:rgb(1 90 1)}}
@media (min-width:700px) and (not (prefers-color-scheme: dark)){.desk{display:none}}
</style></head><body><p class="lead">L</p><div class="teaser">T<p>P <a href="/">a</a></p><div class="inner"><p>I</p>
</div></div>
<div class="side"><p class="box">b</p></div><div class="wide"><p class="box">c</p></div><p class="box">d</p>
<div style="--mode:quiet"><p class="q">q</p></div><p class="q">r</p><p class="old">o</p><p class="x">x</p>
<p class="desk">k</p></body></html>"""

MANUAL = """<!doctype html><html><head><style>
@property --share{syntax:"<number>";inherits:false;initial-value:.25}
@property --ink{syntax:"<color>";inherits:true;initial-value:rgb(7 7 7)}
section{--share:1;--ink:rgb(200 0 0)} section p{opacity:var(--share);color:var(--ink)}
.bad{--ink:12px;color:var(--ink)}
.missing{color:var(--none)} .back{color:var(--none, rgb(3 3 3))} .chain{--a:var(--b);--b:1.5em;font-size:var(--a)}
.loop{--a:var(--b);--b:var(--a);font-size:var(--a, 30px)}
.calc{font-size:calc(1rem + max(2px, 1vw) - clamp(1px, 2px, 3px))}
.round{opacity:round(down, .96, .1)} .trig{opacity:calc(.5 + cos(60deg) / 2)} .mod{opacity:mod(1.75, 1)}
.wrong{opacity:.4;opacity:1px;opacity:thick} .odd{visibility:hidden;visibility:gone} .size{font-size:20px;font-size:7}
.mix{color:color-mix(in srgb, red 25%, blue)} .rel{color:rgb(from rgb(10 20 30) calc(r * 2) g b)}
.lab{color:lab(50% 40 20)}
</style></head><body><section><p>s</p><p style="--share:.5">t</p></section><p class="bad">b</p>
<p class="missing">m</p>
<p class="back">k</p><p class="chain">c</p><p class="loop">l</p><p class="calc">c</p><p class="round">r</p>
<p class="trig">t</p>
<p class="mod">m</p><p class="wrong">w</p><p class="odd">o</p><p class="size">z</p><p class="mix">x</p>
<p class="rel">y</p>
<p class="lab">z</p></body></html>"""

BOARD = """<html><head><style>.POST{color:rgb(5 5 90)} .post .sig{font-size:10} td.N{color:00ff00}
#Top{opacity:.7}</style></head>
<body text="#222222" bgcolor="#f0f0f0"><table bgcolor="white"><tr><td class="n">1</td><td class="post">P
<font color="#990000" size="5">big</font> <font size="-1">small</font><span class="sig">s</span></td></tr></table>
<p id="top">t</p><p hidden>h</p><center><big>b <small>s</small></big></center></body></html>"""

FORM = """<!doctype html><html><head><style>
form:has(input:checked) .more{visibility:hidden} input:required + .star{color:rgb(200 0 0)} :disabled + b{opacity:.3}
fieldset:not(:has(legend)){opacity:.6} .row:nth-child(2n+1 of .on){color:rgb(0 0 99)}
.row:nth-last-child(1){opacity:.9}
label:is(.a, #b):not(.c){font-size:20px} :where(#form) label.c{font-size:11px} a:any-link{color:rgb(0 80 80)}
details:not([open]) > b{color:rgb(9 8 7)} p:empty{opacity:.1} [data-k^="x" i]{opacity:.2} [data-k|="y"]{opacity:.4}
</style></head><body><form id="form"><input type="checkbox" checked><span class="more">m</span>
<input required><span class="star">*</span><button disabled>d</button><b>b</b><fieldset><p>f</p></fieldset>
<fieldset><legend>l</legend></fieldset><div><div class="row on">1</div><div class="row">2</div>
<div class="row on">3</div>
<div class="row on">4</div></div><label class="a">a</label><label class="a c">c</label><label id="b">b</label></form>
<a href="/x">x</a><a>y</a><p></p><i data-k="Xy">k</i><i data-k="y-z">k</i></body></html>"""

REVEAL = """<!doctype html><html><head><style>
@keyframes out{to{opacity:0}} @keyframes in{from{opacity:0}to{opacity:1}} @keyframes blue{to{color:rgb(0 0 250)}}
.gone{animation:out .01s forwards} .come{opacity:0;animation:in .01s both}
.two{animation:blue .01s forwards, out .01s forwards}
.none{animation:in .01s 0 both} .back{animation:in .01s reverse forwards}
.strong{opacity:.5!important;animation:out .01s forwards}
.part{animation:in .01s .5 linear forwards;animation:in .01s 2 forwards} .lost{animation:nothing 1s forwards}
</style></head><body><p class="gone">g</p><p class="come">c</p><p class="two">t</p><p class="none">n</p>
<p class="back">b</p>
<p class="strong">s</p><p class="part">p</p><p class="lost">l</p></body></html>"""

NESTED = """<!doctype html><html lang="de"><head><style>
.card{color:rgb(10 10 10);
  &.dark{background:#111;color:#eee; .title{color:rgb(250 250 250)} & + &{opacity:.9}}
  .title{font-size:1.5em; @media (min-width:1px){opacity:.95} &:hover{display:none} }
  > .foot{font-size:.8em; .deep &{visibility:hidden}} @supports (display:grid){.grid{color:rgb(1 2 3)}} }
ul{ li:first-child{color:rgb(1 1 1)} li:last-of-type{color:rgb(2 2 2)} li:only-child{color:rgb(3 3 3)} }
:lang(de) q{opacity:.5} .a.b:not(.c, .d) ~ p{opacity:.6} .a > *{font-size:large} .x\\:y{opacity:.2}
</style></head><body><div class="card"><div class="title">t</div><div class="foot">f</div><div class="grid">g</div>
</div>
<div class="deep"><div class="card dark"><div class="title">t</div><div class="foot">f</div></div>
<div class="card dark">n</div></div>
<ul><li>1</li><li>2</li><li>3</li></ul><ul><li>1</li></ul><p>q <q>q</q></p><div class="a b"><i>i</i></div><p>p</p>
<p class="x:y">e</p>
<div class="a b c"></div><section><div class="a b d"></div><p>r</p></section></body></html>"""

PAGES = {"shop": SHOP, "blog": BLOG, "news": NEWS, "manual": MANUAL, "board": BOARD, "form": FORM, "reveal": REVEAL,
         "nested": NESTED}  # fmt: skip


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


@pytest.mark.parametrize("name", PAGES)
async def test_every_element_has_the_values_that_chromium_gives_it(name: str) -> None:
    theirs = await computed(PAGES[name])
    markup, inks = looked_at(PAGES[name])
    body = markup.document.body
    assert body is not None
    boxes = list(markup.box(body).below())
    assert [box.tag for box in boxes] == [row[0] for row in theirs]
    wrong = [found for box, row in zip(boxes, theirs, strict=True) if (found := differences(box, inks, row))]
    assert not wrong


@pytest.mark.parametrize(
    ("before", "after"),
    [(".card:nth-child(2n)", ".card:nth-child(3n)"), ("!important", ""), ("@layer base,theme;", ""), (".panel{", "x{")],
)
async def test_the_comparison_can_fail(before: str, after: str) -> None:
    """Chromium looks at one sheet and we at another: what differs is told."""
    theirs = await computed(SHOP)
    markup, inks = looked_at(SHOP.replace(before, after))
    body = markup.document.body
    assert body is not None
    boxes = markup.box(body).below()
    assert any(differences(box, inks, row) for box, row in zip(boxes, theirs, strict=True))
