"""The documentation as a site: every page has its place, no link leads nowhere, and nothing comes from elsewhere."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.support.environments import python_of
from tests.support.need_chromium import need_chromium
from tools.site import BUILT, DOCS, build, llms_txt, planned

LINK = re.compile(r"\]\(([^)]+)\)")


def test_every_page_has_its_place() -> None:
    """A decision is found through the list of decisions."""
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    decisions = {page for page in pages if re.match(r"decisions/\d", page)}
    listed = [page.path for page in planned()]
    assert sorted(listed) == sorted(pages - decisions)
    named = set(LINK.findall((DOCS / "decisions" / "README.md").read_text(encoding="utf-8")))
    assert {page.removeprefix("decisions/") for page in decisions} <= named


def test_models_get_a_list_of_the_pages_with_a_sentence_about_each() -> None:
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    assert text == llms_txt(), "run tools/generate_docs.py"
    assert text.startswith("# seekread\n\n> ")
    assert all((DOCS / target).is_file() for target in LINK.findall(text))
    assert "](security.md): " in text


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_arguments: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the site as it was built."""
    done = build(python_of("docs"))
    assert done.returncode == 0, done.stdout + done.stderr
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(BUILT))) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.process
def test_the_site_is_built_without_a_dead_link(site: str) -> None:
    assert site
    for page in planned():
        path = Path(page.path.replace("README.md", "index.md")).with_suffix(".html")
        assert (BUILT / path).is_file(), page.path
    assert (BUILT / "llms.txt").is_file()


@pytest.mark.process
def test_a_browser_loads_nothing_from_elsewhere(site: str) -> None:
    need_chromium()
    from playwright.sync_api import Request, sync_playwright

    from seekread.readers.browser.chromium import find_executable

    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_executable(None), args=["--no-sandbox"])
        shown = browser.new_page()
        shown.on("request", note)
        for page in ("index.html", "start/python.html", "reference/providers.html", "guides/console.html"):
            shown.goto(f"{site}/{page}", wait_until="networkidle")
        assert shown.get_by_role("heading", level=1).inner_text().startswith("The console")
        browser.close()
    assert asked
    assert not [url for url in asked if not url.startswith((site, "data:", "blob:"))]
