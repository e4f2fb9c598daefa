"""The entry for the registry of MCP servers says what is true of the package."""

import dataclasses
import json
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from seekread.config.sources import provider_variables
from seekread.providers.plugins import installed
from seekread.providers.registry import SEARCH_GROUP, provider_class
from seekread.version import VERSION

ROOT = Path(__file__).parents[3]
ENTRY: Any = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
PROJECT: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_name_and_versions_agree_with_the_package() -> None:
    [package] = ENTRY["packages"]
    assert package["identifier"] == PROJECT["name"]
    assert ENTRY["version"] == package["version"] == VERSION == version("seekread")
    assert ENTRY["name"].endswith(f"/{PROJECT['name']}")
    assert len(ENTRY["description"]) <= 100


def test_what_it_runs_brings_the_sdk_and_names_a_command() -> None:
    [package] = ENTRY["packages"]
    [extra] = package["runtimeArguments"]
    assert extra["value"] == PROJECT["optional-dependencies"]["mcp"][0]
    assert package["runtimeHint"] == "uvx"
    assert package["transport"] == {"type": "stdio"}
    assert [argument["value"] for argument in package["packageArguments"]] == ["mcp"]


def test_every_variable_it_asks_for_is_one_that_a_provider_reads() -> None:
    known = {
        variable
        for name in installed(SEARCH_GROUP)
        for item in dataclasses.fields(provider_class(name, SEARCH_GROUP))
        for variable in provider_variables(name, item)
    }
    asked = ENTRY["packages"][0]["environmentVariables"]
    assert {variable["name"] for variable in asked} <= known
    assert all(variable.get("isSecret") for variable in asked if variable["name"].endswith("_KEY"))
