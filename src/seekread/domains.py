"""Hosts and domains: one way to name the source of a URL and one way to match it against a list."""

from collections.abc import Iterable
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """The host of a URL in lower case without a trailing dot, or an empty string."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def source_of(url: str) -> str:
    """The domain shown as a result's source: the host without `www.`."""
    return host_of(url).removeprefix("www.")


def matches(host: str, domain: str) -> bool:
    """Say whether a host is a domain or below it, on label boundaries."""
    wanted = domain.strip().lower().removeprefix("*").strip(".")
    host = host.lower().rstrip(".")
    return bool(wanted) and (host == wanted or host.endswith("." + wanted))


def matches_any(host: str, domains: Iterable[str]) -> bool:
    """Say whether a host is, or is below, one of the domains."""
    return any(matches(host, domain) for domain in domains)
