"""
The web as the documentation speaks of it, on loopback: example.org and its neighbours, with TLS, behind a proxy.

Whoever has the proxy and the authority of this web as `page_proxy` and `page_ca_file` can use the addresses of the
documentation as they stand there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from seekread.testing.certificates import certificates
from seekread.testing.server import Answer, LoopbackServer, Received

HOSTS = [f"{prefix}example.{end}" for end in ("org", "com", "net", "edu") for prefix in ("", "*.")]
HOME = (
    "<title>Example</title><ul>"
    + "".join(f'<li><a href="/{path}">{path}</a></li>' for path in ("article", "docs/one", "docs/two"))
    + "</ul>"
)
ARTICLE = (
    "<html lang=en><title>{title}</title><body><article><h1>{title}</h1>"
    "<p>A solid state battery holds its charge in a solid instead of a liquid, which makes it lighter and safer.</p>"
    "<h2>When it begins</h2>"
    "<p>The factory is being built now; according to its owner, production starts in 2027 with small series.</p>"
    "<p>How much a battery will cost has not been said, and neither has who will be the first to get one.</p>"
    "<p>This is the page at {path}, one of several that tell of the matter in words of their own.</p>"
    "</article></body></html>"
)


@dataclass(frozen=True)
class EverySite:
    """The running web, and the file with its authority."""

    server: LoopbackServer
    ca_file: Path

    @property
    def settings(self) -> dict[str, str]:
        """What a client of this web sets."""
        return {"page_proxy": self.server.url, "page_ca_file": str(self.ca_file)}

    @property
    def environment(self) -> dict[str, str]:
        return {f"SEEKREAD_{name.upper()}": value for name, value in self.settings.items()}


def page(received: Received) -> Answer:
    """Robots may read everything, a few addresses are what their names say, every other is an article."""
    match received.path:
        case "/robots.txt" | "/llms.txt" | "/sitemap.xml":
            return Answer("no such file", 404, content_type="text/plain")
        case "/old":
            return Answer("<p>This page is gone.</p>", 404)
        case "/" | "":
            return Answer(HOME)
        case path:
            title = path.strip("/").replace("-", " ").replace("/", ", ")
            return Answer(ARTICLE.format(title=title, path=path))


@contextmanager
def every_site(folder: Path) -> Iterator[EverySite]:
    made = certificates(HOSTS, folder)
    with LoopbackServer(page, tls_for=made.context) as server:
        yield EverySite(server, made.ca_file)
