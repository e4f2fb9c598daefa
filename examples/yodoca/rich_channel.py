"""
A channel that shows where facts come from: `[1]` becomes a link, and the sources stand below the answer.

The extension keeps nothing between calls. Its sources stand in the results of `web_search`, which yodoca keeps in the
thread; a channel without links sends the text as it is.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from seekread.integrations.yodoca import Source, link


class RichChannel:
    """A ChannelProvider of yodoca that sends HTML."""

    def __init__(self, context: Any, send: Callable[[str, str], Awaitable[None]]) -> None:
        self.context = context
        self.send = send

    async def send_to_user(self, user_id: str, message: str) -> None:
        history = await self.context.get_thread_history(user_id) or []
        await self.send(user_id, link(message, sources_in(history), "html").text)


def sources_in(history: Iterable[Mapping[str, Any]]) -> list[Source]:
    """The sources of the last search in a thread."""
    found: list[Source] = []
    for item in history:
        if item.get("type") == "function_call_output":
            try:
                output = json.loads(item["output"])
            except (TypeError, ValueError):
                continue
            if isinstance(output, dict) and output.get("sources"):
                found = [Source.model_validate(source) for source in output["sources"]]
    return found
