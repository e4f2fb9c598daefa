"""
The documentation as a site: `python tools/site.py`, or `make site`, builds it into `build/site`.

It is built with zensical, in an environment of its own. A link that leads nowhere is an error.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PLAN = ROOT / "mkdocs.yml"
BUILT = ROOT / "build" / "site"
ENTRY = re.compile(r"^(?P<indent> *)- (?:(?P<title>[^:\n]+):)? ?(?P<page>\S+\.md)?$", re.MULTILINE)
PROSE = re.compile(r"^(?![#<|*>]|- |\d|\s)(?P<sentence>.+?(?:\.(?=\s|$)|$))", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class PlannedPage:
    """A page as the site's plan names it."""

    section: str
    path: str

    @property
    def text(self) -> str:
        return (DOCS / self.path).read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """Its first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def sentence(self) -> str:
        """Its first sentence."""
        found = PROSE.search(CODE.sub("", self.text.partition("\n")[2]))
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found["sentence"]).replace("**", "").rstrip(":") if found else ""


def planned() -> Iterator[PlannedPage]:
    """Every page of the plan, in its order."""
    section = ""
    for entry in ENTRY.finditer(PLAN.read_text(encoding="utf-8").partition("\nnav:\n")[2]):
        if len(entry["indent"]) == 2:
            section = entry["title"]
        if entry["page"]:
            yield PlannedPage(section, entry["page"])


def llms_txt() -> str:
    """The documentation as a list for models: every page with its first sentence."""
    home, *pages = planned()
    lines = [f"# {home.title}", "", f"> {home.sentence}", ""]
    section = ""
    for page in pages:
        if page.section != section:
            section = page.section
            lines += [f"## {section}", ""]
        told = f": {page.sentence}" if page.sentence else ""
        lines.append(f"- [{page.title}]({page.path}){told}")
    return re.sub(r"\n(## )", r"\n\n\1", "\n".join(lines)).replace("\n\n\n", "\n\n") + "\n"


def build(python: Path) -> "subprocess.CompletedProcess[str]":
    """Build the site with the interpreter of an environment that has zensical."""
    return subprocess.run(  # noqa: S603 - a command of ours
        [str(python.with_name("zensical")), "build", "--strict", "--clean"],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def main() -> None:
    from tests.support.environments import Unavailable, made

    try:
        done = build(made("docs") / "bin" / "python")
    except Unavailable as error:
        sys.exit(f"the site cannot be built here: {error}")
    sys.stderr.write(done.stderr + done.stdout)
    if done.returncode == 0:
        sys.stdout.write(f"{BUILT / 'index.html'}\n")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
