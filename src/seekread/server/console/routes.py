"""The addresses of the console."""

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from seekread.server.console.description import docs_page
from seekread.server.console.gather import gather_page
from seekread.server.console.links import inside
from seekread.server.console.login import login, login_page, logout
from seekread.server.console.pages import ASSETS, FOLDER, HEADERS, STATIC, page
from seekread.server.console.read import read_page
from seekread.server.console.search import search_page
from seekread.server.console.setup import setup_page
from seekread.server.console.status import status_page

PUBLIC = frozenset({"/login", "/logout", *(f"{STATIC}/{name}" for name in ASSETS)})
"""What answers without a token: the page that asks for one, and what it is drawn with."""


def routes() -> list[BaseRoute]:
    """Every page of the console."""
    return [
        Route("/", search_page),
        Route("/gather", gather_page),
        Route("/read", read_page, methods=["GET", "POST"]),
        Route("/status", status_page),
        Route("/setup", setup_page, methods=["GET", "POST"]),
        Route("/docs", docs_page),
        Route("/login", login, methods=["GET", "POST"]),
        Route("/logout", logout, methods=["POST"]),
        *(Route(f"{STATIC}/{name}", static) for name in ASSETS),
    ]


async def static(request: Request) -> Response:
    """One of our own files. Its address changes with its content, so it may be kept."""
    name = request.url.path.rpartition("/")[2]
    return FileResponse(FOLDER / "static" / name, headers={**HEADERS, "cache-control": "public, max-age=31536000"})


def unknown(request: Request) -> Response:
    """What a person reads at an address where nothing is."""
    return page(request, "unknown.html", {}, status=404)


async def unauthorized(request: Request) -> Response:
    """What a person reads who has not said who they are: the page that asks for the token."""
    asked = request.scope["path"] + (f"?{request.url.query}" if request.url.query else "")
    try:
        wanted = inside(asked)
    except ValueError:
        wanted = "/"
    response = await login_page(request, wanted, status=401)
    # Asked for a part of a page by a script of ours, whose page then loads itself anew.
    response.headers["hx-refresh"] = "true"
    return response
