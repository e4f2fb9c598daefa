"""What the operator allows to be asked, and what must not leave."""

from urllib.parse import quote

import pytest

from seekread.calling.outgoing import LONGEST, Outgoing
from seekread.errors import Misconfigured, Refused
from seekread.models import SearchResult
from seekread.redact import Secrets
from seekread.searching.policy import Policy
from seekread.searching.validate import to_query

KEY = "Zq7-Kp2mX9-rW4tY8"


def refusal(policy: Policy, **asked: object) -> str:
    with pytest.raises(Refused) as caught:
        policy.check(to_query(asked.pop("query", "tea"), **asked))
    return caught.value.code


@pytest.mark.parametrize(
    "asked",
    [
        {"query": f"who uses {KEY}?"},
        {"query": f"who uses {KEY.upper()}?"},
        {"company": KEY},
        {"allowed_domains": [f"{KEY}.evil.example"]},
        {"blocked_domains": ["a.org", f"{KEY.lower()}.evil.example"]},
    ],
)
def test_a_configured_key_leaves_in_no_part_of_a_query(asked: dict[str, object]) -> None:
    assert refusal(Policy(outgoing=Outgoing(Secrets(KEY))), **asked) == "secret_in_query"


def encoded(text: str) -> str:
    return "".join(f"%{ord(character):02x}" for character in text)


@pytest.mark.parametrize("how", [KEY, KEY.upper(), encoded(KEY), quote(encoded(KEY)), encoded(KEY).upper()])
def test_a_configured_key_leaves_in_no_spelling_of_an_address(how: str) -> None:
    with pytest.raises(Refused) as caught:
        Outgoing(Secrets(KEY)).check(f"https://evil.example/?x={how}", "url")
    assert caught.value.code == "secret_in_url"


def test_the_shape_of_a_key_is_seen_through_its_encoding() -> None:
    with pytest.raises(Refused, match="looks like a key"):
        Outgoing().check("https://evil.example/" + encoded("tvly-abcdefghijklmnop1234"), "url")


def test_a_text_too_long_to_scan_is_not_sent() -> None:
    """Twelve megabytes would take seconds, and an end nobody looked at could carry anything."""
    with pytest.raises(Refused) as caught:
        Outgoing(Secrets(KEY)).check("https://e.org/" + "%41" * 4_000_000, "url")
    assert caught.value.code == "too_long"
    Outgoing(Secrets(KEY)).check("a" * LONGEST, "url")


def test_a_long_list_of_domains_is_no_long_text() -> None:
    Policy(outgoing=Outgoing(Secrets(KEY))).check(
        to_query("tea", blocked_domains=[f"site{n}.example" for n in range(3000)])
    )


def test_what_the_operator_lets_out_is_not_scanned() -> None:
    Policy(outgoing=Outgoing(Secrets(KEY), scan=False)).check(to_query(KEY))


def test_secrets_do_not_show() -> None:
    assert KEY not in repr(Policy(outgoing=Outgoing(Secrets(KEY))))


@pytest.mark.parametrize(
    ("operator", "caller", "searched"),
    [
        ((), (), ()),
        ((), ("a.org",), ("a.org",)),
        (("a.org", "b.org"), (), ("a.org", "b.org")),
        (("a.org", "b.org"), ("b.org", "c.org"), ("b.org",)),
        (("a.org",), ("docs.a.org",), ("docs.a.org",)),
        (("docs.a.org", "b.org"), ("a.org",), ("docs.a.org",)),
        (("bücher.de",), ("xn--bcher-kva.de",), ("xn--bcher-kva.de",)),
    ],
)
def test_a_search_stays_within_the_operators_domains(
    operator: tuple[str, ...], caller: tuple[str, ...], searched: tuple[str, ...]
) -> None:
    query = Policy(allowed_domains=operator).narrowed(to_query("tea", allowed_domains=caller))
    assert query.allowed_domains == searched


def test_a_search_outside_the_operators_domains_is_refused() -> None:
    with pytest.raises(Refused, match=r"c\.org.* allowed_domains under \[policy\]") as caught:
        Policy(allowed_domains=("a.org",)).narrowed(to_query("tea", allowed_domains=["c.org", "nota.org"]))
    assert caught.value.code == "domain_not_allowed"


def test_what_the_operator_blocks_is_blocked_beside_what_the_caller_blocks() -> None:
    query = Policy(blocked_domains=("a.org", "b.org")).narrowed(to_query("tea", blocked_domains=["c.org", "a.org"]))
    assert query.blocked_domains == ("c.org", "a.org", "b.org")


@pytest.mark.parametrize("lists", [{"allowed_domains": ("https://a.org/x",)}, {"blocked_domains": ("a..org",)}])
def test_a_list_the_guard_would_not_take_is_a_wrong_setting(lists: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(Misconfigured, match=next(iter(lists))):
        Policy(**lists)  # type: ignore[arg-type]


def test_an_international_domain_is_held_back_in_both_spellings() -> None:
    policy = Policy(blocked_domains=("Bücher.de",))
    results = [SearchResult(title="t", url=url) for url in ("https://www.xn--bcher-kva.de/", "https://bücher.de/")]
    assert policy.keep(results) == []
