"""What holds for any URL, not only for those somebody thought of. Bounded and the same in every run."""

import json
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.errors import Misconfigured, Refused
from seekread.hostnames import is_ip_address, read_domain
from seekread.http.addresses import why_not_public
from seekread.http.guard import Guard, GuardPolicy, Target, parse
from seekread.models import SearchResult
from seekread.searching.policy import Policy

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "ssrf_cases.json").read_text(encoding="utf-8")
)["cases"]
SEEDS = [case["url"] for case in CASES] + [location for case in CASES for location in case.get("redirect", ())]
PIECES = [
    *"@:/\\?#[]%.-_ \t\n\r\x00+&=;,!~^|`{}<>'\"$*()0123456789abcdefxX",
    *"。．｡１０ａﬁßςİK\u200c\u200d\u200b\u00ad\u202e\ufeff\ufe0f℀／＠：١१אअ\ud800",
    *("xn--", "0x", "%00", "%2e", "..", "//", "localhost", "127.0.0.1", "example.org", "[::1]", ":80", "https:", "@"),
]

MUTATIONS = 12_000

steady = settings(derandomize=True, database=None, deadline=None, max_examples=150)


def mutations(seed: int, count: int = MUTATIONS) -> Iterator[str]:
    """Known URLs with up to four pieces inserted, removed, replaced or spliced in from another."""
    chance = Random(seed)
    for _ in range(count):
        url = chance.choice(SEEDS)
        for _ in range(chance.randint(1, 4)):
            at = chance.randint(0, len(url))
            piece = chance.choice([chance.choice(PIECES), chance.choice(SEEDS)[-12:], ""])
            url = url[:at] + piece + url[at + chance.choice([0, 1, 1, len(piece)]) :]
        yield url


def accepted(url: str) -> Target | None:
    """The target, or `None` when refused; anything else that is raised fails the test."""
    try:
        return parse(url)
    except Refused:
        return None


def agree(target: Target) -> None:
    """Whoever reads the URL we wrote reads the host and port we checked."""
    client = httpx2.URL(target.url)
    assert client.raw_host == target.host.encode("ascii")
    assert (client.port or target.port) == target.port
    assert not client.userinfo
    standard = urlsplit(target.url)
    assert standard.hostname == target.host
    assert (standard.port or target.port) == target.port
    assert target.url.isascii()
    assert target.url.isprintable()
    assert parse(target.url) == target


@pytest.mark.proves("X-25")
def test_an_accepted_mutation_means_one_host_to_everybody() -> None:
    """Parsers that disagree on the host are the oldest way past a guard."""
    targets = [target for url in mutations(seed=1) if (target := accepted(url))]
    for target in targets:
        agree(target)
    assert len(targets) > MUTATIONS / 20


@steady
@given(st.text(max_size=60) | st.text(max_size=40).map(lambda rest: "http://" + rest))
def test_any_text_is_either_a_target_or_refused(text: str) -> None:
    if target := accepted(text):
        agree(target)


@pytest.mark.proves("S3-30")
def test_an_accepted_mutation_with_an_address_is_a_public_one() -> None:
    """No spelling gets a private address past `check`."""
    guard = Guard()
    addresses = 0
    for url in mutations(seed=2):
        try:
            target = guard.check(url)
        except Refused:
            continue
        addresses += target.literal
        assert why_not_public(target.host) is None or not target.literal
        assert target.literal == is_ip_address(target.host)
    assert addresses > 50


def test_a_mutated_redirect_leads_where_everybody_thinks_or_is_refused() -> None:
    guard = Guard()
    start = parse("https://start.example.org/a/b?c#d")
    followed = 0
    for location in mutations(seed=3):
        try:
            target = guard.hop(start, location)
        except Refused:
            continue
        followed += 1
        agree(target)
    assert followed > 100


def part(value: int, base: str) -> str:
    """A number as inet_aton accepts it."""
    return {"d": f"{value}", "x": f"0x{value:x}", "X": f"0X{value:X}", "o": f"0{value:o}", "z": f"00{value}"}[base]


@st.composite
def spelled(draw: st.DrawFn) -> tuple[int, str, bool]:
    """An IPv4 address, one of its spellings, and whether it is the plain one."""
    value = draw(st.integers(0, 2**32 - 1) | st.sampled_from([0x7F000001, 0xA9FEA9FE, 0x0A000001, 0xC0A80101, 0]))
    count = draw(st.integers(1, 4))
    heads = [(value >> (24 - 8 * index)) & 0xFF for index in range(count - 1)]
    numbers = [*heads, value & ((1 << (8 * (5 - count))) - 1)]
    bases = [draw(st.sampled_from("dxXoz")) for _ in numbers]
    text = ".".join(part(number, base) for number, base in zip(numbers, bases, strict=True))
    return value, text, text == str(IPv4Address(value))


@steady
@given(spelled(), st.sampled_from(["", "."]))
def test_only_the_plain_spelling_of_an_address_is_accepted(address: tuple[int, str, bool], dot: str) -> None:
    value, text, plain = address
    target = accepted(f"http://{text}{dot}/")
    assert (target is not None) == plain
    if target:
        assert target.host == str(IPv4Address(value))


PUBLIC = st.sampled_from(["1.1.1.1", "93.184.215.14", "2606:4700::1111", "64:ff9b::808:808", "2a04:4e42::81"])
ANY = (st.ip_addresses(v=4) | st.ip_addresses(v=6)).map(str)
TARGET = parse("https://name.example.org/")


@steady
@given(st.lists(PUBLIC | ANY, min_size=1, max_size=6))
def test_one_bad_answer_rejects_the_name_and_nothing_else_does(answers: list[str]) -> None:
    bad = any(why_not_public(answer) for answer in answers)
    try:
        vetted = Guard().judge(TARGET, answers)
    except Refused:
        assert bad
    else:
        assert not bad
        assert set(vetted) == set(answers)


@steady
@given(st.ip_addresses(v=4))
def test_nat64_is_judged_by_what_it_carries(address: IPv4Address) -> None:
    carrier = IPv6Address((0x0064_FF9B << 96) | int(address))
    assert bool(why_not_public(str(carrier))) == bool(why_not_public(str(address)))


def test_a_nat64_prefix_of_ones_own_network_looks_public() -> None:
    """A limit that is told: nobody outside of a network knows which of its prefixes carry IPv4."""
    assert why_not_public("64:ff9b::10.0.0.1")
    assert not why_not_public("2606:4700:64::10.0.0.1")


LABELS = st.sampled_from(
    [
        *"aéßẞ１١アk東אक",
        "www",
        "ex",
        "bücher",
        "FASS",
        "xn--bcher-kva",
        "xn--a",
        "क्\u200dष",
        "a\u200db",
        "a_b",
        "-",
        "",
        "4",
        "0x1",
    ]
) | st.text(max_size=4)


@steady
@given(st.lists(LABELS, min_size=1, max_size=4), st.sampled_from([".", "。", "．"]), st.sampled_from(["", "."]))
def test_a_list_and_the_guard_mean_the_same_host(labels: list[str], dot: str, root: str) -> None:
    """S3-24: what the guard accepts as a host can be listed, and a list that names it holds in search and read."""
    host = dot.join(labels) + root
    url = f"https://{host}/"
    if (target := accepted(url)) is None or target.path != "/":
        return
    assert read_domain("blocked_domains", host) == target.host
    with pytest.raises(Refused, match="blocked_domains"):
        Guard(GuardPolicy(blocked_domains=(host,))).check(url)
    assert Policy(blocked_domains=(host,)).keep([SearchResult(title="", url=url)]) == []
    assert Policy(allowed_domains=(host,)).keep([SearchResult(title="", url=url)])


@steady
@given(st.lists(LABELS, min_size=1, max_size=4).map(".".join))
def test_what_can_be_listed_is_a_host_for_the_guard(host: str) -> None:
    try:
        listed = read_domain("allowed_domains", host)
    except Misconfigured:
        return
    assert parse(f"https://{listed}/").host == listed
