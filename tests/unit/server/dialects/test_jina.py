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


@pytest.mark.process
def test_a_form_says_what_headers_say(running: Any, site: LoopbackServer) -> None:
    asked = {"url": site.url, "respondWith": "text", "targetSelector": "h2"}
    assert running.client.post("/compat/jina/", data=asked).text == "Brewing"
    headers = {"x-return-format": "text", "x-target-selector": "h2"}
    assert running.get(f"/compat/jina/{site.url}", headers=headers).text == "Brewing"
    without = running.get(
        f"/compat/jina/{site.url}", headers={"x-remove-selector": "h2", "x-retain-links": "none"}
    ).text
    assert "Brewing" not in without
    assert "](http" not in without
    short = running.get(f"/compat/jina/{site.url}", headers={"x-max-tokens": "5", "accept": "application/json"})
    assert len(short.json()["data"]["content"]) == 20
    html = running.get(f"/compat/jina/{site.url}", headers={"x-return-format": "html"})
    assert "<h2>Brewing</h2>" in html.text
    assert html.headers["content-type"].startswith("text/plain")


def test_what_is_not_offered_is_refused_by_its_name(running: Any) -> None:
    page = "/compat/jina/https://a.example/"
    for headers, told in [
        ({"x-return-format": "screenshot"}, "respondWith screenshot is not offered here; send content"),
        ({"x-set-cookie": "a=b"}, "setCookies is not offered here; the operator sets page_headers"),
        ({"x-proxy-url": "http://p.example/"}, "proxyUrl is not offered here"),
    ]:
        refused = running.get(page, headers=headers)
        assert (refused.status_code, told in refused.json()["message"]) == (400, True)
    pasted = running.post("/compat/jina/", {"html": "<p>mine</p>"})
    assert (pasted.status_code, "html is not offered here; send the url" in pasted.json()["message"]) == (400, True)
