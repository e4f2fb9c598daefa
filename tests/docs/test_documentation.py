"""Everything public is documented, what is generated is up to date, and what is shown runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import seekread
from seekread.cli.app import COMMANDS
from seekread.config.settings import all_settings
from seekread.outcomes import MEANINGS
from seekread.providers.plugins import installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


def read(*names: str) -> str:
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


@pytest.mark.process
def test_generated_parts_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_setting_is_documented() -> None:
    text = read("docs/reference/settings.md")
    assert not [name for name in all_settings() if f"`{name}`" not in text]


def test_every_command_is_documented() -> None:
    text = read("docs/reference/command-line.md")
    assert not [name for name in COMMANDS if f"## seekread {name}" not in text]


def test_every_provider_is_documented_and_in_the_readme() -> None:
    """S2-39"""
    names = {*installed(SEARCH_GROUP), *installed(READ_GROUP)}
    for page in ("README.md", "docs/reference/providers.md"):
        assert not [name for name in names if f"`{name}`" not in read(page)], page


def test_every_outcome_is_documented() -> None:
    assert not [name for name in MEANINGS if f"`{name}`" not in read("docs/outcomes.md")]


def test_every_public_name_is_documented() -> None:
    text = read("docs/reference/python.md")
    assert not [name for name in seekread.__all__ if f"`{name}`" not in text and f"`{name}(" not in text]


def test_the_docs_say_what_to_know_about_duckduckgo() -> None:
    """S3-40"""
    text = read("docs/reference/providers.md")
    for words in ("unofficial", "may break or be blocked", "fallback", "upgrade path", "hosted search may rank better"):
        assert words in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    targets = [link for link in LINK.findall(prose) if "://" not in link]
    assert not [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_machine_or_a_registry(page: Path) -> None:
    assert not re.search(r"/(work|root|home/[a-z]+)/", page.read_text(encoding="utf-8"))
