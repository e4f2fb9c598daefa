"""Only addresses somebody has seen are opened, and links cannot spell a long message."""

import pytest

from seekread.errors import Refused
from seekread.reading.provenance import Provenance, site_of


def linked(*urls: str, budget: int = 2) -> Provenance:
    provenance = Provenance("seen", hop_budget=budget)
    provenance.linked(urls)
    return provenance


def test_a_page_read_in_several_parts_is_counted_once() -> None:
    provenance = linked("https://a.org/1", "https://a.org/2", "https://a.org/3")
    for _part in range(10):
        provenance.check("https://a.org/1")
        provenance.check("https://a.org/1#part")
    provenance.check("https://a.org/2")
    with pytest.raises(Refused) as caught:
        provenance.check("https://a.org/3")
    assert caught.value.code == "hop_budget"
    provenance.check("https://a.org/2")


def test_hosts_of_one_site_share_a_budget() -> None:
    provenance = linked("https://a.b.org/", "https://c.b.org/", "https://d.b.org/")
    provenance.check("https://a.b.org/")
    provenance.check("https://c.b.org/")
    with pytest.raises(Refused, match=r"pages of b\.org"):
        provenance.check("https://d.b.org/")


def test_an_address_nobody_has_seen_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        linked("https://a.org/1").check("https://a.org/1?q=made-up")
    assert caught.value.code == "url_not_seen"


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.docs.example.org/x", "example.org"),
        ("https://www.example.co.uk/", "example.co.uk"),
        ("http://192.0.2.17:8080/", "192.0.2.17"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("http://localhost/", "localhost"),
        ("https://a.bücher.de/", "xn--bcher-kva.de"),
        ("https://b.XN--bcher-kva.de./", "xn--bcher-kva.de"),
    ],
)
def test_a_site_is_a_registrable_domain_or_an_address(url: str, site: str) -> None:
    assert site_of(url) == site
