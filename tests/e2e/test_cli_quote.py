"""`seekread open --quote` as a process: a citation, or what differs and an exit code of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from seekread.testing.server import Answer, LoopbackServer

pytestmark = pytest.mark.process

PAGE = (
    "<html><title>Tea</title><body><main><h1>Tea</h1><p>A cup has about 30 mg of caffeine, they say.</p></main></body>"
)


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda _request: Answer(PAGE)) as running:
        yield running


def checked(site: LoopbackServer, quotation: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    address = site.url.removeprefix("http://")
    private = {"SEEKREAD_ALLOW_PRIVATE": address, "SEEKREAD_ALLOWED_PORTS": address.partition(":")[2]}
    return subprocess.run(
        [sys.executable, "-m", "seekread", "open", f"{site.url}/", "--quote", quotation, *arguments],
        capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **private},
    )  # fmt: skip


def test_a_quotation_with_the_wrong_number_is_not_there_and_has_no_link(site: LoopbackServer) -> None:
    """Evidence V2: it was called fuzzy, had a link to cite, and the command succeeded."""
    done = checked(site, "90 mg of caffeine")
    assert done.returncode == 3, done.stderr
    assert "Not there: the page says 30, the quotation 90." in done.stdout
    assert "30 mg of caffeine" in done.stdout
    assert ":~:text=" not in done.stdout


def test_json_says_what_differs(site: LoopbackServer) -> None:
    done = checked(site, "90 mg of caffeine", "--json")
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    assert (told["citation"], told["differences"]) == (None, ["the page says 30, the quotation 90"])
    assert told["nearest"]["text"] == "30 mg of caffeine"


def test_a_quotation_with_other_punctuation_is_cited(site: LoopbackServer) -> None:
    done = checked(site, "30 mg of caffeine they say")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("fuzzy at ")
    assert ":~:text=30%20mg%20of%20caffeine%2C%20they%20say" in done.stdout
