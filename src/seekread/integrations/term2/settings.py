"""
term2's settings: `webSearch.*` out of its `settings.json`, with the environment on top.

A key that came from the environment is never written anywhere.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seekread.config.sources import Configuration, load
from seekread.config.term2_file import FIELDS, term2_file
from seekread.errors import SeekreadError
from seekread.providers.registry import SEARCH_GROUP, Registry
from seekread.secret import SecretStr

DEFAULT_PROVIDER = "tavily"


class Term2Settings:
    """A settings service over our own loader."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._registry = Registry()

    @classmethod
    def load(cls, file: str | Path | None = None, *, environ: Mapping[str, str] | None = None) -> "Term2Settings":
        """Read the file, or the host's own one where it exists, then the environment."""
        return cls(load(file=file or term2_file(environ), environ=environ))

    def get(self, key: str) -> Any:
        """`webSearch.provider`, or `webSearch.<id>.<field>` such as `webSearch.tavily.apiKey`."""
        match key.split("."):
            case ["webSearch", "provider"]:
                return next(iter(self._configuration.settings.search.providers), DEFAULT_PROVIDER)
            case ["webSearch", name, field]:
                return self._value(name, FIELDS.get(field, field))
        return None

    def _value(self, name: str, field: str) -> Any:
        try:
            origin = self._configuration.provider_values(self._registry.provider_class(name, SEARCH_GROUP)).get(field)
        except SeekreadError:
            # Nobody of that name is installed.
            return None
        value = origin and origin.value
        return value.get_secret_value() if isinstance(value, SecretStr) else value
