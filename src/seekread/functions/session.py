"""The `Seekread` behind the plain functions: one for the process, made by the first call that needs it."""

import os
from collections.abc import Mapping
from typing import Any

from seekread.toolkit.web import LazyWeb

web = LazyWeb()
"""
One, because frameworks call functions without a place to keep anything: what a page may link to and what was spent is
counted over all calls, and workers and connections are kept between them.
"""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=web.forget)


def waited(name: str, given: Mapping[str, Any]) -> str:
    """What a tool says, for callers that do not await."""
    from seekread.sync import portal

    sent = dict(given)
    return portal.call(lambda: said(name, sent))


async def said(name: str, given: Mapping[str, Any]) -> str:
    """What a tool says."""
    from seekread.toolkit.answer import Budget
    from seekread.toolkit.definitions import TOOLS
    from seekread.toolkit.tools import offered

    [definition] = [tool for tool in TOOLS if tool.name == name]
    return (await offered(definition, web, Budget()).call(given)).text
