"""LlamaIndex with a model that follows a script."""

import asyncio
import json
from typing import Any

from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from pydantic import PrivateAttr

from examples.frameworks.llamaindex_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "llama-index-core"


class Scripted(CustomLLM):
    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        last = prompt.rpartition("Observation: ")[2]
        call = self._script.next(last.removesuffix("assistant: ").rstrip())
        if call is None:
            return CompletionResponse(text="Thought: I can answer without using any more tools.\nAnswer: done")
        return CompletionResponse(text=f"Thought: go on\nAction: {call[0]}\nAction Input: {json.dumps(call[1])}")

    def stream_complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponseGen:
        whole = self.complete(prompt, formatted, **options)
        whole.delta = whole.text
        yield whole


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)

    async def run() -> None:
        await research_agent(Scripted(script)).run("What about tea?")

    asyncio.run(run())
    return script.told
