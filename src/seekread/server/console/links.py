"""Which way a person came in: by an address of their own, with a form of ours, or from somebody else's page."""

from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request

from seekread.server.access import Visitors
from seekread.server.problems import rejected
from seekread.server.signins import cookie

SAYS_WHENCE = frozenset({"sec-fetch-site", "origin", "referer"})


def is_own_wish(request: Request) -> bool:
    """
    Whether the person at the browser asked for this, and not a page of another site.

    A search costs money and a read makes this machine fetch something: neither happens because somebody else's page
    has a link here. A browser that does not say where a request comes from, as over plain HTTP to another machine,
    sends our session along with what a page at another port asks for: there only a page of ours is believed.
    """
    visitors: Visitors = request.app.state.service.visitors
    silent = SAYS_WHENCE.isdisjoint(request.headers.keys())
    return not visitors.is_foreign(request.headers) and not (silent and cookie(request.scope))


def here(request: Request, path: str, **parameters: object) -> str:
    """An address of the console; parameters that are empty are left out."""
    given = {name: str(value) for name, value in parameters.items() if value not in {None, "", False}}
    base: str = request.scope.get("root_path", "").rstrip("/")
    return f"{base}{path}" + (f"?{urlencode(given, errors='replace')}" if given else "")


def inside(address: str) -> str:
    """
    An address to go on to after signing in: a path of this service, or the start page for everything else.

    Raises `ValueError` for a text that is no address at all.
    """
    parts = urlsplit(address) if address.isascii() and address.isprintable() and "\\" not in address else None
    if parts is None or parts.scheme or parts.netloc or not address.startswith("/") or address.startswith("//"):
        return "/"
    return parts.path + (f"?{parts.query}" if parts.query else "")


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return {name: values[0] for name, values in parse_qs(body, max_num_fields=10).items()}
    except ValueError:
        raise rejected(400, "malformed_form", "The form has more fields than ours.") from None
