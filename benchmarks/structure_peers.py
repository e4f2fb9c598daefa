"""
Other extractors over pages from standard input, as JSON: what `structure.py` runs in an interpreter that has them.

It imports nothing of ours, so that the environment needs nothing of ours.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

Extractor = Callable[[str, str], str]


def trafilatura() -> Extractor:
    from trafilatura import extract

    return lambda html, url: (
        extract(
            html, url=url, output_format="markdown", include_links=True, include_images=True, include_formatting=True
        )
        or ""
    )


def rs_trafilatura() -> Extractor:
    import rs_trafilatura

    return lambda html, url: rs_trafilatura.extract(html, url=url, output_markdown=True).content_markdown or ""


def readability() -> Extractor:
    from html_to_markdown import convert
    from readability import Document

    return lambda html, url: markdown_of(convert(Document(html, url=url).summary()))


def resiliparse() -> Extractor:
    from html_to_markdown import convert
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: markdown_of(
        convert(extract_plain_text(html, main_content=True, preserve_formatting="minimal_html", links=True))
    )


def whole_page() -> Extractor:
    from html_to_markdown import convert

    return lambda html, _: markdown_of(convert(html))


def markdown_of(converted: Any) -> str:
    """The Markdown of html-to-markdown, whose older releases return it bare."""
    return str(getattr(converted, "content", converted) or "")


PEERS: dict[str, Callable[[], Extractor]] = {
    "trafilatura": trafilatura,
    "rs-trafilatura": rs_trafilatura,
    "readability-lxml": readability,
    "resiliparse": resiliparse,
    "html-to-markdown, whole page": whole_page,
}


def read_all(extract: Extractor, address: str, pages: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, html in pages.items():
        try:
            found[name] = extract(html, address + name)
        except Exception as error:  # noqa: BLE001 - a peer that fails on a page has extracted nothing
            print(f"{name}: {type(error).__name__}", file=sys.stderr)
            found[name] = ""
    return found


def main() -> None:
    asked = json.load(sys.stdin)
    found: dict[str, dict[str, str]] = {}
    for name, make in PEERS.items():
        try:
            extract = make()
        except ImportError:
            print(f"{name} is not installed and left out", file=sys.stderr)
            continue
        found[name] = read_all(extract, asked["address"], asked["pages"])
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
