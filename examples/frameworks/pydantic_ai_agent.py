"""A Pydantic AI agent that searches, reads and cites."""

from pydantic_ai import Agent
from pydantic_ai.models import Model

from seekread.integrations.pydantic_ai import agent_tools


def research_agent(model: Model | str) -> Agent:
    return Agent(model, instructions="Answer from the web, and cite your sources as [1].", tools=agent_tools())
