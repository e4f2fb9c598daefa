"""A DSPy program that searches, reads and cites; the model is the one of `dspy.configure(lm=…)`."""

import dspy

from seekread.functions import gather, open_page, page_lookup, web_search


def research_agent(steps: int = 20) -> dspy.ReAct:
    return dspy.ReAct("question -> answer", tools=[web_search, open_page, page_lookup, gather], max_iters=steps)
