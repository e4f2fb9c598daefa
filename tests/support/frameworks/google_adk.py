"""Google ADK with a model that follows a script."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr

from examples.frameworks.google_adk_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "google-adk"


class Scripted(BaseLlm):
    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__(model="scripted")
        self._script = script

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        [*_, last] = llm_request.contents[-1].parts
        answered = last.function_response.response if last.function_response else {}
        call = self._script.next(answered.get("result", str(answered)))
        part = types.Part(text="done") if call is None else types.Part.from_function_call(name=call[0], args=call[1])
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)

    async def run() -> Any:
        runner = InMemoryRunner(agent=research_agent(Scripted(script)), app_name="tea")
        return await runner.run_debug("What about tea?", quiet=True)

    asyncio.run(run())
    return script.told
