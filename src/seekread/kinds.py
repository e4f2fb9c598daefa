"""
What a type means to the core of pydantic, without pydantic.

The package `pydantic` takes as long to import as a whole first search may take; its core does the work and is imported
in a tenth of that. So plain types are put into the core's words here. What is not plain is left to pydantic, which is
imported then.
"""

import dataclasses
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic_core import CoreSchema, SchemaValidator
from pydantic_core import core_schema as core

PLAIN: dict[Any, CoreSchema] = {
    str: core.str_schema(),
    int: core.int_schema(),
    float: core.float_schema(),
    bool: core.bool_schema(),
    NoneType: core.none_schema(),
    Any: core.any_schema(),
}


def schema_of(hint: Any) -> CoreSchema:
    """What values of a type look like."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is None:
        return schema_of_class(hint)
    if origin is Literal:
        return core.literal_schema(list(parts))
    if origin in {Union, UnionType} and len(parts) == 2 and NoneType in parts:
        return core.nullable_schema(schema_of(parts[parts[0] is NoneType]))
    if origin is tuple and parts[1:] == (...,):
        return core.tuple_schema([schema_of(parts[0])], variadic_item_index=0)
    if origin is list:
        return core.list_schema(schema_of(parts[0]))
    if origin is dict:
        return core.dict_schema(schema_of(parts[0]), schema_of(parts[1]))
    return left_to_pydantic(hint)


def schema_of_class(hint: Any) -> CoreSchema:
    """The same for a class."""
    if hint in PLAIN:
        return PLAIN[hint]
    if own := getattr(hint, "core_schema", None):
        return own(schema_of)  # type: ignore[no-any-return]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return schema_of_dataclass(hint)
    return left_to_pydantic(hint)


def schema_of_dataclass(hint: type) -> CoreSchema:
    """The same for a dataclass."""
    hints = get_type_hints(hint)
    fields = dataclasses.fields(hint)
    taken = [
        core.dataclass_field(
            item.name, with_default(schema_of(hints[item.name]), item.default), kw_only=bool(item.kw_only)
        )
        for item in fields
    ]
    arguments = core.dataclass_args_schema(hint.__name__, taken)
    post_init = hasattr(hint, "__post_init__")
    return core.dataclass_schema(hint, arguments, [item.name for item in fields], post_init=post_init)


def with_default(schema: CoreSchema, default: Any, factory: Callable[[], Any] | None = None) -> CoreSchema:
    """A field that may be left out, where it has a default."""
    if factory is not None:
        return core.with_default_schema(schema, default_factory=factory)
    if default is dataclasses.MISSING:
        return schema
    return core.with_default_schema(schema, default=default)


def left_to_pydantic(hint: Any) -> CoreSchema:
    """What pydantic says of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(hint).core_schema


@cache
def validator(hint: Any) -> SchemaValidator:
    """What turns a value into one of a type, or says why not."""
    return SchemaValidator(schema_of(hint))
