"""What our values have in common: they are immutable, validated on construction, and cheap to change a copy of."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

put = object.__setattr__


class Value(BaseModel):
    """Base of our values: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same value with some fields changed; what it holds is immutable too, so one dictionary is all to copy."""
        if deep:
            return super().model_copy(update=update, deep=True)
        changed = update or {}
        copy = object.__new__(type(self))
        put(copy, "__dict__", {**self.__dict__, **changed})
        put(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changed.keys())
        put(copy, "__pydantic_extra__", None)
        put(copy, "__pydantic_private__", None)
        return copy
