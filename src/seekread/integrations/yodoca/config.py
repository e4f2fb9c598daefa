"""
The extension's settings, as the host's manifest and `settings.yaml` name them, and what they are to our engine.

The host's settings win over everything that seekread reads elsewhere, so whatever is refused because of one of them is
told by the name it has there.
"""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

ENGINE = {"route": "first", "store": "memory:", "attempt_seconds": 15.0, "search_seconds": 30.0, "page_seconds": 30.0}
"""How the extension asks: one provider after the other, nothing kept beyond the host's own life, with its patience."""
SETTING = re.compile(r"((?:\w+ or )*\w+) under \[\w+\](?: \(SEEKREAD_\w+\))?")
"""How our own sentences name settings."""
KEY = re.compile(r"\w+ needs api_key: set (\w+)(?: or \w+)*, or api_key under \[providers\.\w+\]")
"""How they name a key that is missing."""


class YodocaConfig(BaseModel):
    """The extension's configuration: the manifest's, with the host's settings on top."""

    model_config = ConfigDict(extra="forbid")

    search_provider: str = "duckduckgo"
    read_provider: str = "jina"
    search_fallback: list[str] = []
    read_fallback: list[str] = []
    max_page_length: int = Field(default=15_000, ge=1)
    max_urls_per_call: int = Field(default=10, ge=1)
    total_content_budget: int = Field(default=40_000, ge=1)
    open_page_concurrency: int = Field(default=5, ge=1)
    page_fresh_seconds: int = Field(default=3_600, ge=0)
    searxng_base_url: str = "http://localhost:8080"
    duckduckgo_delay: float = Field(default=1.0, ge=0)
    allowed_domains: list[str] = []
    blocked_domains: list[str] = []
    allow_private: list[str] = []
    citations: bool = True

    @property
    def searchers(self) -> tuple[str, ...]:
        """Who is asked, in order."""
        return (self.search_provider, *self.search_fallback)

    @property
    def readers(self) -> tuple[str, ...]:
        """Who reads, in order."""
        return (self.read_provider, *self.read_fallback)

    def settings(self) -> dict[str, Any]:
        """The same as settings of our engine."""
        lists = {name: tuple(getattr(self, name)) for name in ("allowed_domains", "blocked_domains", "allow_private")}
        return {**ENGINE, **lists, "fresh_seconds": self.page_fresh_seconds}

    def providers(self) -> dict[str, dict[str, Any]]:
        """Settings of single providers."""
        return {
            "searxng": {"base_url": self.searxng_base_url},
            "duckduckgo": {"delay_seconds": self.duckduckgo_delay},
        }


def in_host_words(text: str) -> str:
    """A sentence of ours with every setting under the name it has in this host."""
    text = KEY.sub(r"\1 secret not set. Use configure_extension to provide it", text)
    return SETTING.sub(named, text)


def named(found: re.Match[str]) -> str:
    """Settings the host has, as it names them; what only we have keeps our name."""
    names = found[1].split(" or ")
    if not set(names) <= YodocaConfig.model_fields.keys():
        return found[0]
    return " or ".join(f"extensions.web_search.{name}" for name in names)
