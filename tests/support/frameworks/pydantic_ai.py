"""Pydantic AI with a model that follows a script."""

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from examples.frameworks.pydantic_ai_agent import research_agent
from tests.support.frameworks.script import Script, ScriptedCalls

PACKAGE = "pydantic-ai-slim"


def drive(calls: ScriptedCalls) -> list[str]:
    script = Script(calls)

    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        call = script.next(str(last.content) if isinstance(last, ToolReturnPart) else "")
        return ModelResponse(parts=[TextPart("done") if call is None else ToolCallPart(*call)])

    research_agent(FunctionModel(model)).run_sync("What about tea?")
    return script.told
