"""Which setting is behind a failure, and where it was set: what a person looks for first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from seekread.outcomes import MEANINGS

if TYPE_CHECKING:
    from seekread.config.sources import Configuration
    from seekread.models import Attempt


def origins(configuration: "Configuration", attempts: "Iterable[Attempt]") -> list[str]:
    """For each provider that failed in a way a setting can explain: the setting, and where it comes from."""
    from seekread.errors import NotConfigured
    from seekread.providers.registry import Registry

    registry = Registry()
    told: dict[str, None] = {}
    for attempt in attempts:
        suspects = MEANINGS[attempt.outcome].suspects
        if not suspects:
            continue
        try:
            values = configuration.provider_values(registry.declared(attempt.provider))
        except (NotConfigured, LookupError):
            continue
        for field in suspects:
            if field in values:
                told[f"{attempt.provider}: its {field} comes from the {values[field].source}"] = None
    return list(told)
