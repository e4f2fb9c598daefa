"""yodoca with `read_provider: crawl4ai`, in an environment that has crawl4ai: it really reads."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

import seekread
from seekread.readers.browser.chromium import find_executable
from seekread.testing.server import Answer, LoopbackServer, Received
from tests.support.environments import ROOT, python_of

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

SOURCE = Path(seekread.__file__).parents[1]
SCRIPT = """
import asyncio, json, sys
from seekread.integrations.yodoca import Crawl4AIReadProvider, WebSearchExtension, config as patience
from tests.support.hosts.yodoca import ExtensionContext

# A browser may take its time where many tests run at once.
patience.ENGINE["page_seconds"] = 200.0

async def main(site, private):
    extension = WebSearchExtension()
    config = {"read_provider": "crawl4ai", "allow_private": [site.removeprefix("http://")]}
    await extension.initialize(ExtensionContext(config))
    assert type(extension._reader) is Crawl4AIReadProvider
    read = [await extension.open_page(url) for url in (f"{site}/page", f"{site}/away", private)]
    await extension.destroy()
    print(json.dumps([page.model_dump() for page in read]))

asyncio.run(main(*sys.argv[1:]))
"""
WORDS = "Words that only a script writes. " * 20
PAGE = f"""<!doctype html><title>By script</title><body><script>
document.body.innerHTML = "<article><h1>Made here</h1><p>{WORDS}</p></article>";
</script>"""


@pytest.mark.proves("S3-3", "S3-22", "S3-31")
def test_crawl4ai_reads_pages_through_yodoca_behind_the_guard(tmp_path: Path) -> None:
    """A page that a script makes is read; where a redirect or an address leads inside, nothing is."""
    python = python_of("crawl4ai")
    if find_executable() is None:
        missing = "needs Chromium (make parts installs it)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    touched: list[str] = []

    def inside(received: Received) -> Answer:
        touched.append(received.path)
        return Answer("<title>Inside</title>")

    with LoopbackServer(inside) as private:

        def site(received: Received) -> Answer:
            return Answer("", 302, {"location": private.url}) if received.path == "/away" else Answer(PAGE)

        with LoopbackServer(site) as server:
            done = subprocess.run(
                [python, "-P", "-c", SCRIPT, server.url, private.url],
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
                env={
                    "PYTHONPATH": os.pathsep.join(map(str, (SOURCE, ROOT, installed(tmp_path)))),
                    "PATH": os.defpath,
                    "HOME": str(Path.home()),
                },
            )
    assert done.returncode == 0, done.stderr[-3000:]
    page, away, refused = json.loads(done.stdout.splitlines()[-1])
    assert (page["status"], page["title"]) == ("success", "By script"), page["error"]
    assert "Words that only a script writes." in page["content"]
    assert [away["status"], refused["status"]] == ["error", "error"]
    assert "extensions.web_search.allow_private" in refused["error"]
    assert touched == []


def installed(folder: Path) -> Path:
    """A folder that makes our name, version and entry points known, as after an installation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / "seekread-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: seekread\nVersion: 0\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups))
    return folder
