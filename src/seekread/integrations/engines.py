"""The engines the contracts name, by their names: known here, so no entry point must be looked up for them."""

from typing import Any

from seekread.providers.brave import Brave
from seekread.providers.duckduckgo import DuckDuckGo
from seekread.providers.jina import Jina
from seekread.providers.perplexity import Perplexity
from seekread.providers.searxng import SearXNG
from seekread.providers.tavily import Tavily
from seekread.providers.wikipedia import Wikipedia

ENGINES: dict[str, Any] = {
    "brave": Brave,
    "duckduckgo": DuckDuckGo,
    "jina": Jina,
    "perplexity": Perplexity,
    "searxng": SearXNG,
    "tavily": Tavily,
    "wikipedia": Wikipedia,
}
