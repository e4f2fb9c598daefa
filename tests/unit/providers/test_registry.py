"""Providers by name: built once per class, and somebody else's broken package breaks nothing of ours."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seekread import Seekread
from seekread.errors import Misconfigured
from seekread.provider import traits
from seekread.providers.plugins import Plugin, installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, Registry, Unready, at_hand


def plugin(folder: Path, entry: str, source: str = "") -> dict[str, str]:
    """A package beside ours that announces a provider."""
    info = folder / "somebody-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[seekread.providers]\n{entry}\n")
    (folder / "somebody.py").write_text(source)
    return {**os.environ, "PYTHONPATH": str(folder)}


def seekread(*arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "seekread", *arguments], capture_output=True, text=True, check=False, timeout=60, env=env
    )


PLAIN = """
class Shelf:
    name = "shelf"
    async def search(self, query, *, limit=5):
        return [{"title": query, "url": "https://books.example/"}]
"""


class Papers:
    """A corpus of somebody else's that is asked only by name."""

    name = "papers"
    by_name = True

    async def search(self, query: str, *, limit: int = 5) -> list[dict[str, str]]:
        raise NotImplementedError


def test_a_plug_in_may_say_that_it_is_asked_only_by_name() -> None:
    registry = Registry()
    registry.installed(SEARCH_GROUP)["papers"] = Plugin("papers", f"{__name__}:Papers")
    unnamed = at_hand(registry.later("papers"))
    assert isinstance(unnamed, Unready)
    assert str(unnamed.error) == "papers is asked only where it is named"
    assert not isinstance(registry.searcher("papers"), Unready)


@pytest.mark.process
def test_a_plain_class_is_a_provider_through_the_entry_point_too(tmp_path: Path) -> None:
    done = seekread("search", "tea", "-p", "shelf", env=plugin(tmp_path, "shelf = somebody:Shelf", PLAIN))
    assert done.stdout.startswith("[1] tea — https://books.example/"), done.stderr
    assert "shelf" in seekread("providers", env={**os.environ, "PYTHONPATH": str(tmp_path)}).stdout


@pytest.mark.process
@pytest.mark.parametrize("entry", ["broken = nowhere:Thing", "broken = somebody:Missing"])
def test_a_provider_that_cannot_be_imported_breaks_nothing_else(tmp_path: Path, entry: str) -> None:
    env = plugin(tmp_path, entry)
    refused = seekread("open", "http://127.0.0.1/", env=env)
    assert refused.returncode == 6, refused.stderr
    asked = seekread("search", "tea", "-p", "broken", env=env)
    assert asked.returncode == 4
    assert "Traceback" not in asked.stderr
    assert "broken" in seekread("providers", env=env).stdout
    assert seekread("config", "show", env=env).returncode == 0


@pytest.mark.proves("S3-8")
def test_one_class_in_two_roles_is_one_instance_two_classes_are_two() -> None:
    keys: dict[str, dict[str, Any]] = {"tavily": {"api_key": "k"}, "jina": {"api_key": "k"}}
    registry = Seekread(providers=keys, settings={"store": "memory:"})._parts.registry
    both: list[object] = [registry.searcher("tavily"), registry.reader("tavily")]
    assert both[0] is both[1]
    pair: list[object] = [registry.searcher("jina"), registry.reader("jina")]
    assert pair[0] is not pair[1]


@pytest.mark.proves("S3-20")
def test_a_role_that_needs_no_key_works_although_the_other_one_does() -> None:
    registry = Seekread(settings={"store": "memory:"})._parts.registry
    assert not registry.ready("jina")
    assert traits(registry.reader("jina")).label != "jina"


def test_something_that_neither_searches_nor_reads_is_no_provider() -> None:
    class Nothing:
        name = "nothing"

    with pytest.raises(Misconfigured, match="neither searches nor reads"):
        Registry().register(Nothing())


@pytest.mark.parametrize("group", [SEARCH_GROUP, READ_GROUP])
def test_two_packages_that_claim_one_name_are_a_mistake_and_not_a_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    for number in (1, 2):
        info = tmp_path / f"somebody{number}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: somebody{number}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\nacme = somebody{number}:Acme\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Misconfigured, match="two packages bring a provider named 'acme'"):
        installed(group)
