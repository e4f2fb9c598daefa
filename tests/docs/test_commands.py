"""
Every command the documentation shows is run, page by page, in a fresh home, as it stands there.

The web is `tests.support.every_site`, the engines are their simulators, and `pip` looks whether what is asked for can
be had. Guides whose commands need somebody else's checkout are run by tests of their own.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import gettempdir

import pytest

from seekread.config.sources import load
from seekread.testing import simulators
from tests.support.environments import ROOT
from tests.support.every_site import every_site

pytestmark = pytest.mark.process

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"<!-- example: \S+ -->\n```python")
RUN_ELSEWHERE = ("guides/hosts/", "start/clone.md")
"""Below docs: their commands need a checkout, which tests of their own make (`test_squidbot_and_basirah.py`, …)."""
NOT_RUN = {
    "docker compose": "there need not be Docker; tests/test_deployment.py reads the files",
    "apt install chromium-headless-shell": "system packages are not put on the machine that runs the tests",
    "python -m pytest tests/browser/test_other_pages.py": "it is a part of this very suite",
    "seekread open --reader browser": "a browser does not trust this web; tests/unit/readers/browser runs it",
    "seekread open --reader crawl4ai": "neither does crawl4ai's; tests/e2e runs it",
    "seekread open --reader builtin --reader wayback": "there is no archive here; tests/unit/readers has one",
    "seekread --store redis://10.0.0.6/0 read-many": "there is no cluster here; tests/e2e/test_ray.py starts one",
    "seekread open index:///": "the handle of a file of somebody's own; tests/unit/index opens some",
}
"""Beginnings of commands, and why they are not run."""
PREPARED = {"docs/security.md": "seekread token create laptop"}
"""What was done before the commands of a page make sense."""
OTHER_TOML = ("[build-system]",)
"""Beginnings of blocks that are no settings of ours."""
ENGINES = ("brave", "tavily", "exa", "jina")
PORTS = {"serve": 8787, "mcp": 8765}
"""Where a server listens that was not told."""
SERVER = re.compile(r"seekread (serve|mcp)(?!\s+(?:install|uninstall|config))(?:\s|$)")
STOP = "kill $(jobs -p) 2>/dev/null || true; wait"
LISTENING = "until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do kill -0 $!; sleep 0.1; done"
FILES = {
    "urls.txt": "https://example.org/one\nhttps://example.org/two\n",
    "urls": "https://example.org/one\n",
    "addresses.txt": "https://example.org/one\n",
    "queries.txt": "green tea\nblack tea\n",
    "README.md": "# A project\n\nIt says which provider needs no key.\n",
    "page.html": "<title>A page</title><p>It was kept.</p>",
    "notes/notes.md": "# Notes\n\nA note on which provider needs no key.\n",
    "notes/old/old.md": "# Old\n\nNobody needs this.\n",
}
"""What the pages speak of as the reader's own, below his home."""
PIP = """#!{python}
import re, sys
known = set(re.findall(r"^([a-z0-9-]+)==", open({locks!r}).read(), re.MULTILINE))
extras = {extras!r}
for word in [word for word in sys.argv[2:] if not word.startswith("-")]:
    name, _, rest = word.partition("[")
    wanted = set(filter(None, rest.rstrip("]").split(",")))
    is_known = not wanted - extras if name == "seekread" else name in known
    if sys.argv[1] != "install" or not is_known:
        sys.exit(f"pip: cannot be had: {{word}}")
"""


def blocks(page: Path, *languages: str) -> list[str]:
    """The text of its blocks of code."""
    return [text for language, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language in languages]


def commands(page: Path) -> list[str]:
    """The blocks of a page that are typed into a shell; in the README they are plain."""
    return blocks(page, "sh", "") if page.name == "README.md" else blocks(page, "sh")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_COMMANDS = [
    page
    for page in PAGES
    if commands(page) and not any(named(page).startswith(f"docs/{place}") for place in RUN_ELSEWHERE)
]


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment every page starts in: engines, a web, and the commands of this checkout."""
    folder = tmp_path_factory.mktemp("surroundings")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locks = folder / "locks.txt"
    locks.write_text("".join(path.read_text(encoding="utf-8") for path in (ROOT / "requirements").rglob("*.txt")))
    programs = {
        "pip": PIP.format(python=sys.executable, locks=str(locks), extras=set(project["optional-dependencies"])),
        "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
        **{
            name: f'#!/bin/sh\nexec {sys.executable} -m {entry.split(":")[0]} "$@"\n'
            for name, entry in project["scripts"].items()
        },
    }
    for name, text in programs.items():
        path = folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    with ExitStack() as stack:
        web = stack.enter_context(every_site(folder))
        environment = {
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "CURL_CA_BUNDLE": str(web.ca_file),
            "https_proxy": web.server.url,
            "TOKEN": "a-token-that-was-made-before",
            **web.environment,
        }
        for name in ENGINES:
            environment |= stack.enter_context(simulators.start(name)).environment()
        yield environment


def script(page: Path) -> str:
    """
    What bash runs of a page: all its blocks in turn.

    A server goes on in the background: the next line waits until it listens, and the next server takes its place.
    """
    lines = [f"trap '{STOP}' EXIT", PREPARED.get(named(page), "")]
    for line in "\n".join(commands(page)).replace("\\\n", " ").splitlines():
        if any(line.startswith(beginning) for beginning in NOT_RUN):
            continue
        server = SERVER.match(line)
        if server is None:
            lines.append(line)
            continue
        port = re.search(r"--port (\d+)", line)
        lines += [STOP, f"{line.partition(' #')[0]} &", LISTENING.format(port=port[1] if port else PORTS[server[1]])]
    return "\n".join(lines)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_every_command_on_a_page_runs(page: Path, surroundings: dict[str, str], tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with (Path(gettempdir()) / "seekread-documented-ports.lock").open("w") as lock:
        # Servers listen where the documentation says, so only one page at a time may be read.
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", script(page)],
            cwd=tmp_path, env={**surroundings, "HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=280,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_command_that_does_not_exist_is_noticed(surroundings: dict[str, str], tmp_path: Path) -> None:
    for mistake in ("seekread serch tea", "seekread search tea --limt 3", "pip install 'seekread[everything]'"):
        environment = {**surroundings, "HOME": str(tmp_path)}
        done = subprocess.run(["bash", "-euc", mistake], cwd=tmp_path, env=environment, check=False)
        assert done.returncode, mistake


def test_what_is_not_run_still_stands_somewhere() -> None:
    shown = "\n".join(line for page in WITH_COMMANDS for line in commands(page))
    assert not [beginning for beginning in NOT_RUN if f"\n{beginning}" not in f"\n{shown}"]
    assert PREPARED.keys() <= {named(page) for page in WITH_COMMANDS}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_of_python_is_a_file_that_runs(page: Path) -> None:
    """`tools/generate_docs.py` pastes the files, and other tests run them."""
    text = page.read_text(encoding="utf-8")
    assert len(blocks(page, "python")) == len(EXAMPLE.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_of_settings_is_accepted(page: Path, tmp_path: Path) -> None:
    for number, block in enumerate(blocks(page, "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(block, encoding="utf-8")
        if not any(block.startswith(beginning) for beginning in OTHER_TOML):
            load(file=file, environ={})


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_of_json_can_be_read(page: Path) -> None:
    for block in blocks(page, "json"):
        json.loads(block)
