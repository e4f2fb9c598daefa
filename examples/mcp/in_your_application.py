"""The MCP server inside an application of your own: `uvicorn in_your_application:application`."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from seekread.server.agents import AgentsRecipe
from seekread.server.app import ServiceOptions

options = ServiceOptions(host="0.0.0.0", allowed_hosts=("search.example.org",))
agents = AgentsRecipe(options, token="a long random text of yours")()


async def healthy(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")


application = Starlette(
    routes=[Route("/healthz", healthy), Mount("/", agents)],
    lifespan=lambda _app: agents.running(),
)
