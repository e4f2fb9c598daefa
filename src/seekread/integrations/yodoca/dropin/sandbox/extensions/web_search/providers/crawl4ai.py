"""Crawl4AI."""

from seekread.integrations.yodoca import Crawl4AIReadProvider

__all__ = ["Crawl4AIReadProvider"]
