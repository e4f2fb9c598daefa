"""Gathered evidence as text: the passages under the numbers of their sources, the sources, and what was left out."""

from seekread.gathering.evidence import EvidenceSource, Gathered, LeftOut
from seekread.page.fence import fence
from seekread.page.gate import gated, shown_address, unspoken
from seekread.page.invisible import one_line
from seekread.printable import on_a_line

NOTHING = "Nothing that answers this was found."


def evidence_text(found: Gathered) -> str:
    """Passages and sources for a person; nothing found says so."""
    sources = [on_a_line(f"[{each.number}] {each.title}  {each.url}") for each in found.sources]
    return "\n\n".join(filter(None, (found.content, "\n".join(sources)))) or NOTHING


def fenced_evidence(found: Gathered) -> str:
    """Passages and sources for a model, between fences; that there is nothing is nobody else's word."""
    if not found.passages:
        return f"{NOTHING} The question was: {unspoken(one_line(found.question))}"
    # A passage may begin in the middle of code, which then is none.
    passages = [gated(f"[{each.source}] {each.text}").text for each in found.passages]
    body = "\n\n".join([*passages, "Sources:\n" + "\n".join(map(source_line, found.sources))])
    return fence(body, source="the pages listed as sources")


def source_line(source: EvidenceSource) -> str:
    """A source under its number, with the handle to look deeper."""
    handle = f"snapshot {source.snapshot}" if source.snapshot else ""
    title = f"{unspoken(one_line(source.title))} — " if source.title else ""
    facts = [unspoken(one_line(fact)) for fact in (source.date or "", handle) if fact]
    return " · ".join([f"[{source.number}] {title}{shown_address(source.url)}", *facts])


def left_out(found: Gathered) -> list[str]:
    """What was found and gave nothing, or only what an engine shows of it, each with the reason."""
    cited = {source.url for source in found.sources}
    return [
        f"{'not read, cited as the engine shows it' if each.url in cited else 'left out'}: "
        f"{shown_address(each.url)} ({reason(each)})"
        for each in found.left_out
    ]


def reason(each: LeftOut) -> str:
    """Why a page gave nothing; one that could not be read with its outcome."""
    return f"{each.why}: {each.outcome}" if each.why == "failed" else each.why
