"""Which seekread this is, and how it introduces itself to servers."""

VERSION = "0.1.0"
PROJECT = "https://github.com/seekread/seekread"


def user_agent() -> str:
    """Who asks, in which version, and where to learn more."""
    return f"seekread/{VERSION} (+{PROJECT})"
