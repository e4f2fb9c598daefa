"""
What a page shows, asked of the browser that shows it: one script, in a world apart from the page's own.

The script looks at each text as it stands on the screen: whether it has a box, where that lies, whether the element is
what one would touch there, how large and how transparent the letters are, and their colour against what lies below.
It gives a word for what is not seen, in the words of `extraction/visibility.py`, and decides nothing: the wash does.
What it finds nothing against is looked at in pictures (`ink.py`).

A page can rename what belongs to it, so properties of nodes are read through prototypes. The page is scrolled while
the script looks; nothing else in it changes.
"""

LOOK = """
(() => {
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const parentOf = getter(Node, "parentNode");
  const shadowHost = (node) => (node instanceof ShadowRoot ? node.host : node);
  const up = (element) => {
    const slot = element.assignedSlot;
    const parent = slot || parentOf(element);
    return parent ? shadowHost(parent) : null;
  };
  const contains = (outer, inner) => {
    for (let node = inner; node; node = node instanceof Element ? up(node) : parentOf(node)) {
      if (node === outer) return true;
    }
    return false;
  };
  const box = (element) => Element.prototype.getBoundingClientRect.call(element);
  const styles = new Map();
  const styleOf = (element) => {
    let style = styles.get(element);
    if (!style) styles.set(element, (style = getComputedStyle(element)));
    return style;
  };
  const path = (element) => {
    const found = [];
    for (let node = element; node instanceof Element; node = up(node)) found.push(node);
    return found;
  };
  // The same without those that have no box of their own: they paint, cut and move nothing.
  const boxesAround = (element) => path(element).filter((one) => styleOf(one).display !== "contents");

  // Colours are painted on a canvas and read back: whatever CSS calls them, they come out as four numbers.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = new Map();
  const paint = (colour, ground, filter, blend) => {
    const key = [colour, ground, filter, blend].join("|");
    if (!painted.has(key)) {
      canvas.reset();
      if (ground) { canvas.fillStyle = ground; canvas.fillRect(0, 0, 1, 1); }
      if (filter) canvas.filter = filter;
      if (blend) canvas.globalCompositeOperation = blend;
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      painted.set(key, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return painted.get(key);
  };
  const css = ([red, green, blue, alpha]) => `rgba(${red},${green},${blue},${alpha / 255})`;
  const apart = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
  const SAME = 30;

  const MEDIA = new Set(["img", "video", "canvas", "iframe", "picture", "svg", "object", "embed"]);
  // The background of an element: a colour, `null` for none, `undefined` for what cannot be judged.
  const background = (element) => {
    const style = styleOf(element);
    if (MEDIA.has(element.localName)) return undefined;
    if (style.backgroundClip === "text") return null;
    if (style.backgroundImage !== "none") {
      const stops = style.backgroundImage.match(/(?:rgba?|color|oklch|oklab|lab|lch)\\([^()]*\\)/g) || [];
      if (style.backgroundImage.includes("url(") || !stops.length) return undefined;
      const colours = stops.map((stop) => paint(stop));
      return colours.every((one) => apart(one, colours[0]) < SAME && one[3] > 250) ? colours[0] : undefined;
    }
    const colour = paint(style.backgroundColor);
    return colour[3] ? colour : null;
  };
  const compose = (elements) => {
    const layers = [];
    for (const element of elements) {
      const own = background(element);
      if (own === undefined) return undefined;
      if (own) layers.push(own);
      if (own && own[3] > 250) break;
    }
    let ground = styleOf(document.documentElement).colorScheme === "dark" ? "#121212" : "#fff";
    for (const layer of layers.reverse()) ground = css(paint(css(layer), ground));
    return ground;
  };

  const seeThrough = (chain) => {
    let share = 1;
    for (const element of chain) {
      const style = styleOf(element);
      share *= Number(style.opacity);
      for (const found of style.filter.matchAll(/opacity\\(([\\d.e-]+)\\)/g)) share *= Number(found[1]);
    }
    return share <= 0.02;
  };
  const clear = (image) => {
    if (image === "none" || image.includes("url(")) return false;
    const stops = image.match(/rgba?\\([^()]*\\)|transparent/g) || [];
    return stops.length > 0 && stops.every((stop) => paint(stop)[3] < 6);
  };
  const masked = (chain) => chain.some((element) => {
    const style = styleOf(element);
    const image = style.maskImage || style.webkitMaskImage || "none";
    return clear(image) || (image !== "none" && /^0px( 0px)?$|^0%/.test(style.maskSize || style.webkitMaskSize || ""));
  });
  const flattened = (chain) => chain.some((element) => {
    const transform = styleOf(element).transform;
    if (transform === "none") return false;
    const matrix = new DOMMatrix(transform);
    const area = Math.abs(matrix.a * matrix.d - matrix.b * matrix.c);
    return !(area > 0.0004) || Math.max(...[matrix.a, matrix.b, matrix.c, matrix.d].map(Math.abs)) > 1000;
  });

  // Boxes that lie over others without being part of the page's flow, and move with the window: they can be put away.
  const passing = (element) => path(element).some((one) => ["fixed", "sticky"].includes(styleOf(one).position));
  const opaque = (element) => {
    if (passing(element) || seeThrough(path(element)) || Number(styleOf(element).opacity) < 0.98) return false;
    const own = background(element);
    return own === undefined ? MEDIA.has(element.localName) : own !== null && own[3] > 250;
  };
  // Whether an element can take away a part of what is in it. A cell may stand in a column that is collapsed.
  const cuts = (element) => {
    const style = styleOf(element);
    return style.overflowX !== "visible" || style.overflowY !== "visible" || style.clipPath !== "none"
      || style.clip !== "auto" || /paint|strict|content/.test(style.contain) || style.backfaceVisibility === "hidden"
      || ["td", "th"].includes(element.localName);
  };
  const scrollable = (chain) => chain.slice(1).some((element) => {
    const style = styleOf(element);
    const scrolls = /auto|scroll|overlay/.test(style.overflowX + style.overflowY);
    return scrolls && element !== document.body && element.clientHeight > 4 && element.clientWidth > 4
      && (element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth);
  });
  const rectanglesOf = (text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  };
  const points = (rect) => [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.25], [0.5, 0.8]]
    .map(([across, along]) => [rect.left + rect.width * across, rect.top + rect.height * along])
    .filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
  // Why a text cannot be touched where it stands, or "" when it can.
  const outOfReach = (text, element, chain) => {
    let rects = rectanglesOf(text);
    if (!rects.length) return "no size";
    const first = rects[0];
    if (Math.max(...rects.map((rect) => rect.height)) < 3) return "tiny font";
    if (first.bottom > innerHeight || first.top < 0 || first.right > innerWidth || first.left < 0) {
      const left = scrollX + Math.max(0, first.left - 100), top = scrollY + first.top - innerHeight / 3;
      scrollTo({ left, top, behavior: "instant" });
      rects = rectanglesOf(text);
    }
    const places = rects.slice(0, 3).flatMap(points);
    if (!places.length) return scrollable(chain) ? "" : "off screen";
    let covered = false;
    for (const [x, y] of places) {
      const stack = document.elementsFromPoint(x, y);
      const own = stack.findIndex((one) => contains(element, one) || (one.shadowRoot && contains(one, element)));
      if (own < 0) continue;
      const above = stack.slice(0, own).filter((one) => !contains(element, one));
      if (!above.some(opaque) && !coveredByGenerated(element, x, y)) return "";
      covered = true;
    }
    if (covered) return "covered";
    if (!chain.some(cuts) || chain.some((one) => styleOf(one).pointerEvents === "none")) return "";
    return scrollable(chain) ? "" : "clipped";
  };
  // Whether a box that a style sheet generates in an element, or in one around it, lies over a place.
  const covers = (host, name, element, x, y) => {
    const style = getComputedStyle(host, name);
    if (style.content === "none" || style.position !== "absolute" || Number(style.zIndex) < 0) return false;
    if (Number(style.opacity) < 0.98 || paint(style.backgroundColor)[3] < 250) return false;
    const between = path(element).slice(0, path(element).indexOf(host));
    if (between.some((one) => styleOf(one).position !== "static")) return false;
    const around = box(host), left = around.left + parseFloat(style.left), top = around.top + parseFloat(style.top);
    const right = left + parseFloat(style.width), bottom = top + parseFloat(style.height);
    return x >= left && y >= top && x <= right && y <= bottom;
  };
  const makesGround = (host) => ["::before", "::after"].some((name) => {
    const style = getComputedStyle(host, name);
    return style.content !== "none" && ["absolute", "fixed"].includes(style.position)
      && (paint(style.backgroundColor)[3] > 0 || style.backgroundImage !== "none");
  });
  const coveredByGenerated = (element, x, y) => path(element).slice(0, 3).some(
    (host) => ["::before", "::after"].some((name) => covers(host, name, element, x, y)),
  );

  const unseenInk = (text, element, chain) => {
    const style = styleOf(element);
    let written = style.webkitTextFillColor || style.color;
    const block = chain.find((one) => styleOf(one).display !== "inline") || element;
    const line = getComputedStyle(block, "::first-line");
    if (line.color !== styleOf(block).color && rectanglesOf(text).length === 1) written = line.color;
    if (style.textShadow !== "none" || parseFloat(style.webkitTextStrokeWidth) > 0) return "";
    let ink = paint(written);
    const cut = chain.find((one) => styleOf(one).backgroundClip === "text");
    if (cut) {
      const shown = styleOf(cut);
      if (shown.backgroundImage !== "none") return "";
      ink = paint(css(ink), shown.backgroundColor);
    }
    if (ink[3] <= 12) return "transparent colour";
    let ground = compose(chain);
    if (ground === undefined) return "";
    let seen = css(ink), blend = "";
    for (const one of chain) {
      if (styleOf(one).filter !== "none") {
        seen = css(paint(seen, "", styleOf(one).filter));
        if (background(one)) ground = css(paint(ground, "", styleOf(one).filter));
      }
      if (styleOf(one).mixBlendMode !== "normal") blend = styleOf(one).mixBlendMode;
    }
    if (apart(paint(seen, ground, "", blend), paint(ground)) >= SAME) return "";
    // What a style sheet makes in an element around may lie below too; a picture tells.
    if (chain.some(makesGround)) return "";
    if (chain.some((one) => styleOf(one).boxShadow.includes("inset"))) return "";
    // Something else may lie below: what does, where the letters stand?
    const rect = rectanglesOf(text)[0];
    const place = rect && points(rect)[0];
    if (!place) return "colour of the background";
    const stack = document.elementsFromPoint(...place);
    const own = stack.indexOf(element);
    const below = compose(own < 0 ? chain : stack.slice(own));
    if (below === undefined) return "";
    return apart(paint(seen, below, "", blend), paint(below)) < SAME ? "colour of the background" : "";
  };

  // Whether an element is about to be seen by itself: something that takes a while is no way to show a text.
  const SOON = 10000;
  const milliseconds = (times) => times.split(",").map((time) => parseFloat(time) * (/\\dms/.test(time) ? 1 : 1000));
  const isEnding = (animation) => {
    const { endTime } = animation.effect.getComputedTiming();
    return animation.playState === "running" && animation.timeline instanceof DocumentTimeline && endTime < SOON;
  };
  const moves = (chain) => chain.some((element) => {
    const style = styleOf(element);
    const running = element.getAnimations();
    if (running.length) return running.some(isEnding);
    return Math.max(...milliseconds(style.transitionDuration)) > 0 || style.transform !== "none"
      || style.willChange !== "auto";
  });
  const opened = (chain) => chain.some((element) => element.localName === "details" && element.open);
  const hidden = (style) => style.visibility !== "visible";
  // What is invisible takes no click, unless something in it is shown again.
  const cannotBeTouched = (element) => [element, ...element.querySelectorAll("*")].every((one) => hidden(styleOf(one)));

  // What is the case for texts in plain sight and nothing but: whoever differs is worth a picture.
  const PLAIN = {
    filter: "none", backdropFilter: "none", mixBlendMode: "normal", transform: "none", translate: "none", scale: "none",
    rotate: "none", perspective: "none", clipPath: "none", clip: "auto", opacity: "1", backgroundClip: "border-box",
    animationName: "none", offsetPath: "none", writingMode: "horizontal-tb", direction: "ltr", textOverflow: "clip",
    overflowX: "visible", overflowY: "visible", outlineStyle: "none", boxShadow: "none", maskImage: "none",
    webkitTextStrokeWidth: "0px", textShadow: "none", letterSpacing: "normal", textIndent: "0px", tabSize: "8",
    textDecorationThickness: "auto", contain: "none", zIndex: "auto", zoom: "1",
  };
  const names = Object.keys(PLAIN);
  const odd = new Map();
  const isOdd = (element) => {
    if (!odd.has(element)) {
      const style = styleOf(element);
      odd.set(element, element !== document.documentElement && element !== document.body
        && (names.some((name) => style[name] !== undefined && style[name] !== PLAIN[name])
          || !["static", "relative"].includes(style.position) || /-\\d/.test(style.margin)));
    }
    return odd.get(element);
  };
  const ownFonts = [...document.fonts].some((face) => face.status === "loaded");
  const scrolls = (element) => {
    const style = styleOf(element);
    const ways = [/auto|scroll|overlay/.test(style.overflowX), /auto|scroll|overlay/.test(style.overflowY)];
    return element !== document.body && element !== document.documentElement && element.clientHeight > 4
      && element.clientWidth > 4 && ((ways[0] && element.scrollWidth > element.clientWidth)
        || (ways[1] && element.scrollHeight > element.clientHeight));
  };

  // Whether a place lies outside of a box around it that a reader can scroll.
  const isScrolledOut = (rect, element) => path(element).filter(scrolls).some((outer) => {
    const around = box(outer);
    return rect.bottom <= around.top || rect.top >= around.bottom
      || rect.right <= around.left || rect.left >= around.right;
  });

  const byStyle = (element, chain) => {
    const style = styleOf(element);
    if (!Element.prototype.checkVisibility.call(chain[0])) return "not rendered";
    if (hidden(style) && opened(chain)) return "hidden in what is open";
    if (hidden(style)) return "visibility hidden" + (moves(chain) ? ",moving" : "");
    if (parseFloat(style.fontSize) < 1 || style.fontSizeAdjust === "0") return "tiny font";
    if ((style.webkitTextSecurity || "none") !== "none") return "letters replaced";
    if (seeThrough(chain)) return "transparent" + (moves(chain) ? ",moving" : "");
    if (masked(chain)) return "masked";
    return flattened(chain) ? "scaled away" : "";
  };

  return {
    // Why the words of a text are not seen, or "".
    text: (text, element) => {
      const chain = boxesAround(element);
      return byStyle(element, chain) || outOfReach(text, element, chain) || unseenInk(text, element, chain);
    },
    // The same without a look at where the text stands: cheaper, and blind to covers and edges.
    atLeast: (element) => byStyle(element, boxesAround(element)),
    // Why nothing in an element is seen, or "".
    element: (element) => {
      if (styleOf(element).display === "none") return "display none";
      return element.localName === "summary" && cannotBeTouched(element) ? "visibility hidden" : "";
    },
    rectangles: rectanglesOf,
    movesWithWindow: passing,
    // Whether a text may be shown later, by a script or by itself.
    fades: (element) => hidden(styleOf(element)) || seeThrough(boxesAround(element)),
    // Come to the end of what is about to end.
    finish: (element) => {
      for (const one of path(element)) {
        for (const animation of one.getAnimations()) if (isEnding(animation)) animation.finish();
      }
    },
    // Whether letters have ink that a highlight does not take away: a shadow, what shows through them, a drawing.
    hasOtherInk: (element) => styleOf(element).textShadow !== "none" || element instanceof SVGElement
      || path(element).some((one) => styleOf(one).backgroundClip.includes("text")),
    // Whether a reader can scroll to a place, in the window or in a box around it.
    canBeReached: (rect, element) => {
      if (isScrolledOut(rect, element)) return true;
      const left = rect.left + scrollX;
      return (rect.left >= innerWidth || rect.right <= 0) && left >= 0 && left < document.documentElement.scrollWidth;
    },
    isUnusual: (element) => ownFonts || path(element).some(isOdd),
    isOdd,
    box,
    // What lies over a place and can be put away: it moves with the window, and has something to say.
    coversAt: (x, y, element) => document.elementsFromPoint(x, y)
      .filter((one) => passing(one) && !contains(one, element))
      .map((one) => path(one).findLast((outer) => ["fixed", "sticky"].includes(styleOf(outer).position)))
      .filter((one) => one instanceof HTMLElement && !contains(one, element) && one.innerText.trim()),
    // Scroll as a reader can, until a place is in the middle of the window.
    bring: (place, element) => {
      for (const outer of path(element).filter(scrolls)) {
        const rect = place(), around = box(outer);
        if (!rect) return;
        const above = rect.top < around.top || rect.bottom > around.bottom;
        const beside = rect.left < around.left || rect.right > around.right;
        const left = beside ? rect.left - around.left - 20 : 0;
        outer.scrollBy({ left, top: above ? rect.top - around.top - around.height / 2 : 0, behavior: "instant" });
      }
      const rect = place();
      if (!rect) return;
      const left = rect.left < 0 || rect.right > innerWidth ? rect.left - 100 : 0;
      scrollBy({ left, top: rect.top - innerHeight / 2, behavior: "instant" });
    },
    isScrolledOut,
    // The words of a text that stand in some of its lines, as spans of it.
    wordsOfLines: (text, lines) => {
      const rects = rectanglesOf(text).filter((_, index) => lines.includes(index)), range = document.createRange();
      return [...text.data.matchAll(/\\S+/g)].filter((word) => {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const own = range.getClientRects()[0];
        if (!own) return false;
        const x = (own.left + own.right) / 2, y = (own.top + own.bottom) / 2;
        return rects.some((rect) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom);
      }).map((word) => [word.index, word.index + word[0].length]);
    },
  };
})
"""
"""An expression: a function that gives questions about texts and elements, and ways to bring them into sight."""
