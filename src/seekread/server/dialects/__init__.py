"""
Other vendors' dialects: existing applications get failover, cache and guard by changing a base URL.

A dialect is one file that declares `DIALECT`, and its place in this list.
"""

from seekread.server.dialects import (
    brave,
    exa,
    firecrawl,
    jina,
    jina_search,
    openwebui,
    perplexity,
    searxng,
    serper,
    tavily,
)
from seekread.server.dialects.dialect import Dialect

DIALECTS: tuple[Dialect, ...] = (
    tavily.DIALECT,
    searxng.DIALECT,
    perplexity.DIALECT,
    exa.DIALECT,
    brave.DIALECT,
    serper.DIALECT,
    openwebui.DIALECT,
    jina.DIALECT,
    jina_search.DIALECT,
    firecrawl.DIALECT,
)
