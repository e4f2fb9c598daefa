"""Pages of the console: templates that escape everything, under headers that allow nothing but our own files."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from seekread.errors import SeekreadError
from seekread.outcomes import MEANINGS
from seekread.server.console import labels as words
from seekread.server.console.links import here
from seekread.server.console.markdown import web_address
from seekread.server.sessions import current
from seekread.server.signins import cookie

FOLDER = Path(__file__).parent
STATIC = "/static"
ASSETS = ("console.css", "console.js", "htmx.min.js", "icon.svg")
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-frame-options": "DENY",
    # Our own pages say who they are, even where a browser tells of nothing else; other sites learn nothing.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


def page(
    request: Request, template: str, values: Mapping[str, Any], *, status: int = 200, headers: Mapping[str, str] = {}
) -> Response:
    """Render a template as a page."""

    def link(path: str, **parameters: object) -> str:
        return here(request, path, **parameters)

    shared = {"here": link, "path": request.scope["path"], "signed_in": bool(cookie(request.scope))}
    html = templates().get_template(template).render({**shared, **values})
    return HTMLResponse(html, status, headers={**HEADERS, **headers})


@cache
def templates() -> Environment:
    """The templates. What a page says is always escaped; a name that is not given is a mistake, not an empty text."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        short_address=words.short_address,
        ago=words.ago,
        duration=words.duration,
        size=words.size,
        number=words.number,
        web_address=web_address,
        leads_out=leads_out,
    )
    environment.globals.update(words=words, meanings=MEANINGS, asset=asset)
    return environment


def leads_out(url: str) -> bool:
    """Whether an address may be a link to the site: what the guard refuses to read, nobody is led to either."""
    try:
        current().parts.guard.check(url)
    except SeekreadError:
        return False
    return web_address(url) is not None


@cache
def asset(name: str) -> str:
    """The path of one of our files, named after its content so that browsers may keep it."""
    if name not in ASSETS:
        raise KeyError(name)
    digest = hashlib.sha256((FOLDER / "static" / name).read_bytes()).hexdigest()[:12]
    return f"{STATIC}/{name}?v={digest}"
