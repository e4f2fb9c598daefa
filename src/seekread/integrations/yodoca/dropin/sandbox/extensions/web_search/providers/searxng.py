"""SearXNG."""

from seekread.integrations.yodoca import SearXngSearchProvider

__all__ = ["SearXngSearchProvider"]
