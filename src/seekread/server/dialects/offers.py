"""
What is not offered: one rule for every dialect.

What would change the answer itself (a format, a filter, a kind of result) is refused by its name, with what to send
instead: an answer without it would look like one with it. What would only add something beside the answer, or say how
it is found, is left out, and the answer names it in the header `x-seekread-left-out`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.server.problems import rejected

LEFT_OUT = "x-seekread-left-out"
MOST_NAMED = 20
NAME = re.compile(r"[\w.-]{1,50}", re.ASCII)


class Foreign(BaseModel):
    """What a vendor's client sends, under the vendor's names."""

    model_config = ConfigDict(frozen=True, extra="allow")

    refused: ClassVar[Mapping[str, str]] = {}
    """What is not offered and would change the answer, by its name, and what to do instead."""
    known: ClassVar[frozenset[str]] = frozenset()
    """What changes nothing here, because it is always so or nobody's business but the vendor's."""

    @model_validator(mode="before")
    @classmethod
    def check_offered(cls, values: Any) -> Any:
        """Refuse what is not offered."""
        for name, instead in cls.refused.items() if isinstance(values, dict) else ():
            if is_asked_for(values.get(name)):
                raise ValueError(not_offered(name, instead))
        return values


def is_asked_for(value: Any) -> bool:
    """Whether a parameter asks for anything: clients send their defaults too."""
    return value not in (None, False, "", 0, [], {}, (), "false", "0")


def not_offered(what: str, instead: str) -> str:
    """What is said of something that is not offered."""
    return f"{what} is not offered here; {instead}"


def only(name: str, asked: Iterable[str], offered: Iterable[str]) -> frozenset[str]:
    """The values of a parameter, all of which must be among those that are offered."""
    wanted = frozenset(asked)
    if unknown := wanted - frozenset(offered):
        raise InvalidQuery(not_offered(f"{name} {', '.join(sorted(unknown))}", f"send {' or '.join(sorted(offered))}"))
    return wanted


def left_out(*asked: Foreign | None) -> dict[str, str]:
    """The header that names what was sent and not understood."""
    sent = {
        name
        for each in asked
        if each is not None
        for name, value in (each.model_extra or {}).items()
        if name not in each.known and is_asked_for(value)
    }
    # A header holds what the client sent, so it holds names only.
    names = sorted(name for name in sent if NAME.fullmatch(name))[:MOST_NAMED]
    return {LEFT_OUT: ", ".join(names)} if names else {}


def answered(body: Any, *asked: Foreign | None) -> Response:
    """An answer as JSON, with what was left out of it."""
    return JSONResponse(body, headers=left_out(*asked))


def absent(path: str, instead: str) -> Route:
    """An endpoint of the vendor's that is not offered, and says so."""

    async def refuse(_request: Request) -> Response:
        raise rejected(404, "not_offered", not_offered(path.rpartition("/")[2].partition("{")[0] or path, instead))

    return Route(path, refuse, methods=["GET", "POST", "DELETE"])
