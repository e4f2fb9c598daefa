"""Whatever a model sends, it gets an answer it can act on, never an accident."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seekread.client import Seekread
from seekread.errors import SeekreadError
from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.calls import CALLS
from seekread.toolkit.definitions import ACTIONS, TOOLS

NAMES = sorted({name for tool in TOOLS for option in tool.takes.values() for name in option.names})
WORDS = st.sampled_from(
    ["", " ", "tea", "-1", "3", "0", "1e9", "2.0", "week", "x" * 3000, "a,b", "\0", "🫖", "--5", "9" * 5000, *ACTIONS]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
SENT = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_any_arguments_get_an_answer_or_a_mistake_with_a_name(tool: str, tmp_path: Path) -> None:
    def leading_nowhere(body: Any) -> Any:
        for result in body.get("web", {}).get("results", []):
            result["url"] = "http://127.0.0.1:9/"
        return body

    with simulators.start("brave") as brave:
        brave.fail(Fault(change=leading_nowhere))
        environ = {
            **brave.environment(),
            "WEB_SEARCH_PROVIDER": "brave",
            "HOME": str(tmp_path),
            "SEEKREAD_STORE": "memory:",
        }

        async def call(arguments: dict[str, Any]) -> ToolAnswer | SeekreadError:
            async with Seekread(environ=environ) as web:
                try:
                    return await CALLS[tool](web, arguments, Budget(500))
                except SeekreadError as error:
                    return error

        @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(SENT)
        def check(arguments: dict[str, Any]) -> None:
            answer = anyio.run(call, arguments)
            assert answer.text if isinstance(answer, ToolAnswer) else str(answer)

        check()
