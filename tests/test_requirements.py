"""Every numbered requirement of the four contracts is named by a test, or shown in its host's guide."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
NUMBERS = {"S0": 28, "S1": 56, "S2": 41, "S3": 42, "X": 35}
IN_A_HOSTS_OWN_CODE = {"S0-9", "S0-23", "S0-28", "S2-23", "S2-24", "S2-37", "S3-19", "S3-38"}
"""Requirements that ask for a change inside the host's own code: its guide shows it."""

NAME = re.compile(r"\b(S[0-3]|X)-(\d+)\b")
RANGE = re.compile(r"\b(S[0-3]|X)-(\d+)\s*(?:…|\.\.\.|to|–)\s*(?:\1-)?(\d+)")


def named_in(folder: Path, pattern: str) -> set[str]:
    found: set[str] = set()
    for path in folder.rglob(pattern):
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        found |= {f"{a}-{n}" for a, n in NAME.findall(text)}
        for contract, first, last in RANGE.findall(text):
            found |= {f"{contract}-{n}" for n in range(int(first), int(last) + 1)}
    return found


def test_every_requirement_is_named_by_a_test_or_a_guide() -> None:
    wanted = {f"{contract}-{n}" for contract, last in NUMBERS.items() for n in range(1, last + 1)}
    tests = named_in(ROOT / "tests", "*.py")
    guides = named_in(ROOT / "docs" / "guides" / "hosts", "*.md")
    missing = wanted - tests - (guides & IN_A_HOSTS_OWN_CODE)
    assert not missing, sorted(missing, key=lambda name: (name.split("-")[0], int(name.split("-")[1])))
