"""Pages that wait for their scripts: pieces put in their places, a headline that fades in, programs' first frames."""

import pytest

from seekread.extraction.extracted import Extracted
from seekread.extraction.html import extract_html
from seekread.extraction.wash import CLOSED_MARK

SENTENCE = "<p>The reservoir stood at sixty per cent this spring, and the repairs went on through the summer.</p>"
SCRIPT = "<script>start()</script>"
SECRET = "PAYLOAD"


def page(piece: str, head: str = "") -> str:
    return f"<!doctype html>{head}<body><main><h1>Basin</h1>{SENTENCE * 4}{piece}{SENTENCE * 4}</main>"


def details(extracted: Extracted) -> str:
    return "; ".join(signal.detail for signal in extracted.signals)


def test_pieces_of_react_stand_where_it_would_put_them_instead_of_what_stood_there_meanwhile() -> None:
    piece = (
        f'<!--$?--><template id="B:1"></template><!--$--><p>Loading the gauges.</p><!--/$--><!--/$-->{SENTENCE}'
        f'<template id="P:2"></template><p>After the second piece.</p>'
        f'<div hidden id="S:1"><p>First piece.</p><template id="P:3"></template></div>'
        f'<div hidden id="S:2"><p>Second piece.</p></div><div hidden id="S:3"><p>Inside the first.</p></div>'
    )
    extracted = extract_html(page(piece))
    found = [extracted.markdown.find(text) for text in ("First piece", "Inside the first", "Second piece", "After the")]
    assert found == sorted(found)
    assert found[0] > 0
    assert "Loading" not in extracted.markdown
    assert "put in place by a script" in details(extracted)


@pytest.mark.parametrize("place", ['<noscript id="af_main_ph3"></noscript>', '<span id="af_main_ph3">Wait.</span>'])
def test_pieces_of_marko_stand_where_it_would_put_them(place: str) -> None:
    extracted = extract_html(page(f'{place}<div id="af_main_3" style="display: none">{SECRET}</div>'))
    assert SECRET in extracted.markdown
    assert "Wait." not in extracted.markdown
    assert SECRET not in extract_html(page(f'<div id="af_main_3" style="display: none">{SECRET}</div>')).markdown


def test_pieces_that_stand_for_themselves_or_nest_without_end_are_hidden_text() -> None:
    circle = "".join(
        f'<div hidden id="S:{one}">{SECRET}<template id="P:{other}"></template></div>' for one, other in ("12", "21")
    )
    assert SECRET not in extract_html(page(circle)).markdown


def test_what_is_hidden_inside_a_piece_stays_hidden() -> None:
    piece = (
        f'<template id="P:1"></template><div hidden id="S:1"><p>Shown.</p><p style="display:none">{SECRET}</p></div>'
    )
    extracted = extract_html(page(piece))
    assert "Shown." in extracted.markdown
    assert SECRET not in extracted.markdown


def test_a_frame_that_nobody_closed_in_noscript_does_not_swallow_the_page() -> None:
    frame = '<noscript><iframe src="https://tags.example/" style="display:none"></noscript>'
    extracted = extract_html(f"<!doctype html><body>{frame}<main><h1>Basin</h1>{SENTENCE * 6}</main>")
    assert extracted.markdown.count("The reservoir") == 6
    assert SECRET not in extract_html(page(f"<noscript><iframe>{SECRET}</noscript>")).markdown


def titled(hidden: str, title: str = "Levels of the upper basin | Waterways") -> str:
    return f"<!doctype html><title>{title}</title><body><p>{SENTENCE * 3}</p>{hidden}<div>{SENTENCE}</div>"


HEADLINE = "<h1>Levels of the upper basin</h1>"


@pytest.mark.parametrize(
    "hidden",
    [
        f'<div style="opacity:0">{HEADLINE}<p>{SECRET}</p></div>',
        f'<div style="visibility:hidden">{HEADLINE}<p>{SECRET}</p></div>',
        f'<div style="opacity:0">{HEADLINE}</div><div style="opacity:0"><p>{SECRET}</p></div>',
        f'<div class="locked" style="display:none">{HEADLINE}<p>{SECRET}</p></div><script>show("locked")</script>',
    ],
)
def test_a_page_whose_headline_nobody_sees_waits_for_its_script(hidden: str) -> None:
    extracted = extract_html(titled(hidden + SCRIPT))
    assert SECRET in extracted.markdown
    assert CLOSED_MARK in extracted.markdown
    assert "until a script runs" in details(extracted)


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param(f'<div style="opacity:0">{HEADLINE}<p>{SECRET}</p></div>', id="no script"),
        pytest.param(
            f'{HEADLINE}<div style="opacity:0">{HEADLINE}<p>{SECRET}</p></div>{SCRIPT}', id="in sight besides"
        ),
        pytest.param(f'<div style="opacity:0"><h1>Another</h1><p>{SECRET}</p></div>{SCRIPT}', id="not of the title"),
        pytest.param(f'<div style="display:none">{HEADLINE}<p>{SECRET}</p></div>{SCRIPT}', id="no script names it"),
        pytest.param(
            f'<div style="opacity:0">{HEADLINE}</div><p style="opacity: 0">{SECRET}</p>{SCRIPT}', id="hidden otherwise"
        ),
        pytest.param(
            f'<div style="opacity:0">{HEADLINE}</div><p style="display:none">{SECRET}</p>{SCRIPT}', id="not fading"
        ),
    ],
)
def test_other_hidden_text_does_not_wait(hidden: str) -> None:
    assert SECRET not in extract_html(titled(hidden)).markdown


def test_the_first_frame_that_a_program_wrote_is_kept_in_a_copy_without_scripts() -> None:
    move = "transform:translate3d(0, 60px, 0)"
    every = f"opacity:0;-webkit-{move};-moz-{move};-ms-{move};{move}"
    extracted = extract_html(page(f'<div style="{every}"><p>{SECRET}</p></div>'))
    assert SECRET in extracted.markdown
    assert "faded in by a script" in details(extracted)
    assert SECRET not in extract_html(page(f'<div style="opacity:0;{move}"><p>{SECRET}</p></div>')).markdown


def test_a_link_that_is_repeated_for_eyes_alone_is_read() -> None:
    seen = '<h2><a href="/a">Gauges</a></h2>'
    repeated = f'<p><a href="/a" tabindex="-1" aria-hidden="true">{SECRET} was said of them.</a></p>'
    assert SECRET in extract_html(page(seen + repeated)).markdown
    assert SECRET not in extract_html(page(repeated)).markdown


def test_style_sheets_between_a_question_and_its_answer_do_not_part_them() -> None:
    hides = "<style>.answer{display:none}</style>"
    folds = "".join(
        f'<div><h3>Question {number}?</h3></div>{hides}<div class="answer">{SECRET} {number}</div>'
        for number in range(4)
    )
    extracted = extract_html(page(folds))
    assert extracted.markdown.count(SECRET) == 4
    assert CLOSED_MARK in extracted.markdown
