"""
What a browser shows of a page, as HTML that the reader understands.

A script copies the document out of the page. It runs in a world of its own, which shares the document with the page
but none of its functions, and reads every property through the prototypes, because a page may name a form field
`childNodes`. The copy differs from the document in what HTML cannot say:

- Open shadow roots stand where a reader sees them, with what is slotted into them.
- What the browser does not show is marked with the reason (`unseen.py`), for the wash to judge; marks that the page
  itself brings along are left out.
- Scripts and their fallbacks are left out once the page has text: they have done their work.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seekread.errors import BadReply
from seekread.extraction.visibility import MARK
from seekread.models import Signal
from seekread.readers.browser.unseen import LOOK

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

MAX_CHARACTERS = 20_000_000
MAX_TEXTS = 5000
"""Texts that are looked at; each costs some tens of microseconds, and a page may have any number."""
WORLD = "seekread"
UNFINISHED = "the page was still loading when the time to wait for it was over"

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
((room, texts, mark) => {
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const root = getter(Document, "documentElement")(document);
  const body = getter(Document, "body")(document);
  const childNodes = getter(Node, "childNodes");
  const nodeType = getter(Node, "nodeType");
  const parentNode = getter(Node, "parentNode");
  const parentOf = (node) => {
    const parent = parentNode(node);
    return nodeType(parent) === 1 ? parent : parent.host;
  };
  const nodeValue = getter(Node, "nodeValue");
  const localName = getter(Element, "localName");
  const shadowRoot = getter(Element, "shadowRoot");
  const innerText = getter(HTMLElement, "innerText");
  const getAttribute = (node, name) => Element.prototype.getAttribute.call(node, name);

  const text = body ? innerText(body).trim().length : 0;
  const filled = FILLED_HERE > 0;
  const done = (node) => {
    const name = localName(node);
    if (!filled) return false;
    if (name === "noscript") return true;
    return name === "script" && (text < 1000 || getAttribute(node, "type") !== "application/ld+json");
  };

  const contents = (node) => {
    if (nodeType(node) !== 1) return childNodes(node);
    const shadow = shadowRoot(node);
    if (shadow) return childNodes(shadow);
    if (localName(node) === "slot") {
      const assigned = HTMLSlotElement.prototype.assignedNodes.call(node);
      if (assigned.length) return assigned;
    }
    return childNodes(node);
  };

  const UNSTYLED = new Set(["script", "style", "noscript", "template", "link", "meta", "title", "br", "option"]);
  const look = (LOOK_HERE)(texts);
  const closed = (node) => {
    if (getAttribute(node, "hidden") === "until-found") return true;
    return localName(node) === "details" && getAttribute(node, "open") === null;
  };
  const wrapped = (copy, why) => {
    const span = inert.createElement("span");
    span.setAttribute(mark, why);
    span.appendChild(copy);
    return span;
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
      const copy = inert.importNode(node, false);
      if (type === 3) {
        const shown = state !== "body" || !nodeValue(node).trim();
        const why = shown ? "" : look.text(node, parentOf(node));
        to.appendChild(why ? wrapped(copy, why) : copy);
        continue;
      }
      to.appendChild(copy);
      copy.removeAttribute(mark);
      const inside = state !== "head" || node === body;
      let next = inside && state === "head" ? "body" : state;
      if (UNSTYLED.has(localName(node))) {
        next = "gone";
      } else if (next === "body") {
        const why = look.element(node);
        if (why) {
          copy.setAttribute(mark, why);
          next = "gone";
        } else if (closed(node)) {
          next = "closed";
        }
      }
      waiting.push([node, copy, next]);
    }
  }
  look.end();
  const url = getter(Document, "URL")(document);
  const loading = getter(Document, "readyState")(document) === "loading";
  // Without a doctype a table may stand in a paragraph; the copy is read by the rules of its page.
  const doctype = getter(Document, "compatMode")(document) === "BackCompat" ? "" : "<!doctype html>";
  return { html: doctype + getter(Element, "outerHTML")(whole), url, loading, cut };
})(ROOM, TEXTS, "MARK_HERE")
"""


@dataclass(frozen=True)
class RenderedDocument:
    """The document as a reader would see it, with its own address."""

    html: str
    url: str
    signals: tuple[Signal, ...] = ()


async def shown_characters(session: "CDPSession") -> int:
    """How much text the page shows at this moment."""
    value = await evaluate(session, FILLED)
    return value if isinstance(value, int) else 0


async def copy_document(session: "CDPSession", *, limit: int = MAX_CHARACTERS) -> RenderedDocument:
    """Copy the document out of the page."""
    script = COPY.replace("FILLED_HERE", FILLED.strip()).replace("LOOK_HERE", LOOK.strip()).replace("MARK_HERE", MARK)
    script = script.replace("ROOM", str(limit)).replace("TEXTS", str(MAX_TEXTS))
    match await evaluate(session, script):
        case {"html": str(html), "url": str(url), "loading": bool(loading), "cut": bool(cut)}:
            signals = (Signal(kind="truncated", detail=UNFINISHED),) * loading + (Signal(kind="too-large"),) * cut
            return RenderedDocument(html[: 2 * limit], url, signals)
    raise BadReply("the browser could not copy the page")


async def evaluate(session: "CDPSession", expression: str) -> Any:
    """Evaluate in a world apart from the page's own; what goes wrong there is `None`."""
    tree = await session.send("Page.getFrameTree")
    world = await session.send(
        "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": WORLD}
    )
    answer = await session.send(
        "Runtime.evaluate",
        {"expression": expression, "contextId": world["executionContextId"], "returnByValue": True},
    )
    return None if "exceptionDetails" in answer else answer["result"].get("value")
