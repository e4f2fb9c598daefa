"""A Google ADK agent that searches, reads and cites."""

from google.adk.agents import Agent
from google.adk.models import BaseLlm

from seekread.functions.aio import gather, open_page, page_lookup, web_search


def research_agent(model: BaseLlm | str) -> Agent:
    return Agent(
        name="researcher",
        model=model,
        instruction="Answer from the web, and cite your sources as [1].",
        tools=[web_search, open_page, page_lookup, gather],
    )
