"""A site of some hundred real pages, and of the things that keep a crawler busy for ever."""

import itertools
from collections.abc import Callable
from datetime import date

from seekread.testing.server import Answer, Received
from tests.support.small_site import article

SECTION = 10
"""Pages in a section; each links to the next section."""
HIDDEN = ("only-in-the-sitemap", "only-in-llms-txt", "only-in-the-feed")
"""Pages that no page links to."""
SORRY = "<p>We are sorry. The page you were looking for has sailed away, or it never was in this harbour.</p>" * 3
MONTHS = tuple(date(2026, month, 1).strftime("%B") for month in range(1, 13))


class TrapSite:
    """Answers for the site; `pages` are the addresses a complete crawl reads, the first page apart."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pages = {f"/ships/{number}" for number in range(count)} | {f"/{name}" for name in HIDDEN}
        self._sessions = itertools.count()

    def answer(self, received: Received) -> Answer:
        base = f"http://{received.host}"
        plain: dict[str, Callable[[], Answer]] = {
            "/": self._front,
            "/robots.txt": lambda: Answer(
                f"User-agent: *\nDisallow: /private\nSitemap: {base}/index.xml\n", content_type="text/plain"
            ),
            "/index.xml": lambda: xml(f"<sitemapindex><sitemap><loc>{base}/pages.xml</loc></sitemap></sitemapindex>"),
            "/pages.xml": lambda: xml(
                f"<urlset><url><loc>{base}/{HIDDEN[0]}</loc></url><url><loc>{base}/vanished</loc></url></urlset>"
            ),
            "/llms.txt": lambda: Answer(f"# Harbour\n\n- [More](/{HIDDEN[1]})\n", content_type="text/markdown"),
            "/feed.xml": lambda: xml(
                f"<rss version='2.0'><channel><title>News</title><item><title>New</title>"
                f"<link>{base}/{HIDDEN[2]}</link></item></channel></rss>",
                "application/rss+xml",
            ),
            "/loop/a": lambda: Answer("", status=302, headers={"location": "/loop/b"}),
            "/loop/b": lambda: Answer("", status=302, headers={"location": "/loop/a"}),
        }
        if received.path in plain:
            return plain[received.path]()
        if received.path == "/calendar":
            return self._calendar(received)
        if received.path.startswith("/deeper"):
            return Answer(article("a cellar below the harbour", "<a href='deeper/'>deeper</a>"))
        if received.path in self.pages:
            return self._ship(received.path)
        # What is not there is said politely, and with a good conscience.
        return Answer(f"<html><body><h1>Sorry</h1>{SORRY}</body></html>")

    def _front(self) -> Answer:
        links = [
            "<a href='/ships/0'>ships</a> <a href='/calendar?year=2026&amp;month=1'>calendar</a>",
            "<a href='/private'>private</a> <a href='/loop/a'>loop</a> <a href='/deeper/'>deeper</a>",
            "<a href='/anchor.png'>picture</a> <a href='https://elsewhere.example/'>elsewhere</a>",
            "<link rel='alternate' type='application/rss+xml' href='/feed.xml'>",
        ]
        return Answer(article("the harbour", "".join(links)))

    def _ship(self, path: str) -> Answer:
        name = path.rpartition("/")[2]
        links = "<a href='/'>home</a>"
        if name.isdigit():
            number = int(name)
            first = number - number % SECTION
            near = range(first, min(first + SECTION + 1, self.count))
            links += "".join(f"<a href='/ships/{other}'>{other}</a>" for other in near)
            # Every visitor gets names of its own for the same page.
            links += f"<a href='/ships/{number}?PHPSESSID={next(self._sessions)}'>again</a>"
            links += f"<a href='/ships/{number}?visit={next(self._sessions)}'>and again</a>"
            links += "<a href='/gone/ship'>gone</a>"
        return Answer(article(f"the ship {spelled(name)}", links))

    def _calendar(self, received: Received) -> Answer:
        year, month = int(received.params["year"]), int(received.params["month"])
        after = date(year + month // 12, month % 12 + 1, 1)
        days = "".join(f"<td>{day}</td>" for day in range(1, 29))
        following = f"<a href='/calendar?year={after.year}&amp;month={after.month}'>next month</a>"
        text = f"<p>There is nothing in the calendar of the harbour for {MONTHS[month - 1]} {year}.</p>"
        return Answer(f"<html><body><h1>Calendar</h1><table><tr>{days}</tr></table>{text}{following}</body></html>")


def xml(text: str, content_type: str = "application/xml") -> Answer:
    return Answer(f'<?xml version="1.0"?>{text}', content_type=content_type)


def spelled(name: str) -> str:
    """A name without digits, so that each page has words of its own."""
    return "".join(chr(ord("a") + int(letter)) * 2 if letter.isdigit() else letter for letter in name)
