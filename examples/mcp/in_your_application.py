"""The MCP server inside an application of your own: `uvicorn in_your_application:application`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from seekread import Seekread
from seekread.mcp.server import http_app

web = Seekread()
agents = http_app(web, token="a long random text of yours", hosts=["search.example.org"])


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[None]:
    async with web, agents.running():
        yield


async def healthy(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")


application = Starlette(routes=[Route("/healthz", healthy), *agents.routes], lifespan=lifespan)
