"""A Haystack agent that searches, reads and cites."""

from haystack.components.agents import Agent
from haystack.components.generators.chat.types import ChatGenerator
from haystack.tools import create_tool_from_function

from seekread.functions import gather, open_page, page_lookup, web_search


def research_agent(generator: ChatGenerator) -> Agent:
    tools = [create_tool_from_function(each) for each in (web_search, open_page, page_lookup, gather)]
    return Agent(chat_generator=generator, tools=tools)
