"""
The pictures of the documentation, made of the real thing: `python -m tools.pictures`.

Commands are typed at a terminal, with simulated engines and a web on loopback, and drawn as they were shown. The
console is the one of `make serve`, in Chromium. Whoever changes what people see makes them anew, and looks at them.

Two lines are left out: what is said about the proxy that stands for the web here, and stands nowhere else.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from seekread.readers.browser.chromium import find_executable
from seekread.testing import simulators
from seekread.testing.server import Fault
from tests.support.every_site import every_site
from tests.support.terminals import at_a_terminal, fresh_home

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
COLUMNS = 92
OURS = re.compile(r"^(?:WARNING seekread\.http\.guard: An egress proxy|· page_proxy is set).*\n", re.MULTILINE)
FONT_FACE = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
WIDTH, HEIGHT = 1080, 700


@dataclass(frozen=True)
class Scene:
    """What is typed at a terminal, one command after another."""

    name: str
    title: str
    commands: tuple[tuple[str, ...], ...]


SCENES = (
    Scene(
        "search",
        "One engine fails, the next answers, and the answer says so",
        (("search", "solid state battery", "--limit", "3", "--freshness", "year"),),
    ),
    Scene(
        "open",
        "Only what answers, and a quotation held against the page",
        (
            ("open", "https://example.org/article", "--query", "when does production start"),
            ("open", "https://example.org/article", "--quote", "production starts in 2028"),
        ),
    ),
    Scene("doctor", "What is set up, and what to know about it", (("doctor",),)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=FOLDER, help="the folder they are written to")
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*terminals(folder), *screens(folder)]:
        sys.stdout.write(f"{path} {path.stat().st_size // 1024 + 1} kB\n")


def terminals(folder: Path) -> Iterator[Path]:
    """Draw what each scene shows."""
    for scene in SCENES:
        with ExitStack() as stack:
            home = Path(stack.enter_context(TemporaryDirectory(prefix="seekread-pictures-")))
            web = stack.enter_context(every_site(home))
            brave, tavily = (stack.enter_context(simulators.start(name)) for name in ("brave", "tavily"))
            brave.fail(Fault(503))
            environment = fresh_home(
                home, **web.environment, **brave.environment(), **tavily.environment(), COLUMNS=str(COLUMNS),
                TERM="xterm-256color",
            )  # fmt: skip
            shown = "".join(
                f"\x1b[1m$ {typed(command)}\x1b[0m\n{at_a_terminal(environment, *command)}\n"
                for command in scene.commands
            )
        path = folder / f"{scene.name}.svg"
        path.write_text(drawn(shown.replace(str(home), "~"), scene.title), encoding="utf-8")
        yield path


def typed(command: tuple[str, ...]) -> str:
    """A command as a person writes it."""
    return " ".join(["seekread", *(f'"{word}"' if " " in word else word for word in command)])


def drawn(shown: str, title: str) -> str:
    """What a terminal showed, as an SVG that loads nothing."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), legacy_windows=False)
    for line in OURS.sub("", shown.replace("\r\n", "\n")).rstrip().split("\n"):
        console.print(Text.from_ansi(line), soft_wrap=False, no_wrap=False)
    bare = FONT_FACE.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", FONTS)
    return console.export_svg(title=title, code_format=bare)


@contextmanager
def console() -> Iterator[str]:
    """The address of the console that `make serve` starts."""
    command = [sys.executable, str(ROOT / "examples" / "serve.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as running:  # noqa: S603 - ours
        try:
            said = running.stdout or ()
            yield next(found[1] for line in said if (found := re.search(r"listens on (\S+)", line)))
        finally:
            running.terminate()


def screens(folder: Path) -> Iterator[Path]:
    """Photograph the console."""
    from playwright.sync_api import sync_playwright

    def taken(page: Any, name: str) -> Path:
        path = folder / f"{name}.png"
        page.mouse.move(0, 0)
        page.screenshot(path=path)
        return path

    with console() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_executable(None), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(f"{address}/?q=guard&freshness=year")
        yield taken(page, "console-search")
        page.goto(f"{address}/?q=guard")
        page.locator(".results h3 a").first.click()
        page.get_by_label("Passages for a question").fill("what is refused")
        page.get_by_role("button", name="Ask").click()
        page.locator("#found .passage").first.wait_for()
        yield taken(page, "console-read")
        page.goto(f"{address}/setup")
        page.get_by_role("button", name="Test Brave Search").click()
        page.locator("#found .outcome").wait_for()
        yield taken(page, "console-setup")
        browser.close()


if __name__ == "__main__":
    main()
