"""
Ollama's hosted web search, part of an account there: for those who run models of their own.

Reference: https://docs.ollama.com/capabilities/web-search
"""

from dataclasses import dataclass
from typing import ClassVar

from seekread.provider import Call, Found, KnownAnswer, Query, Reply, Request, SearchResult, SecretStr, setting
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB


@dataclass(frozen=True)
class Ollama:
    """Search with the API of ollama.com."""

    api_key: SecretStr = setting(env="OLLAMA_API_KEY", about="API key of an account at ollama.com.")
    base_url: str = setting("https://ollama.com", about="Where the API answers; not a server of models.")

    name: ClassVar[str] = "ollama"
    label: ClassVar[str] = "Ollama web search"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    max_results: ClassVar[int] = 10

    def search(self, query: Query) -> Call[Found]:
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        body = {"query": query.text, "max_results": query.limit}
        return Call(Request("POST", f"{self.base_url}/api/web_search", headers=headers, json=body), parse_results)


def parse_results(reply: Reply) -> Found:
    rows = rows_at(reply.json(), "results")
    return Found(
        [SearchResult(title=row["title"] or "", url=row["url"], snippet=row.get("content") or "") for row in rows]
    )
