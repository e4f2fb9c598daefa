"""A LlamaIndex agent that searches, reads and cites."""

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.llms import LLM
from llama_index.core.tools import FunctionTool

from seekread.functions.aio import gather, open_page, page_lookup, web_search


def research_agent(llm: LLM) -> ReActAgent:
    tools = [FunctionTool.from_defaults(async_fn=each) for each in (web_search, open_page, page_lookup, gather)]
    return ReActAgent(tools=tools, llm=llm)
