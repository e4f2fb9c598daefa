"""
A world of our own in a page: it shares the document with the page's scripts, and none of their functions.

A page can replace what belongs to it, so our scripts run where its replacements do not reach. What a script leaves in
the world is there for the next one, until the page goes on to another document.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

NAME = "seekread"


class World:
    """Our world in the document that a page shows now."""

    def __init__(self, session: "CDPSession", context: int) -> None:
        self.session = session
        self.context = context

    @classmethod
    async def of(cls, session: "CDPSession") -> "World":
        """Make the world, or find the one that was made before."""
        tree = await session.send("Page.getFrameTree")
        made = await session.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": NAME}
        )
        return cls(session, made["executionContextId"])

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function there, and wait for what it promises; what goes wrong in it is `None`."""
        answer = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": self.context,
                "arguments": [{"value": argument} for argument in arguments],
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        return None if "exceptionDetails" in answer else answer["result"].get("value")
