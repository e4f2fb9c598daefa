"""What an engine cannot do without, and the variable that people set it by."""

import dataclasses
from typing import get_type_hints

from seekread.config.sources import is_secret, provider_variables
from seekread.errors import NotConfigured
from seekread.late import dataclass
from seekread.providers.registry import Registry, required


@dataclass(frozen=True)
class Needed:
    """A setting that an engine cannot do without."""

    engine: str
    field: str
    variable: str
    secret: bool
    about: str


def needed_of(name: str) -> list[Needed]:
    """What an engine cannot do without; of one that cannot be imported nothing is known."""
    registry = Registry()
    try:
        made = registry.provider_class(name, registry.group(name))
    except NotConfigured:
        return []
    if not dataclasses.is_dataclass(made):
        return []
    hints = get_type_hints(made)
    fields = [f for f in dataclasses.fields(made) if f.init and required(f) and f.metadata.get("env")]
    return [
        Needed(name, f.name, provider_variables(name, f)[0], is_secret(hints[f.name]), f.metadata["about"])
        for f in fields
    ]
