"""The simulators and the server they stand on."""

import os
import signal
import subprocess
import sys
from http.client import HTTPConnection

import pytest

from seekread.testing import simulators
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, LoopbackServer


def get(url: str, path: str = "/", timeout: float = 60) -> tuple[int, bytes]:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=timeout)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_hits_follow_from_the_query() -> None:
    assert hits("tea", 3) == hits("tea", 3)
    assert hits("tea", 3) != hits("cake", 3)
    assert [hit.rank for hit in hits("tea", 10, page=2)] == list(range(11, 21))
    assert hits(f"tea {NOTHING}", 3) == []


def test_hits_keep_domain_wishes_however_they_are_written() -> None:
    assert {hit.url.split("/")[2] for hit in hits("tea (site:a.org OR site:b.org)", 9)} == {"a.org", "b.org"}
    assert "example.com" not in {hit.url.split("/")[2] for hit in hits("tea -site:example.com", 9)}
    assert hits("tea (site:a.org OR site:b.org)", 1)[0].title == "tea & more, part 1"


def test_a_fault_may_be_limited_in_number() -> None:
    with LoopbackServer(lambda _: Answer({"ok": True})) as server:
        server.fail(Fault(503), times=2)
        assert [get(server.url)[0] for _ in range(3)] == [503, 503, 200]


def test_reset_forgets_faults_and_requests() -> None:
    with LoopbackServer(lambda _: Answer({"ok": True})) as server:
        server.fail(Fault(500))
        get(server.url, "/a?b=c")
        assert server.received[0].params == {"b": "c"}
        server.reset()
        assert get(server.url) == (200, b'{"ok": true}')
        assert len(server.received) == 1


def test_a_mistake_in_a_simulator_is_reported_when_it_stops() -> None:
    server = LoopbackServer(lambda _: Answer(1 / 0))
    server.start()
    with pytest.raises((ConnectionError, OSError)):
        get(server.url)
    with pytest.raises(ZeroDivisionError):
        server.stop()


def test_an_unknown_name_is_answered_with_the_choices() -> None:
    with pytest.raises(KeyError, match="brave"):
        simulators.simulator("altavista")


@pytest.mark.process
def test_they_run_alone_and_print_the_environment() -> None:
    command = [sys.executable, "-m", "seekread.testing.simulators", "brave", "searxng"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(3)]
        environment = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        status, _ = get(environment["SEARXNG_URL"], "/search?q=tea")
        process.send_signal(signal.SIGTERM)
    assert status == 200
    assert environment["BRAVE_SEARCH_API_KEY"] == "simulated-brave-key"
    assert environment["SEEKREAD_BRAVE_BASE_URL"].endswith("/res/v1")
    assert process.returncode == 0
