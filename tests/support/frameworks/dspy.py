"""DSPy with a model that follows a script."""

import json

import dspy
from dspy.utils import DummyLM

from examples.frameworks.dspy_agent import research_agent
from tests.support.frameworks.script import ScriptedCalls

PACKAGE = "dspy"


def drive(calls: ScriptedCalls) -> list[str]:
    steps = [*calls, ("finish", {})]
    answers = [{"next_thought": "go on", "next_tool_name": n, "next_tool_args": json.dumps(a)} for n, a in steps]
    with dspy.context(lm=DummyLM([*answers, {"reasoning": "so it is", "answer": "done"}])):
        done = research_agent()(question="What about tea?")
    return [done.trajectory[f"observation_{number}"] for number in range(len(calls))]
