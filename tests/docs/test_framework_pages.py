"""The pages about frameworks: every block of code is a file, and every file is run."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer
from tests.e2e.test_agent_frameworks import ADAPTED, PLAIN

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "frameworks").glob("*.md"))
EXAMPLES = {path.stem for path in (ROOT / "examples" / "frameworks").glob("*.py")}
RUN_HERE = {"plain_functions", "langchain_documents"}
BLOCK = re.compile(r"(<!-- example: examples/frameworks/(\w+)\.py -->\n)?```python\n")
SITE = "<html><head><title>Tea</title></head><body><main><p>Tea is made from leaves.</p></main></body></html>"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_nothing_but_files_that_are_run(page: Path) -> None:
    shown = [name for _, name in BLOCK.findall(page.read_text(encoding="utf-8"))]
    assert shown
    assert set(shown) <= {f"{name}_agent" for name in (*ADAPTED, *PLAIN)} | RUN_HERE


def test_every_example_is_shown_and_every_page_is_linked() -> None:
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert {name for _, name in BLOCK.findall(texts)} == EXAMPLES
    index, readme = (ROOT / "docs/frameworks/README.md").read_text(), (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"docs/frameworks/{page.name}" in readme
        assert page.stem == "README" or f"({page.name})" in index


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[dict[str, str]]:
    with simulators.start("brave") as brave, LoopbackServer(lambda _: Answer(SITE)) as site:

        def leading_here(body: Any) -> Any:
            for number, result in enumerate(body["web"]["results"]):
                result["url"] = f"{site.url}/{number}"
            return body

        brave.fail(Fault(change=leading_here))
        address = site.url.removeprefix("http://")
        yield {
            **os.environ,
            **brave.environment(),
            "HOME": str(tmp_path),
            "SITE": site.url,
            "WEB_SEARCH_PROVIDER": "brave",
            "SEEKREAD_STORE": "memory:",
            "SEEKREAD_ALLOW_PRIVATE": address,
            "SEEKREAD_ALLOWED_PORTS": address.partition(":")[2],
        }


def run(code: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240, cwd=ROOT, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
def test_the_plain_functions_print_text(surroundings: dict[str, str]) -> None:
    start = "import os, runpy, sys; sys.argv[1:] = [os.environ['SITE']]; "
    said = run(f"{start}runpy.run_path('examples/frameworks/plain_functions.py')", surroundings)
    assert "[1] how does retry with jitter work & more" in said
    assert "Nothing that answers this was found." in said
    assert "exact at 0 to 24: Tea is made from leaves." in said
    assert "Error:" not in said


@pytest.mark.process
def test_documents_are_retrieved_and_loaded(surroundings: dict[str, str]) -> None:
    code = (
        "import os; from examples.frameworks.langchain_documents import evidence, whole_pages; "
        "print(evidence('what is tea made from')[0].metadata['title']); "
        "print(whole_pages([os.environ['SITE'], 'http://127.0.0.1:9/'])[0].page_content)"
    )
    assert run(code, surroundings).splitlines() == ["Tea", "Tea is made from leaves."]
