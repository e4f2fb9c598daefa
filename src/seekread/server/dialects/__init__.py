"""
Other vendors' dialects: existing applications get failover, cache and guard by changing a base URL.

A dialect is one file that declares `DIALECT`, and its place in this list.
"""

from seekread.server.dialects import firecrawl, jina, openwebui, perplexity, searxng, tavily
from seekread.server.dialects.dialect import Dialect

DIALECTS: tuple[Dialect, ...] = (
    tavily.DIALECT,
    searxng.DIALECT,
    perplexity.DIALECT,
    openwebui.DIALECT,
    jina.DIALECT,
    firecrawl.DIALECT,
)
