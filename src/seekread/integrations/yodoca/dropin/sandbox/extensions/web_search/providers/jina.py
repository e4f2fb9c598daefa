"""Jina Reader."""

from seekread.integrations.yodoca import JinaReadProvider

__all__ = ["JinaReadProvider"]
