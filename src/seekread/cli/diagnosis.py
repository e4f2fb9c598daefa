"""Which setting is behind a failure, and where it was set: what a person looks for first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seekread.config.sources import Configuration
    from seekread.models import Attempt

SUSPECTS = {
    "auth_failed": ("api_key", "base_url"),
    "unreachable": ("base_url", "proxy"),
    "bad_reply": ("base_url",),
    "timeout": ("base_url", "proxy"),
}
"""Outcome → the settings that may be wrong then."""


def origins(configuration: "Configuration", attempts: "Iterable[Attempt]") -> list[str]:
    """For each provider that failed in a way a setting can explain: the setting, and where it comes from."""
    from seekread.errors import NotConfigured
    from seekread.providers.registry import Registry

    registry = Registry()
    told: dict[str, None] = {}
    for attempt in attempts:
        if attempt.outcome not in SUSPECTS:
            continue
        try:
            values = configuration.provider_values(registry.declared(attempt.provider))
        except (NotConfigured, LookupError):
            continue
        for field in SUSPECTS[attempt.outcome]:
            if field in values:
                told[f"{attempt.provider}: its {field} comes from the {values[field].source}"] = None
    return list(told)
