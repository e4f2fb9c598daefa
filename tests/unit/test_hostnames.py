"""One site has many spellings, and a list means all of them."""

import pytest

from seekread.errors import Misconfigured
from seekread.hostnames import ascii_host, matches, read_domain
from seekread.http.policy import read_domain as read_by_the_guard


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.EXAMPLE.org.", "*.Example.org"),
        ("xn--bcher-kva.de", "bücher.de"),
        ("www.bücher.de", "xn--bcher-kva.de"),
        ("BÜCHER.de", "bücher.de"),
        ("b%C3%BCcher.de", "bücher.de"),
        ("ex%61mple.org", "example.org"),
        ("ｅｘａｍｐｌｅ.org", "example.org"),
        ("example。org", "example.org"),
        ("exam\u00adple.org", "example.org"),
    ],
)
def test_a_host_matches_a_domain_however_both_are_spelled(host: str, domain: str) -> None:
    assert matches(host, domain)


@pytest.mark.parametrize(
    ("host", "domain"),
    [("notexample.org", "example.org"), ("example.org.evil.com", "example.org"), ("bucher.de", "bücher.de"), ("a", "")],
)
def test_other_hosts_do_not_match(host: str, domain: str) -> None:
    assert not matches(host, domain)


@pytest.mark.parametrize("odd", ["", ".", "%", "\ud800.org", "a\x00b", "ü" * 5000, "xn--\u00e9", "::1", "a..ü"])
def test_what_is_no_name_is_compared_as_it_stands(odd: str) -> None:
    assert isinstance(ascii_host(odd), str)
    assert not matches(odd, "example.org")


ENTRIES = [
    "example.org", "*.example.org", ".Example.ORG.", " a.b ", "bücher.de", "xn--bcher-kva.de", "BÜCHER.de", "faß.de",
    "ｅxample.com", "a。b", "a_b.de", "1.2.3.4", "[::1]", "[0:0::1]", "localhost",
    "", "*", ".", "a..b", "%65.com", "https://x.org", "x.org/p", "x.org:80", "1.2.3", "01.2.3.4", "1.2.3.256", "::1",
    "[::g]", "0x7f.1", "xn--a", "xn--zz--.de", "so\u00adft.de", "a\u200db.de", "-a.de", "a" * 64 + ".de", "１.2.3.4",
    "x.١", "é" * 300, "a b.c", "\ud800.de", "ex*.de", "**.x", "a,$boost=9",
]  # fmt: skip


def outcome(read: object, entry: str) -> str:
    try:
        return read("allowed_domains", entry)  # type: ignore[operator, no-any-return]
    except Misconfigured as error:
        return str(error)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_of_a_list_is_read_as_the_guard_reads_it(entry: str) -> None:
    """Policy and guard mean the same hosts by the same entry, or both say what is wrong with it."""
    assert outcome(read_domain, entry) == outcome(read_by_the_guard, entry)
