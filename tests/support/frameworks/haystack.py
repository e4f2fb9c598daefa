"""Haystack with a model that follows a script."""

from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, ToolCall

from examples.frameworks.haystack_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "haystack-ai"


@component
class Scripted:
    def __init__(self, script: Script) -> None:
        self.script = script

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None, **_: Any) -> dict[str, list[ChatMessage]]:
        last = messages[-1]
        call = self.script.next(str(last.tool_call_result.result) if last.tool_call_result else last.text or "")
        if call is None:
            return {"replies": [ChatMessage.from_assistant("done")]}
        return {"replies": [ChatMessage.from_assistant(tool_calls=[ToolCall(*call)])]}


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)
    agent = research_agent(Scripted(script))
    agent.warm_up()
    agent.run(messages=[ChatMessage.from_user("What about tea?")])
    return script.told
