"""The settings file as a JSON Schema, made of the settings themselves and of what each provider declares."""

import dataclasses
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from seekread.config.settings import Settings
from seekread.config.sources import KEY, KEY_POOL
from seekread.provider import traits
from seekread.providers.registry import Registry

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def settings_schema() -> dict[str, Any]:
    """What may stand in a settings file."""
    schema = Settings.model_json_schema()
    tables = {traits(made).name: provider_schema(made) for made in Registry().classes()}
    providers = {"type": "object", "additionalProperties": False, "properties": dict(sorted(tables.items()))}
    return {"$schema": DIALECT, **schema, "properties": {**schema["properties"], "providers": providers}}


def provider_schema(made: type) -> dict[str, Any]:
    """The table of one provider: its fields, without what the engine hands it."""
    fields = dataclasses.fields(made) if dataclasses.is_dataclass(made) else ()
    named = [item for item in fields if item.init and not item.metadata.get("kind")]
    hints = get_type_hints(made)
    properties = {
        item.name: {**TypeAdapter(hints[item.name]).json_schema(), "description": item.metadata.get("about", "")}
        for item in named
        if "env" in item.metadata
    }
    if KEY in properties:
        several = {"type": "array", "items": {"type": "string"}, "description": "Several keys, used in turn."}
        properties[KEY_POOL] = several
    return {"type": "object", "additionalProperties": False, "properties": properties}
