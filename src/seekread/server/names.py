"""The names requests are counted and shown under, in which nothing stands that anybody sends."""

from starlette.types import Scope

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def route_name(scope: Scope) -> str:
    """The route of a request as it stands in the table, never the address that was asked for."""
    route = scope.get("route", "")
    return route if isinstance(route, str) and route else str(getattr(route, "path", "") or "other")


def method_name(scope: Scope) -> str:
    """The method, if it is one: a label must not hold what anybody sends."""
    return scope["method"] if scope["method"] in METHODS else "other"
