"""
Markdown as plain text: the words of a page, line by line, without marks and without addresses.

Code stays as it is, without its fences. What could speak is escaped: somebody may show the text as Markdown after all.
"""

from seekread.page.blocks import EMPHASIS, RULE, Block, blocks, heading_title
from seekread.page.gate import unspoken
from seekread.page.link_styles import without_targets

DIVIDER = frozenset("|:- \t")


def plain_text(markdown: str) -> str:
    """The text of Markdown."""
    bare, _ = without_targets(markdown)
    pieces: list[str] = []
    above = ""
    for block in blocks(bare):
        if text := block_text(bare, block):
            pieces.append(("\n" if block.kind == above == "item" else "\n\n") + text)
            above = block.kind
    return unspoken("".join(pieces)).strip()


def block_text(text: str, block: Block) -> str:
    """The text of one block."""
    written = text[block.start : block.end]
    match block.kind:
        case "heading":
            return heading_title(written)
        case "code":
            return "\n".join(written.split("\n")[1:-1])
        case "table":
            return "\n".join(row_text(row) for row in written.split("\n") if not DIVIDER.issuperset(row))
    return "" if RULE.match(written) else unmarked(written)


def row_text(row: str) -> str:
    """The cells of a row, a tab between them."""
    cells = row.strip().strip("|").replace("\\|", "\0").split("|")
    return "\t".join(unmarked(cell.replace("\0", "|").strip()) for cell in cells)


def unmarked(written: str) -> str:
    """A text without emphasis; what it escapes stays escaped, so that it stays text."""
    return "\n".join(line.rstrip() for line in EMPHASIS.sub("", written).split("\n"))
