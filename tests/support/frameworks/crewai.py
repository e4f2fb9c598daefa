"""CrewAI with a model that follows a script."""

import json
from typing import Any

from crewai.llms.base_llm import BaseLLM
from pydantic import PrivateAttr

from examples.frameworks.crewai_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "crewai"


class Scripted(BaseLLM):
    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__(model="scripted")
        self._script = script

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        # What a tool said stands in a message before the last, which says what to do with it.
        texts = [messages] if isinstance(messages, str) else [str(message["content"]) for message in messages]
        observed = [text.rpartition("\nObservation: ")[2] for text in texts if "\nObservation: " in text]
        call = self._script.next(observed[-1] if observed else "")
        if call is None:
            return "Thought: I now know the final answer\nFinal Answer: done"
        return f"Thought: go on\nAction: {call[0]}\nAction Input: {json.dumps(call[1])}\n"

    async def acall(self, messages: Any, *_: Any, **__: Any) -> str:
        return self.call(messages)

    def supports_function_calling(self) -> bool:
        return False


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)
    research_agent(Scripted(script)).kickoff("What about tea?")
    return script.told
