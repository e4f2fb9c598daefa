"""What is uploaded holds what its users need, nothing else, and a page whose links lead somewhere."""

import re
import subprocess
import sys
import tarfile
import zipfile
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

import cmarkgfm
import pytest
from packaging.metadata import Metadata
from trove_classifiers import classifiers

from seekread.version import AUTHORS, PROJECT, VERSION
from tools.package_metadata import long_description, registry_name

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
NEEDED = (
    "seekread/py.typed",
    "seekread/extraction/block_model.npz",
    "seekread/server/console/templates/base.html",
    "seekread/server/console/static/htmx.LICENSE.txt",
    "seekread/integrations/term2/dropin.toml",
    "seekread/_docs/security.md",
    f"seekread-{VERSION}.dist-info/licenses/LICENSE",
)
OWNED = "https://forge.example/somebody/seekread"
HREF = re.compile(r'(?:href|src)="([^"]*)"')


@dataclass(frozen=True)
class Built:
    """What a build made."""

    wheel: Path
    sdist: Path

    @property
    def members(self) -> set[str]:
        """The files of the wheel."""
        with zipfile.ZipFile(self.wheel) as archive:
            return set(archive.namelist())

    def text(self, name: str) -> str:
        """One file beside the package's own."""
        with zipfile.ZipFile(self.wheel) as archive:
            return archive.read(f"seekread-{VERSION}.dist-info/{name}").decode()

    @property
    def metadata(self) -> Metadata:
        """What it says of itself; what an index would refuse is an error."""
        return Metadata.from_email(self.text("METADATA"), validate=True)


def built(source: Path, target: Path) -> Built:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target)],
        cwd=source, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Built(*target.glob("*.whl"), *target.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built(ROOT, tmp_path_factory.mktemp("built"))


def unpacked(package: Built, folder: Path) -> Path:
    with tarfile.open(package.sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"seekread-{VERSION}"


def test_the_wheel_holds_the_package_and_nothing_beside_it(package: Built) -> None:
    own = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "seekread").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    pages = {f"seekread/_docs/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs").rglob("*.md")}
    beside = {name for name in package.members if name.startswith(f"seekread-{VERSION}.dist-info/")}
    assert package.members - beside == own | pages
    assert set(NEEDED) <= package.members


def test_the_wheel_starts(package: Built, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seekread", "--version"],
        cwd=tmp_path, env={"PYTHONPATH": str(package.wheel), "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert VERSION in done.stdout, done.stderr
    entries = ConfigParser()
    entries.read_string(package.text("entry_points.txt"))
    assert {"seekread", "seekread-mcp"} == set(entries["console_scripts"])


def test_the_sdist_makes_the_same_wheel_and_brings_its_tests(package: Built, tmp_path: Path) -> None:
    source = unpacked(package, tmp_path)
    assert {path.name for path in source.iterdir()} == {
        "src", "docs", "tests", "examples", "benchmarks", "clients", "requirements", "tools", "pyproject.toml",
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "Makefile", "mkdocs.yml",
        "deploy", "server.json", "Dockerfile", ".dockerignore", "compose.yaml", "PKG-INFO", ".gitignore",
    }  # fmt: skip
    assert built(source, tmp_path / "again").members == package.members


def test_an_index_would_take_it(package: Built) -> None:
    metadata = package.metadata
    assert metadata.name == "seekread"
    assert metadata.license_expression == "MIT"
    assert metadata.summary
    assert metadata.keywords
    assert metadata.description_content_type == "text/markdown"
    assert not {each for each in metadata.classifiers or () if each not in classifiers}


def links(package: Built) -> list[str]:
    """Where its page leads, in this page or out of it."""
    html = cmarkgfm.github_flavored_markdown_to_html(package.metadata.description or "")  # type: ignore[no-untyped-call]
    return HREF.findall(html)


def test_nothing_on_its_page_leads_nowhere(package: Built) -> None:
    assert not [link for link in links(package) if not link.startswith(("https://", "#"))]
    assert "Failures are never" in str(package.metadata.description)


def test_what_its_owner_says_once_stands_everywhere(package: Built, tmp_path: Path) -> None:
    source = unpacked(package, tmp_path)
    facts = source / "src" / "seekread" / "version.py"
    text = facts.read_text(encoding="utf-8")
    said = text.replace('PROJECT = ""', f'PROJECT = "{OWNED}"').replace("= ()", '= (("Some Body", ""),)')
    assert said.count("forge.example") == said.count("Some Body") == 1
    facts.write_text(said, encoding="utf-8")
    owned = built(source, tmp_path / "owned")
    assert owned.metadata.project_urls
    assert owned.metadata.project_urls["Source"] == OWNED
    assert all(address.startswith(OWNED) for address in owned.metadata.project_urls.values())
    assert owned.metadata.author == "Some Body"
    within = [link for link in links(owned) if link.startswith(OWNED)]
    assert f"{OWNED}/blob/HEAD/docs/security.md" in within
    pages = [link.removeprefix(f"{OWNED}/blob/HEAD/").partition("#")[0] for link in within if "/blob/" in link]
    assert not [page for page in pages if not (source / page).exists()]


@pytest.mark.skipif(bool(PROJECT or AUTHORS), reason="its owner has said where it lives")
def test_nobody_made_up_an_address_or_an_author(package: Built) -> None:
    assert not package.metadata.project_urls
    assert not package.metadata.author
    assert not package.metadata.author_email


def test_code_is_left_as_it_is_and_pictures_are_shown_or_left_out() -> None:
    readme = (
        "![A console](docs/a.png) [Docs](docs/a.md) [Up](#up) [Out](https://x.example) `[a](b)`\n```\n[a](b)\n```\n"
    )
    assert long_description(readme, "") == (
        " Docs [Up](#up) [Out](https://x.example) `[a](b)`\n```\n[a](b)\n```\n"
    )  # fmt: skip
    assert long_description(readme, OWNED).startswith(
        f"![A console]({OWNED}/raw/HEAD/docs/a.png) [Docs]({OWNED}/blob/HEAD/docs/a.md) [Up]"
    )


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("", "io.github.OWNER/seekread"),
        ("https://github.com/somebody/seekread", "io.github.somebody/seekread"),
        (OWNED, "io.github.OWNER/seekread"),
    ],
)
def test_the_registry_knows_it_by_its_owner(project: str, name: str) -> None:
    assert registry_name(project) == name
