"""
Which seekread this is, and how it introduces itself to servers.

What only its owner can say stands here and nowhere else: where the project lives, and who made it. The package's
metadata, the entry for the registry of MCP servers and the name in the README follow; `tools/generate_docs.py`
renews those that are kept in files.
"""

VERSION = "0.1.0"
PROJECT = ""
"""The address of its repository, such as `https://github.com/OWNER/seekread`. While it is empty, nobody names one."""
AUTHORS: tuple[tuple[str, str], ...] = ()
"""The name and e-mail address of each author; either may be empty."""


def user_agent() -> str:
    """Who asks, in which version, and where to learn more."""
    return f"seekread/{VERSION} (+{PROJECT})" if PROJECT else f"seekread/{VERSION}"
