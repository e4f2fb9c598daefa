"""A LangGraph agent that searches, reads and cites; it works with `invoke` and with `ainvoke`."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from seekread.integrations.langchain import structured_tools


def research_agent(model: BaseChatModel) -> Runnable[Any, Any]:
    tools = structured_tools()
    asked = model.bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [asked.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()
