"""Code blocks as plain text with their language, whatever a highlighter made of them."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import cast

from lxml.etree import SubElement

from seekread.extraction.tree import Element, drop, text_of

LANGUAGE = re.compile(
    r"(?:^|\s)(?P<sure>language|lang|highlight-source|highlight-text|brush)[-:]\s?(?P<named>[\w#+.-]+)"
    r"|(?:^|\s)(?:highlight|syntax|code|src)[-:]\s?(?P<known>[\w#+.-]+)",
    re.IGNORECASE,
)
"""A class that names a language; after words that name other things as well only known languages count."""
KNOWN = frozenset(
    {
        "bash", "c", "clojure", "cpp", "csharp", "console", "css", "dart", "diff", "dockerfile", "elixir",
        "erlang", "fortran", "go", "graphql", "haskell", "html", "http", "ini", "java", "javascript", "js", "json",
        "jsx", "julia", "kotlin", "lua", "makefile", "markdown", "matlab", "nginx", "objectivec", "ocaml", "perl",
        "php", "powershell", "python", "py", "r", "ruby", "rust", "scala", "scss", "sh", "shell", "solidity",
        "ipython3", "python3", "pycon", "shell-session",
        "sql", "swift", "toml", "tsx", "typescript", "ts", "vim", "xml", "yaml", "yml", "zig",
    }
)  # fmt: skip
"""Languages that are believed as a bare class name."""
BARE = frozenset({"highlight", "sourceCode"})
"""Classes of boxes beside which a language stands as a class of its own."""
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
    r"(?:^|\s)(?:linenos?|lnt|ln|line-?numbers?(?:-rows)?|gutter|hljs-ln-numbers|lineno|rouge-gutter|blob-num"
    r"|copy-?(?:btn|button|code)?|code-?copy|clipboard)"
    r"(?:\s|$)",
    re.IGNORECASE,
)
NUMBERS = re.compile(r"[\d\s]*")
TABLE_OF_CODE = re.compile(r"highlight|rouge|lntable|hljs-ln", re.IGNORECASE)
MOST_OF_TABLE = 0.5
"""The share of a table's text that its code has at least; the numbers of short lines are the rest."""
LINES = frozenset({"div", "li", "tr", "p"})


def flatten(tree: Element, written: bytes) -> None:
    """
    Make every `pre` one piece of text inside `code`, with its language as the only class.

    `written` is what the tree was made of.
    """
    if b"<pre" not in written:
        return
    for table in list(tree.iter("table")):
        unwrap_table(table)
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


def unwrap_table(table: Element) -> None:
    """Put code in the place of a table that shows it beside the numbers of its lines."""
    blocks = list(table.iter("pre"))
    parent = table.getparent()
    if not blocks or parent is None or any(above.tag == "pre" for above in table.iterancestors()):
        return
    shown = [pre for pre in blocks if not in_gutter(pre, table) and not NUMBERS.fullmatch(text_of(pre))]
    beside = len(blocks) > 1 or TABLE_OF_CODE.search(table.get("class") or "")
    if len(shown) != 1 or not beside or len(text_of(shown[0])) < MOST_OF_TABLE * len(text_of(table)):
        return
    pre = shown[0]
    language = language_of(pre) or language_of(table)
    pre.tail = table.tail
    parent.replace(table, pre)
    if language:
        pre.set("class", f"language-{language}")


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
    rows = [row for row in pre.iter("*") if is_line(row) and not any(is_line(above) for above in inside(row, pre))]
    if len(rows) > 1 and text.count("\n") < len(rows) - 1:
        for row in rows:
            row.tail = "\n" + (row.tail or "").lstrip("\n")
        text = "".join(cast("list[str]", list(pre.itertext())))
    return text.strip("\n").rstrip()


def inside(element: Element, root: Element) -> Iterator[Element]:
    """The elements around one, up to a root."""
    return takewhile(lambda above: above is not root, element.iterancestors())


def is_line(element: Element) -> bool:
    """Say whether an element of a code block is one of its lines."""
    return element.tag in LINES or "data-line" in element.attrib or element.get("class") in {"line", "code-line", "cl"}


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
            value = (match["named"] or match["known"]).lower().strip(".-")
            believed = value in KNOWN if match["known"] else value not in NO_LANGUAGE
            if value and believed and len(value) < 20:
                return value
        if element.tag in {"pre", "code"} or BARE & set(names.split()):
            bare = [name.lower() for name in names.split() if name.lower() in KNOWN]
            if bare:
                return bare[0]
    return ""
