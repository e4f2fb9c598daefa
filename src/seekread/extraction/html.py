"""
Main content of an HTML page as Markdown: the steps in order.

1. parse; read structured data and metadata
2. settle noscript, write out maths, drop what is never text, wash
3. choose the blocks
4. render the blocks
5. if little came of it: article body, state of scripts, the whole page
6. a verdict instead of content when the page is a challenge, a shell or a teaser

No page is silently empty: what has no text says so in its outcome.
"""

from collections.abc import Mapping
from html import escape
from urllib.parse import urljoin, urlsplit

from lxml.etree import strip_attributes
from selectolax.lexbor import LexborHTMLParser

from seekread.extraction import code, facts, maths, shapes, verdicts
from seekread.extraction.choose import Choice, choose, everything
from seekread.extraction.columns import Declared, Hints
from seekread.extraction.every_link import links_of
from seekread.extraction.extracted import Extracted
from seekread.extraction.markdown import LinkedMarkdown, render
from seekread.extraction.metadata import completed, meta_tags, read_metadata
from seekread.extraction.selecting import keep_selected, mark_selected
from seekread.extraction.signals import Tally
from seekread.extraction.structured import ARTICLES, COLLECTIONS, Structured, read_structured, state_html
from seekread.extraction.tree import (
    Element,
    body_of,
    drop_furniture,
    drop_never_text,
    from_lexbor,
    parse_page,
    settle_noscript,
    text_of,
)
from seekread.extraction.verdicts import PageVerdict
from seekread.extraction.wash import NO_SHEETS, drop_comments, remove_hidden
from seekread.extraction.wash import wash as wash_tree
from seekread.late import dataclass
from seekread.models import USUAL, Link, PageHtml, PageShape

RESCUED = "content taken from JSON-LD"
THIN = 200
"""Content shorter than this sends the page to the next strategy."""


@dataclass(frozen=True)
class ParsedPage:
    """A page after parsing: its tree and what was read before the tree was made."""

    tree: Element | None
    base: str | None
    structured: Structured
    metadata: dict[str, str]
    declared: Declared
    links: tuple[Link, ...] | None = None
    """Every link of the page, where they were asked for."""


def extract_html(
    html: str,
    url: str | None = None,
    *,
    images: bool = False,
    wash: bool = True,
    rendered: bool = False,
    sheets: Mapping[str, str] = NO_SHEETS,
    shape: PageShape = USUAL,
    every_link: bool = False,
) -> Extracted:
    """Extract the main content of a page as Markdown (all text, or chosen elements), with metadata; or say why not."""
    tally = Tally()
    base = url if can_be_base(url) else None
    parsed = prepare(html, base, tally, wash=wash, rendered=rendered, sheets=sheets, shape=shape, every_link=every_link)
    page_text = text_of(body_of(parsed.tree)) if parsed.tree is not None else ""
    evidence = verdicts.Evidence(html, parsed.structured)
    verdict = verdicts.challenge(evidence, page_text)
    if verdict is not None:
        return answer(parsed, LinkedMarkdown(""), tally, verdict)
    if shape.selects:
        return selected_part(parsed, url, evidence, page_text, tally, images=images, shape=shape)
    content = main_content(parsed, url, tally, images=images, shape=shape)
    if len(content.markdown) < THIN:
        content = rescue(html, parsed, content, tally, images=images, wash=wash, shape=shape)
    verdict = verdicts.shell(evidence, page_text, content.markdown)
    if verdict is not None:
        return answer(parsed, LinkedMarkdown(""), tally, verdict)
    content = with_facts(parsed, content, page_text, tally, shape=shape)
    verdict = verdicts.paywall(evidence, page_text, content.markdown)
    if verdict is None and not content.markdown:
        verdict = PageVerdict("empty", "the page has no text")
    return answer(parsed, content, tally, verdict)


def selected_part(
    parsed: ParsedPage,
    url: str | None,
    evidence: verdicts.Evidence,
    page_text: str,
    tally: Tally,
    *,
    images: bool,
    shape: PageShape,
) -> Extracted:
    """What somebody chose of a page: all of it, however little, and nothing else; a shell is still a shell."""
    verdict = verdicts.shell(evidence, page_text, page_text)
    if verdict is not None or parsed.tree is None:
        return answer(parsed, LinkedMarkdown(""), tally, verdict)
    keep_selected(parsed.tree, shape)
    choice = None if shape.only or shape.whole else choose(parsed.tree, hints_of(parsed, url))
    if choice is None or not choice.kept:
        choice = everything(parsed.tree)
    content = render(parsed.tree, choice, parsed.base, tally, images=images, html=shape.html)
    nothing = PageVerdict("empty", "nothing on the page matches the selectors") if not content.markdown else None
    return answer(parsed, content, tally, nothing)


def can_be_base(url: str | None) -> bool:
    """Say whether links can be relative to a URL."""
    try:
        return urlsplit(url or "").scheme in {"http", "https"}
    except ValueError:
        return False


def answer(parsed: ParsedPage, rendered: LinkedMarkdown, tally: Tally, verdict: PageVerdict | None) -> Extracted:
    """Put together what was found."""
    metadata = dict(parsed.metadata)
    return Extracted(
        markdown=rendered.markdown,
        title=metadata.get("title", ""),
        metadata=metadata,
        links=rendered.links if parsed.links is None else parsed.links,
        signals=tally.signals(),
        outcome=verdict.outcome if verdict else "ok",
        error=verdict.error if verdict else "",
        markup=PageHtml(html=rendered.html),
    )


def prepare(
    html: str,
    url: str | None,
    tally: Tally,
    *,
    wash: bool,
    rendered: bool,
    sheets: Mapping[str, str],
    shape: PageShape = USUAL,
    every_link: bool = False,
) -> ParsedPage:
    """Parse a page, read what stands beside its text, and wash the text; a whole page keeps navigation and footers."""
    document = parse_page(html)
    structured = read_structured(document)
    tags = meta_tags(document)
    metadata = read_metadata(document, tags, structured, url)
    base = base_of(document, url)
    declared = declared_by(tags, structured)
    if wash:
        # Before anything is dropped: selectors count siblings.
        remove_hidden(document, html, tally, rendered=rendered, linked=sheets)
    links = links_of(document, base) if every_link else None
    # From here on the document is used up: scripts and meta tags go.
    entire = shape.whole or bool(shape.only)
    tree, written = tree_of(document, tally, wash=wash, fragment=entire, shape=shape)
    return ParsedPage(tree, base, structured, completed(metadata, tree, written, url), declared, links)


def declared_by(tags: dict[str, str], structured: Structured) -> Declared:
    """What a page says it is, in its structured data and its meta tags."""
    if COLLECTIONS & structured.types:
        return "collection"
    if ARTICLES & structured.types or tags.get("og:type", "").startswith("article"):
        return "article"
    return "nothing"


def tree_of(
    document: LexborHTMLParser, tally: Tally, *, wash: bool, fragment: bool = False, shape: PageShape = USUAL
) -> tuple[Element | None, bytes]:
    """The washed tree of a document, formulas and code blocks written plainly, and the text it was made of."""
    if shape.selects:
        mark_selected(document, shape)
    maths.keep_scripts(document)
    shapes.tidy_document(document)
    settle_noscript(document, tally)
    drop_never_text(document, tally)
    if not fragment:
        drop_furniture(document)
    tree, written = from_lexbor(document, tally)
    if tree is None:
        return None, written
    maths.write_out(tree, written)
    if wash:
        wash_tree(tree, tally, written)
    else:
        drop_comments(tree, tally)
    # The wash has decided what is hidden; nobody after it shall decide again.
    strip_attributes(tree, "style", "hidden", "aria-hidden")
    code.flatten(tree, written)
    shapes.tidy_tree(tree, written)
    return tree, written


def hints_of(parsed: ParsedPage, url: str | None) -> Hints:
    """What a page says about itself, for choosing its content."""
    metadata, structured = parsed.metadata, parsed.structured
    return Hints(
        declared=parsed.declared,
        types=structured.types,
        url=url or "",
        title=metadata.get("title", ""),
        description=metadata.get("description", ""),
        article_body=structured.article_body,
    )


def base_of(document: LexborHTMLParser, url: str | None) -> str | None:
    """The address that links are relative to."""
    node = document.css_first("base[href]")
    declared = (node.attributes.get("href") or "").strip() if node else ""
    try:
        base = urljoin(url or "", declared)
        return base if urlsplit(base).scheme in {"http", "https"} else url
    except ValueError:
        return url


def main_content(
    parsed: ParsedPage, url: str | None, tally: Tally, *, images: bool, shape: PageShape
) -> LinkedMarkdown:
    """Choose and render the main content, and say when the choice is unsure; all text if nothing was chosen."""
    if parsed.tree is None:
        return LinkedMarkdown("")
    choice = everything(parsed.tree) if shape.whole else choose(parsed.tree, hints_of(parsed, url))
    if not choice.kept:
        choice = everything(parsed.tree)
    if choice.is_unsure and not shape.whole:
        tally.note("extraction-unsure", about_doubt(choice))
    return render(parsed.tree, choice, parsed.base, tally, images=images, html=shape.html)


def about_doubt(choice: Choice) -> str:
    """How much of a page stands in an answer that may have missed its content."""
    if choice.share == 1:
        return "no part stood out as the content, so all text of the page is given"
    return (
        f"only {choice.share:.0%} of the page's text was taken for its content, and that may be wrong; "
        "reader=whole gives all of it"
    )


def rescue(
    html: str,
    parsed: ParsedPage,
    thin: LinkedMarkdown,
    tally: Tally,
    *,
    images: bool,
    wash: bool,
    shape: PageShape,
) -> LinkedMarkdown:
    """Look for the content of a page that shows little: in its structured data, then in the state of its scripts."""
    body = parsed.structured.article_body
    if len(body) > max(THIN, 2 * len(thin.markdown)):
        tally.note("structured-data", RESCUED)
        paragraphs = "".join(f"<p>{escape(part)}</p>" for part in body.split("\n") if part.strip())
        return read_fragment(titled(parsed, paragraphs), parsed.base, tally, images=images, wash=wash, shape=shape)
    thing = facts.thing_html(parsed.structured)
    if len(thing) > max(THIN, 2 * len(thin.markdown)):
        tally.note("structured-data", RESCUED)
        return read_fragment(titled(parsed, thing), parsed.base, tally, images=images, wash=wash, shape=shape)
    state = state_html(parse_page(html))
    if len(state) > max(THIN, 2 * len(thin.markdown)):
        tally.note("structured-data", "content taken from the state of a script")
        return read_fragment(titled(parsed, state), parsed.base, tally, images=images, wash=wash, shape=shape)
    return thin


def with_facts(
    parsed: ParsedPage, content: LinkedMarkdown, page_text: str, tally: Tally, *, shape: PageShape
) -> LinkedMarkdown:
    """Content below the facts of what the page is about: its price, its day, its pay."""
    told, unseen = facts.facts_of(parsed.structured, page_text)
    if not told or not content.markdown or RESCUED in {reason for _, reason in tally.counts}:
        return content
    if unseen:
        tally.note("structured-data", "facts that the text does not show", count=unseen)
    head = read_fragment(facts.facts_html(told), parsed.base, Tally(), images=False, wash=True, shape=shape)
    title, rest = split_title(content.markdown)
    markdown = "\n\n".join(filter(None, (title, head.markdown, rest)))
    return LinkedMarkdown(markdown, content.links, head.html + content.html)


def split_title(markdown: str) -> tuple[str, str]:
    """The heading that a text begins with, and the rest."""
    first, _, rest = markdown.partition("\n")
    return (first, rest.strip("\n")) if first.startswith("# ") else ("", markdown)


def titled(parsed: ParsedPage, html: str) -> str:
    """Rescued content under the title of its page, which no longer stands anywhere else in the text."""
    title = parsed.metadata.get("title", "")
    return f"<h1>{escape(title)}</h1>{html}" if title and "<h1" not in html else html


def read_fragment(
    html: str, base: str | None, tally: Tally, *, images: bool, wash: bool, shape: PageShape = USUAL
) -> LinkedMarkdown:
    """Render a fragment of HTML whole, washed like a page."""
    page = f"<!doctype html><body>{html}</body>"
    document = LexborHTMLParser(page)
    if wash:
        remove_hidden(document, page, tally)
    tree, _ = tree_of(document, tally, wash=wash, fragment=True)
    if tree is None:
        return LinkedMarkdown("")
    return render(tree, everything(tree), base, tally, images=images, html=shape.html)
