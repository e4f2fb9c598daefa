"""Code blocks as plain text with their language, whatever a highlighter made of them."""

import re
from typing import cast

from lxml.etree import SubElement

from seekread.extraction.tree import Element, drop

LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush|syntax|code)[-:]\s?([\w#+.-]+)",
    re.IGNORECASE,
)
KNOWN = frozenset(
    {
        "bash", "c", "clojure", "console", "cpp", "csharp", "css", "dart", "diff", "dockerfile", "elixir",
        "erlang", "fortran", "go", "graphql", "haskell", "html", "http", "ini", "java", "javascript", "js", "json",
        "jsx", "julia", "kotlin", "lua", "makefile", "markdown", "matlab", "nginx", "objectivec", "ocaml", "perl",
        "php", "powershell", "python", "py", "r", "ruby", "rust", "scala", "scss", "sh", "shell", "solidity",
        "sql", "swift", "toml", "tsx", "typescript", "ts", "vim", "xml", "yaml", "yml", "zig",
    }
)  # fmt: skip
"""Languages that are believed as a bare class name."""
NO_LANGUAGE = frozenset(
    {
        "none",
        "text",
        "plaintext",
        "plain",
        "default",
        "notranslate",
        "block",
        "toolbar",
        "wrapper",
        "highlight",
        "nohighlight",
        "box",
        "example",
    }
)
GUTTER = re.compile(
    r"(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|gutter|hljs-ln-numbers|lineno|rouge-gutter|blob-num"
    r"|copy-?(?:btn|button|code)?|code-?copy|clipboard)"
    r"(?:\s|$)",
    re.IGNORECASE,
)
LINES = frozenset({"div", "li", "tr", "p"})


def flatten(tree: Element) -> None:
    """Make every `pre` one piece of text inside `code`, with its language as the only class."""
    for table in cast(
        "list[Element]", tree.xpath(".//table[.//pre and (contains(@class, 'highlight') or contains(@class, 'rouge'))]")
    ):
        blocks = [pre for pre in table.iter("pre") if not in_gutter(pre, table)]
        if len(blocks) == 1 and table.getparent() is not None:
            pre = blocks[0]
            language = language_of(pre)
            pre.tail = table.tail
            table.getparent().replace(table, pre)  # type: ignore[union-attr]
            if language:
                pre.set("class", f"language-{language}")
    for pre in list(tree.iter("pre")):
        if pre.getparent() is None or any(parent.tag == "pre" for parent in pre.iterancestors()):
            continue
        language = language_of(pre)
        text = lines_of(pre)
        tail = pre.tail
        pre.clear()
        pre.tail = tail
        code = SubElement(pre, "code")
        code.text = text
        if language:
            code.set("class", f"language-{language}")


def in_gutter(element: Element, root: Element) -> bool:
    """Say whether an element is part of the line numbers beside code."""
    current: Element | None = element
    while current is not None and current is not root:
        if GUTTER.search(current.get("class") or ""):
            return True
        current = current.getparent()
    return False


def lines_of(pre: Element) -> str:
    """The text of a code block with one line for each line shown."""
    for element in list(pre.iter("*")):
        if (
            element is not pre
            and element.getparent() is not None
            and (GUTTER.search(element.get("class") or "") or element.tag == "button")
        ):
            drop(element)
    for element in pre.iter("*"):
        if element.tag == "br":
            element.tail = "\n" + (element.tail or "")
    text = "".join(cast("list[str]", list(pre.itertext())))
    rows = [
        element
        for element in pre.iter("*")
        if element.tag in LINES or element.get("class") in {"line", "code-line", "cl"}
    ]
    if len(rows) > 1 and text.count("\n") < len(rows) - 1:
        for row in rows:
            row.tail = "\n" + (row.tail or "").lstrip("\n")
        text = "".join(cast("list[str]", list(pre.itertext())))
    return text.strip("\n").rstrip()


def language_of(pre: Element) -> str:
    """The language a code block names: on itself, on the code inside, or on the boxes around it."""
    inner = next(iter(pre.iter("code")), None)
    parent = pre.getparent()
    around = [parent, parent.getparent()] if parent is not None else []
    for element in (inner, pre, *around):
        if element is None or element.tag in {"body", "html", "article", "main"}:
            continue
        for name in (
            "data-lang",
            "data-language",
            "data-code-lang",
            "lang" if element.tag in {"pre", "code"} else "data-lang",
        ):
            value = (element.get(name) or "").strip().lower()
            if value and len(value) < 20 and value not in NO_LANGUAGE and " " not in value:
                return value
        names = element.get("class") or ""
        for match in LANGUAGE.finditer(names):
            value = match[1].lower().strip(".-")
            if value and value not in NO_LANGUAGE and len(value) < 20:
                return value
        if element.tag in {"pre", "code"}:
            bare = [name.lower() for name in names.split() if name.lower() in KNOWN]
            if bare:
                return bare[0]
    return ""
