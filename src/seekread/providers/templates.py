"""
Requests that the settings describe: texts with places such as `{query}`, filled from a query.

What a query does not ask for is left out with the text it stands in. `words` are a service's own words for a value,
such as `pd` for a freshness of `day`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from seekread.provider import Query, SecretStr, Wish

PLACE = re.compile(r"\{(\w*)\}")
PLACES: Mapping[str, Wish | None] = {
    "query": None,
    "limit": None,
    "key": None,
    "page": "page",
    "page0": "page",
    "offset": "page",
    "search_type": "news",
    "freshness": "freshness",
    "date_from": "dates",
    "date_to": "dates",
    "allowed_domains": "allowed_domains",
    "blocked_domains": "blocked_domains",
    "country": "country",
    "language": "language",
    "safe_search": "safe_search",
}
"""What may stand in braces, and the wish it passes on."""

ServiceWords = Mapping[str, Mapping[str, str]]


def places_in(template: Any) -> Iterator[str]:
    """The names in braces, wherever they stand."""
    match template:
        case str():
            yield from PLACE.findall(template)
        case Mapping():
            for inner in template.values():
                yield from places_in(inner)
        case list() | tuple():
            for inner in template:
                yield from places_in(inner)


def unknown_place(template: Any) -> str | None:
    """A sentence about the first name in braces that nobody knows."""
    wrong = next((name for name in places_in(template) if name not in PLACES), None)
    return None if wrong is None else f"knows no {{{wrong}}}; known are {', '.join(PLACES)}"


def passed_on(*templates: Any) -> frozenset[Wish]:
    """The wishes that a description passes on."""
    wishes = (PLACES[name] for template in templates for name in places_in(template))
    return frozenset(wish for wish in wishes if wish)


def values_of(query: Query, key: SecretStr | None, words: ServiceWords) -> dict[str, Any]:
    """What stands for each place; `None` for what was not asked for or has no word."""
    asked = {
        **query.model_dump(include=set(PLACES)),
        "query": query.text,
        "key": key,
        "page0": query.page - 1,
        "offset": (query.page - 1) * query.limit,
        "search_type": "news" if query.news else None,
        "allowed_domains": list(query.allowed_domains) or None,
        "blocked_domains": list(query.blocked_domains) or None,
    }
    return {name: value if name not in words else words[name].get(str(value)) for name, value in asked.items()}


def unmet_by(query: Query, values: Mapping[str, Any]) -> frozenset[Wish]:
    """The wishes of a query for which the description has no word."""
    asked = {name: getattr(query, name, None) for name in values}
    return frozenset(
        wish for name, wish in PLACES.items() if wish and asked[name] and values[name] is None and name != "search_type"
    )


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A description with its places filled; `None` where one of them is empty."""
    match template:
        case str() if whole := PLACE.fullmatch(template):
            return values[whole[1]]
        case str():
            return joined(template, values)
        case Mapping():
            return {name: filled(inner, values) for name, inner in template.items()}
        case list() | tuple():
            return [filled(inner, values) for inner in template]
    return template


def joined(template: str, values: Mapping[str, Any]) -> str | SecretStr | None:
    names = PLACE.findall(template)
    if any(values[name] is None for name in names):
        return None
    text = PLACE.sub(lambda place: plain_text(values[place[1]]), template)
    return SecretStr(text) if "key" in names else text


def plain_text(value: Any) -> str:
    match value:
        case SecretStr():
            return value.get_secret_value()
        case list():
            return ",".join(map(str, value))
    return str(value)
