"""
What every worker of the service needs, loaded once in a process they are forked from.

Only modules: nothing here reads settings, opens anything or starts a thread, so that nothing can be shared but code.
"""

import gc
from contextlib import suppress
from importlib import import_module

EVERYBODYS = (
    "seekread.server.run",
    "seekread.server.console.routes",
    "seekread.mcp.server",
    "seekread.reading.engine",
    "seekread.state.sqlite",
    "uvicorn.loops.auto",
    "uvicorn.lifespan.on",
)

for name in EVERYBODYS:
    # What is not installed is nobody's business here.
    with suppress(ImportError):
        import_module(name)
gc.collect()
# What is frozen is not looked through for cycles, which would write to every page of it.
gc.freeze()
