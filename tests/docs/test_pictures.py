"""Pictures in the documentation: each is made by a script, is used, says in words what it shows, and loads nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.environments import ROOT
from tests.support.need_chromium import need_chromium

PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
MOST_BYTES = 200_000


def shown() -> list[tuple[Path, str, str]]:
    """Every picture of every page: the page, the words and the target."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    code = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    texts = [(page, code.sub("", page.read_text(encoding="utf-8"))) for page in pages]
    return [(page, words, target) for page, text in texts for words, target in SHOWN.findall(text)]


def test_every_picture_is_shown_and_described() -> None:
    targets = {(page.parent / target).resolve() for page, _, target in shown()}
    assert targets == set(PICTURES)
    assert all(len(words) > 30 for _, words, _ in shown())


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_and_loads_nothing(picture: Path) -> None:
    assert picture.stat().st_size < MOST_BYTES
    if picture.suffix == ".svg":
        text = picture.read_text(encoding="utf-8")
        assert not re.search(r"<script|<image|@import|@font-face|url\((?!#)|href=", text)


@pytest.mark.process
def test_the_script_makes_every_picture(tmp_path: Path) -> None:
    need_chromium()
    done = subprocess.run(
        [sys.executable, "-m", "tools.pictures", "--to", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in PICTURES}
    made = (tmp_path / "search.svg").read_text(encoding="utf-8").replace("&#160;", " ")
    assert "$ seekread search" in made
    assert "brave could not answer" in made
    assert "127.0.0.1" not in made
    assert "1 passage for the question" in (tmp_path / "open.svg").read_text(encoding="utf-8").replace("&#160;", " ")
