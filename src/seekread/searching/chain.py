"""
Who may be asked at all, and in which order.

A provider chosen explicitly is asked alone, unless a fallback is configured with it: nobody's query silently leaves
their own SearXNG. Without a choice: the providers that have their key, then those that need none.
"""

from collections.abc import Callable, Sequence

from seekread.providers.registry import Registry

PREFERRED = ("brave", "tavily", "perplexity")
KEYLESS = ("duckduckgo", "wikipedia", "index")


def chain(
    asked: Sequence[str], fallback: Sequence[str], registry: Registry, ready: Callable[[str], bool]
) -> tuple[str, ...]:
    """The names to ask, in order."""
    chosen = asked or registered(registry) or (("searxng",) if ready("searxng") else ())
    names = (*chosen, *fallback) if chosen else default(registry, ready)
    return tuple(dict.fromkeys(names))


def registered(registry: Registry) -> tuple[str, ...]:
    """Providers registered in code, the default first."""
    names = [name for name in registry.registered if name in registry.search_names()]
    return tuple(sorted(names, key=lambda name: name != registry.default))


def default(registry: Registry, ready: Callable[[str], bool]) -> tuple[str, ...]:
    """Everyone who is ready: those with a key in our order of preference, then those without."""
    others = [name for name in registry.search_names() if name not in {*PREFERRED, *KEYLESS, "searxng"}]
    return tuple(name for name in (*PREFERRED, *others, *KEYLESS) if ready(name))
