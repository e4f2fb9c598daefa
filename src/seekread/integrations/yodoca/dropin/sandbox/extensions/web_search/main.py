"""Web search and page reading by seekread: `seekread host remove yodoca .` brings back what stood here."""

from seekread.integrations.yodoca import WebSearchExtension

__all__ = ["WebSearchExtension"]
