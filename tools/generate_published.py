"""
Write down what programs of others rely on: the service's OpenAPI document and the MCP tools, under `tests/golden`.

`--check` only shows what has changed. Run it without when the change is meant; the diff is then part of the commit,
where everybody sees what becomes different for clients.
"""

import difflib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from seekread.client import Seekread
from seekread.mcp.server import create_server
from seekread.server.openapi import document

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"


def openapi() -> Any:
    """The description of the service; its version changes with every release and is nobody's contract."""
    described = document()
    del described["info"]["version"]
    return described


def mcp_tools() -> Any:
    """The tools as a client lists them, with what they take and what they give."""
    return anyio.run(listed)


async def listed() -> Any:
    def never() -> Seekread:
        raise AssertionError("listing needs no engine")

    async with Client(create_server(never)) as client:
        tools = (await client.list_tools()).tools
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


PUBLISHED: dict[str, Callable[[], Any]] = {"openapi.json": openapi, "mcp-tools.json": mcp_tools}
"""File → what is written to it."""


def main() -> None:
    changed: list[str] = []
    for name, publish in PUBLISHED.items():
        path = GOLDEN / name
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        fresh = json.dumps(publish(), indent=1, ensure_ascii=False) + "\n"
        changed += difflib.unified_diff(kept.splitlines(), fresh.splitlines(), f"published {name}", "now", lineterm="")
        if "--check" not in sys.argv:
            path.write_text(fresh, encoding="utf-8")
    if changed and "--check" in sys.argv:
        sys.exit("\n".join([*changed, "If clients may see this change, run tools/generate_published.py."]))


if __name__ == "__main__":
    main()
