"""What our values have in common: they are immutable, validated on construction, and cheap to change a copy of."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Never, Self, dataclass_transform, get_origin, get_type_hints

from pydantic_core import CoreSchema, SchemaSerializer, SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from seekread.kinds import schema_of, with_default
from seekread.late import dataclass

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

DumpMode = Literal["python", "json"]
Direction = Literal["validation", "serialization"]

put = object.__setattr__


@dataclass(frozen=True)
class FieldInfo:
    """What is declared about a field."""

    default: Any = dataclasses.MISSING
    default_factory: Callable[[], Any] | None = None
    limits: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Such as `ge` or `min_length`, in the words of pydantic."""
    check: Callable[[Any], Any] | None = None
    """A function that gives back a value, or raises `ValueError`; not asked about `None`."""
    internal: bool = False
    """Whether it is left out of JSON, schemas and `repr`."""
    description: str = ""
    env: tuple[str, ...] = ()
    """Further names of environment variables."""
    annotation: Any = None

    def schema(self, of: Callable[[Any], CoreSchema]) -> CoreSchema:
        """What it may hold."""
        return with_default(self._limited(of(self.annotation)), self.default, self.default_factory)

    def _limited(self, schema: Any) -> CoreSchema:
        if schema["type"] == "nullable":
            return {**schema, "schema": self._limited(schema["schema"])}
        limited: CoreSchema = {**schema, **self.limits}
        return core.no_info_after_validator_function(self.check, limited) if self.check else limited


def declared(
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Callable[[], Any] | None = None,
    internal: bool = False,
    **limits: Any,
) -> Any:
    """Say more about a field than its default."""
    return FieldInfo(default, default_factory, limits, internal=internal)


class Made:
    """Something of a class that is made when it is first asked for."""

    def __init__(self, name: str, make: Callable[[Any], Any]) -> None:
        self.name, self.make = name, make

    def __get__(self, _instance: object, owner: type) -> Any:
        made = self.make(owner)
        setattr(owner, self.name, made)
        return made


def fields_of(cls: "type[Value]") -> dict[str, FieldInfo]:
    """The fields of a class of values, those of its bases first."""
    found: dict[str, FieldInfo] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is not ClassVar:
            own = cls.given.get(name, dataclasses.MISSING)
            info = own if isinstance(own, FieldInfo) else FieldInfo(own)
            found[name] = dataclasses.replace(info, annotation=hint)
    return found


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(declared,))
class Value:
    """
    Base of our values: immutable, and strict about unknown fields.

    To programs it is what a pydantic model is, by the same names; pydantic itself is imported where its schema is asked
    for, or where a model of pydantic's holds one.
    """

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    given: ClassVar[dict[str, Any]] = {}
    model_config: ClassVar[dict[str, Any]] = {"frozen": True, "extra": "forbid"}
    model_fields: ClassVar[dict[str, FieldInfo]]
    __pydantic_validator__: ClassVar[SchemaValidator]
    __pydantic_serializer__: ClassVar[SchemaSerializer]
    if TYPE_CHECKING:
        __pydantic_fields_set__: set[str]

    def __init_subclass__(cls) -> None:
        own = {name: vars(cls)[name] for name in cls.__annotations__ if name in vars(cls)}
        cls.given = {**cls.given, **own}
        for name in own:
            delattr(cls, name)
        for made in MADE:
            setattr(cls, made.name, made)

    def __init__(self, /, **given: Any) -> None:
        self.__pydantic_validator__.validate_python(given, self_instance=self)

    @classmethod
    def core_schema(cls, of: Callable[[Any], CoreSchema]) -> CoreSchema:
        """What the core of pydantic needs to know, with the words for types that `of` gives."""
        fields = {
            name: core.model_field(info.schema(of), serialization_exclude=info.internal or None)
            for name, info in cls.model_fields.items()
        }
        inner = core.model_fields_schema(fields, model_name=cls.__name__, extra_behavior="forbid")
        return core.model_schema(cls, inner, frozen=True, config={"title": cls.__name__})

    @classmethod
    def model_validate(cls, given: Any) -> Self:
        """The value that a mapping describes."""
        return cls.__pydantic_validator__.validate_python(given)  # type: ignore[no-any-return]

    @classmethod
    def model_validate_json(cls, text: str | bytes | bytearray) -> Self:
        """The value that JSON describes."""
        return cls.__pydantic_validator__.validate_json(text)  # type: ignore[no-any-return]

    def model_dump(self, *, mode: DumpMode = "python", **options: Any) -> dict[str, Any]:
        """The value as a dictionary, with the options of pydantic: `include`, `exclude`, `exclude_none` and others."""
        return self.__pydantic_serializer__.to_python(self, mode=mode, **options)  # type: ignore[no-any-return]

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The value as JSON, with the same options."""
        return self.__pydantic_serializer__.to_json(self, indent=indent, **options).decode()

    @classmethod
    def model_json_schema(cls, *, mode: Direction = "validation") -> dict[str, Any]:
        """The JSON Schema of such values."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).json_schema(mode=mode)

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """The same value with some fields changed; what it holds is immutable too, so one dictionary is all to copy."""
        changed = update or {}
        return self.of_fields({**self.__dict__, **changed}, self.__pydantic_fields_set__ | changed.keys())

    @classmethod
    def of_fields(cls, fields: dict[str, Any], named: "AbstractSet[str]") -> Self:
        made = object.__new__(cls)
        put(made, "__dict__", fields)
        put(made, "__pydantic_fields_set__", named)
        put(made, "__pydantic_extra__", None)
        put(made, "__pydantic_private__", None)
        return made

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were given."""
        return self.__pydantic_fields_set__

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Names and values, so that `dict(value)` is what it is for pydantic's models."""
        yield from self.__dict__.items()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_fields, (dict(self.__dict__), self.__pydantic_fields_set__)

    def __setattr__(self, name: str, value: object) -> Never:
        raise ValidationError.from_exception_data(
            type(self).__name__, [{"type": "frozen_instance", "loc": (name,), "input": value}]
        )

    def __delattr__(self, name: str) -> Never:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        shown = (f"{name}={self.__dict__[name]!r}" for name, info in self.model_fields.items() if not info.internal)
        return f"{type(self).__name__}({', '.join(shown)})"

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: "GetCoreSchemaHandler") -> CoreSchema:
        return {**cls.core_schema(handler.generate_schema), "ref": f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: "GetJsonSchemaHandler") -> dict[str, Any]:
        found = handler(schema)
        properties = handler.resolve_ref_schema(found)["properties"]
        for name, info in cls.model_fields.items():
            if info.internal:
                properties.pop(name, None)
            elif info.description:
                properties[name] |= {"description": info.description, "env": list(info.env)}
        return found


MADE = (
    Made("model_fields", fields_of),
    Made("__pydantic_validator__", lambda cls: SchemaValidator(cls.core_schema(schema_of))),
    Made("__pydantic_serializer__", lambda cls: SchemaSerializer(cls.core_schema(schema_of))),
)
