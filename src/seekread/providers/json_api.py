"""
Any search API that speaks JSON, described in the settings: no code, every promise kept.

    [providers.json_api]
    base_url = "https://api.acme.example/v1/search"
    results = "data.items"
    price = 0.002

    [providers.json_api.parameters]
    q = "{query}"
    size = "{limit}"

    [providers.json_api.fields]
    url = "link"
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.errors import Misconfigured
from seekread.provider import (
    Call,
    Cost,
    Found,
    KnownAnswer,
    Mistake,
    Query,
    Reply,
    Request,
    SecretStr,
    Wish,
    given,
    setting,
    told_cost,
)
from seekread.providers.described import KNOWN, described_results, unknown_field
from seekread.providers.json_paths import text_at, value_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.templates import PLACES, filled, passed_on, unknown_place, unmet_by, values_of

PARAMETERS = {"q": "{query}", "count": "{limit}"}
HEADERS = {"Authorization": "Bearer {key}"}


@dataclass(frozen=True)
class JsonApi:
    """Search with the API that the settings describe."""

    base_url: str = setting(about="The address that is asked.")
    api_key: SecretStr | None = setting(None, env="JSON_API_KEY", about="The key that {key} stands for.")
    method: Literal["GET", "POST"] = setting("GET", about="GET sends the parameters in the address, POST as JSON.")
    parameters: Mapping[str, Any] | None = setting(
        None, about='What is sent: texts with {query}, {limit}, {page}, …; q = "{query}", count = "{limit}" unless set.'
    )
    headers: Mapping[str, str] | None = setting(
        None, about='Headers that are sent; Authorization = "Bearer {key}" unless set.'
    )
    words: Mapping[str, Mapping[str, str]] | None = setting(
        None, about='The service\'s words for values, such as freshness = { day = "pd" }.'
    )
    results: str = setting("results", about="Where the list of results stands, such as data.items.")
    fields: Mapping[str, str] | None = setting(
        None, about="What the fields of a result are called there: title, url, snippet, content, published_date, …"
    )
    answer: str = setting("", about="Where an answer in words stands, if there is one.")
    missing_is_empty: bool = setting(False, about="Whether a reply without that list means that nothing was found.")
    price: float = setting(0.0, about="Dollars that a search costs.")
    cost: str = setting("", about="Where a reply says what it cost, in dollars.")
    max_results: int = setting(10, about="Most results of one search.")
    max_query: int = setting(2000, about="Most characters of a query.")
    operators: bool = setting(False, about="Whether site: in the query works.")
    delay_seconds: float = setting(0.0, about="Least seconds between two searches.")
    label: str = setting("a JSON API", about="Its name for people.")

    name: ClassVar[str] = "json_api"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    honours: ClassVar[frozenset[Wish]] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a description that makes no sense, and honour what it passes on."""
        if wrong := self.mistake_in(vars(self)):
            raise Misconfigured(f"json_api: {'.'.join(wrong.place)} {wrong.sentence}")
        object.__setattr__(self, "honours", passed_on(self.parameters, self.headers))

    @staticmethod
    def mistake_in(table: Mapping[str, Any]) -> Mistake | None:
        """What is wrong with a description, and where."""
        for part in ("parameters", "headers"):
            for name, template in (table.get(part) or {}).items():
                if wrong := unknown_place(template):
                    return Mistake((part, name), wrong)
        for name in table.get("words") or {}:
            if name not in PLACES:
                return Mistake(("words", name), f"is nothing that a query has; known are {', '.join(PLACES)}")
        if field := unknown_field(table.get("fields") or {}):
            return Mistake(("fields", field), f"is no field of a result; known are {', '.join(KNOWN)}")
        parameters = table.get("parameters")
        if parameters is not None and "{query}" not in str(parameters):
            return Mistake(("parameters",), "do not send the {query}")
        return None

    def search(self, query: Query) -> Call[Found]:
        values = values_of(query, self.api_key, self.words or {})
        sent = filled(self.parameters or PARAMETERS, values)
        headers = given(filled(HEADERS if self.headers is None else self.headers, values))
        body = {"params": sent} if self.method == "GET" else {"json": sent}
        request = Request(self.method, self.base_url, headers=headers, **body)
        cost = Cost(dollars=self.price)
        return Call(request, partial(self._parse, unmet=unmet_by(query, values) & self.honours), cost=cost)

    def _parse(self, reply: Reply, *, unmet: frozenset[Wish]) -> Found:
        data = reply.json()
        nothing = self.missing_is_empty and isinstance(data, dict) and value_at(data, self.results) is None
        return Found(
            [] if nothing else described_results(data, self.results, self.fields or {}),
            answer=text_at(data, self.answer) or None,
            unmet=unmet,
            cost=told_cost(dollars=value_at(data, self.cost)) if self.cost else None,
        )
