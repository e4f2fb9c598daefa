"""A site of small pages on loopback that remembers who asked for what, and when."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from seekread.testing.server import Answer, LoopbackServer, Received

ROBOTS = "User-agent: *\nDisallow: /private\n"
GONE = Answer("<p>There is no such page.</p>", status=404)


def article(name: str, links: str = "") -> str:
    """A page with a text of its own."""
    text = "".join(
        f"<p>Paragraph {number} of {name} tells of harbours and ships, and of what they carry to {name}.</p>"
        for number in range(8)
    )
    return (
        f"<html><head><title>About {name}</title></head><body><nav>{links}</nav>"
        f"<article><h1>About {name}</h1>{text}</article></body></html>"
    )


@dataclass
class Visits:
    """What a server saw: paths with their moments, and how many it was answering at once."""

    at: list[tuple[float, str]] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    @property
    def paths(self) -> Counter[str]:
        return Counter(path for _, path in self.at)

    @property
    def times(self) -> list[float]:
        return [moment for moment, _ in self.at]

    def most_within(self, seconds: float) -> int:
        """The most requests that came within any so many seconds."""
        times = self.times
        return max(sum(1 for other in times if moment <= other < moment + seconds) for moment in times)

    def answering(self, received: Received, answer: Callable[[Received], Answer]) -> Answer:
        with self._mutex:
            asked = f"{received.path}?{received.query}" if received.query else received.path
            self.at.append((time.monotonic(), asked))
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            return answer(received)
        finally:
            with self._mutex:
                self._now -= 1


def page_of(received: Received) -> Answer:
    """An article for every path but some."""
    if received.path == "/robots.txt":
        return Answer(ROBOTS, content_type="text/plain")
    if received.path.startswith("/gone"):
        return GONE
    if received.path.startswith("/same"):
        return Answer(article("the same harbour"))
    if received.path.startswith("/moved/"):
        return Answer("", status=302, headers={"location": "/" + received.path.removeprefix("/moved/")})
    return Answer(article(received.path.strip("/") or "the front page"))


class SmallSite(LoopbackServer):
    """Serves articles, or whatever it is told to, and keeps the visits."""

    def __init__(self, answer: Callable[[Received], Answer] = page_of) -> None:
        self.visits = Visits()
        super().__init__(lambda received: self.visits.answering(received, answer))

    @property
    def endpoint(self) -> str:
        return self.url.removeprefix("http://")
