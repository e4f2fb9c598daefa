"""Run term2's tool in Python: `TAVILY_API_KEY=… python try_it.py "your question"`."""

import asyncio
import sys

from seekread.integrations.term2 import create_web_search_tool_definition


async def main(query: str) -> None:
    tool = create_web_search_tool_definition()
    output = await tool.execute({"query": query})
    item = {"rawItem": {"callId": "call_1", "arguments": {"query": query}}, "output": output}
    (message,) = tool.format_command_message(item, 0, {})
    print(message.command, message.status)
    print(message.output)
    await tool.close()


asyncio.run(main(sys.argv[1]))
