"""The visibility engine: the cascade it works out, what it says about what it keeps, and what it spends."""

import gc

import pytest
from selectolax.lexbor import LexborHTMLParser

from seekread.extraction.css_cascade import Cascade
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.css_look import Look
from seekread.extraction.css_select import OutOfBudget, StepBudget
from seekread.extraction.css_sheet import declarations, read_sheets
from seekread.extraction.css_values import amount
from seekread.extraction.html import extract_html
from seekread.extraction.markup import Box, Markup
from seekread.extraction.visibility import STEPS, look_at
from seekread.extraction.wash import CLOSED_MARK

SENTENCE = "<p>The reservoir stood at sixty per cent this spring, and the repairs went on through the summer.</p>"
SECRET = "PAYLOAD"


def page(piece: str) -> str:
    return f"<!doctype html><body><main><article><h1>Basin</h1>{SENTENCE * 4}{piece}{SENTENCE * 4}</article></main>"


def value(css: str, name: str, html: str = "<p class='a b' id='i'>x</p>", width: int = 0) -> str:
    document = LexborHTMLParser(f"<!doctype html><body>{html}")
    markup = Markup(document)
    cascade = Cascade(markup, read_sheets([(css, "")], markup), StepBudget(STEPS))
    node = document.css_first("p")
    assert node is not None
    return Look(cascade, width, WIDTHS[width]).value(markup.box(node), name)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".a{display:none}.b{display:block}", "block"),
        (".a.b{display:none}.b{display:block}", "none"),
        ("#i{display:none}.a.b.b.b{display:block}", "none"),
        (":where(#i){display:none}.a{display:block}", "block"),
        (":is(#i,.q){display:none}.a{display:block}", "none"),
        (".a{display:none!important}#i{display:block}", "none"),
        ("@layer x{#i{display:none}}p{display:block}", "block"),
        ("@layer x{p{display:none!important}}#i{display:block!important}", "none"),
        ("@layer x,y;@layer y{p{display:none}}@layer x{p{display:block}}", "none"),
        ("p{display:none;display:wrong}", "none"),
        ("p{display:none}p{display:revert-layer}", ""),
        ("@layer x{p{display:none}}@layer y{p{display:block}p.a{display:revert-layer}}", "none"),
        ("p{display:none}p{display:revert}", ""),
        ("@media print{p{display:none}}", ""),
        ("@media not all and (max-width:100px){p{display:none}}", "none"),
        ("@supports (display:grid){p{display:none}}", "none"),
        ("@supports not (display:grid){p{display:none}}", ""),
        ("@supports (width:max(1px)){p{display:none}}", "none"),
        ("@supports (width:clamp(1px)){p{display:none}}", ""),
        ("body{p{display:none}}", "none"),
        ("p{.q &{display:none}}", ""),
        (".a{&.b{display:none}}", "none"),
        (":root{--d:none}p{display:var(--d)}", "none"),
        (":root{--d:none}p{--d:block;display:var(--d)}", "block"),
        ("p{--d:var(--e);--e:var(--d);display:var(--d,none)}", "none"),
        ("p:not(.q):nth-child(1 of .a){display:none}", "none"),
        (".zz, p:wrong{display:none}", ""),
        ("p{display:none}.a, p::wrong{display:block}", "none"),
        ("p{display:none;display:block block}", "none"),
        ("p{display:none}.a{all:revert-layer}", ""),
        ("@layer x{p{display:none}}@layer y{p{display:block;all:revert-layer}}", "none"),
        ("p{display:block}.a{all:unset}", ""),
        (
            "@property --d{syntax:'none|block';inherits:false;initial-value:none}body{--d:block}p{display:var(--d)}",
            "none",
        ),
        (
            "@property --d{syntax:'none|block';inherits:true;initial-value:none}body{--d:block}p{display:var(--d)}",
            "block",
        ),
        ("@property --d{syntax:'none|block';inherits:true;initial-value:none}p{--d:grid;display:var(--d)}", "none"),
        ("p{--s:on;display:if(style(--s: on): none; else: block)}", "none"),
        ("p{display:if(style(--s: on): none; else: block)}", "block"),
        ("p{display:if(media(width > 10px): none; else: block)}", "none"),
        ("@container (width > 1px){p{display:none}}", ""),
        ("body{container-type:inline-size;width:300px}@container (width > 400px){p{display:none}}", ""),
        ("body{container-type:inline-size;width:300px}@container (width < 400px){p{display:none}}", "none"),
        ("body{--k:1}@container style(--k: 1){p{display:none}}", "none"),
        ("body{container-name:n;--k:1}@container m style(--k: 1){p{display:none}}", ""),
        ("@scope (body) to (.a){p{display:none}}", ""),
        ("@scope (body) to (.q){p{display:none}}", "none"),
        ("@scope (p){:scope{display:none}}", "none"),
        ("@starting-style{p{display:none}}", ""),
        ("p{transition:display 99999s}@starting-style{p{display:none}}", "none"),
        ("@import 'data:text/css,p%7Bdisplay:none%7D' layer(x) supports(display: grid);", "none"),
        ("@import 'data:text/css,p%7Bdisplay:none%7D' supports(display: nothing);", ""),
        ("p{color:red}@import 'data:text/css,p%7Bdisplay:none%7D';", ""),
        (":where(.q, .a){display:none}", "none"),
    ],
)
def test_the_cascade_is_that_of_the_standard(css: str, expected: str) -> None:
    assert value(css, "display") == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("@keyframes k{to{visibility:hidden}}p{animation:k 1s forwards}", "hidden"),
        ("body{visibility:hidden}p{all:initial}", ""),
        ("[id=i]{visibility:hidden}", "hidden"),
        (":root{visibility:hidden}", "hidden"),
        ("body > :first-child{visibility:hidden}", "hidden"),
        ("b{visibility:hidden}", ""),
    ],
)
def test_a_property_is_found_by_whatever_way_it_is_declared(css: str, expected: str) -> None:
    assert value(css, "visibility") == expected


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("500 0/0 a", "0"),
        ("italic 700 .5px serif", ".5px"),
        ("0 a", "0"),
        ("bold small-caps 2px/1 b, c d", "2px"),
        ("16 a", ""),
    ],
)
def test_the_weight_of_a_font_is_not_its_size(written: str, size: str) -> None:
    assert value(f"p{{font:{written}}}", "font-size") == size


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("opacity:0;opacity:1px", "0"),
        ("opacity:0;opacity:full", "0"),
        ("opacity:0;opacity:calc(1px)", "0"),
        ("opacity:0;opacity:calc(1 - .5)", "calc(1 - .5)"),
        ("visibility:hidden;visibility:none", "hidden"),
        ("font-size:0;font-size:-2px", "0"),
        ("font-size:0;font-size:3", "0"),
        ("z-index:-1;z-index:2px", "-1"),
        ("transform:scale(0);transform:grow(1)", "scale(0)"),
        ("width:0;width:3s", "0"),
        ("rotate:90deg;rotate:90", "90deg"),
        ("filter:opacity(0);filter:clear", "opacity(0)"),
    ],
)
def test_a_browser_ignores_what_it_does_not_understand(css: str, expected: str) -> None:
    assert value(f"p{{{css}}}", css.partition(":")[0]) == expected


def test_bare_numbers_are_pixels_only_without_a_doctype() -> None:
    assert declarations("left:-9999", quirks=True)["left"].value == "-9999px"
    assert "left" not in declarations("left:-9999")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("round(down, .9, 1)", 0.0),
        ("round(up, .1, 1)", 1.0),
        ("round(to-zero, -1.7, 1)", -1.0),
        ("round(.5)", 1.0),
        ("mod(3, 2)", 1.0),
        ("cos(pi)", -1.0),
        ("cos(180deg)", -1.0),
        ("calc-size(auto, size * 0)", 0.0),
        ("calc-size(auto, size)", None),
        ("round(sideways, 1, 1)", None),
        ("sin(1, 2)", None),
    ],
)
def test_calculations_come_out_as_in_a_browser(written: str, expected: float | None) -> None:
    found = amount(written)
    assert found == (expected if expected is None else pytest.approx(expected))


def test_a_rule_holds_at_the_widths_its_condition_says() -> None:
    css = "@media (max-width:500px){p{display:none}}"
    assert [value(css, "display", width=bit) for bit in range(len(WIDTHS))] == ["", "none", ""]


def test_text_that_only_a_telephone_shows_is_kept_and_flagged() -> None:
    css = "<style>.m{display:none}@media (max-width:400px){.m{display:block}}</style>"
    extracted = extract_html(page(f"{css}<p class=m>{SECRET} for small screens.</p>"))
    assert SECRET in extracted.markdown
    assert any("shown on some screens" in signal.detail for signal in extracted.signals)


@pytest.mark.parametrize(
    "piece",
    [
        f"<details><summary>More</summary><p>{SECRET} is inside.</p></details>",
        f"<details><summary>More</summary>{SECRET} has no element of its own.</details>",
        f"<button>More</button><details><summary hidden>More</summary><p>{SECRET} is behind a button.</p></details>",
        f'<div hidden="until-found"><p>{SECRET} is found by searching.</p></div>',
        f'<div role="tabpanel" hidden><p>{SECRET} is on a tab.</p></div>',
        f'<button aria-controls="m">More</button><div id="m" style="display:none"><p>{SECRET} is opened.</p></div>',
        (
            f'<div class="n"><a>One</a><a>Two</a></div><div><div class="t">{SENTENCE}</div>'
            f'<div class="t" style="display:none"><p>{SECRET} {SENTENCE[3:]}</div></div>'
        ),
    ],
)
def test_what_a_reader_can_open_is_marked_in_the_text_and_in_the_signals(piece: str) -> None:
    extracted = extract_html(page(piece))
    assert f"{CLOSED_MARK} {SECRET}" in extracted.markdown
    assert any(signal.kind == "hidden-text-kept" and "open" in signal.detail for signal in extracted.signals)


def test_an_accordion_is_known_by_its_labels() -> None:
    folds = "".join(
        f'<div class="q">Question {n} about the wall?</div><div class="a" style="display:none"><p>{SECRET} {n} is the '
        "answer that somebody wrote down for it, at some length.</p></div>"
        for n in range(4)
    )
    markdown = extract_html(page(folds)).markdown
    assert f"{CLOSED_MARK} {SECRET} 3" in markdown
    assert SECRET not in extract_html(page(folds.replace("Question", "Question " * 40))).markdown


SCRIPT = "<script>show();</script>"


@pytest.mark.parametrize("style", ["opacity:0", "visibility:hidden"])
@pytest.mark.parametrize("element", ["main", "div"])
def test_a_page_that_waits_for_its_script_is_read_and_says_so(element: str, style: str) -> None:
    content = f"<{element} style='{style}'><h1>Basin</h1>{SENTENCE * 4}</{element}>"
    page = f"<!doctype html><body><nav>{SENTENCE}</nav><p>Menu</p>{content}"
    extracted = extract_html(page + SCRIPT)
    assert "The reservoir stood" in extracted.markdown
    assert CLOSED_MARK in extracted.markdown
    assert any("until a script runs" in signal.detail for signal in extracted.signals)
    assert CLOSED_MARK not in extract_html(page).markdown


@pytest.mark.parametrize("style", ["opacity:0", "visibility:hidden"])
def test_one_sentence_in_sight_and_nothing_waits_for_a_script(style: str) -> None:
    """However much of a page is hidden, and with the headings of a whole page in it."""
    hidden = f"<main style='{style}'><h1>Basin</h1>{SENTENCE * 40}<p>{SECRET}</p></main>"
    extracted = extract_html(f"<!doctype html><body><p>{SENTENCE * 3}</p>{hidden}{SCRIPT}")
    assert SECRET not in extracted.markdown
    assert "The reservoir stood" in extracted.markdown


@pytest.mark.parametrize("style", ["visibility:hidden", "opacity:0", "display:none"])
def test_a_page_hidden_from_its_body_on_is_read_and_says_so(style: str) -> None:
    extracted = extract_html(f"<!doctype html><body style='{style}'>{SCRIPT}<h1>Basin</h1>{SENTENCE * 6}")
    assert "The reservoir stood" in extracted.markdown
    assert any("until a script runs" in signal.detail for signal in extracted.signals)


def test_what_a_hidden_body_does_not_show_again_is_not_read() -> None:
    shown = f"<main style='visibility:visible'><h1>Basin</h1>{SENTENCE * 6}</main>"
    body = f"<!doctype html><body style='visibility:hidden'>{SCRIPT}{shown}<p>{SECRET} stands beside the content.</p>"
    assert SECRET not in extract_html(body).markdown


def test_what_react_sends_later_is_read_where_a_place_is_kept_for_it() -> None:
    piece = f'<div hidden id="S:1"><p>{SECRET} came in a second piece of the page.</p></div>'
    assert SECRET in extract_html(page(f'<template id="B:1"></template>{piece}')).markdown
    assert SECRET not in extract_html(page(piece)).markdown


def test_an_element_of_the_pages_own_is_read_before_its_script_has_drawn_it() -> None:
    hidden = f"<style>x-text{{visibility:hidden}}</style><x-text><p>{SECRET} is in it.</p></x-text>"
    drawn = "<style>.hydrated{visibility:inherit}</style>"
    assert SECRET in extract_html(page(drawn + hidden)).markdown
    assert SECRET not in extract_html(page(hidden)).markdown


def test_hidden_text_inside_what_can_be_opened_goes_all_the_same() -> None:
    piece = f'<details><summary>More</summary><p>Inside.</p><p style="display:none">{SECRET}</p></details>'
    assert SECRET not in extract_html(page(piece)).markdown


def test_what_a_script_defines_later_is_kept_only_beside_such_a_script() -> None:
    style = "<style>x-k:not(:defined){display:none}</style>"
    element, script = f"<x-k><p>{SECRET}</p></x-k>", '<script>customElements.define("x-k", class {})</script>'
    assert SECRET not in extract_html(page(style + element)).markdown
    kept = extract_html(page(style + element + script))
    assert SECRET in kept.markdown
    assert any(signal.kind == "hidden-text-kept" for signal in kept.signals)


@pytest.mark.parametrize("name", ["katex math", "tab-pane", "accordion collapse", "read-more", "slide swiper"])
def test_no_name_of_a_class_keeps_hidden_text(name: str) -> None:
    assert SECRET not in extract_html(page(f'<div class="{name}" style="display:none">{SECRET}</div>')).markdown


def test_a_formula_is_kept_by_what_is_seen_of_it() -> None:
    """The hidden source of a formula is read only if the glyphs in sight are the same."""
    formula = (
        '<span class="katex"><span class="katex-mathml" style="display:none"><math><semantics><mi>E</mi>'
        '<annotation encoding="application/x-tex">{tex}</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">E=mc2</span></span>'
    )
    assert "E=mc^2" in extract_html(page(f"<p>So {formula.format(tex='E=mc^2')} holds.</p>")).markdown
    assert SECRET not in extract_html(page(f"<p>So {formula.format(tex=SECRET)} holds.</p>")).markdown


def test_style_sheets_that_nobody_looked_at_are_named() -> None:
    extracted = extract_html(f'<link rel="stylesheet" href="/a.css">{page("")}')
    assert any(signal.kind == "styles-unread" for signal in extracted.signals)


def test_white_text_is_not_judged_where_a_sheet_elsewhere_may_paint_below_it() -> None:
    link = '<link rel="stylesheet" href="/a.css">'
    hero = f'<section class="hero"><h2 style="color:#fff">{SECRET}</h2><p style="color:#fff">is here.</p></section>'
    assert SECRET in extract_html(page(link + hero)).markdown
    beside = f'<section class="text"><p style="color:#fff">{SECRET}</p>{SENTENCE}</section>'
    assert SECRET not in extract_html(page(link + beside)).markdown


BOMBS = {
    "a selector of a megabyte": ".x " * 300_000 + "p{color:#fff}",
    "long chains": "".join(f"{'div ' * 40}.q{n}, {'* ' * 40}.zz{{opacity:0}}" for n in range(200)),
    "has inside has": "*:has(*:has(*:has(*))) *:has(* *){opacity:0}" * 200,
    "nested rules": ".zz{" * 5_000,
    "nested functions": ":is(" * 3_000 + ".zz" + ")" * 3_000 + "{opacity:0}",
    "variables that double": ":root{" + "".join(f"--v{n}:var(--v{n + 1})var(--v{n + 1});" for n in range(60)) + "}"
    "p{opacity:var(--v0)}",
    "a long chain of variables": ":root{" + "".join(f"--v{n}:var(--v{n + 1});" for n in range(3_000)) + "}"
    "p{opacity:var(--v0)}",
    "calculations inside one another": "p{opacity:" + "calc(" * 20_000 + "1" + ")" * 20_000 + "}",
    "many rules": "".join(f".a{n},p{{color:#fe{n % 100:02}fe}}" for n in range(20_000)),
    "an open string": 'p{content:"' + "x" * 500_000,
    "an open comment": "p{color:red}/*" + "x" * 500_000,
    "open braces": "@media screen{" * 20_000,
    "conditions inside one another": "@media " + "(" * 5_000 + "width" + ")" * 5_000 + "{p{opacity:0}}",
    "siblings without end": "p ~ p ~ p ~ p ~ p ~ p ~ .zz{opacity:0}" * 500,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_sheet_neither_breaks_the_reader_nor_shows_what_is_hidden(name: str) -> None:
    """A budget of steps bounds the work; when it is spent, what hides outright hides still."""
    hidden = f"<style>.secret{{display:none}}{BOMBS[name]}</style><style>.secret{{display:none}}</style>"
    nested = "<div>" * 60 + "<p class=zz>deep</p>" * 20 + "</div>" * 60
    html = page(f"{hidden}{nested}<p class=secret>{SECRET}</p><p style='display:none'>{SECRET}</p>")
    assert SECRET not in extract_html(html).markdown


def test_a_budget_that_is_spent_is_told() -> None:
    nested = "<div>" * 200 + "<p class=zz>deep</p>" * 400 + "</div>" * 200
    sheet = "".join(f"{'div ' * 30}p:not(.n{n}){{opacity:0}}" for n in range(600))
    html = page(f"<style>{sheet}</style>{nested}")
    sight = look_at(LexborHTMLParser(html), html)
    assert sight.exhausted
    assert any(signal.kind == "styles-too-large" for signal in extract_html(html).signals)


def test_a_page_is_freed_as_soon_as_it_is_read() -> None:
    """Nothing waits for Python to look for cycles, which a worker does rarely."""
    shadow = "<div><template shadowrootmode=open><p>a</p><slot></slot></template><p>b</p></div>"
    html = page(f"<style>.a:first-child{{display:none}}.a + p{{opacity:0}}</style><p class=a>b</p><p>c</p>{shadow}")

    def held() -> int:
        return sum(isinstance(one, Box | LexborHTMLParser) for one in gc.get_objects())

    extract_html(html)
    gc.collect()
    gc.disable()
    try:
        before = held()
        extract_html(html)
        assert held() <= before
    finally:
        gc.enable()


def test_the_budget_is_a_number_of_steps() -> None:
    budget = StepBudget(2)
    budget.spend(2)
    with pytest.raises(OutOfBudget):
        budget.spend()


def test_a_paragraph_around_a_table_is_hidden_with_it() -> None:
    """Without a doctype a table may stand in a paragraph; a second parser would take it out of there."""
    html = f"<body>{SENTENCE * 4}<p style='display:none'><table><tr><td>{SECRET}</td></tr></table>{SENTENCE * 4}"
    assert SECRET not in extract_html(html).markdown


def test_comments_are_no_elements_that_a_rule_for_all_that_stands_inside_of_another_is_about() -> None:
    rule = "<style>body > * {position: absolute; background-color: #fff}</style>"
    markdown = extract_html(f"<!doctype html>{rule}<body><!-- of -->{SENTENCE}<!-- it --></body>").markdown
    assert "at sixty per cent" in markdown


def test_an_attribute_whose_name_must_be_escaped_hides_like_any_other() -> None:
    hidden = r"<style>[xlink\:href]{display:none}</style><p xlink:href='x'>" + SECRET + "</p><p>Shown.</p>"
    markdown = extract_html(page(hidden)).markdown
    assert SECRET not in markdown
    assert "Shown." in markdown


@pytest.mark.parametrize(
    ("css", "piece", "seen"),
    [
        # A name may hold letters that are in no word, and marks that must be escaped.
        (".a\U0001f600{display:none}", "<p class='a\U0001f600'>PAYLOAD</p>", False),
        (r".a\:b .c{display:none}", "<div class='a:b'><p class=c>PAYLOAD</p></div>", False),
        # Of two ways to hide in one rule, the second stays where a rule inside undoes the first.
        (
            ".a{visibility:hidden;font-size:0}.b{visibility:visible}",
            "<div class=a><p class=b>PAYLOAD</p></div>",
            False,
        ),
        # What the page has no name for is passed over, in a list, in a choice and with what is nested in it.
        (".none:hover>.x,.c::before,p.c{display:none}", "<p class=c>PAYLOAD</p>", False),
        (".none[a='b(']:not(.c) i,.c{display:none}", "<p class=c>PAYLOAD</p>", False),
        (".none::nonsense,.c{display:none}", "<p class=c>PAYLOAD</p>", True),
        (".none::before i,.c{display:none}", "<p class=c>PAYLOAD</p>", True),
        (".none{.c{display:none}}", "<p class=c>PAYLOAD</p>", True),
        (".none{i{}}.c{display:none}", "<p class=c>PAYLOAD</p>", False),
        (":root :where(.none,.c){display:none}", "<p class=c>PAYLOAD</p>", False),
        ("div :where([odd]){display:none}", "<div><p odd>PAYLOAD</p></div>", False),
        (".q>*{display:none}", "<div class=q><p>PAYLOAD</p></div>", False),
        (".q>.c{display:none}", "<div class=q><b><p class=c>PAYLOAD</p></b></div>", True),
        # A sheet is imported before all rules, also before those that are passed over.
        ('.none{x:y}@import "data:text/css,.c{display:none}";', "<p class=c>PAYLOAD</p>", True),
        # A place in an animation is no name of a class.
        (
            "@keyframes l{0%{opacity:1}99.5%{opacity:0}}.c{animation:l 1s paused -995ms}",
            "<p class=c>PAYLOAD</p>",
            False,
        ),
    ],
)
def test_what_rules_hide_is_found_whatever_stands_beside_it(css: str, piece: str, seen: bool) -> None:
    assert ("PAYLOAD" in read(piece, f"<style>{css}</style>")) is seen


def read(piece: str, head: str = "") -> str:
    return extract_html(page(piece).replace("<body>", f"<head>{head}</head><body>"), "https://basin.example/").markdown


SHADOW = "<div><template shadowrootmode=open><style>"


@pytest.mark.parametrize(
    ("piece", "seen"),
    [
        # `:dir` asks the text where the element says `auto`; marks and digits have no direction.
        ("<style>p:dir(rtl){display:none}</style><p dir=auto>1. א PAYLOAD</p>", False),
        ("<style>p:dir(rtl){display:none}</style><p dir=auto>1. a א PAYLOAD</p>", True),
        # A field that must be filled in and is empty is invalid, and so is the form around it.
        ("<style>form:invalid p{display:none}</style><form><input required><p>PAYLOAD</p></form>", False),
        ("<style>form:invalid p{display:none}</style><form><input required value=1><p>PAYLOAD</p></form>", True),
        ("<style>form:invalid p{display:none}</style><form><input required disabled><p>PAYLOAD</p></form>", True),
        ("<style>form:valid p{display:none}</style><form><input required value=1><p>PAYLOAD</p></form>", False),
        (
            (
                "<style>form:invalid p{display:none}</style><form><select required><option value=''>All</option>"
                "<p>PAYLOAD</p></form>"
            ),
            False,
        ),
        (
            (
                "<style>form:invalid p{display:none}</style><form><select required><option>All</option></select>"
                "<p>PAYLOAD</p></form>"
            ),
            True,
        ),
        # Buttons of one name are undecided together.
        (
            (
                "<style>:indeterminate~p{display:none}</style><form><input type=radio name=a><input type=radio name=a "
                "checked><p>PAYLOAD</p></form>"
            ),
            True,
        ),
        # Of two scopes the nearer root wins, whichever stands later; so it does for what is important.
        (
            (
                "<style>@scope(.near){p{display:none!important}}@scope(.far){p{display:block!important}}</style>"
                "<div class=far><div class=near><p>PAYLOAD</p></div></div>"
            ),
            False,
        ),
        (
            (
                "<style>@scope(.far){p{display:none}}@scope(.near){p{display:block}}</style>"
                "<div class=far><div class=near><p>PAYLOAD</p></div></div>"
            ),
            True,
        ),
        # A selector that no browser knows is not supported.
        ("<style>@supports selector(:nosuch(a)){.k{display:none}}</style><p class=k>PAYLOAD</p>", True),
        ("<style>@supports selector(:has(a)){.k{display:none}}</style><p class=k>PAYLOAD</p>", False),
        # A brace too many takes the next rule along, and no other.
        ("<style>.a{color:red}} .k{display:none}</style><p class=k>PAYLOAD</p>", True),
        ("<style>.a{color:red}} .b{margin:0} .k{display:none}</style><p class=k>PAYLOAD</p>", False),
        ("<style>.a{color:red}} @media all{.k{display:none}}</style><p class=k>PAYLOAD</p>", True),
        ("<style>} @import 'x;y' ; .b{} .k{display:none}</style><p class=k>PAYLOAD</p>", False),
        # The size of letters of the page and the width of a container are what `rem` and `cqi` say.
        ("<style>html{font-size:1px}body{font-size:16px}</style><p style='font-size:1.5rem'>PAYLOAD</p>", False),
        ("<style>html{font-size:62.5%}</style><p style='font-size:1.5rem'>PAYLOAD</p>", True),
        (
            (
                "<style>html{font-size:1px}body{font-size:16px}.k{height:1.5rem;overflow:hidden}</style>"
                "<p class=k>PAYLOAD</p>"
            ),
            False,
        ),
        ("<div style='container-type:inline-size;width:20px'><p style='font-size:9cqi'>PAYLOAD</p></div>", False),
        ("<div style='container-type:inline-size;width:400px'><p style='font-size:9cqi'>PAYLOAD</p></div>", True),
        # A shift without an end leads nowhere; one that takes back another leads home.
        ("<p style='translate:calc(infinity*1px)'>PAYLOAD</p>", False),
        ("<p style='position:relative;left:-3000px;transform:translateX(3000px)'>PAYLOAD</p>", True),
        ("<p style='position:relative;left:-3000px;transform:translateX(30px)'>PAYLOAD</p>", False),
        # Lowered in a line that grows with it, or out of a box that cuts it off.
        ("<div style='height:1.4em'>Gauge <b style='vertical-align:-90px'>PAYLOAD</b></div>", True),
        ("<div style='height:1.4em;overflow:clip'>Gauge <b style='vertical-align:90px'>PAYLOAD</b></div>", True),
        ("<div style='height:1.4em;overflow:clip'>Gauge <b style='vertical-align:-90px'>PAYLOAD</b></div>", False),
        ("<div style='display:table-column-group'>PAYLOAD</div>", False),
        ("<p style='clip-path:xywh(10% 0 40% 100%)'>PAYLOAD</p>", True),
        ("<p style='clip-path:xywh(-50px 0 40px 100%)'>PAYLOAD</p>", False),
        ("<p style='mask:linear-gradient(#000,#000) 9px 9px/4px 4px no-repeat'>PAYLOAD</p>", True),
        ("<p style='mask:linear-gradient(#000,#000) 9px 9px/1px 1px no-repeat'>PAYLOAD</p>", False),
        ("<p style='mask:linear-gradient(#000,#000) -9px -9px/4px 4px'>PAYLOAD</p>", True),
        ("<svg><mask id=m><rect width=9 height=9 /></mask></svg><p style='mask:url(#m)'>PAYLOAD</p>", False),
        ("<svg><mask id=m><rect width=9 fill=white /></mask></svg><p style='mask:url(#m)'>PAYLOAD</p>", True),
        ("<svg><mask id=m style='mask-type:alpha'><rect/></mask></svg><p style='mask:url(#m)'>PAYLOAD</p>", True),
        ("<p style='filter:blur(99px)'>PAYLOAD</p>", False),
        ("<p style='filter:blur(1px)'>PAYLOAD</p>", True),
        # What never rests is as visible as it ever becomes.
        (
            "<style>@keyframes k{from{opacity:0}to{opacity:.01}}p{animation:k 1s infinite}</style><p>PAYLOAD</p>",
            False,
        ),
        (
            "<style>@keyframes k{from{opacity:0}to{opacity:.8}}p{animation:k 1s infinite}</style><p>PAYLOAD</p>",
            True,
        ),
        # What lies over text may let it through, or lift it to the colour of its ground.
        (
            (
                "<div style='position:relative;color:#333'>PAYLOAD<i style='position:absolute;inset:0;"
                "backdrop-filter:brightness(9)'></i></div>"
            ),
            False,
        ),
        (
            (
                "<div style='position:relative;color:#333'>PAYLOAD<i style='position:absolute;inset:0;"
                "backdrop-filter:brightness(1.2)'></i></div>"
            ),
            True,
        ),
        # The canvas has the scheme of the page, a text its own.
        ("<p style='color-scheme:dark;color:canvastext'>PAYLOAD</p>", False),
        ("<style>:root{color-scheme:dark}</style><p style='color:canvastext'>PAYLOAD</p>", True),
        # Whatever an attribute calls a colour is one.
        ("<font color=ffffffffffff>PAYLOAD</font>", False),
        ("<font color=chucknorris>PAYLOAD</font>", True),
        ("<font color=transparent>PAYLOAD</font>", True),
        # A layer of its own keeps what lies below inside.
        ("<div style='background:#eef'><p style='position:relative;z-index:-1'>PAYLOAD</p></div>", False),
        ("<div style='background:#eef;filter:blur(0)'><p style='position:relative;z-index:-1'>PAYLOAD</p></div>", True),
        # A dark box that is made before white letters is their ground; one that is white, or small, is none.
        (
            (
                "<style>.h{position:relative;z-index:0;color:#fff}.h::before{content:'';position:absolute;inset:0;"
                "background:#123;z-index:-1}</style><p class=h>PAYLOAD</p>"
            ),
            True,
        ),
        (
            (
                "<style>.h{position:relative;z-index:0;color:#fff}.h::before{content:'';position:absolute;inset:0;"
                "background:#fff;z-index:-1}</style><p class=h>PAYLOAD</p>"
            ),
            False,
        ),
        (
            (
                "<style>.h{position:relative;z-index:0;color:#fff}.h::before{content:'';position:absolute;width:1px;"
                "height:1px;background:#123;z-index:-1}</style><p class=h>PAYLOAD</p>"
            ),
            False,
        ),
        # A host is asked for its own names, and what it holds for its place among its siblings.
        (
            (
                "<div class=h><template shadowrootmode=open><style>:host(.h) ::slotted(p:nth-child(2)){display:none}"
                "</style><slot></slot></template><p>Gauge.</p><p>PAYLOAD</p></div>"
            ),
            False,
        ),
        (
            (
                "<div class=g><template shadowrootmode=open><style>:host(.h) ::slotted(p){display:none}"
                "</style><slot></slot></template><p>PAYLOAD</p></div>"
            ),
            True,
        ),
        # An element without a box of its own cuts, moves and paints nothing; what is inherited from it counts.
        ("<div style='display:contents;opacity:0;clip-path:inset(50%)'><p>PAYLOAD</p></div>", True),
        ("<div style='display:contents;position:absolute;left:-9999px;filter:opacity(0)'><p>PAYLOAD</p></div>", True),
        ("<div style='display:contents;width:0;height:0;overflow:hidden'><p>PAYLOAD</p></div>", True),
        ("<div style='display:contents;visibility:hidden'><p>PAYLOAD</p></div>", False),
        ("<div style='display:contents;font-size:0'><p>PAYLOAD</p></div>", False),
        ("<div style='display:contents;background:#000'><p style='color:#fff'>PAYLOAD</p></div>", False),
        (
            "<div style='display:contents;filter:invert(1)'><p style='background:#000;color:#000'>PAYLOAD</p></div>",
            False,
        ),
        # So is a slot, unless it is given one.
        (f"{SHADOW}*{{opacity:0}}</style><slot></slot></template><p>PAYLOAD</p></div>", True),
        (f"{SHADOW}slot{{display:block;opacity:0}}</style><slot></slot></template><p>PAYLOAD</p></div>", False),
        # Rules of a shadow tree that name no one are about its own elements; what a slot inherits goes on.
        (f"{SHADOW}*{{opacity:0}}</style><section><slot></slot></section></template><p>PAYLOAD</p></div>", False),
        (f"{SHADOW}*{{visibility:hidden}}</style><slot></slot></template><p>PAYLOAD</p></div>", False),
        (f"{SHADOW}:not(.x){{position:absolute;left:-9in}}</style><slot></slot></template><p>PAYLOAD</p></div>", True),
        (f"{SHADOW}b,:host > *{{opacity:0}}</style><slot></slot></template><p>PAYLOAD</p></div>", True),
        (f"{SHADOW}@media(min-width:1px){{*{{opacity:0}}}}</style><slot></slot></template><p>PAYLOAD</p></div>", True),
        (f"{SHADOW}*{{opacity:1}}:host{{opacity:0}}</style><slot></slot></template><p>PAYLOAD</p></div>", False),
        (f"{SHADOW}::slotted(*){{opacity:0}}</style><slot></slot></template><p>PAYLOAD</p></div>", False),
        (
            (
                f"{SHADOW}section[title='{{,\"']{{opacity:0}}</style><section title='{{,&quot;'><slot></slot></section>"
                "</template><p>PAYLOAD</p></div>"
            ),
            False,
        ),
        # A style sheet of a shadow tree is about its own elements, and about those in a slot by that name alone.
        (
            (
                "<div><template shadowrootmode=open><style>p,.a,[class]{display:none}</style>"
                "<slot></slot></template><p class=a>PAYLOAD</p></div>"
            ),
            True,
        ),
        (
            (
                "<div><template shadowrootmode=open><style>::slotted(.a:not(.b)){display:none}</style>"
                "<slot></slot></template><p class=a>PAYLOAD</p></div>"
            ),
            False,
        ),
        (
            (
                "<div><template shadowrootmode=open><style>::slotted(.a:not(.b)){display:none}</style>"
                "<slot></slot></template><p class='a b'>PAYLOAD</p></div>"
            ),
            True,
        ),
        (
            (
                "<div><template shadowrootmode=open><style>::slotted(p#c){display:none}</style>"
                "<slot></slot></template><p id=c>PAYLOAD</p></div>"
            ),
            False,
        ),
        (
            (
                "<div><template shadowrootmode=open><style>::slotted([role=note i]:nth-child(2n)){opacity:0}</style>"
                "<slot></slot></template><i></i><p role=Note>PAYLOAD</p></div>"
            ),
            False,
        ),
        # A shadow that fills a box from within is a ground.
        ("<p style='color:#fff;box-shadow:0 0 2px #0003, inset 0 0 0 100vmax #123'>PAYLOAD</p>", True),
        ("<p style='color:#fff;box-shadow:inset 0 0 0 9px #123'>PAYLOAD</p>", False),
        ("<p style='color:#fff;box-shadow:inset 0 0 0 999px #123 nothing'>PAYLOAD</p>", False),
        ("<p style='color:#fff;box-shadow:inset 0 0 0 999px rgb(0 0 0 / 0)'>PAYLOAD</p>", False),
        ("<style>.s{box-shadow:inset 0 0 0 999px #123;color:#123}</style><div class=s><p>PAYLOAD</p></div>", False),
        # Nobody opens what has no place to click on.
        ("<details><summary style='display:none'>More</summary><p>PAYLOAD</p></details>", False),
        ("<style>summary{visibility:hidden}</style><details><summary>More</summary>PAYLOAD</details>", False),
        ("<details open><summary style='display:none'>More</summary><p>PAYLOAD</p></details>", True),
        ("<details><p>PAYLOAD</p></details>", True),
        ("<p>So <math><maction><mi>x</mi><mtext>PAYLOAD</mtext></maction></math> holds.</p>", False),
        ("<noframes><p>PAYLOAD</p></noframes>", False),
    ],
)
def test_what_others_thought_of(piece: str, seen: bool) -> None:
    assert (SECRET in read(piece)) is seen


def test_a_table_of_an_old_page_begins_with_letters_of_its_own() -> None:
    piece = "<div style='font-size:0'><table><tr><td>PAYLOAD</td></tr></table></div>"
    old = page(piece).removeprefix("<!doctype html>")
    assert SECRET in extract_html(old, "https://basin.example/").markdown
    assert SECRET not in extract_html(page(piece), "https://basin.example/").markdown
