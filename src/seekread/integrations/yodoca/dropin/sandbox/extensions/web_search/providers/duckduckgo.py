"""DuckDuckGo."""

from seekread.integrations.yodoca import DuckDuckGoSearchProvider

__all__ = ["DuckDuckGoSearchProvider"]
