"""Tavily."""

from seekread.integrations.yodoca import TavilyProvider

__all__ = ["TavilyProvider"]
