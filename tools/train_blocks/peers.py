"""
What other extractors choose of each page of a set, as text: weak labels for pages without a gold text, and peers.

    python peers.py SET.jsonl.xz ANSWERS.jsonl

Runs by itself, in an environment that holds the peers (`requirements/peers.txt`) and nothing of ours. Each line of the
answers has the `id` of a page and the text of every peer.
"""

import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import lxml.html
from readability import Document
from resiliparse.extract.html2text import extract_plain_text
from rs_trafilatura import extract as extract_rs
from trafilatura import extract as extract_trafilatura


def trafilatura(html: str, url: str) -> str:
    return extract_trafilatura(html, url=url, include_comments=False) or ""


def rs_trafilatura(html: str, url: str) -> str:
    return extract_rs(html, url=url or None).main_content or ""


def readability(html: str, url: str) -> str:
    return "\n".join(map(str, lxml.html.fromstring(Document(html, url=url).summary()).itertext()))


def resiliparse(html: str, _url: str) -> str:
    return str(extract_plain_text(html, main_content=True))


PEERS: dict[str, Callable[[str, str], str]] = {
    "trafilatura": trafilatura,
    "rs-trafilatura": rs_trafilatura,
    "readability": readability,
    "resiliparse": resiliparse,
}


def answers(html: str, url: str) -> dict[str, str]:
    """The text that every peer finds on a page; nothing where one stumbles."""
    found: dict[str, str] = {}
    for name, peer in PEERS.items():
        try:
            found[name] = peer(html, url)
        except Exception:  # noqa: BLE001 - a peer that fails on a page has found nothing
            found[name] = ""
    return found


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    with lzma.open(source, "rt", encoding="utf-8") as lines, target.open("w", encoding="utf-8") as written:
        for page in map(json.loads, lines):
            written.write(json.dumps({"id": page["id"], **answers(page["html"], page["url"] or "")}) + "\n")


if __name__ == "__main__":
    main()
