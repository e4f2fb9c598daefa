"""smolagents with a model that follows a script."""

from typing import Any

from smolagents import ChatMessage, MessageRole, Model
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

from examples.frameworks.smolagents_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "smolagents"


class Scripted(Model):
    def __init__(self, script: Script) -> None:
        super().__init__(model_id="scripted")
        self.script = script

    def generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatMessage:
        parts = messages[-1].content
        said = parts if isinstance(parts, str) else "".join(part.get("text", "") for part in parts)
        call = self.script.next(said.removeprefix("Observation:\n"))
        name, arguments = call or ("final_answer", {"answer": "done"})
        function = ChatMessageToolCallFunction(arguments=arguments, name=name)
        return ChatMessage(MessageRole.ASSISTANT, "", [ChatMessageToolCall(function, "1", "function")])


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)
    research_agent(Scripted(script)).run("What about tea?", max_steps=len(calls) + 1)
    return script.told
