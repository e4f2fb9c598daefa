"""A smolagents agent that searches, reads and cites."""

from smolagents import Model, ToolCallingAgent, tool

from seekread.functions import gather, open_page, page_lookup, web_search


def research_agent(model: Model) -> ToolCallingAgent:
    return ToolCallingAgent(tools=[tool(each) for each in (web_search, open_page, page_lookup, gather)], model=model)
