"""The OpenAI Agents SDK with a model that follows a script."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from examples.frameworks.openai_agents_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "openai-agents"


class Scripted(Model):
    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        asked = options.get("input", args[1] if len(args) > 1 else "")
        last = asked if isinstance(asked, str) else asked[-1]
        call = self.script.next(str(last.get("output", "")) if isinstance(last, dict) else str(last))
        if call is None:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            said: Any = ResponseOutputMessage(
                id="1", content=[text], role="assistant", status="completed", type="message"
            )
        else:
            said = ResponseFunctionToolCall(
                arguments=json.dumps(call[1]), call_id=str(len(self.script.told)), name=call[0], type="function_call"
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def drive(calls: ScriptedCalls) -> list[str]:
    set_tracing_disabled(disabled=True)
    script = Script(calls)
    asyncio.run(Runner.run(research_agent(Scripted(script)), "What about tea?"))
    return script.told
