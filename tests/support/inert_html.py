"""What HTML does beside saying something, by a parser that shares nothing with ours."""

import re
from html.parser import HTMLParser

from tests.support.speech import leads_elsewhere

LOADING = re.compile(r"src|srcset|data|poster|background|action|formaction|ping|cite|manifest|profile|longdesc|style")
TAGS = frozenset(
    {
        "script", "style", "link", "meta", "base", "iframe", "frame", "frameset", "object", "embed", "applet", "svg",
        "math", "form", "input", "button", "textarea", "select", "audio", "video", "source", "track", "template",
        "canvas", "portal", "dialog", "slot", "noscript", "plaintext", "xmp", "title",
    }
)  # fmt: skip


class Inspector(HTMLParser):
    """Notes every tag, attribute and link that does something."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in TAGS or ":" in tag:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or LOADING.fullmatch(name):
                self.found.append(f"{name} of <{tag}>")
            if name == "href" and leads_elsewhere(value or ""):
                self.found.append(f"link to {value!r}")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"declaration {decl!r}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"instruction {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.found.append(f"declaration {data!r}")


def done_by(html: str) -> list[str]:
    """What a piece of HTML does that it may not."""
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    return inspector.found
