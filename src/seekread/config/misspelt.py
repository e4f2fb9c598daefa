"""Variables that nobody reads, and which one was meant: a setting with a typing mistake does nothing."""

import dataclasses
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from seekread.config.settings import all_settings, variables
from seekread.config.sources import KEY, provider_variables
from seekread.provider import traits
from seekread.providers.registry import Registry
from seekread.providers.variables import prefixes

OURS = "SEEKREAD_"
OTHERS = frozenset({"SEEKREAD_CONFIG", "SEEKREAD_MCP_TOKEN", "SEEKREAD_URL", "SEEKREAD_TOKEN", "SEEKREAD_CHROMIUM"})
"""Variables that are no settings: which file is read, and what programs beside this one are told."""
NEAR = 0.8
"""How alike two names are when one is a mistake for the other, from 0 to 1."""


def misspelt_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set and read by nobody, each with the one that was meant, or with nothing."""
    known = set(known_variables())
    beginnings = tuple(start for made in Registry().classes() for start in prefixes(traits(made).name))
    found = {}
    for name in sorted(environ):
        if name in known or name.removesuffix("_FILE") in known:
            continue
        near = get_close_matches(name, known, 1, NEAR)
        # Other programs have variables that begin like ours; one that is nearly ours is a mistake.
        if name.startswith(OURS) or (near and name.startswith(beginnings)):
            found[name] = near[0] if near else ""
    return found


def known_variables() -> Iterator[str]:
    """Every variable that is read."""
    yield from OTHERS
    for name, (_, info) in all_settings().items():
        yield from variables(name, info)
    for made in Registry().classes():
        for item in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
            for variable in provider_variables(traits(made).name, item):
                yield variable
                if item.name == KEY:
                    yield f"{variable}S"
