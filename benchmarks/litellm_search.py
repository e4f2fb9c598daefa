"""
The search of LiteLLM, which needs an environment of its own: `overhead.py` starts this there, as `… URL`.

Each line that comes says how many searches are under way at once, and is answered with the milliseconds of CPU of one.
"""

import asyncio
import os
import sys
from importlib import import_module
from itertools import count

from benchmarks.turns import Ask, one_round


def search(url: str) -> Ask:
    """As the other clients: ten results of the same service, as text for a model."""
    # Without this it looks for a list of prices on the web when it is imported.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    litellm = import_module("litellm")

    async def ask(query: str) -> object:
        found = await litellm.asearch(
            query=query, search_provider="tavily", max_results=10, api_key="k", api_base=url
        )  # fmt: skip
        return "\n".join(f"{each.title}\n{each.url}\n{each.snippet}" for each in found.results)

    return ask


async def rounds(ask: Ask) -> None:
    numbers = count()
    while width := await asyncio.to_thread(sys.stdin.readline):
        print(await one_round(ask, int(width), numbers), flush=True)


if __name__ == "__main__":
    asyncio.run(rounds(search(sys.argv[1])))
