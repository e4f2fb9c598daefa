"""
The peers of `extraction.py`, in an environment of their own: asked on standard input, answering on standard output.

The first line told is the names of those that are installed. Then each line asked is a JSON list of a name, HTML and an
address, and each line told a JSON list of Markdown and the CPU seconds it took; nothing where a peer stumbles.
"""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator

Peer = Callable[[str, str], str]


def trafilatura() -> Peer:
    from trafilatura import extract

    return lambda html, url: (
        extract(html, url=url, output_format="markdown", include_links=True, include_comments=False) or ""
    )


def rs_trafilatura() -> Peer:
    from rs_trafilatura import extract

    return lambda html, url: extract(html, url=url or None).main_content or ""


def readability() -> Peer:
    from html_to_markdown import convert
    from readability import Document

    return lambda html, url: convert(Document(html, url=url).summary()).content or ""


def resiliparse() -> Peer:
    from html_to_markdown import convert
    from resiliparse.extract.html2text import extract_plain_text

    def run(html: str, _url: str) -> str:
        plain = extract_plain_text(html, main_content=True, preserve_formatting="minimal_html", links=True)
        return convert(plain).content or ""

    return run


def whole_page() -> Peer:
    from html_to_markdown import convert

    return lambda html, _url: convert(html).content or ""


PEERS: dict[str, Callable[[], Peer]] = {
    "trafilatura": trafilatura,
    "rs-trafilatura": rs_trafilatura,
    "readability-lxml": readability,
    "resiliparse": resiliparse,
    "html-to-markdown": whole_page,
}


def installed() -> Iterator[tuple[str, Peer]]:
    for name, load in PEERS.items():
        with contextlib.suppress(ImportError):
            yield name, load()


def tell(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    peers = dict(installed())
    tell(list(peers))
    for line in sys.stdin:
        name, html, url = json.loads(line)
        started = time.process_time()
        try:
            markdown = peers[name](html, url)
        except Exception:  # noqa: BLE001 - a peer that fails on a page has extracted nothing
            markdown = ""
        tell([markdown, time.process_time() - started])


if __name__ == "__main__":
    main()
