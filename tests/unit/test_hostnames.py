"""One site has many spellings, and a list means all of them."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.errors import Misconfigured
from seekread.hostnames import BadHost, ascii_host, fold_host, host_of, matches, read_domain, site_of


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


READ = {
    "example.org": "example.org",
    "*.example.org": "example.org",
    ".Example.ORG.": "example.org",
    " a.b ": "a.b",
    "bücher.de": "xn--bcher-kva.de",
    "xn--bcher-kva.de": "xn--bcher-kva.de",
    "BÜCHER.de": "xn--bcher-kva.de",
    "faß.de": "xn--fa-hia.de",
    "FAẞ.de": "xn--fa-hia.de",
    "ｅxample.com": "example.com",
    "a。b": "a.b",
    "a_b.de": "a_b.de",
    "1.2.3.4": "1.2.3.4",
    "[::1]": "::1",
    "[0:0::1]": "::1",
    "localhost": "localhost",
    f"{'a' * 63}.de": f"{'a' * 63}.de",
    "نامه\u200cای.com": "xn--mgba3gch31f060k.com",
}


@pytest.mark.parametrize(("entry", "domain"), READ.items())
def test_an_entry_of_a_list_is_read_as_a_host_of_a_url_is(entry: str, domain: str) -> None:
    assert read_domain("allowed_domains", entry) == domain


NO_DOMAIN = [
    "", "*", ".", "a..b", "%65.com", "https://x.org", "x.org/p", "x.org:80", "1.2.3", "01.2.3.4", "1.2.3.256", "::1",
    "[::g]", "[fe80::1%eth0]", "*.[::1]", "[::1", "0x7f.1", "xn--a", "xn--zz--.de", "xn--\u00fc.de", "so\u00adft.de",
    "a\u200db.de", "-a.de", f"{'a' * 64}.de", ".".join(["a" * 50] * 5), "１.2.3.4", "x.١", "é" * 300, "a b.c",
    "\ud800.de", "ex*.de", "**.x", "a,$boost=9",
]  # fmt: skip


@pytest.mark.parametrize("entry", NO_DOMAIN)
def test_an_entry_that_is_no_domain_is_a_configuration_error(entry: str) -> None:
    with pytest.raises(Misconfigured, match=r"allowed_domains: .* is not a domain"):
        read_domain("allowed_domains", entry)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a..b", "bad_host"),
        ("[::g]", "bad_host"),
        ("127.1", "ambiguous_address"),
        ("１.2.3.4", "ambiguous_address"),
        ("x.xn--a", "bad_host"),
        ("so\u00adft.de", "bad_character"),
    ],
)
def test_what_is_no_host_says_in_the_guards_word_why(text: str, code: str) -> None:
    with pytest.raises(BadHost) as caught:
        fold_host(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.docs.example.org/x", "example.org"),
        ("https://www.example.co.uk/", "example.co.uk"),
        ("http://192.0.2.17:8080/", "192.0.2.0/24"),
        ("http://[2001:db8::1]/", "2001:db8::/64"),
        ("http://localhost/", "localhost"),
        ("https://a.bücher.de/", "xn--bcher-kva.de"),
        ("https://b.XN--bcher-kva.de./", "xn--bcher-kva.de"),
    ],
)
def test_a_site_is_a_registrable_domain_or_a_block_of_addresses(url: str, site: str) -> None:
    assert site_of(url) == site


PIECES = [
    "http",
    "HTTPS",
    ":",
    "//",
    "/",
    "?",
    "#",
    "@",
    "a",
    "B",
    "1",
    ".",
    "-",
    "%41",
    "[",
    "]",
    "::",
    "\t",
    "\n",
    " ",
]
PIECES += [
    "\x00",
    "\x1f",
    "é",
    "。",
    "\\",
    "e.org",
    "www.",
    ":80",
    ";",
    "&",
    "=",
    "\u200b",
    "http://",
    "https://",
    "\u0130",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
@settings(max_examples=2000, deadline=None)
def test_a_host_is_read_as_the_standard_library_reads_it(rest: str) -> None:
    for url in (rest, f"http://{rest}", f"https://{rest}"):
        try:
            expected = (urlsplit(url).hostname or "").rstrip(".")
        except ValueError:
            expected = ""
        assert host_of(url) == expected
