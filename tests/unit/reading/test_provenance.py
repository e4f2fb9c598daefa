"""Only addresses somebody has seen are opened, and links cannot spell a long message."""

import pytest

from seekread.errors import Refused
from seekread.reading.provenance import MOST_SEEN, MOST_SITES, Provenance


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


def addresses(number: int) -> list[str]:
    return [f"https://{each}.org/" for each in range(number)]


def remembered(provenance: Provenance) -> int:
    return sum(map(len, provenance._seen.values())) + len(provenance._hops) + len(provenance._followed)


def test_the_oldest_address_is_forgotten_first() -> None:
    provenance = Provenance("seen")
    provenance.found(addresses(MOST_SEEN["search"]))
    provenance.found(["https://0.org/", "https://new.org/"])
    for url in ("https://0.org/", "https://2.org/", "https://new.org/"):
        provenance.check(url)
    with pytest.raises(Refused):
        provenance.check("https://1.org/")


def test_a_flood_of_links_pushes_out_neither_results_nor_what_the_user_gave() -> None:
    provenance = Provenance("seen")
    provenance.trust("https://given.org/")
    provenance.found(["https://found.org/"])
    provenance.linked(addresses(2 * MOST_SEEN["link"]))
    provenance.check("https://given.org/")
    provenance.check("https://found.org/")


def test_an_address_the_user_gave_stays_the_users_wherever_else_it_turns_up() -> None:
    provenance = linked("https://a.org/", budget=0)
    provenance.trust("https://a.org/")
    provenance.linked(["https://a.org/"])
    provenance.check("https://a.org/")


def test_what_a_session_remembers_is_bounded_however_long_it_runs() -> None:
    provenance = Provenance("seen", hop_total=2 * MOST_SITES)
    for url in addresses(MOST_SITES + 500):
        provenance.linked([url])
        provenance.check(url)
    provenance.found(addresses(MOST_SEEN["search"] + 500))
    assert remembered(provenance) == 2 * MOST_SEEN["link"] + MOST_SITES + MOST_SEEN["search"]


def test_nothing_is_kept_where_nobody_asks() -> None:
    provenance = Provenance("any")
    provenance.trust("https://a.org/")
    provenance.found(["https://b.org/"])
    provenance.linked(["https://c.org/"])
    provenance.check("https://d.org/")
    assert remembered(provenance) == 0


@pytest.mark.parametrize(
    "block", [[f"http://[2001:db8::{n:x}]/" for n in range(1, 31)], [f"http://192.0.2.{n}/" for n in range(1, 31)]]
)
def test_addresses_of_one_block_share_a_budget(block: list[str]) -> None:
    provenance = linked(*block, budget=8)
    for url in block[:8]:
        provenance.check(url)
    with pytest.raises(Refused, match="8 pages of"):
        provenance.check(block[8])


def test_pages_of_many_sites_reached_by_links_are_counted_together() -> None:
    provenance = Provenance("seen", hop_total=5)
    provenance.linked(addresses(10))
    for url in addresses(5):
        provenance.check(url)
        provenance.check(url)
    with pytest.raises(Refused, match="hop_total") as caught:
        provenance.check("https://5.org/")
    assert caught.value.code == "hop_budget"
    provenance.found(["https://6.org/"])
    provenance.check("https://6.org/")
