"""An agent of the OpenAI Agents SDK that searches, reads and cites."""

from agents import Agent, Model

from seekread.integrations.openai_agents import function_tools


def research_agent(model: Model | str) -> Agent:
    return Agent(
        name="researcher",
        instructions="Answer from the web, and cite your sources as [1].",
        model=model,
        tools=function_tools(),
    )
