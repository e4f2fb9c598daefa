"""Which Chromium is used, and what is said when there is none."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from seekread.errors import NotConfigured
from seekread.readers.browser import chromium

Executable = Callable[[str], Path]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Executable:
    """A machine on which nothing is installed, and the way to install something on it."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(chromium, "APPLICATIONS", ())

    def install(name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    return install


def test_the_one_named_wins(machine: Executable) -> None:
    machine("bin/chromium")
    own = machine("opt/browser")
    assert chromium.find_executable(str(own)) == own
    assert chromium.find_executable("chromium") == chromium.find_executable()


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_playwrights_own_comes_before_the_systems_and_the_newest_before_older_ones(machine: Executable) -> None:
    system = [machine(f"bin/{name}") for name in reversed(chromium.COMMANDS)]
    full = machine(".cache/ms-playwright/chromium-1300/chrome-linux64/chrome")
    old = machine(".cache/ms-playwright/chromium_headless_shell-999/chrome-linux/headless_shell")
    new = machine(
        ".cache/ms-playwright/chromium_headless_shell-1300/chrome-headless-shell-linux64/chrome-headless-shell"
    )
    assert list(chromium.candidates()) == [new, old, full, *reversed(system)]


def test_the_headless_shell_comes_first_among_the_systems(machine: Executable) -> None:
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        machine(f"bin/{name}")
    found = chromium.find_executable()
    assert found is not None
    assert found.name == "chromium-headless-shell"


def test_a_missing_chromium_says_what_to_install(machine: Executable) -> None:
    assert chromium.find_executable() is None
    with pytest.raises(NotConfigured, match="apt install chromium-headless-shell"):
        chromium.require_executable(None)
    with pytest.raises(NotConfigured, match=r"there is no Chromium at .*SEEKREAD_CHROMIUM"):
        chromium.require_executable("/nowhere/chromium")


def test_what_cannot_be_executed_is_not_a_browser(machine: Executable) -> None:
    machine("bin/chromium").chmod(0o644)
    assert chromium.find_executable() is None


def test_a_missing_package_names_its_extra() -> None:
    with pytest.raises(NotConfigured, match=r"seekread\[no_such_package\]"):
        chromium.require_package("no_such_package")


def test_a_missing_playwright_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "find_spec", lambda _name: None)
    with pytest.raises(NotConfigured, match=r"seekread\[browser\]"):
        chromium.require_package("playwright")


@pytest.mark.process
def test_looking_whether_there_is_a_browser_imports_nothing() -> None:
    import subprocess

    script = (
        "import sys; from seekread import Seekread; Seekread(settings={'store': 'memory:'})._parts.readers(()); "
        "heavy = ('playwright', 'crawl4ai', 'seekread.readers.browser.visit', 'seekread.extraction.visibility'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("user", "sandboxed"), [(0, False), (1000, True)])
def test_the_sandbox_is_off_for_root_alone(
    user: int, sandboxed: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    chromium.sandboxed.cache_clear()
    assert chromium.sandboxed() is sandboxed
    assert chromium.sandboxed() is sandboxed
    chromium.sandboxed.cache_clear()
    assert len(caplog.records) == (0 if sandboxed else 1)


def test_a_sandbox_that_does_not_work_is_told_in_plain_words() -> None:
    from seekread.readers.browser.process import why_not_started

    assert "user namespaces" in why_not_started("FATAL:zygote_host_impl_linux.cc No usable sandbox! …")
    assert "/" not in why_not_started("BrowserType.launch: /usr/bin/x failed")
