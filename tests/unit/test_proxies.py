"""Which proxy an address uses."""

import pytest

from seekread.proxies import proxies, proxy_for

WEB = "http://web:1"
SECURE = "http://secure:2"


@pytest.mark.parametrize(
    ("exceptions", "url", "expected"),
    [
        ("", ("http", "example.org", 80), WEB),
        ("", ("https", "example.org", 443), SECURE),
        ("example.org", ("https", "example.org", 443), None),
        ("example.org", ("https", "www.example.org", 443), None),
        ("example.org", ("https", "notexample.org", 443), SECURE),
        ("example.org", ("https", "example.org.evil", 443), SECURE),
        (".example.org", ("https", "www.example.org", 443), None),
        (".example.org", ("https", "example.org", 443), SECURE),
        ("EXAMPLE.org", ("http", "example.org", 80), None),
        ("example.org:8080", ("http", "example.org", 8080), None),
        ("example.org:8080", ("http", "example.org", 80), WEB),
        ("localhost", ("http", "localhost", 80), None),
        ("localhost", ("http", "sub.localhost", 80), WEB),
        ("127.0.0.1", ("http", "127.0.0.1", 8888), None),
        ("127.0.0.1", ("http", "127.0.0.10", 8888), WEB),
        ("10.0.0.0/8", ("http", "10.1.2.3", 80), None),
        ("10.0.0.0/8", ("http", "11.1.2.3", 80), WEB),
        ("10.0.0.0/8", ("http", "ten.example", 80), WEB),
        ("::1", ("http", "::1", 80), None),
        ("fd00::/8", ("http", "fd12::1", 80), None),
        ("fd00::/8", ("http", "fe80::1", 80), WEB),
        ("https://example.org", ("https", "example.org", 443), None),
        ("https://example.org", ("http", "example.org", 80), WEB),
    ],
)
def test_exceptions_go_without_a_proxy(exceptions: str, url: tuple[str, str, int], expected: str | None) -> None:
    named = proxies({"http_proxy": WEB, "https_proxy": SECURE, "no_proxy": exceptions})
    assert proxy_for(named, *url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (("https", "a.example", 443), "scheme"),
        (("http", "a.example", 80), "all"),
        (("https", "b.example", 443), "host"),
        (("https", "b.example", 8443), "port"),
        (("https", "deep.b.example", 443), "below"),
    ],
)
def test_what_was_said_most_precisely_counts(url: tuple[str, str, int], expected: str) -> None:
    named = {
        "all://": "all",
        "https://": "scheme",
        "all://*.b.example": "below",
        "all://b.example": "host",
        "all://b.example:8443": "port",
    }
    assert proxy_for(named, *url) == expected
    assert proxy_for({}, *url) is None
