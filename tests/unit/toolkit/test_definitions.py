"""What models are told about the tools, and what that costs them."""

import json

import jsonschema
import pytest

from seekread.errors import Misconfigured
from seekread.toolkit.definitions import ACTIONS, TOOLS, ToolNames
from seekread.toolkit.guidance import INSTRUCTIONS
from seekread.toolkit.lookup import LOOKS


def test_names_descriptions_and_schemas_stay_small() -> None:
    """What a model pays in every conversation, in characters."""
    told = [
        {"name": tool.name, "description": ToolNames().written(tool.description), "inputSchema": tool.parameters}
        for tool in TOOLS
    ]
    assert len(json.dumps(told)) <= 4000


def test_every_action_that_is_offered_is_done() -> None:
    assert tuple(LOOKS) == ACTIONS


@pytest.mark.parametrize("prefix", ["a b", "x" * 33, "ü", "a.b", "a\n"])
def test_a_prefix_that_no_client_would_take_is_refused(prefix: str) -> None:
    with pytest.raises(Misconfigured, match="tool prefix"):
        ToolNames(prefix)


def test_schemas_are_valid_and_every_enumeration_has_a_type() -> None:
    for tool in TOOLS:
        jsonschema.Draft202012Validator.check_schema(tool.parameters)
        jsonschema.Draft202012Validator.check_schema(dict(tool.gives))
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
        assert set(tool.gives["required"]) <= set(tool.gives["properties"])
        assert all("type" in field for field in tool.parameters["properties"].values())


@pytest.mark.proves("S3-34", "S3-35")
def test_the_descriptions_steer_a_model_from_searching_to_reading() -> None:
    search, read, *_ = TOOLS
    assert "open_page" in search.description
    assert "snippets are not enough" in read.description
    assert "refine the query or ask the user" in INSTRUCTIONS
    assert search.parameters["properties"]["query"]["description"] == "Search query text"
    assert read.parameters["properties"]["url"]["description"] == "URL of the page to read"
