"""The page that describes the API: the OpenAPI document, for people to read. It needs no script and no other site."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from shlex import quote
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from seekread.late import dataclass
from seekread.server.console.pages import page
from seekread.server.keys import BearerKey
from seekread.server.openapi import PROBLEMS, document

EXAMPLES: Mapping[str, Any] = {
    "query": "solid state battery",
    "question": "when does production start",
    "url": "https://example.org/article",
    "urls": ["https://example.org/article"],
    "text": "production starts in 2027",
    "heading": "Production",
}
"""What the examples ask, by the names of fields."""


@dataclass(frozen=True)
class FieldShown:
    """A field of a question or an answer."""

    name: str
    kind: str
    types: tuple[str, ...]
    """The types of ours it is made of."""
    about: str
    required: bool

    @property
    def words(self) -> list[tuple[str, bool]]:
        """What it holds, word by word, and whether a word is a type of ours."""
        parts = re.split(f"({'|'.join(self.types)})", self.kind) if self.types else [self.kind]
        return [(part, part in self.types) for part in parts if part]


@dataclass(frozen=True)
class EndpointShown:
    """One address: what it takes, and what it answers."""

    path: str
    methods: tuple[str, ...]
    summary: str
    fields: tuple[FieldShown, ...]
    answers: tuple[str, ...]
    streams: bool

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return re.sub(r"\W+", "-", self.path).strip("-")

    @property
    def example(self) -> dict[str, Any]:
        """The least that can be asked."""
        needed = [field for field in self.fields if field.required] or list(self.fields[:1])
        return {field.name: EXAMPLES.get(field.name, 0) for field in needed}

    def command(self, base: str, *, token: bool) -> str:
        """The example as a command."""
        path = self.path.replace("{id}", "ID")
        words = ["curl", *(["-H", '"Authorization: Bearer $TOKEN"'] if token else [])]
        if "GET" in self.methods:
            asked = f"?{urlencode(self.example, doseq=True)}" if self.example else ""
            return " ".join([*words, quote(base + path + asked)])
        body = ["-d", quote(json.dumps(self.example))] if self.example else ["-X", "POST"]
        return " ".join([*words, quote(base + path), *body])


@dataclass(frozen=True)
class TypeShown:
    """A type that questions or answers are made of."""

    name: str
    about: str
    fields: tuple[FieldShown, ...]


async def docs_page(request: Request) -> Response:
    """The API, described."""
    service = request.app.state.service
    endpoints, types = described()
    values = {
        "endpoints": endpoints,
        "types": types,
        "problems": PROBLEMS,
        "base": str(request.base_url).rstrip("/"),
        "needs_token": service.options.needs_token,
        "dialects": [(each.name, each.prefixes, (BearerKey(), *each.keys)) for each in service.dialects],
    }
    return page(request, "docs.html", values)


@cache
def described() -> tuple[tuple[EndpointShown, ...], tuple[TypeShown, ...]]:
    """Every address and every type of the document."""
    found = document()
    types = found["components"]["schemas"]
    endpoints = tuple(endpoint(path, methods, types) for path, methods in found["paths"].items())
    shown = tuple(
        TypeShown(name, type_.get("description", ""), tuple(fields(type_))) for name, type_ in sorted(types.items())
    )
    return endpoints, shown


def endpoint(path: str, methods: Mapping[str, Any], types: Mapping[str, Any]) -> EndpointShown:
    """One address with all its methods, which take the same."""
    first = next(iter(methods.values()))
    posted = methods.get("post", {}).get("requestBody")
    if posted:
        taken = list(fields(types[named(posted["content"]["application/json"]["schema"])[0]]))
    else:
        taken = [
            FieldShown(each["name"], kind(each["schema"]), (), each.get("description", ""), each["required"])
            for each in first["parameters"]
            if each["in"] == "query"
        ]
    content = first["responses"]["200"]["content"]
    return EndpointShown(
        path=path,
        methods=tuple(method.upper() for method in methods),
        summary=first["summary"],
        fields=tuple(taken),
        answers=named(content["application/json"]["schema"]),
        streams="text/event-stream" in content,
    )


def fields(schema: Mapping[str, Any]) -> Iterator[FieldShown]:
    """The fields of a type."""
    needed = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        yield FieldShown(name, kind(field), named(field), field.get("description", ""), name in needed)


def named(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types of ours that a schema speaks of."""
    places = re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(schema))
    return tuple(dict.fromkeys(places))


def kind(schema: Mapping[str, Any]) -> str:
    """What a field holds, in words."""
    match schema:
        case {"anyOf": [*several]}:
            return " or ".join(dict.fromkeys(kind(each) for each in several if each != {"type": "null"}))
        case {"$ref": str(place)}:
            return place.rpartition("/")[2]
        case {"enum": [*choices]}:
            return "one of " + ", ".join(str(choice) for choice in choices)
        case {"const": only}:
            return str(only)
        case {"type": "array", "items": items}:
            return f"list of {kind(items)}"
        case {"type": "array"}:
            return "list"
        case {"type": "object"}:
            return "object"
        case {"type": "string"}:
            return "text" + upto(schema.get("maxLength"), "characters")
        case {"type": "integer" | "number" as number}:
            return ("whole number" if number == "integer" else "number") + between(schema)
        case {"type": "boolean"}:
            return "true or false"
        case _:
            return "anything"


def upto(most: int | None, unit: str) -> str:
    return f", at most {most:,} {unit}" if most else ""


def between(schema: Mapping[str, Any]) -> str:
    """The bounds of a number, where there are any."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f", {least:,} to {most:,}"
    return f", at least {least:,}" if least else upto(most, "").rstrip()
