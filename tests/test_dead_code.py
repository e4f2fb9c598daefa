"""No code is there for nobody: `make lint` asks vulture, and its list of what is used from outside holds no more."""

import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from vulture import Vulture

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "tools" / "vulture.toml").read_text(encoding="utf-8"))["tool"]["vulture"]


@pytest.fixture(scope="module")
def unused() -> set[str]:
    """Every name that nothing in the checkout but tests uses."""
    vulture = Vulture(ignore_decorators=SETTINGS["ignore_decorators"])
    vulture.scavenge([str(ROOT / path) for path in SETTINGS["paths"]])
    return {item.name for item in vulture.get_unused_code()}


def allowed(name: str) -> Iterator[str]:
    return (pattern for pattern in SETTINGS["ignore_names"] if fnmatchcase(name, pattern))


def test_every_name_is_used_by_more_than_its_tests(unused: set[str]) -> None:
    assert not [name for name in unused if not any(allowed(name))]


def test_the_list_of_what_is_used_from_outside_holds_nothing_else(unused: set[str]) -> None:
    assert sorted(SETTINGS["ignore_names"]) == sorted({pattern for name in unused for pattern in allowed(name)})
