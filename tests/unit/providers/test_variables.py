"""What is known of our providers without importing them agrees with what they declare."""

import dataclasses
import subprocess
import sys

import pytest

from seekread import Seekread
from seekread.config.sources import provider_variables
from seekread.provider import traits
from seekread.providers.registry import OURS, SEARCH_GROUP, Registry, required
from seekread.providers.variables import ODD, SELF_SUFFICIENT, prefixes

REGISTRY = Registry()
SERVICES = sorted(name for name, entry in REGISTRY.installed(SEARCH_GROUP).items() if entry.value.startswith(OURS))


@pytest.mark.parametrize("name", SERVICES)
def test_every_variable_of_a_provider_begins_as_announced(name: str) -> None:
    made = REGISTRY.provider_class(name, SEARCH_GROUP)
    variables = [one for item in dataclasses.fields(made) if item.init for one in provider_variables(name, item)]
    assert not [variable for variable in variables if not variable.startswith(prefixes(traits(made).name))]


def test_no_odd_beginning_is_announced_that_nobody_has() -> None:
    for name, odd in ODD.items():
        fields = dataclasses.fields(REGISTRY.provider_class(name, SEARCH_GROUP))
        variables = [variable for item in fields for variable in provider_variables(name, item)]
        assert all(any(variable.startswith(begin) for variable in variables) for begin in odd)


def test_those_that_need_no_setting_are_announced() -> None:
    free = {
        name
        for name in SERVICES
        if not any(required(f) for f in dataclasses.fields(REGISTRY.provider_class(name, SEARCH_GROUP)) if f.init)
    }
    assert free == SELF_SUFFICIENT


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"YDC_API_KEY": "k"}, "you"),
        ({"BRAVE_API_KEYS": "a,b"}, "brave"),
        ({"SEEKREAD_KAGI_API_KEY": "k"}, "kagi"),
        ({"SEEKREAD_MCP_TOOL": "find", "SEEKREAD_MCP_BASE_URL": "http://127.0.0.1:1"}, "mcp"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whoever_is_set_up_in_any_way_is_asked(environ: dict[str, str], found: str) -> None:
    web = Seekread(environ={"HOME": "/nowhere", **environ})
    assert web._parts.chain(())[0].name == found


@pytest.mark.process
def test_a_search_imports_only_providers_that_may_be_asked() -> None:
    code = (
        "import sys; from seekread import Seekread; web = Seekread(environ={'HOME': '/nowhere'});"
        "web._parts.chain(()); web._parts.secrets; print(*sorted(m for m in sys.modules if m.startswith('seekread.p')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    imported = {module.rpartition(".")[2] for module in done.stdout.split()}
    assert {"duckduckgo", "wikipedia"} <= imported
    assert not imported & {"kagi", "brave", "json_api", "arxiv", "tavily"}
