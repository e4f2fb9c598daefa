"""The crawl4ai reader in an environment of its own: the contract of all readers, and a canary behind the guard."""

import json
import os
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from seekread.errors import NotConfigured
from seekread.readers.browser.chromium import find_executable
from seekread.readers.builtin.workers import Workers
from seekread.readers.crawl4ai.reader import Crawl4AI
from seekread.testing import reader_contract
from tests.support.canary import small_internet
from tests.support.environments import ROOT, python_of

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

OUTAGES = ("nobody listens", "server error", "rate limit", "garbage", "hang")
"""Each starts Chromium and crawl4ai; those of the wire alone are left to the browser reader, which shares the code."""

SCRIPT = """
import asyncio, json, sys, traceback
from seekread.errors import Refused
from seekread.readers.crawl4ai.reader import Crawl4AI
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing import reader_contract as contract
from tests.support.canary import CANARY, PRIVATE_HOST, Served, moved, small_internet

LEAKY = '''<!doctype html><title>Leaky</title><body><script>
const call = new RTCPeerConnection({ iceServers: [{ urls: "stun:ADDRESS" }] });
call.createDataChannel("x");
call.createOffer().then((offer) => call.setLocalDescription(offer));
new WebSocket("ws://ADDRESS/socket");
Promise.allSettled([fetch("http://ADDRESS/fetch"), fetch("http://NAME/fetch"), import("http://NAME/module")])
  .then(() => new Promise((done) => setTimeout(done, 500)))
  .then(() => { document.body.innerHTML = "<article><h1>Tried</h1><p>WORDS</p></article>" });
</script>'''

async def outcome_of(run):
    try:
        await run
    except AssertionError:
        return traceback.format_exc()[-1000:]
    return ""

async def main(checks, outages):
    told = {}
    async with Workers(WorkerLimits(size=1, seconds=60)) as workers:
        def make(guard):
            return Crawl4AI(guard, workers, wait_seconds=3)
        for name in [*checks, *outages]:
            with contract.site() as server:
                case = contract.on_site(make, server, impatience=8)
                run = contract.CHECKS[name](case) if name in checks else contract.check_outage(case, name)
                told[name] = await outcome_of(run)
        async with small_internet() as internet:
            names = {"ADDRESS": f"{CANARY}:{internet.port}", "NAME": f"{PRIVATE_HOST}:{internet.port}"}
            leaky = LEAKY.replace("WORDS", contract.WORDS * 4)
            for word, value in names.items():
                leaky = leaky.replace(word, value)
            internet.pages = {"/moved": moved(internet.url("/private", PRIVATE_HOST)), "/leaky": Served(leaky)}
            reader = make(internet.guard())
            try:
                await reader.read(internet.url("/moved")).run()
            except Refused as refused:
                told["refusal"] = refused.code
            page = await reader.read(internet.url("/leaky")).run()
            told["leaky"] = [page.title, "Tried" in page.content, sorted(signal.kind for signal in page.signals)]
            told["touched"] = internet.touched
    print(json.dumps(told))

asyncio.run(main(json.loads(sys.argv[1]), json.loads(sys.argv[2])))
"""


@cache
def told() -> dict[str, Any]:
    """What the reader did in its environment; asked once for all tests."""
    python = python_of("crawl4ai")
    if find_executable() is None:
        missing = "needs Chromium (make parts installs it)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    done = subprocess.run(
        [python, "-P", "-c", SCRIPT, json.dumps(list(reader_contract.CHECKS)), json.dumps(OUTAGES)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT, metadata()))),
            "PATH": os.defpath,
            "HOME": str(Path.home()),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def metadata() -> Path:
    """A folder from which `importlib.metadata` knows our name and version, as after an installation."""
    folder = Path.home() / "installed"
    about = folder / "seekread-0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: seekread\nVersion: 0\n")
    return folder


@pytest.mark.proves("S3-30", "S3-33")
@pytest.mark.parametrize("check", [*reader_contract.CHECKS, *OUTAGES])
def test_crawl4ai_keeps_the_contract_of_all_readers(check: str) -> None:
    """S3-22, S3-39"""
    assert told()[check] == ""


@pytest.mark.proves("S3-30")
def test_nothing_crawl4ai_loads_gets_past_the_guard() -> None:
    """S3-22"""
    assert told()["refusal"] == "private_answer"
    assert told()["leaky"] == ["Leaky", True, ["requests-refused"]]
    assert told()["touched"] == []


@pytest.mark.anyio
@pytest.mark.skipif(find_spec("crawl4ai") is not None, reason="crawl4ai is installed")
async def test_without_the_package_it_says_what_to_install() -> None:
    async with small_internet() as internet, Workers() as workers:
        with pytest.raises(NotConfigured, match=r"seekread\[crawl4ai\]"):
            Crawl4AI(internet.guard(), workers)
