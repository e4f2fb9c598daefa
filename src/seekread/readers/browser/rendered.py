"""
What a browser shows of a page, as HTML that the reader understands.

A script copies the document out of the page. It runs in a world of its own (`world.py`) and reads every property
through the prototypes, because a page may name a form field `childNodes`. The copy differs from the document in what
HTML cannot say:

- Open shadow roots stand where a reader sees them, with what is slotted into them.
- What the browser does not show is marked with the reason (`unseen.py`, `ink.py`), for the wash to judge; marks that
  the page itself brings along are left out.
- Scripts and their fallbacks are left out once the page has text: they have done their work.
"""

from typing import TYPE_CHECKING

from seekread.errors import BadReply
from seekread.extraction.visibility import MARK
from seekread.late import dataclass
from seekread.models import Signal
from seekread.readers.browser.ink import NODES, SECONDS, UNSEEN, SightOfPage, look_for_ink, move_on
from seekread.readers.browser.world import World

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

MAX_CHARACTERS = 20_000_000
UNFINISHED = "the page was still loading when the time to wait for it was over"
UNCHECKED = "texts that there was no time to look at in pictures"

FILLED = """
(() => {
  const body = Object.getOwnPropertyDescriptor(Document.prototype, "body").get.call(document);
  if (!body) return 0;
  const text = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "innerText").get.call(body);
  return text.replace(/\\b(loading|please wait|one moment)\\b|[\\s.\\u2026]/gi, "").length;
})()
"""
"""How many characters of text the page shows, not counting that it is about to show some."""

COPY = """
(room, mark) => {
  NODES_HERE
  const innerText = getter(HTMLElement, "innerText");
  const text = body ? innerText(body).trim().length : 0;
  const filled = FILLED_HERE > 0;
  const done = (node) => {
    const name = localName(node);
    if (!filled) return false;
    if (name === "noscript") return true;
    return name === "script" && (text < 1000 || getAttribute(node, "type") !== "application/ld+json");
  };

  const sight = globalThis.seekreadSight;
  const closed = (node) => {
    if (getAttribute(node, "hidden") === "until-found") return true;
    return localName(node) === "details" && getAttribute(node, "open") === null;
  };
  // Of closed details only the summary is in sight.
  const isSummary = (node) => {
    const around = parentNode(node);
    return localName(node) === "summary" && localName(around) === "details"
      && [...childNodes(around)].find((one) => nodeType(one) === 1 && localName(one) === "summary") === node;
  };
  const wrapped = (copy, why) => {
    const span = inert.createElement("span");
    span.setAttribute(mark, why);
    span.appendChild(copy);
    return span;
  };
  // A text as it is seen: whole, not at all, or without some of its words.
  const appendText = (to, node) => {
    const words = nodeValue(node), why = sight.verdict(node);
    if (why) return to.appendChild(wrapped(inert.createTextNode(words), why));
    let end = 0;
    for (const [first, last] of sight.spans(node)) {
      if (last <= end) continue;
      if (first > end) to.appendChild(inert.createTextNode(words.slice(end, first)));
      to.appendChild(wrapped(inert.createTextNode(words.slice(first, last)), "no ink"));
      end = last;
    }
    to.appendChild(inert.createTextNode(words.slice(end)));
  };

  const inert = document.implementation.createHTMLDocument("");
  const whole = inert.importNode(root, false);
  const waiting = [[root, whole, "head"]];
  let cut = false;
  while (waiting.length && !cut) {
    const [from, to, state] = waiting.pop();
    for (const node of contents(from)) {
      const type = nodeType(node);
      if (type !== 1 && type !== 3) continue;
      if (type === 1 && done(node)) continue;
      room -= type === 3 ? nodeValue(node).length : 50;
      if (room < 0) { cut = true; break; }
      if (type === 3) {
        if (state === "body" && nodeValue(node).trim()) appendText(to, node);
        else to.appendChild(inert.importNode(node, false));
        continue;
      }
      const copy = inert.importNode(node, false);
      to.appendChild(copy);
      copy.removeAttribute(mark);
      const inside = state !== "head" || node === body;
      let next = inside && state === "head" ? "body" : state;
      if (state === "details") next = isSummary(node) ? "body" : "closed";
      if (UNSTYLED.has(localName(node))) {
        next = "gone";
      } else if (next === "body") {
        const why = sight.element(node);
        if (why) {
          copy.setAttribute(mark, why);
          next = "gone";
        } else if (closed(node)) {
          next = localName(node) === "details" ? "details" : "closed";
        }
      }
      waiting.push([node, copy, next]);
    }
  }
  const url = getter(Document, "URL")(document);
  const loading = getter(Document, "readyState")(document) === "loading";
  // Without a doctype a table may stand in a paragraph; the copy is read by the rules of its page.
  const doctype = getter(Document, "compatMode")(document) === "BackCompat" ? "" : "<!doctype html>";
  return { html: doctype + getter(Element, "outerHTML")(whole), url, loading, cut };
}
"""


@dataclass(frozen=True)
class RenderedDocument:
    """The document as a reader would see it, with its own address."""

    html: str
    url: str
    signals: tuple[Signal, ...] = ()
    sight: SightOfPage = UNSEEN


async def shown_characters(session: "CDPSession") -> int:
    """How much text the page shows at this moment."""
    value = await (await World.of(session)).call(f"() => {FILLED.strip()}")
    return value if isinstance(value, int) else 0


async def copy_document(
    session: "CDPSession", *, limit: int = MAX_CHARACTERS, seconds: float = SECONDS
) -> RenderedDocument:
    """Copy the document out of the page, which stands still meanwhile; `seconds` are for looking at it."""
    world = await World.of(session)
    script = COPY.replace("NODES_HERE", NODES).replace("FILLED_HERE", FILLED.strip())
    try:
        seen = await look_for_ink(session, world, seconds=seconds)
        copied = await world.call(script, limit, MARK)
    finally:
        await move_on(session)
    match copied:
        case {"html": str(html), "url": str(url), "loading": bool(loading), "cut": bool(cut)}:
            signals = (
                (Signal(kind="truncated", detail=UNFINISHED),) * loading
                + (Signal(kind="too-large"),) * cut
                + (Signal(kind="hidden-text-unchecked", count=seen.unchecked, detail=UNCHECKED),) * bool(seen.unchecked)
            )
            return RenderedDocument(html[: 2 * limit], url, signals, seen)
    raise BadReply("the browser could not copy the page")
