"""Jina's reader on the wire."""

from typing import Any

import pytest

from seekread.testing.server import LoopbackServer


@pytest.mark.process
def test_the_address_is_taken_from_the_path(running: Any, site: LoopbackServer) -> None:
    text = running.get(f"/compat/jina/{site.url}/page?a=b&c=d")
    assert text.text.startswith(f"Title: All about tea\n\nURL Source: {site.url}/page?a=b&c=d\n\nMarkdown Content:\n#")
    assert int(text.headers["x-usage-tokens"]) > 10
    assert (site.received[0].path, site.received[0].query) == ("/page", "a=b&c=d")
    one_slash = running.get(f"/compat/jina/{site.url.replace('//', '/')}", headers={"accept": "application/json"})
    assert one_slash.json()["data"]["title"] == "All about tea"
    assert running.post("/compat/jina/", {"url": site.url}).text.startswith("Title:")
    again = len(site.received)
    running.get(f"/compat/jina/{site.url}", headers={"x-no-cache": "true"})
    assert len(site.received) == again + 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "status", "name"),
    [
        ("http://169.254.169.254/", 403, "SecurityCompromiseError"),
        ("{site}/gone", 404, "AssertionFailureError"),
        ("", 400, "ParamValidationError"),
    ],
)
def test_failures_are_json_even_for_text(running: Any, site: LoopbackServer, url: str, status: int, name: str) -> None:
    reply = running.get(f"/compat/jina/{url.format(site=site.url)}")
    assert (reply.status_code, reply.json()["name"], reply.json()["data"]) == (status, name, None)
