"""
Somebody new follows `docs/start/clone.md` to the letter: a clone, a fresh home, no source read.

The vendors are simulators. What seekread needs is taken from the environment of these tests, so that nothing is
downloaded; seekread itself is built from the clone and installed as anywhere.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.support.environments import ROOT
from tests.support.every_site import every_site

pytestmark = [pytest.mark.anyio, pytest.mark.process]

PAGE = ROOT / "docs" / "start" / "clone.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
KEYS = {"BRAVE_SEARCH_API_KEY": "simulated-brave-key", "TAVILY_API_KEY": "simulated-tavily-key"}


@dataclass(frozen=True)
class Newcomer:
    """Somebody's home and clone, and who answers in the vendors' place."""

    home: Path
    clone: Path
    environment: dict[str, str]
    brave: Simulator

    def types(self, lines: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", lines],
            cwd=self.clone, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=280,
        )  # fmt: skip


def without_ours(folder: Path) -> Path:
    """The packages of these tests, but seekread: what pip finds there it does not fetch."""
    folder.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "seekread" not in entry.name and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Newcomer]:
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [packed] = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(home, filter="data")
    with ExitStack() as stack:
        web = stack.enter_context(every_site(tmp_path))
        brave, tavily = (stack.enter_context(simulators.start(name)) for name in ("brave", "tavily"))
        environment = {
            "HOME": str(home),
            "PATH": f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin",
            # No index is asked, and the packages that would come from one are at hand.
            "PYTHONPATH": str(without_ours(tmp_path / "packages")),
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "SEEKREAD_BRAVE_BASE_URL": brave.base_url,
            "SEEKREAD_TAVILY_BASE_URL": tavily.base_url,
            **web.environment,
            **KEYS,
        }
        [clone] = home.glob("seekread-*")
        yield Newcomer(home, clone, environment, brave)


async def test_the_page_leads_from_a_clone_to_an_agent_that_searches(newcomer: Newcomer) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 5
    done = newcomer.types("\n".join(blocks))
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout + done.stderr
    assert "✓ brave answers" in told
    assert "solid state battery & more, part 1" in done.stdout
    assert "✓ a search asks brave → tavily\n" in done.stdout
    assert "✓ tavily finds what it must find" in done.stdout
    assert "✗" not in told
    assert not [key for key in KEYS.values() if key in done.stdout]
    settings = newcomer.home / ".config" / "seekread" / "config.toml"
    assert settings.stat().st_mode & 0o777 == 0o600
    found, page = await asked_by_an_agent(newcomer)
    assert not found.is_error
    assert "solid state battery" in found.content[0].text
    assert "production starts in 2027" in page.structured_content["content"]


async def asked_by_an_agent(newcomer: Newcomer) -> tuple[Any, Any]:
    """What an agent gets that starts the server as its settings say, with the few variables that agents hand over."""
    entry = json.loads((newcomer.home / ".cursor" / "mcp.json").read_text())["mcpServers"]["seekread"]
    handed = {name: text for name, text in newcomer.environment.items() if name not in KEYS}
    assert not [key for key in KEYS.values() if key in json.dumps(entry)]
    parameters = StdioServerParameters(command=entry["command"], args=entry["args"], env=handed)
    async with Client(stdio_client(parameters)) as agent:
        assert len((await agent.list_tools()).tools) == 4
        found = await agent.call_tool("web_search", {"query": "solid state battery"})
        page = await agent.call_tool("open_page", {"url": "https://example.org/article"})
    return found, page


async def test_a_key_that_the_vendor_rejects_stops_the_newcomer_with_a_sentence(newcomer: Newcomer) -> None:
    newcomer.brave.fail(Fault(401))
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    done = newcomer.types("\n".join(blocks[:2]))
    assert done.returncode == 4
    assert "brave could not answer" in done.stderr
    assert not (newcomer.home / ".config" / "seekread" / "config.toml").exists()
