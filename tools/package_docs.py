"""Puts the documentation into the wheel, for `seekread index add --docs`; hatchling calls this when it builds."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackageDocs(BuildHookInterface[Any]):
    """Adds the pages: what they show as pictures is for readers of the site."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Name each page and its place in the wheel."""
        docs = Path(self.root) / "docs"
        build_data["force_include"] |= {
            str(page): f"seekread/_docs/{page.relative_to(docs)}" for page in sorted(docs.rglob("*.md"))
        }
