"""
A text that shows nowhere by accident: a key, or an address with a password.

It stands for pydantic's class of the same name, which takes long to import, and whoever has one of those may hand it
over: an instance of either is one of this.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, SecretStr
    from pydantic_core import CoreSchema

__all__ = ["SecretStr"]

MASK = "*" * 10


class EitherKind(type):
    """Knows pydantic's secrets as well."""

    def __instancecheck__(cls, value: object) -> bool:
        return hasattr(type(value), "get_secret_value")


class SecretText(metaclass=EitherKind):
    """A text that is shown only to those who ask for its secret value."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def get_secret_value(self) -> str:
        """The text."""
        return self._secret

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretText) and self._secret == other.get_secret_value()

    def __hash__(self) -> int:
        return hash(self._secret)

    def __len__(self) -> int:
        return len(self._secret)

    def __str__(self) -> str:
        return MASK if self._secret else ""

    def __repr__(self) -> str:
        return f"SecretStr('{self}')"

    @classmethod
    def core_schema(cls, of: "Callable[[Any], CoreSchema]") -> "CoreSchema":
        """What the core of pydantic needs to know."""
        from pydantic_core import core_schema as core

        text = core.no_info_before_validator_function(in_the_clear, of(str))
        shown = core.to_string_ser_schema(when_used="json")
        return core.no_info_after_validator_function(cls, text, serialization=shown)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        return cls.core_schema(handler.generate_schema)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: "CoreSchema", handler: "GetJsonSchemaHandler") -> dict[str, Any]:
        return {**handler(schema), "format": "password", "writeOnly": True}


def in_the_clear(given: object) -> object:
    """The text of a secret; anything else as it is."""
    return given.get_secret_value() if isinstance(given, SecretText) else given


if not TYPE_CHECKING:
    SecretStr = SecretText
