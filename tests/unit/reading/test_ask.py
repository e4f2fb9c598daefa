"""One reader asked properly: a cloud reader fetches by itself, so the guard looks where it goes and where it ended."""

from typing import Any, ClassVar

import pytest

from seekread.calling.deadline import Deadline
from seekread.calling.gate import OpenGate
from seekread.calling.trace import Trace
from seekread.errors import Refused
from seekread.http.client import ServiceClient
from seekread.http.guard import Guard, GuardPolicy
from seekread.models import Page
from seekread.provider import Job
from seekread.reading.ask import PageAsker
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.215.14"


class Answers:
    """A resolver with fixed answers."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers

    async def resolve(self, host: str, _port: int) -> list[str]:
        return [self.answers.get(host.partition(".")[0], PUBLIC)]


class Cloud:
    """A reader somebody else runs: it fetches whatever it is told, and may be led astray."""

    name: ClassVar[str] = "cloud"

    def __init__(self, ended_at: str = "") -> None:
        self.ended_at = ended_at
        self.asked: list[str] = []

    def read(self, url: str) -> Job[Page]:
        async def run() -> Page:
            self.asked.append(url)
            return Page(url=url, final_url=self.ended_at, content="Words.")

        return Job(run)


async def read(reader: Cloud, url: str, resolver: Answers | None = None, **policy: Any) -> Page:
    clock = FakeClock()
    asker = PageAsker(Guard(GuardPolicy(**policy), resolver or Answers()), ServiceClient(), clock, OpenGate())
    return await asker.ask(reader, url, Deadline.after(clock, 20), Trace("read"), None)


@pytest.mark.proves("S3-30", "X-25")
async def test_a_name_that_leads_inside_never_reaches_a_cloud_reader() -> None:
    reader = Cloud()
    with pytest.raises(Refused) as caught:
        await read(reader, "https://inside.example.org/", Answers(inside="10.0.0.1"))
    assert caught.value.code == "private_answer"
    assert reader.asked == []


async def test_a_public_name_is_read_with_the_readers_name_on_it() -> None:
    assert (await read(Cloud(), "https://example.org/")).reader == "cloud"


@pytest.mark.proves("S3-30", "X-25")
@pytest.mark.parametrize(
    ("ended_at", "code"),
    [("http://169.254.169.254/latest", "metadata"), ("https://www.blocked.example.org/", "domain_blocked")],
)
async def test_where_a_cloud_reader_ended_is_checked_like_where_it_began(ended_at: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        await read(Cloud(ended_at), "https://example.org/", blocked_domains=("blocked.example.org",))
    assert caught.value.code == code
