"""
What the package says of itself that follows from other files; hatchling calls this when it builds.

The README is the long description. Its links lead to files beside it, which are not there where packages are listed:
they become addresses in the repository where its owner has named one, and plain words where not.
"""

import re
from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parent.parent
CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")
"""A link or a picture whose target is a file here."""


class PackageMetadata(MetadataHookInterface):
    """Fills in what `pyproject.toml` calls dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the long description, the addresses and the authors."""
        facts = run_path(str(Path(self.root) / "src" / "seekread" / "version.py"))
        project: str = facts["PROJECT"]
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": long_description(readme, project)}
        metadata["urls"] = addresses(project)
        metadata["authors"] = [
            {key: value for key, value in (("name", name), ("email", email)) if value}
            for name, email in facts["AUTHORS"]
        ]


def long_description(readme: str, project: str) -> str:
    """The README as it can be read elsewhere."""

    def absolute(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if project:
            return f"{picture}[{words}]({project}/{'raw' if picture else 'blob'}/HEAD/{target})"
        return "" if picture else words

    prose_and_code = CODE.split(readme)
    return "".join(part if number % 2 else LINK.sub(absolute, part) for number, part in enumerate(prose_and_code))


def addresses(project: str) -> dict[str, str]:
    """Where to find what belongs to the project, once its owner has said where it lives."""
    if not project:
        return {}
    return {
        "Source": project,
        "Documentation": f"{project}/tree/HEAD/docs",
        "Changelog": f"{project}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{project}/issues",
    }


def registry_name(project: str) -> str:
    """What the registry of MCP servers knows it by: the owner of the repository, then the name."""
    owner = re.fullmatch(r"https://github\.com/([^/]+)/[^/]+", project)
    return f"io.github.{owner[1] if owner else 'OWNER'}/seekread"
