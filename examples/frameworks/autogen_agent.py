"""An AutoGen agent that searches, reads and cites."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ChatCompletionClient

from seekread.functions.aio import gather, open_page, page_lookup, web_search


def research_agent(client: ChatCompletionClient) -> AssistantAgent:
    return AssistantAgent(
        "researcher",
        model_client=client,
        tools=[web_search, open_page, page_lookup, gather],
        max_tool_iterations=20,
    )
