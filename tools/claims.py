"""
Which tests show what the security pages say.

`claims.toml` names, for each sentence of docs/security.md and SECURITY.md, the tests that fail if it is untrue. Of a
sentence that no test can show it says what it is instead. Without an argument all are listed; with words, those that
hold them. `--run` runs their tests.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "SECURITY.md", ROOT / "docs" / "security.md")
TABLE = Path(__file__).with_suffix(".toml")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEAD_OF_TABLE = re.compile(r"^\|.*\n\|[-|]+\|$", re.MULTILINE)
MARK = re.compile(r"- |\d\. |\| ")
"""What makes a line an item of a list or a row of a table."""


@dataclass(frozen=True)
class Claim:
    """A sentence, an item or a row, and where it stands."""

    section: str
    text: str


@dataclass(frozen=True)
class ShownClaim:
    """A sentence as the table names it: by its first words, with its tests, or with what it is that needs none."""

    section: str
    words: str
    tests: tuple[str, ...]
    because: str = ""


def claims(page: str) -> list[Claim]:
    """What a page says, one sentence or item or row after the other."""
    found, section = [], ""
    for line in HEAD_OF_TABLE.sub("", CODE.sub("", page)).split("\n"):
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line.strip():
            found.append(Claim(section, MARK.sub("", line.strip(), count=1)))
    return found


def all_claims() -> list[Claim]:
    """What both pages say."""
    return [claim for page in PAGES for claim in claims(page.read_text(encoding="utf-8"))]


def load() -> list[ShownClaim]:
    """The rows of the table."""
    sections = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [
        ShownClaim(section, words, () if isinstance(by, str) else tuple(by), by if isinstance(by, str) else "")
        for section, rows in sections.items()
        for words, by in rows.items()
    ]


def main() -> int:
    """List sentences with their tests, or run those."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("words", nargs="*", help="words of the sentence, its section or its tests")
    options.add_argument("--run", action="store_true", help="run the tests")
    given = options.parse_args()
    asked = " ".join(given.words).lower()
    chosen = [
        (claim, shown)
        for claim, shown in zip(all_claims(), load(), strict=True)
        if asked in f"{claim.section} {claim.text} {' '.join(shown.tests)}".lower()
    ]
    for claim, shown in chosen:
        print(f"{claim.section}: {claim.text}")
        print("".join(f"    {each}\n" for each in shown.tests or (f"({shown.because})",)))
    tests = {test for _, shown in chosen for test in shown.tests if test.startswith("tests/")}
    if not given.run or not tests:
        return 0 if chosen else 1
    command = [sys.executable, "-m", "pytest", "-q", *sorted(tests)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 (our own tests)


if __name__ == "__main__":
    sys.exit(main())
