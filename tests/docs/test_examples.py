"""The examples run as a newcomer would run them, offline."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread.testing import provider_contract, simulators
from seekread.testing.hits import NOTHING
from tests.support.every_site import every_site
from tests.support.small_site import SmallSite

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(*command: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=240, cwd=ROOT, env={**os.environ, **environ}
    )


def test_the_demo_searches_fails_over_reads_and_cites() -> None:
    done = run(sys.executable, "examples/demo.py")
    assert done.returncode == 0, done.stderr
    for words in (
        "brave: rate_limited",
        "index: ok",
        "[1] ",
        "for the question out of",
        "exact, characters",
        "not there",
        "refused:",
    ):
        assert words in done.stdout


def test_the_quickstart_of_the_readme_runs() -> None:
    with simulators.start("brave") as brave:
        done = run(sys.executable, "examples/quickstart.py", WEB_SEARCH_PROVIDER="brave", **brave.environment())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[1] how does retry with jitter work")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of an example: an engine, and the web it finds."""
    with every_site(tmp_path_factory.mktemp("web")) as sites, simulators.start("brave") as brave:
        yield {"WEB_SEARCH_PROVIDER": "brave", **brave.environment(), **sites.environment}


LIBRARY = {
    "both_verbs": "production starts in 2027",
    "logs": "'provider': 'brave', 'outcome': 'ok'",
}
"""What each example prints, among the rest."""


@pytest.mark.parametrize(("example", "words"), LIBRARY.items())
def test_the_examples_of_the_library_run(example: str, words: str, web: dict[str, str]) -> None:
    done = run(sys.executable, f"examples/library/{example}.py", **web)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout + done.stderr


def test_every_example_of_the_library_is_run() -> None:
    assert {path.stem for path in (EXAMPLES / "library").glob("*.py")} == LIBRARY.keys()


def test_pages_are_read_in_bulk() -> None:
    with SmallSite() as site:
        urls = [f"{site.url}/one", f"{site.url}/gone"]
        done = run(sys.executable, "examples/bulk/read_all.py", *urls, SEEKREAD_ALLOW_PRIVATE=site.endpoint)
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == ["not_found", "ok"], done.stderr


def test_queries_are_asked_in_bulk() -> None:
    with simulators.start("brave") as brave:
        done = run(sys.executable, "examples/bulk/search_all.py", "tea", NOTHING, **brave.environment())
    assert sorted(done.stdout.splitlines()) == [f"empty {NOTHING} 0 0.005", "ok tea 3 0.005"], done.stderr


@pytest.mark.proves("S2-32")
def test_ten_lines_make_a_provider() -> None:
    done = run(sys.executable, "examples/extending/ten_lines.py")
    assert done.stdout.strip() == "[1] Tea [2] Coffee {'allowed_domains': 'post-filtered'}", done.stderr


@pytest.fixture(scope="module")
def installed_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tutorial's package, really installed, beside our own packages."""
    target = tmp_path_factory.mktemp("plugin")
    done = run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
        "--disable-pip-version-check", "--target", str(target), str(EXAMPLES / "extending"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.proves("S2-32")
def test_a_package_of_somebody_elses_is_found_through_its_entry_point(installed_plugin: Path) -> None:
    """S2-40"""
    listed = run(sys.executable, "-m", "seekread", "providers", PYTHONPATH=str(installed_plugin))
    assert "acme" in listed.stdout
    assert "acme" not in run(sys.executable, "-m", "seekread", "providers").stdout
    missing = run(sys.executable, "-m", "seekread", "search", "tea", "-p", "acme", PYTHONPATH=str(installed_plugin))
    assert missing.returncode == 4
    assert "ACME_API_KEY" in missing.stderr


def run_the_tutorials_tests(plugin: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    folder = EXAMPLES / "extending"
    return run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "anyio", "-c", os.devnull,
        "--rootdir", str(folder), *options, str(folder / "tests"), PYTHONPATH=str(plugin),
    )  # fmt: skip


def test_the_tutorials_own_tests_pass(installed_plugin: Path) -> None:
    """S2-40"""
    done = run_the_tutorials_tests(installed_plugin)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(provider_contract.CHECKS) + len(provider_contract.FAULTS) + 2} passed" in done.stdout


def test_the_tutorials_tests_find_out_a_careless_parser(installed_plugin: Path, tmp_path: Path) -> None:
    """Walking through `{}` or over no hits at all without a word is what the taught parser must not do."""
    shutil.copytree(installed_plugin, tmp_path / "careless", ignore=shutil.ignore_patterns("__pycache__"))
    module = tmp_path / "careless" / "seekread_acme" / "__init__.py"
    taught = module.read_text(encoding="utf-8")
    careless = taught.replace('case {"hits": [*hits]}:', 'case {"hits": hits}:')
    assert careless != taught
    module.write_text(careless, encoding="utf-8")
    done = run_the_tutorials_tests(tmp_path / "careless", "-k", "rows")
    assert "FAILED" in done.stdout
    assert "BadReply was expected, 0 results came" in done.stdout
