"""The input and output schema of basirah's tool, word for word."""

from typing import Any


def parameters() -> dict[str, Any]:
    """The JSON schema of the arguments; a fresh one each time, since hosts change what they are given."""
    return {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Search query string",
                "minLength": 1,
                "maxLength": 400,
                "examples": [
                    "recent news about management changes",
                    "competitive advantages brand loyalty",
                    "Tim Cook leadership track record",
                ],
            },
            "company": {
                "type": "string",
                "description": "Company name or ticker for context filtering (optional)",
                "examples": ["Apple Inc", "AAPL", "Microsoft Corporation"],
            },
            "count": {
                "type": "integer",
                "description": "Number of results to return",
                "default": 10,
                "minimum": 1,
                "maximum": 20,
            },
            "search_type": {
                "type": "string",
                "enum": ["general", "news", "recent"],
                "default": "general",
                "description": "Type of search to perform",
            },
            "freshness": {
                "type": "string",
                "enum": ["day", "week", "month", "year"],
                "description": "Filter results by freshness (optional)",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def output() -> dict[str, Any]:
    """The JSON schema of the envelope."""
    return {
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "description": "Whether search completed successfully"},
            "data": {
                "type": ["object", "null"],
                "properties": {
                    "query": {"type": "string", "description": "Actual query sent to Brave Search API"},
                    "results": {"type": "array", "items": {"type": "object", "properties": result_fields()}},
                    "total_results": {"type": "integer", "description": "Total number of results returned"},
                    "metadata": {
                        "type": "object",
                        "properties": {
                            "source": {"type": "string", "const": "brave_search"},
                            "search_type": {"type": "string", "description": "Type of search performed"},
                            "timestamp": {"type": "string", "format": "date-time"},
                            "api_latency_ms": {"type": "integer", "description": "API response time in milliseconds"},
                        },
                    },
                },
            },
            "error": {"type": ["string", "null"], "description": "Error message if search failed"},
        },
    }


def result_fields() -> dict[str, Any]:
    return {
        "title": {"type": "string", "description": "Result title"},
        "url": {"type": "string", "format": "uri", "description": "Result URL"},
        "description": {"type": "string", "description": "Result description/snippet"},
        "age": {"type": "string", "description": "Relative age (e.g., '2 days ago')"},
        "published_date": {
            "type": ["string", "null"],
            "format": "date",
            "description": "Publication date if available",
        },
        "source": {"type": "string", "description": "Domain name of source"},
        "extra_snippets": {
            "type": "array",
            "items": {"type": "string"},
            "description": "RAG-optimized additional snippets",
        },
    }
