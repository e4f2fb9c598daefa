"""AutoGen with a model that follows a script."""

import asyncio
import json

from autogen_agentchat.messages import ToolCallExecutionEvent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

from examples.frameworks.autogen_agent import research_agent
from tests.support.frameworks.script import ScriptedCalls

PACKAGE = "autogen-agentchat"
ABLE = ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)


def drive(calls: ScriptedCalls) -> list[str]:
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    turns = [
        CreateResult(
            finish_reason="function_calls",
            content=[FunctionCall(id=str(number), name=name, arguments=json.dumps(arguments))],
            usage=usage,
            cached=False,
        )
        for number, (name, arguments) in enumerate(calls)
    ]
    client = ReplayChatCompletionClient([*turns, "done"], model_info=ABLE)
    result = asyncio.run(research_agent(client).run(task="What about tea?"))
    events = [message for message in result.messages if isinstance(message, ToolCallExecutionEvent)]
    return [each.content for event in events for each in event.content]
