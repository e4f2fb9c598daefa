"""
term2's settings: `webSearch.*` out of its `settings.json`, with the environment on top.

A key that came from the environment is never written anywhere.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from seekread.config.sources import Configuration, load
from seekread.integrations.engines import ENGINES

PLACES = (".config/term2/settings.json", ".local/state/term2-nodejs/settings.json")
"""Below the home folder: where the document puts the file, and where the host keeps it on Linux."""
DEFAULT_PROVIDER = "tavily"


class Term2Settings:
    """A settings service over our own loader."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    @classmethod
    def load(cls, file: str | Path | None = None, *, environ: Mapping[str, str] | None = None) -> "Term2Settings":
        """Read the file, or the host's own one where it exists, then the environment."""
        found = file or next((path for path in (Path.home() / place for place in PLACES) if path.is_file()), None)
        return cls(load(file=found, environ=environ))

    def get(self, key: str) -> Any:
        """`webSearch.provider`, or `webSearch.<id>.<field>` such as `webSearch.tavily.apiKey`."""
        match key.split("."):
            case ["webSearch", "provider"]:
                return next(iter(self._configuration.settings.search.providers), DEFAULT_PROVIDER)
            case ["webSearch", name, field] if name in ENGINES:
                return self._value(name, FIELDS.get(field, field))
        return None

    def _value(self, name: str, field: str) -> Any:
        origin = self._configuration.provider_values(ENGINES[name]).get(field)
        if origin is None:
            return None
        return origin.value.get_secret_value() if isinstance(origin.value, SecretStr) else origin.value


FIELDS = {"apiKey": "api_key", "baseUrl": "base_url", "url": "base_url"}
"""The host writes camelCase, our providers' fields are snake_case."""
