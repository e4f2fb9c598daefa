r"""
Whether texts leave ink: two pictures of a page, one with its words and one without.

Whatever a style sheet does, a text that makes no difference to the picture is seen by nobody. So the window goes down
the page, and at each place a picture is taken, the letters are made transparent without moving anything (a highlight
of CSS does that, and changes nothing of the document), and another is taken. Where both are the same, there is no ink.

1. **reveal** What is transparent is scrolled to, with the scripts of the page still running: what fades in there is
   seen there. Then scripts and animations stand still, so that nothing but the letters changes between two pictures.
2. **look** Each text is asked about as `unseen.py` does, and those that are seen by its rules are looked at further.
3. **pages** Two pictures for each screen of text, with all letters and with none. A line with ink in the middle of its
   letters, where no other text stands, is seen; a line with ink in a part of it only is asked word by word.
4. **suspects** The others once more, in the middle of the window, with as few neighbours as do not stand in each
   other's place. A shadow far away is ink as well: a text alone may leave it anywhere.

Screens with something unusual come first. What the time did not suffice for is counted, and said by the caller.
"""

import time
from typing import TYPE_CHECKING, Any

from seekread.late import dataclass
from seekread.readers.browser.unseen import LOOK
from seekread.readers.browser.world import World

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

MAX_TEXTS = 5000
"""Texts that are looked at; each costs some tens of microseconds, and a page may have any number."""
SECONDS = 4.0
"""Time for pictures of one page; two of them take about a tenth of a second."""
ORDINARY_SECONDS = 1.5
"""Time after which screens on which nothing is unusual are left out."""

NODES = """
const getter = (type, name) => {
  const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
  return (node) => get.call(node);
};
const childNodes = getter(Node, "childNodes");
const nodeType = getter(Node, "nodeType");
const parentNode = getter(Node, "parentNode");
const nodeValue = getter(Node, "nodeValue");
const localName = getter(Element, "localName");
const shadowRoot = getter(Element, "shadowRoot");
const root = getter(Document, "documentElement")(document);
const body = getter(Document, "body")(document);
const getAttribute = (node, name) => Element.prototype.getAttribute.call(node, name);
const parentOf = (node) => {
  const parent = parentNode(node);
  return nodeType(parent) === 1 ? parent : parent.host;
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
"""
"""What our scripts know about nodes; properties are read through prototypes, for a page may rename its own."""

PREPARE = r"""
async (most) => {
  NODES_HERE
  const look = (LOOK_HERE)();
  const STEP = 0.8, MARGIN = 0.15;
  const verdicts = new Map();
  const spans = new Map();
  const instant = (left, top) => scrollTo({ left, top, behavior: "instant" });
  const start = [scrollX, scrollY];
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(50)]);

  const texts = () => {
    const found = [], odd = [], waiting = body ? [body] : [];
    while (waiting.length && found.length < most) {
      const from = waiting.pop();
      const inside = [];
      for (const node of contents(from)) {
        const type = nodeType(node);
        if (type === 3 && nodeValue(node).trim()) found.push(node);
        if (type !== 1 || UNSTYLED.has(localName(node)) || look.element(node)) continue;
        if (look.isOdd(node)) odd.push(node);
        inside.push(node);
      }
      waiting.push(...inside.reverse());
    }
    return [found, odd, waiting.length];
  };

  // What is transparent, and out of sight, may wait to be scrolled to.
  const reveal = async (all, until) => {
    const waiting = all.filter((text) => look.fades(parentOf(text)));
    const reached = new Set();
    let last = -Infinity;
    for (const text of waiting) {
      const rect = look.rectangles(text)[0];
      if (!rect || performance.now() > until) continue;
      reached.add(text);
      const top = rect.top + scrollY;
      if (top - last < innerHeight * 0.6) continue;
      last = top;
      if (rect.top > innerHeight || rect.bottom < 0) {
        instant(0, top - innerHeight / 4);
        await frame();
        await frame();
        await pause(30);
      }
    }
    for (const text of reached) look.finish(parentOf(text));
    if (reached.size) await frame();
    instant(...start);
    return new Set(waiting.filter((text) => !reached.has(text)));
  };

  const [all, odd, left] = texts();
  const unreached = await reveal(all, performance.now() + 2000);
  const runs = [];
  for (const text of all) {
    const element = parentOf(text);
    let why = look.text(text, element);
    if (!unreached.has(text)) why = why.replace(",moving", "");
    verdicts.set(text, why);
    if (why) continue;
    runs.push({ text, element, lines: [], swaps: look.hasOtherInk(element), unusual: look.isUnusual(element) });
  }
  instant(...start);

  // Which lines stand on which screen; the part of the window where a menu may stick is left out.
  const screens = new Map();
  const height = innerHeight * STEP, margin = innerHeight * MARGIN;
  const screenAt = (number) => {
    if (!screens.has(number)) screens.set(number, { top: Math.max(0, number * height - 2 * margin), runs: new Map() });
    return screens.get(number).runs;
  };
  for (const run of runs) {
    const still = look.movesWithWindow(run.element);
    look.rectangles(run.text).forEach((rect, index) => {
      const here = screenAt(still ? 0 : Math.max(0, Math.floor((rect.top + scrollY + margin) / height)));
      here.set(run, [...(here.get(run) || []), index]);
      run.lines[index] = "";
    });
  }
  // Whatever is unusual may lie over its neighbours, or throw a shadow on them.
  const boxes = odd.map((element) => look.box(element)).filter(({ width, height }) => width && height);
  const order = [...screens.values()];
  for (const screen of order) {
    const top = screen.top - scrollY;
    screen.unusual = [...screen.runs.keys()].some((run) => run.unusual)
      || boxes.some((box) => box.bottom > top && box.top < top + innerHeight);
  }
  order.sort((one, other) => other.unusual - one.unusual || one.top - other.top);

  // Letters without ink: a highlight, which neither the layout nor the document notices.
  const name = "s" + [...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join("");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root::highlight(${name}){color:transparent;-webkit-text-fill-color:transparent;`
    + `-webkit-text-stroke-color:transparent;text-shadow:none}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const swapped = (words) => words.replace(/[^\s]+/g, (word) => {
    const turned = [...word].reverse().join("");
    return turned === word ? "m".repeat(word.length) : turned;
  });
  const rangeOf = (text, first, last) => {
    const range = document.createRange();
    range.setStart(text, first);
    range.setEnd(text, last);
    return range;
  };
  const rangesOf = ({ text, lines: all }, lines) => {
    const words = lines && lines.length < all.length ? look.wordsOfLines(text, lines) : [];
    return words.length ? words.map(([first, last]) => rangeOf(text, first, last))
      : [rangeOf(text, 0, nodeValue(text).length)];
  };
  const sizes = (text) => look.rectangles(text).map(({ left, width }) => [left, width]).join();
  let undo = [];
  const without = (some) => {
    const highlight = new Highlight();
    highlight.priority = 1e6;
    for (const [run, lines] of some) {
      if (run.swaps) {
        const words = nodeValue(run.text);
        const before = sizes(run.text);
        undo.push(() => { run.text.data = words; });
        run.text.data = swapped(words);
        run.moved = sizes(run.text) !== before;
      } else {
        for (const range of rangesOf(run, lines)) highlight.add(range);
      }
    }
    CSS.highlights.set(name, highlight);
  };
  const restore = () => {
    CSS.highlights.delete(name);
    for (const one of undo.splice(0)) one();
  };

  const pixels = async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d", { willReadFrequently: true });
    canvas.drawImage(bitmap, 0, 0);
    return canvas.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const SEEN = 16;
  // A picture of where two pictures differ by more than an eye overlooks.
  const difference = async (before, after) => {
    if (before === after) return null;
    const [one, other] = await Promise.all([pixels(before), pixels(after)]);
    const { width, height } = one, changed = new Uint8Array(width * height);
    const first = new Uint32Array(one.data.buffer), second = new Uint32Array(other.data.buffer);
    let count = 0;
    for (let place = 0; place < changed.length; place++) {
      if (first[place] === second[place]) continue;
      const at = place * 4;
      const red = one.data[at] - other.data[at], green = one.data[at + 1] - other.data[at + 1];
      const blue = one.data[at + 2] - other.data[at + 2];
      if (red * red + green * green + blue * blue >= SEEN * SEEN) { changed[place] = 1; count++; }
    }
    return { width, height, changed, count };
  };
  // Which columns of a rectangle have ink.
  const columns = (picture, rect, from = 0, to = 1) => {
    const left = Math.floor(rect.left), right = Math.min(Math.ceil(rect.right), left + 10000);
    const top = Math.max(0, Math.floor(rect.top + rect.height * from));
    const bottom = Math.min(picture.height, Math.ceil(rect.top + rect.height * to));
    const found = [];
    for (let x = left; x < right; x++) {
      let ink = 0;
      if (x >= 0 && x < picture.width) for (let y = top; y < bottom; y++) ink |= picture.changed[y * picture.width + x];
      found.push(ink);
    }
    return found;
  };
  const some = (found) => found.some(Boolean);
  const longestGap = (found) => {
    let longest = 0, gap = 0;
    for (const ink of found) { gap = ink ? 0 : gap + 1; longest = Math.max(longest, gap); }
    return longest;
  };
  const overlaps = (one, other, inner) => {
    const slack = one.height * inner, within = other.height * 0.1;
    return Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1.5
      && Math.min(one.bottom - slack, other.bottom - within) - Math.max(one.top + slack, other.top + within) > 1;
  };
  const inWindow = (rect) => rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth;

  // Words of a line that leave no ink although others do.
  const askWords = (run, picture, rect) => {
    const found = spans.get(run.text) || [];
    for (const word of nodeValue(run.text).matchAll(/\S+/g)) {
      const box = rangeOf(run.text, word.index, word.index + word[0].length).getClientRects()[0];
      const middle = box && (box.top + box.bottom) / 2;
      if (!box || middle < rect.top || middle > rect.bottom || box.right < rect.left || box.left > rect.right) continue;
      if (!/[\p{L}\p{N}]/u.test(word[0]) || some(columns(picture, box))) continue;
      if (!look.canBeReached(box, run.element)) found.push([word.index, word.index + word[0].length]);
    }
    if (found.length) spans.set(run.text, found);
  };
  const partly = (run, picture, rect) => {
    if (run.swaps || longestGap(columns(picture, rect)) < Math.max(48, rect.height * 2.2)) return;
    askWords(run, picture, rect);
  };

  let here = [];
  let suspects = null, covers = [];
  const lineOf = ({ run, index }) => look.rectangles(run.text)[index];
  const putAway = (rect, element) => {
    const x = (rect.left + rect.right) / 2, y = (rect.top + rect.bottom) / 2;
    if (look.movesWithWindow(element)) return;
    for (const cover of look.coversAt(x, y, element)) {
      if (covers.some(([one]) => one === cover)) continue;
      covers.push([cover, cover.style.getPropertyValue("visibility"), cover.style.getPropertyPriority("visibility")]);
      cover.style.setProperty("visibility", "hidden", "important");
    }
  };
  const putBack = () => {
    for (const [cover, value, priority] of covers.splice(0)) cover.style.setProperty("visibility", value, priority);
  };

  globalThis.seekreadSight = {
    verdict: (text) => (verdicts.has(text) ? verdicts.get(text) : look.atLeast(parentOf(text))),
    element: look.element,
    spans: (text) => (spans.get(text) || []).sort(([one], [other]) => one - other),
    // The next screen: how many texts are looked at there.
    screen: (number) => {
      const screen = order[number];
      if (!screen) return 0;
      instant(start[0], screen.top);
      here = [];
      for (const [run, indices] of screen.runs) {
        const rects = look.rectangles(run.text);
        for (const index of indices) {
          const rect = rects[index];
          run.lines[index] = "suspect";
          if (!rect || !inWindow(rect)) continue;
          putAway(rect, run.element);
          here.push({ run, index, rect });
        }
      }
      return here.length;
    },
    ordinary: (number) => !order[number].unusual,
    hide: () => without(new Map(here.map(({ run }) => [run, null]))),
    hideSuspects: () => {
      const lines = new Map();
      for (const { run, index } of here) lines.set(run, [...(lines.get(run) || []), index]);
      without(lines);
    },
    judge: async (before, after) => {
      const picture = await difference(before, after);
      const crossing = (one) => here.some((other) => other.run !== one.run && overlaps(one.rect, other.rect, 0.3));
      const differs = Boolean(picture && picture.count);
      for (const { run, index, rect } of here) {
        if (differs && some(columns(picture, rect, 0.3, 0.8)) && !crossing({ run, rect })) {
          run.lines[index] = "ink";
          partly(run, picture, rect);
        } else if (!(differs && some(columns(picture, rect))) && !look.isScrolledOut(rect, run.element)) {
          run.lines[index] = "blank";
        }
      }
      restore();
      putBack();
    },
    // The next suspects, brought into sight: how many.
    suspects: () => {
      if (!suspects) {
        suspects = runs.flatMap((run) => run.lines.map((state, index) => ({ run, index, state })));
        suspects = suspects.filter(({ state }) => state === "suspect" || state === "blank");
      }
      const next = suspects.find(({ done }) => !done);
      if (!next) return 0;
      look.bring(() => lineOf(next), next.run.element);
      here = [];
      for (const one of suspects) {
        if (one.done) continue;
        const rect = lineOf(one);
        const fits = rect && inWindow(rect) && !look.isScrolledOut(rect, one.run.element);
        if (one !== next && (!fits || next.alone || one.alone)) continue;
        if (one !== next && here.some((other) => other.run !== one.run && overlaps(rect, other.rect, -0.2))) continue;
        if (!fits) { one.done = true; one.run.lines[one.index] = "none"; continue; }
        putAway(rect, one.run.element);
        here.push({ run: one.run, index: one.index, rect, suspect: one });
      }
      return here.length || -1;
    },
    judgeSuspects: async (before, after) => {
      const picture = await difference(before, after);
      for (const { run, index, rect, suspect } of here) {
        const differs = Boolean(picture && picture.count);
        const own = differs && some(columns(picture, rect));
        const alone = here.length === 1 && !run.moved;
        if (own || (alone && differs)) {
          run.lines[index] = "ink";
          if (own) partly(run, picture, rect);
          suspect.done = true;
        } else if (!differs || here.length === 1) {
          run.lines[index] = "none";
          suspect.done = true;
        } else {
          suspect.alone = true;
        }
      }
      restore();
      putBack();
    },
    end: () => {
      restore();
      putBack();
      let unchecked = left ? 1 : 0;
      for (const run of runs) {
        // Where there was no time for a second look, the first one counts.
        const bare = run.lines.map((state, index) => [state, index]).filter(([state]) => /none|blank/.test(state));
        if (run.lines.length && bare.length === run.lines.length) verdicts.set(run.text, "no ink");
        else if (bare.length) look.wordsOfLines(run.text, bare.map(([, index]) => index)).forEach((span) => {
          spans.set(run.text, [...(spans.get(run.text) || []), span]);
        });
        if (run.lines.some((state) => state === "suspect" || (!state && run.unusual))) unchecked++;
      }
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      instant(...start);
      return unchecked;
    },
  };
  return order.length;
}
"""


@dataclass(frozen=True)
class SightOfPage:
    """How a page was looked at: texts that there was no time for, pictures taken, and the time that took."""

    unchecked: int = 0
    pictures: int = 0
    seconds: float = 0.0


UNSEEN = SightOfPage()


class Pictures:
    """Takes the pictures of a page that stands still."""

    def __init__(self, session: "CDPSession", world: World) -> None:
        self.session = session
        self.world = world
        self.taken = 0

    async def take(self) -> str:
        """A picture of the window, as the browser sends it."""
        self.taken += 1
        answer = await self.session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return str(answer["data"])

    async def ask(self, expression: str, *arguments: Any) -> Any:
        """Ask the script that was prepared."""
        return await self.world.call(f"(...given) => globalThis.seekreadSight.{expression}(...given)", *arguments)

    async def compare(self, kind: str = "") -> None:
        """Two pictures of what stands in the window, with its letters and without."""
        before = await self.take()
        await self.ask(f"hide{kind}")
        await self.ask(f"judge{kind}", before, await self.take())


async def look_for_ink(session: "CDPSession", world: World, *, seconds: float) -> SightOfPage:
    """Look at a page, and leave in our world what of its texts is seen; the page stands still until `move_on`."""
    script = PREPARE.replace("NODES_HERE", NODES).replace("LOOK_HERE", LOOK.strip())
    screens = await world.call(script, MAX_TEXTS)
    if not isinstance(screens, int):
        return SightOfPage(unchecked=1)
    await stand_still(session)
    pictures, started = Pictures(session, world), time.monotonic()
    for number in range(screens):
        passed = time.monotonic() - started
        if passed > seconds or (passed > ORDINARY_SECONDS and await pictures.ask("ordinary", number)):
            break
        if await pictures.ask("screen", number):
            await pictures.compare()
    while time.monotonic() - started < seconds and (found := await pictures.ask("suspects")):
        if found > 0:
            await pictures.compare("Suspects")
    unchecked = await pictures.ask("end")
    return SightOfPage(int(unchecked or 0), pictures.taken, time.monotonic() - started)


async def stand_still(session: "CDPSession") -> None:
    """Stop scripts and animations, so that nothing changes but what we change."""
    if not await asks_for_scripts(session):
        await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    await session.send("Animation.enable")
    await session.send("Animation.setPlaybackRate", {"playbackRate": 0})


async def asks_for_scripts(session: "CDPSession") -> bool:
    """Whether a style sheet asks if scripts run: such a page would look different without."""
    await session.send("DOM.enable")
    await session.send("CSS.enable")
    answer = await session.send("CSS.getMediaQueries")
    await session.send("CSS.disable")
    return any("scripting" in query["text"].lower() for query in answer["medias"])


async def move_on(session: "CDPSession") -> None:
    """Let scripts and animations go on."""
    await session.send("Animation.enable")
    await session.send("Animation.setPlaybackRate", {"playbackRate": 1})
    await session.send("Emulation.setScriptExecutionDisabled", {"value": False})
