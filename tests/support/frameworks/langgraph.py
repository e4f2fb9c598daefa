"""LangGraph with a model that follows a script: every script is run blocking, and again async."""

import asyncio
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict

from examples.frameworks.langgraph_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "langgraph"


class Scripted(BaseChatModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    script: Script

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        call = self.script.next(str(messages[-1].content))
        calls = [] if call is None else [{"name": call[0], "args": call[1], "id": str(len(messages))}]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", tool_calls=calls))])


def drive(calls: ScriptedCalls) -> list[str]:
    blocking, awaited = Script(calls), Script(calls)
    question = {"messages": [("user", "What about tea?")]}
    settings: Any = {"recursion_limit": 50}
    research_agent(Scripted(script=blocking)).invoke(question, settings)
    asyncio.run(research_agent(Scripted(script=awaited)).ainvoke(question, settings))
    pairs = zip(blocking.told, awaited.told, strict=True)
    return [one if len(one) == len(other) else f"{one} differs from {other}" for one, other in pairs]
