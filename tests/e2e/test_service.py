"""The service as a process: where it binds, and what several workers share."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.service_process import PATIENCE, ServiceProcess, service, start
from tests.support.workers import alive, all_children, children, forked_from

pytestmark = pytest.mark.process


def client(url: str, token: str = "") -> httpx2.Client:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx2.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False)


def test_a_service_beyond_loopback_is_not_started_without_a_token(tmp_path: Path) -> None:
    process = start(["--host", "0.0.0.0", "--port", "0"], {**os.environ, "XDG_STATE_HOME": str(tmp_path)})
    with process:
        output, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (4, "")


def test_beyond_loopback_only_healthz_answers_without_a_token(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a-long-enough-token-0123456789")
    with service(tmp_path, "--host", "0.0.0.0", "--token-file", str(tmp_path / "secret")) as running:
        url = running.url.replace("0.0.0.0", "127.0.0.1")
        with client(url) as nobody, client(url, "a-long-enough-token-0123456789") as somebody:
            assert nobody.get("/healthz").status_code == 200
            for path in ("/", "/v1/usage", "/metrics", "/readyz", "/openapi.json", "/mcp", "/sse", "/v2/scrape"):
                assert nobody.get(path).status_code == 401, path
            assert somebody.get("/v1/search", params={"query": "tea"}).status_code == 200


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not list the children of a process")
def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with service(tmp_path, "--workers", "2") as running, client(running.url) as http:
        assert http.get("/healthz").status_code == 200
        before = all_children(running.process.pid, 2)
        os.kill(before[0], signal.SIGKILL)
        for _ in range(3000):
            after = children(running.process.pid)
            if len(after) == 2 and set(after) != set(before):
                break
            # The other one answers meanwhile; a connection to the dead one may be lost.
            with client(running.url) as again, suppress(httpx2.TransportError):
                again.get("/healthz")
        assert len(set(after) - set(before)) == 1
        assert running.terminate() == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not list the children of a process")
def test_workers_go_on_without_the_process_they_were_forked_from(tmp_path: Path) -> None:
    with service(tmp_path, "--workers", "2") as running, client(running.url) as http:
        assert http.get("/healthz").status_code == 200
        before = all_children(running.process.pid, 2)
        os.kill(forked_from(running.process.pid), signal.SIGKILL)
        for _ in range(3000):
            # Others take the place of those nobody can tell about any more, which end by themselves.
            if len(children(running.process.pid)) == 2 and not any(map(alive, before)):
                break
            with client(running.url) as again, suppress(httpx2.TransportError):
                again.get("/healthz")
        assert not any(map(alive, before))
        assert running.terminate() == 0


def test_several_workers_share_cache_rate_and_numbers(tmp_path: Path) -> None:
    with service(tmp_path, "--workers", "2", token=True) as running:
        for number in range(12):
            # A connection for each request, so that both workers get some.
            with client(running.url, running.token) as http:
                assert http.get("/v1/search", params={"query": f"tea {number % 3}"}).status_code == 200
        assert len(running.brave.received) == 3
        with client(running.url) as nobody:
            assert nobody.get("/v1/usage").status_code == 401
        # What its store was too slow to count, a worker counts when it is asked.
        while (calls := used(running)) < 3.0:
            pass
        assert calls == 3.0
        assert running.terminate() == 0


def used(running: ServiceProcess) -> float:
    """Calls that were counted, as one of the workers tells."""
    with client(running.url, running.token) as http:
        return float(http.get("/v1/usage").json()["usage"][0]["calls"])


def test_no_request_the_description_allows_breaks_the_service(tmp_path: Path) -> None:
    """Made-up requests, sensible and not, get what the description promises and never a mistake of the service."""
    import hypothesis
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    # Only the site of this test may be read, so no made-up address is looked up.
    with service(tmp_path, env={"SEEKREAD_ALLOWED_DOMAINS": "127.0.0.1"}) as running:
        schema = schemathesis.openapi.from_url(f"{running.url}/openapi.json")
        with client(running.url) as http:
            handle = http.get("/v1/open", params={"url": running.site.url}).json()["snapshot"]

        @hypothesis.settings(
            max_examples=8,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(data=hypothesis.strategies.data())
        def check(data: Any) -> None:
            for found in schema.get_all_operations():
                case = data.draw(found.ok().as_strategy())  # type: ignore[union-attr]
                if "id" in case.path_parameters and data.draw(hypothesis.strategies.booleans()):
                    case.path_parameters["id"] = handle
                case.call_and_validate(checks=checks)

        check()
