"""
What is known of our providers without importing them: how their variables begin, and who needs no setting at all.

A first search must not import thirty modules to learn that nobody has set them up. A test compares this with what the
classes declare.
"""

from collections.abc import Mapping

ODD: Mapping[str, tuple[str, ...]] = {
    "duckduckgo": ("DDGS_",),
    "perplexity": ("PERPLEXITYAI_",),
    "pubmed": ("NCBI_",),
    "semanticscholar": ("SEMANTIC_SCHOLAR_", "S2_"),
    "you": ("YDC_",),
}
"""How variables begin that do not begin with the name of their provider."""
SELF_SUFFICIENT = frozenset({
    "arxiv", "duckduckgo", "hackernews", "marginalia", "openalex", "pubmed", "semanticscholar",
    "stackexchange", "wikipedia",
})  # fmt: skip
"""Those that work without any setting."""


def prefixes(name: str) -> tuple[str, ...]:
    """How the variables of a provider begin."""
    return (f"SEEKREAD_{name}_".upper(), f"{name}_".upper(), *ODD.get(name, ()))
