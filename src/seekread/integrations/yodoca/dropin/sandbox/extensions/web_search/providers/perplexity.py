"""Perplexity."""

from seekread.integrations.yodoca import PerplexitySearchProvider

__all__ = ["PerplexitySearchProvider"]
