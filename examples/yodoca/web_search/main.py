from seekread.integrations.yodoca import WebSearchExtension

__all__ = ["WebSearchExtension"]
