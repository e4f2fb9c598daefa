"""
The agent's tools: what they are called, what they take and what they give.

A client puts every tool's definition into every conversation, so each word here is paid for again and again: models are
told what they need to know, and nothing else.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.options import GATHER, OPEN, QUESTION, Option, table
from seekread.toolkit.schema import parameters_of

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
OBJECT: dict[str, Any] = {"type": "object"}
ACTIONS = ("outline", "section", "find", "passages", "quote")


def optional(kind: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": [kind["type"], "null"]}


def several(kind: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": kind}


def values(*required: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {**OBJECT, "properties": properties, "required": list(required)}


RESULT = values(
    "citation_id", "title", "url",
    citation_id=WHOLE, title=TEXT, url=TEXT, snippet=TEXT, published_date=optional(TEXT),
)  # fmt: skip
PAGE = values(
    "url", "content", "truncated",
    url=TEXT, title=TEXT, content=TEXT, truncated={"type": "boolean"}, next_offset=optional(WHOLE),
    original_length=optional(WHOLE), snapshot=optional(TEXT), notes=several(TEXT),
)  # fmt: skip

PASSAGE = values("source", "text", source=WHOLE, text=TEXT, heading=TEXT, link=TEXT)
SOURCE = values("number", "url", number=WHOLE, url=TEXT, title=TEXT, date=optional(TEXT), snapshot=optional(TEXT))


@dataclass(frozen=True)
class ToolDefinition:
    """
    A tool.

    description: may name other tools in braces, because a server may prefix their names
    takes: its options; a model is shown some of them, the others are understood
    gives: the JSON schema of its values
    slow: what is said while it takes long
    """

    name: str
    title: str
    description: str
    takes: Mapping[str, Option]
    gives: Mapping[str, Any]
    slow: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return parameters_of(self.takes)


WEB_SEARCH = ToolDefinition(
    name="web_search",
    title="Search the web",
    description=(
        "Search the web. Returns numbered results with title, URL and snippet; cite them as [1]. "
        "When the snippets are not enough, read a page with {open_page}."
    ),
    takes=QUESTION,
    gives=values(
        "outcome", "results", outcome=TEXT, results=several(RESULT), answer=optional(TEXT), notes=several(TEXT)
    ),
    slow="searching",
)

READ = {
    **{name: option for name, option in OPEN.items() if option.tool},
    "url": replace(OPEN["url"], missing="send the address of a page"),
    "urls": replace(OPEN["urls"], sentence="More pages, read at the same time."),
    "links": OPEN["links"],
    "reader": replace(OPEN["reader"], kind="choice", choices=("whole",)),
}
"""
What a model can ask of a read. How links are written, and that all text is wanted, is understood and not shown: the
text says it where links or much of a page were left out.
"""

OPEN_PAGE = ToolDefinition(
    name="open_page",
    title="Read a page",
    description=(
        "Read a web page or PDF as Markdown, when snippets are not enough. Long pages come in parts: the end of a part "
        "gives the offset of the next one and a snapshot handle for {page_lookup}."
    ),
    takes=READ,
    gives={**PAGE, "properties": {**PAGE["properties"], "pages": several(OBJECT)}, "required": []},
    slow="reading",
)

LOOKUP = table(
    Option(
        "page", "text", "Snapshot handle or URL.", aliases=("url", "snapshot", "snapshot_id", "handle", "id"),
        missing="send the snapshot handle of a page that was read, or its URL", tool=True,
    ),
    Option(
        "action", "choice", "", aliases=("operation",), choices=ACTIONS,
        missing=f"send one of {', '.join(ACTIONS)}", tool=True,
    ),
    Option(
        "text", "text", "Heading, text, question or quotation.",
        aliases=("query", "question", "heading", "section", "quotation", "needle"), tool=True,
    ),
    OPEN["max_length"],
)  # fmt: skip
"""What can be looked up in a page that was read."""

PAGE_LOOKUP = ToolDefinition(
    name="page_lookup",
    title="Look something up in a page",
    description=(
        "Look into a page that was read, without fetching it again. outline: its headings. section: the text under a "
        "heading. find: every place of a text. passages: what answers a question. quote: whether the page says this, "
        "where, and a link to cite."
    ),
    takes=LOOKUP,
    gives=values("url", "found", url=TEXT, snapshot=TEXT, found=several(OBJECT), notes=several(TEXT)),
    slow="looking it up",
)

GATHER_EVIDENCE = ToolDefinition(
    name="gather",
    title="Gather evidence",
    description=(
        "Answer a question from several pages at once: searches, reads the best pages and returns only the passages "
        "that answer, numbered by source; cite them as [1]. Look deeper with {page_lookup}."
    ),
    takes=GATHER,
    gives=values(
        "outcome", "passages", "sources",
        outcome=TEXT, passages=several(PASSAGE), sources=several(SOURCE), left_out=several(OBJECT), notes=several(TEXT),
    ),
    slow="gathering",
)  # fmt: skip

TOOLS = (WEB_SEARCH, OPEN_PAGE, PAGE_LOOKUP, GATHER_EVIDENCE)


@dataclass(frozen=True)
class ToolNames:
    """The tools' names as one server spells them: with a prefix where another server's tools would clash."""

    prefix: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]{0,32}", self.prefix):
            raise Misconfigured(
                f"a tool prefix is up to 32 letters, digits, hyphens and underscores, not {self.prefix!r}"
            )

    def of(self, tool: ToolDefinition) -> str:
        """The name of a tool."""
        return f"{self.prefix}{tool.name}"

    def written(self, text: str) -> str:
        """A text that mentions tools, with their names filled in."""
        return text.format_map({tool.name: self.of(tool) for tool in TOOLS})

    def find(self, name: str) -> ToolDefinition | None:
        """The tool a client means; its plain name is understood too."""
        return next((tool for tool in TOOLS if name in {self.of(tool), tool.name}), None)
