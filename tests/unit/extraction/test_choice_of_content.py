"""Which part of a page is its content: shapes that agents meet daily, and what is said when the choice is unsure."""

import subprocess
import sys

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from seekread.extraction import choose as choosing
from seekread.extraction.block_model import FILE
from seekread.extraction.blocks import blocks_of
from seekread.extraction.choose import Choice, choose
from seekread.extraction.columns import GROUPS, Hints, Sheet, columns_of
from seekread.extraction.forest import LEAVES, NODES, Forest
from seekread.extraction.html import extract_html
from seekread.extraction.keeping import USUAL_CUT, cut, expected_f1, is_thread, kept_above, kept_blocks
from seekread.extraction.signals import Tally
from seekread.extraction.tree import Element, body_of, from_lexbor
from seekread.models import PageShape
from tests.support.own_files import SOURCE
from tests.support.page_shapes import SENTENCES, SHAPES, Shape, document

LARGEST_MODEL = 200 * 1024
PARAGRAPHS = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def tree_of(html: str) -> Element:
    tree, _ = from_lexbor(LexborHTMLParser(html), Tally())
    assert tree is not None
    return tree


def sheet_of(body: str, hints: Hints | None = None) -> Sheet:
    return Sheet(blocks_of(body_of(tree_of(document("t", body)))), hints or Hints())


def text_of_choice(choice: Choice) -> str:
    return " ".join(choice.slots[number].text for number in sorted(choice.kept))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_content_of_a_known_shape_is_read(shape: Shape) -> None:
    text = extract_html(shape.html, shape.url).markdown
    assert not [piece for piece in shape.wanted if piece not in text], text


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_what_surrounds_the_content_of_a_known_shape_is_left_out(shape: Shape) -> None:
    text = extract_html(shape.html, shape.url).markdown
    assert not [piece for piece in shape.unwanted if piece in text], text


def test_a_block_ends_where_a_line_ends() -> None:
    blocks = blocks_of(
        body_of(tree_of(document("t", "<p>One <b>bold</b> line</p>two<br>lines<br><br>third<ul><li>item</li></ul>end")))
    )
    assert blocks.texts == ["One bold line", "two lines", "third", "item", "end"]
    assert blocks.block_of == [0, 0, 0, 1, 1, 2, 3, 4]


def test_every_column_is_a_number_on_every_page() -> None:
    for body in ("x", "<p>x</p>", PARAGRAPHS, "<table><tr><td>1<td>2</table>", "<article>x</article>" * 3):
        columns = columns_of(sheet_of(body, Hints(title="x", description="x" * 40, article_body=SENTENCES[0])))
        assert np.isfinite(columns).all()
        assert len(columns) == sum(len(group(sheet_of(body))) for group in GROUPS)


def test_a_forest_adds_up_the_leaves_that_its_trees_lead_to() -> None:
    features = np.zeros((1, NODES), np.uint16)
    thresholds = np.full((1, NODES), np.inf, np.float32)
    unreachable = np.zeros((1, NODES), np.uint16)
    values = np.zeros((1, LEAVES), np.float32)
    features[0, :2], thresholds[0, :2], unreachable[0, :2], values[0, :3] = (
        (0, 1),
        (0.5, 0.5),
        (0b011, 0b001),
        (-2, 0, 2),
    )
    forest = Forest({"features": features, "thresholds": thresholds, "unreachable": unreachable, "values": values})
    said = forest(np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.float32))
    assert np.round(said, 2).tolist() == pytest.approx([0.12, 0.5, 0.88, 0.88], abs=0.01)


def test_the_cut_of_a_page_lies_where_the_expected_f1_is_highest() -> None:
    probability, words = np.array([0.95, 0.9, 0.4, 0.05]), np.array([50.0, 50.0, 5.0, 400.0])
    assert 0.4 < cut(probability, words) < 0.9


def test_a_table_of_data_is_kept_whole_or_not_at_all() -> None:
    rows = "".join(f"<tr><td>Station {number}<td>{number} m</tr>" for number in range(6))
    sheet = sheet_of(f"<nav>Menu</nav><p>{SENTENCES[0]}</p><table>{rows}</table>")
    probability = np.full(sheet.number, 0.35)
    probability[:3] = 0.01, 0.95, 0.99
    assert kept_blocks(sheet, probability).tolist() == [False, *[True] * (sheet.number - 1)]


def test_text_that_stands_twice_is_kept_once() -> None:
    sheet = sheet_of(f"<nav>Menu</nav><div><p>{SENTENCES[0]}</p></div><div><p>{SENTENCES[0]}</p></div>")
    assert kept_blocks(sheet, np.array([0.01, 0.9, 0.9])).tolist() == [False, True, False]


def test_a_plain_document_is_kept_whole() -> None:
    sheet = sheet_of(f"<h1>Weirs</h1><p>{SENTENCES[0]}</p><p>See <a href=/x>there</a>.</p>")
    assert kept_blocks(sheet, np.array([0.1, 0.9, 0.1])).all()


def test_an_article_ends_before_the_comments_on_it_and_a_thread_does_not() -> None:
    body = f"<article>{PARAGRAPHS}</article><div class='comments'><p>{SENTENCES[3]} Well said.</p></div>"
    sheet = sheet_of(body, Hints(declared="article", url="https://basin.example/news/weir"))
    assert not kept_blocks(sheet, np.full(sheet.number, 0.9))[-1]
    posts = f"<div class='comments'>{PARAGRAPHS}</div>"
    sheet = sheet_of(posts, Hints(declared="article", url="https://basin.example/forum/thread-12"))
    assert kept_blocks(sheet, np.full(sheet.number, 0.9)).all()


def test_other_articles_are_left_out_unless_the_title_has_one_for_itself() -> None:
    title = f"<h1>Weirs</h1><p>{SENTENCES[0]} {SENTENCES[1]}</p>"
    hints = Hints(declared="article", url="https://basin.example/news/weir", title="Weirs")
    sheet = sheet_of(f"<nav>Menu</nav><article>{title}{PARAGRAPHS}</article><article>{SENTENCES[2]}</article>", hints)
    assert not kept_blocks(sheet, np.full(sheet.number, 0.9))[-1]
    sheet = sheet_of(f"<nav>Menu</nav><article>{title}</article><article>{PARAGRAPHS * 2}</article>", hints)
    assert kept_blocks(sheet, np.full(sheet.number, 0.9))[-1]


def thread(post: str, around: str = "", url: str = "https://forum.example/viewtopic.php?t=7") -> str:
    """The blocks that stay of three posts of a thread, each with what its software writes beside it."""
    rank = '<p class="rank">Rank of a member</p>'
    posts = "".join(
        f'<div class="{around}">{rank}<div class="{post}">Post {number}: {text}</div></div>'
        for number, text in enumerate(SENTENCES[:3])
    )
    title = "Which gauge lasts?"
    sheet = sheet_of(f"<nav><p>Menu</p></nav><h1>{title}</h1>{posts}", Hints(url=url, title=title))
    keep = kept_blocks(sheet, np.full(sheet.number, 0.3, np.float32))
    return " ".join(text for text, kept in zip(sheet.blocks.texts, keep, strict=True) if kept)


@pytest.mark.parametrize(
    ("post", "around"),
    [
        ("s-prose js-post-body", "post-layout"),
        ("bbWrapper", "message-body"),
        ("content", "postbody"),
        ("Message userContent", "Item"),
        ("usertext-body", "thing"),
        ("commtext c00", "comtr"),
    ],
)
def test_of_a_thread_of_a_known_software_the_title_and_the_posts_stay(post: str, around: str) -> None:
    kept = thread(post, around)
    assert [word for word in ("Which gauge", "Post 0", "Post 1", "Post 2") if word not in kept] == []
    assert "Rank" not in kept
    assert "Menu" not in kept


@pytest.mark.parametrize(
    ("post", "around", "byline"),
    [
        ("bbWrapper", "message", "message-name"),
        ("bbWrapper", "message", "message-attribution-main listInline"),
        ("post text", "topic-body", "crawler-post-meta"),
        ("content", "postbody", "author"),
    ],
)
def test_who_wrote_a_post_is_kept_where_the_software_is_known(post: str, around: str, byline: str) -> None:
    body = "".join(
        f'<div class="{around}"><p class="{byline}">Ines {number}</p><p class="rank">Member</p>'
        f'<div class="{post}">{SENTENCES[number]}</div></div>'
        for number in range(3)
    )
    sheet = sheet_of(f"<nav>Menu</nav>{body}", Hints(url="https://forum.example/threads/weirs.7/"))
    keep = kept_blocks(sheet, np.full(sheet.number, 0.3, np.float32))
    kept = [text for text, kept in zip(sheet.blocks.texts, keep, strict=True) if kept]
    assert kept == [text for number in range(3) for text in (f"Ines {number}", SENTENCES[number])]


@pytest.mark.parametrize(
    ("url", "thread"),
    [
        ("https://weirs.example/post/21018364", True),
        ("https://weirs.example/post/21018364?scrollToComments=true", True),
        ("https://weirs.example/post/21-weirs-and-their-gates", False),
        ("https://weirs.example/blog/post/high-water", False),
    ],
)
def test_a_post_with_a_number_is_a_thread_and_one_with_a_title_is_an_article(url: str, thread: bool) -> None:
    assert is_thread(url) is thread


def test_what_is_named_like_a_post_on_a_page_that_is_no_thread_is_left_to_the_model() -> None:
    assert "Rank of a member" in thread("bbWrapper", url="https://shop.example/coats")


def test_more_is_kept_of_a_page_of_which_the_model_is_unsure() -> None:
    sheet = sheet_of(f"<nav><p>Menu</p></nav>{PARAGRAPHS}")
    probability = np.linspace(0.1, 0.45, sheet.number, dtype=np.float32)
    assert kept_blocks(sheet, probability).sum() > kept_above(sheet, probability, USUAL_CUT).sum()


def test_a_choice_the_model_is_not_sure_of_is_expected_to_be_bad() -> None:
    sheet = sheet_of(PARAGRAPHS)
    sure, unsure = np.full(sheet.number, 0.95), np.full(sheet.number, 0.4)
    keep = np.ones(sheet.number, np.bool_)
    assert expected_f1(sheet, sure, keep) > 0.9
    assert expected_f1(sheet, unsure, keep) < choosing.UNSURE


def test_a_short_choice_is_doubted_sooner_than_a_long_one() -> None:
    sheet = sheet_of(f"<nav>Menu</nav>{PARAGRAPHS * 8}")
    long, short = np.ones(sheet.number, np.bool_), np.arange(sheet.number) < 4
    assert choosing.certainty(sheet, short, 0.8) < choosing.UNSURE < choosing.certainty(sheet, long, 0.8)


def test_an_unsure_choice_is_flagged_and_says_how_much_of_the_page_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "UNSURE", 1.1)
    extracted = extract_html(document("t", f"<nav><p>Menu</p></nav><main><h1>Weirs</h1>{PARAGRAPHS}</main>" * 2))
    [signal] = [signal for signal in extracted.signals if signal.kind == "extraction-unsure"]
    assert "of the page" in signal.detail
    assert "reader=whole" in signal.detail


def test_the_whole_page_has_what_the_choice_left_out_and_is_never_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "UNSURE", 1.1)
    page = document("t", f"<nav><p>Menu</p></nav><main>{PARAGRAPHS}</main><footer>Imprint</footer>")
    assert "Menu" not in extract_html(page).markdown
    whole = extract_html(page, shape=PageShape(whole=True))
    assert [word for word in ("Menu", "Imprint", *SENTENCES) if word not in whole.markdown] == []
    assert not [signal for signal in whole.signals if signal.kind == "extraction-unsure"]


def test_no_small_part_of_a_page_is_given_for_the_whole_when_the_choice_is_unsure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = tree_of(document("t", f"<nav><p>Menu</p></nav><main>{PARAGRAPHS}</main>"))
    assert "Menu" not in text_of_choice(choose(tree))
    monkeypatch.setattr(choosing, "UNSURE", 1.1)
    monkeypatch.setattr(choosing, "LEAST", 1.1)
    choice = choose(tree)
    assert len(choice.kept) == len(choice.slots)
    assert "Menu" in text_of_choice(choice)


def test_a_page_of_very_many_blocks_is_kept_but_for_its_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MOST_BLOCKS", 5)
    choice = choose(tree_of(document("t", f"<nav><p>Menu</p></nav>{PARAGRAPHS}")))
    assert "Menu" not in text_of_choice(choice)
    assert all(sentence in text_of_choice(choice) for sentence in SENTENCES)
    assert choice.is_unsure


def test_the_model_is_small_and_there_is_one() -> None:
    assert (SOURCE / "extraction" / FILE).stat().st_size <= LARGEST_MODEL


@pytest.mark.process
def test_only_a_worker_loads_numpy() -> None:
    code = "import sys, seekread, seekread.client, seekread.readers.builtin.reader; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
