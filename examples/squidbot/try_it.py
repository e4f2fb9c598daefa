"""Ask the tool as squidbot's registry asks it: `python try_it.py config.json "your question"`."""

import asyncio
import json
import sys
from pathlib import Path

from seekread.integrations.squidbot import WebSearchTool


async def main(settings: dict[str, object], query: str) -> None:
    tool = WebSearchTool(config=settings)
    result = await tool.execute(query=query, max_results=3)
    result.tool_call_id = "call_1"
    print(result.content)
    await tool.close()


config = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
asyncio.run(main(config["tools"]["web_search"], sys.argv[2]))
