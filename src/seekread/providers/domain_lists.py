"""Domain lists for services that take either the domains to allow or those to block."""

from dataclasses import dataclass

from seekread.provider import Query, Wish


@dataclass(frozen=True)
class EitherList:
    """The list that is sent, the other one `None`, and the wish that is left for the engine to filter by."""

    allowed: list[str] | None
    blocked: list[str] | None
    unmet: frozenset[Wish]


def either_list(query: Query) -> EitherList:
    """The domains to allow where there are any, or else those to block."""
    both = query.allowed_domains and query.blocked_domains
    return EitherList(
        list(query.allowed_domains) or None,
        (not query.allowed_domains and list(query.blocked_domains)) or None,
        frozenset({"blocked_domains"}) if both else frozenset(),
    )
