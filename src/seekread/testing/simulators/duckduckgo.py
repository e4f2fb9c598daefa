"""
DuckDuckGo's own pages, as `ddgs` reads them.

The library knows only the real host names and HTTPS, so this simulator is a proxy: it opens the tunnel to itself
and shows a certificate of an authority made for the run.
"""

import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, time
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from seekread.provider import BadReply, Blocked, ProviderError, RateLimited, SecretStr, SuspiciousEmpty, Unreachable
from seekread.testing.certificates import certificates
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

HOSTS = ("html.duckduckgo.com", "duckduckgo.com")
CHALLENGE = "<html><body><form id='challenge-form'>Unfortunately, bots use DuckDuckGo too.</form></body></html>"


class DuckDuckGoSimulator(Simulator):
    """The HTML search page and the news script, behind a proxy."""

    name = "duckduckgo"
    url_variable = "DDGS_PROXY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "challenge": Refusal(Fault(202, CHALLENGE), Blocked),
        "forbidden": Refusal(Fault(403, "Forbidden"), Blocked),
        "too fast": Refusal(Fault(429, "Too many requests"), RateLimited),
        "challenge with status 200": Refusal(Fault(200, CHALLENGE), Blocked),
        "no results": Refusal(Fault(200, "<html><body>No results.</body></html>"), SuspiciousEmpty),
    }
    believable = False
    # There is no key to reject and nothing to pay for; a page without results is never believed, whatever it holds.
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {
        **dict.fromkeys(("status 401", "status 403"), Blocked),
        "status 402": BadReply,
        **dict.fromkeys(
            ("web page", "text", "garbage", "empty body", "partial JSON",
             "list", "null", "number", "empty object", "error object", "bottomless"), SuspiciousEmpty,
        ),
        **dict.fromkeys(
            ("rows are a number", "rows are text", "rows are an object", "null instead of rows", "rows of numbers",
             "rows of nulls", "rows without fields", "oversized", "compression bomb")
        ),
        "redirect": Unreachable,
        "broken compression": Unreachable,
    }  # fmt: skip

    def __init__(self, *, port: int = 0, key: str | None = None) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True, prefix="seekread-simulator-")
        made = certificates(HOSTS, Path(self.folder.name))
        super().__init__(port=port, key=key)
        self.tunnel_tls, self.ca_file = made.context, made.ca_file

    def stop(self) -> None:
        self.folder.cleanup()
        super().stop()

    def settings(self) -> dict[str, Any]:
        return {"proxy": SecretStr(self.url), "ca_file": str(self.ca_file)}

    def environment(self) -> dict[str, str]:
        return {self.url_variable: self.url, "SEEKREAD_DUCKDUCKGO_CA_FILE": str(self.ca_file)}

    def reply(self, received: Received) -> Answer:
        if received.host == "html.duckduckgo.com" and received.method == "POST":
            form = received.form
            # The page after the first starts at 10, later ones at every 15th result.
            page = 1 if "s" not in form else 2 + (int(form["s"]) - 10) // 15
            return Answer("<html><body>" + "".join(map(block, hits(form["q"], 10, page=page))) + "</body></html>")
        if received.path == "/news.js":
            params = received.params
            return Answer(
                {"results": [news(hit) for hit in hits(params["q"], 30, page=int(params.get("s", 0)) // 30 + 1)]}
            )
        return Answer(f'<html><script>vqd="4-{quote(received.params.get("q", ""))}"</script></html>')


def block(hit: Hit) -> str:
    return (
        '<div class="result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{hit.url}">{escape(hit.title)}</a></h2>'
        f'<a class="result__snippet" href="{hit.url}">{escape(hit.snippet)}</a></div></div>'
    )


def news(hit: Hit) -> dict[str, Any]:
    published = datetime.combine(hit.published, time(9, 12), UTC)
    return {
        "date": int(published.timestamp()),
        "title": hit.title,
        "excerpt": hit.snippet,
        "url": hit.url,
        "image": "",
        "source": "Example News",
    }
