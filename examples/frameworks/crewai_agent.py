"""A CrewAI agent that searches, reads and cites."""

from crewai import Agent
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from seekread.functions import gather, open_page, page_lookup, web_search


def research_agent(llm: BaseLLM | str) -> Agent:
    return Agent(
        role="Researcher",
        goal="Answer from the web, and cite sources as [1]",
        backstory="You search, read and check before you answer.",
        tools=[tool(each) for each in (web_search, open_page, page_lookup, gather)],
        llm=llm,
    )
