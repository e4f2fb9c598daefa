"""
Chromium: where it is, and the switches that put it behind the guard.

A browser is only as guarded as its switches make it:

- Everything goes through a proxy, loopback too: Chromium would reach that directly if it were not told otherwise.
- Names are never looked up by the browser itself; the proxy does that, once, and vets the answers.
- WebRTC and QUIC may not send datagrams, which no HTTP proxy sees. The policy for WebRTC has two spellings, and
  which one counts depends on the build: without both, a STUN request reached a canary past the proxy.
- The sandbox stays on. Only root cannot have it, and is warned.
"""

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import anyio.abc

from seekread import platforms
from seekread.errors import NotConfigured, TimedOut

logger = logging.getLogger("seekread.readers.browser.chromium")

NOWHERE = "http://127.0.0.1:1"
"""A proxy that nobody runs: the way out for requests that belong to no page."""

SWITCHES = (
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
)

COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The headless shell first: with a context of its own for every page it is four times as fast."""

CACHES = {
    "linux": ".cache/ms-playwright",
    "darwin": "Library/Caches/ms-playwright",
    "win32": "AppData/Local/ms-playwright",
}
"""Where `playwright install` puts browsers, below the home folder."""
DOWNLOADED = (
    "chromium_headless_shell-*/*/chrome-headless-shell*",
    "chromium_headless_shell-*/*/headless_shell*",
    "chromium-*/*/chrome",
    "chromium-*/*/chrome.exe",
    "chromium-*/*/*.app/Contents/MacOS/*",
)
APPLICATIONS = ("/Applications/Chromium.app/Contents/MacOS/Chromium",
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")  # fmt: skip
REVISION = re.compile(r"-(\d+)[/\\]")

START_SECONDS = 30.0
PAUSE = 0.02
DID_NOT_START = "Chromium did not start; run it by hand with --headless --version to see why"

INSTALL = (
    "install one (on Debian or Ubuntu: apt install chromium-headless-shell, or chromium; anywhere: "
    "playwright install chromium-headless-shell), or name one with SEEKREAD_CHROMIUM"
)


def find_executable(named: str | None = None) -> Path | None:
    """The Chromium to use: the one named, Playwright's own, or one of the system; `None` when there is none."""
    if named:
        found = shutil.which(str(Path(named).expanduser()))
        return Path(found) if found else None
    return next(candidates(), None)


def candidates() -> Iterator[Path]:
    """Every Chromium there is, the best first."""
    yield from downloaded(Path.home() / CACHES.get(sys.platform, CACHES["linux"]))
    yield from (Path(found) for command in COMMANDS if (found := shutil.which(command)))
    yield from (Path(name) for name in APPLICATIONS if Path(name).is_file())


def downloaded(cache: Path) -> Iterator[Path]:
    """What Playwright downloaded, the newest revision first."""
    for pattern in DOWNLOADED:
        found = [path for path in cache.glob(pattern) if path.is_file() and os.access(path, os.X_OK)]
        yield from sorted(found, key=revision, reverse=True)


def revision(path: Path) -> int:
    number = REVISION.search(str(path))
    return int(number[1]) if number else 0


def require_executable(named: str | None) -> Path:
    """The same, or an error that says what to install."""
    found = find_executable(named)
    if found is None and named:
        raise NotConfigured(f"there is no Chromium at {named!r}: {INSTALL}")
    if found is None:
        raise NotConfigured(f"no Chromium was found: {INSTALL}")
    return found


def require_package(package: str) -> None:
    """Raise an error that names the extra when a package is missing. Nothing is imported."""
    extra = {"playwright": "browser"}.get(package, package)
    if find_spec(package) is None:
        raise NotConfigured(f"the package {package} is not installed: install seekread[{extra}]")


@cache
def sandboxed() -> bool:
    """Whether Chromium can have its sandbox; root cannot, and is told once."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return True
    logger.warning("Chromium runs without its sandbox because this process is root. Run seekread as another user.")
    return False


@asynccontextmanager
async def debuggable(executable: str | None, proxy: str) -> AsyncIterator[str]:
    """
    A Chromium with a profile of its own behind a proxy, for as long as the context lasts.

    Gives the address of its debugger, for libraries that can only be pointed at one. It listens on loopback, on a
    port and a path that are made up anew each time.
    """
    path = require_executable(executable)
    with TemporaryDirectory(prefix="seekread-chromium-", ignore_cleanup_errors=True) as home:
        command = [
            str(path),
            "--headless",
            "--remote-debugging-address=127.0.0.1",
            "--remote-debugging-port=0",
            f"--user-data-dir={home}",
            f"--proxy-server={proxy}",
            *SWITCHES,
            *(() if sandboxed() else ("--no-sandbox",)),
            "about:blank",
        ]
        async with process_group(command, platforms.HERE.environment(home)) as process:
            yield await endpoint(Path(home) / "DevToolsActivePort", process)


@asynccontextmanager
async def process_group(
    command: list[str], environment: dict[str, str], *, piped: bool = False
) -> AsyncIterator[anyio.abc.Process]:
    """A process that is killed in the end, with everything it started. It sees only the environment it is given."""
    ends = subprocess.PIPE if piped else subprocess.DEVNULL
    # A cancellation between fork and return would lose the process.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(
            command,
            stdin=ends,
            stdout=ends,
            stderr=subprocess.DEVNULL,
            env=environment,
            **platforms.HERE.start_options(),
        )
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            platforms.HERE.kill_family(process.pid)
            await process.aclose()


async def endpoint(file: Path, process: anyio.abc.Process) -> str:
    """The address that Chromium writes into its profile once it listens."""
    for _ in range(round(START_SECONDS / PAUSE)):
        written = lines_of(file)
        if len(written) == 2:
            return f"ws://127.0.0.1:{written[0]}{written[1]}"
        if process.returncode is not None:
            raise NotConfigured(DID_NOT_START)
        await anyio.sleep(PAUSE)
    raise TimedOut("Chromium did not start in time")


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="ascii").split() if file.exists() else []
