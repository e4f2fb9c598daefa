"""The guard's verdicts: every case with its code, the settings, and what refusals say."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

import seekread.http.guard as guard_module
from seekread.errors import Misconfigured, Refused, Unreachable
from seekread.http.guard import MAX_HOPS, Guard, GuardPolicy, SystemResolver, Target, parse

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.215.14"
CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "ssrf_cases.json").read_text(encoding="utf-8")
)["cases"]


class Answers:
    """A resolver with fixed answers; other names are public."""

    def __init__(self, answers: dict[str, list[str]] | None = None) -> None:
        self.answers = answers or {}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.get(host, [PUBLIC])


def guard(answers: dict[str, list[str]] | None = None, **policy: Any) -> Guard:
    return Guard(GuardPolicy(**policy), Answers(answers))


async def code_of(guarded: Guard, url: str) -> str:
    """The refusal code, or an empty text."""
    return (await guarded.explain(url)).code


def test_there_are_enough_cases_of_both_kinds() -> None:
    verdicts = [case["verdict"] for case in CASES]
    assert len(CASES) >= 250
    assert verdicts.count("allow") >= 100


@pytest.mark.proves("S3-30", "X-25")
@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["url"])[:60])
async def test_every_case_gets_its_verdict_and_code(case: dict[str, Any]) -> None:
    """Scheme, host, every address and every redirect hop."""
    verdict = await guard(case.get("dns")).explain(case["url"], redirects=case.get("redirect", ()))
    assert (verdict.verdict, verdict.code) == ("allowed" if case["verdict"] == "allow" else "refused", case["code"])


@pytest.mark.parametrize("case", [case for case in CASES if case["verdict"] == "allow"], ids=lambda case: case["url"])
async def test_what_is_allowed_is_read_alike_by_the_client(case: dict[str, Any]) -> None:
    target = parse(case["url"])
    url = httpx2.URL(target.url)
    assert (url.raw_host.decode(), url.port or target.port, url.scheme) == (target.host, target.port, target.scheme)
    assert parse(target.url) == target
    assert httpx2.Request("GET", url).headers["host"] == target.authority


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("HTTPS://Example.ORG.:443", "https://example.org/"),
        (" http://EXAMPLE.org:8080?x#y ", "http://example.org:8080/?x#y"),
        ("https://bücher.example.org/ä?ö#ü", "https://xn--bcher-kva.example.org/%C3%A4?%C3%B6#%C3%BC"),
        ("https://[2A00:0:0::1]:443/", "https://[2a00::1]/"),
        ("http://example.org/a'b\"c<d>{e}^f", "http://example.org/a'b%22c%3Cd%3E%7Be%7D%5Ef"),
        ("http://example.org/100%/%zz/%41", "http://example.org/100%/%zz/%41"),
    ],
)
def test_a_url_is_written_again_from_its_parts(url: str, written: str) -> None:
    assert parse(url).url == written


def test_a_target_knows_its_host_header_and_its_allow_entry() -> None:
    target = parse("https://[2A00::1]:8443/x?y#z")
    assert (target.host, target.port, target.path, target.fragment, target.literal) == (
        "2a00::1",
        8443,
        "/x?y",
        "z",
        True,
    )
    assert (target.authority, target.endpoint) == ("[2a00::1]:8443", "[2a00::1]:8443")
    assert parse("https://example.org/").authority == "example.org"
    assert parse("https://example.org/").endpoint == "example.org:443"


def test_a_url_longer_than_the_limit_is_refused() -> None:
    start = "https://example.org/"
    assert parse(start + "a" * (8_192 - len(start)))
    with pytest.raises(Refused) as caught:
        parse(start + "a" * (8_193 - len(start)))
    assert caught.value.code == "too_long"


async def test_check_does_no_lookup() -> None:
    guarded = guard()
    assert guarded.check("https://example.org/").host == "example.org"
    assert isinstance(guarded.resolver, Answers)
    assert guarded.resolver.asked == []


async def test_an_address_in_the_url_is_not_looked_up() -> None:
    guarded = guard()
    assert await guarded.vet(guarded.check("https://1.1.1.1/")) == ("1.1.1.1",)
    assert isinstance(guarded.resolver, Answers)
    assert guarded.resolver.asked == []


async def test_vetting_resolves_once_and_returns_every_answer_in_order() -> None:
    guarded = guard({"x.example.org": ["151.101.1.69", "2a04:4e42::81", "151.101.1.69"]})
    assert await guarded.vet(guarded.check("https://x.example.org/")) == ("151.101.1.69", "2a04:4e42::81")
    assert isinstance(guarded.resolver, Answers)
    assert guarded.resolver.asked == ["x.example.org"]


async def test_a_target_that_was_never_checked_is_checked_when_it_is_vetted() -> None:
    forged = Target("http://127.0.0.1/", "http", "127.0.0.1", 80, "/", literal=True)
    with pytest.raises(Refused):
        await guard().vet(forged)


class TestDomainLists:
    """S3-24: the operator's lists, exact or dot-suffix, on the URL, every hop and the final URL."""

    @pytest.mark.parametrize(
        ("url", "code"),
        [
            ("https://example.org/", ""),
            ("https://www.example.org/", ""),
            ("https://EXAMPLE.org./", ""),
            ("https://notexample.org/", "domain_not_allowed"),
            ("https://example.org.evil.com/", "domain_not_allowed"),
            ("https://org/", "domain_not_allowed"),
            ("https://1.1.1.1/", "domain_not_allowed"),
            ("https://bücher.de/", ""),
            ("https://xn--bcher-kva.de/", ""),
        ],
    )
    async def test_only_allowed_domains_and_those_below_pass(self, url: str, code: str) -> None:
        assert await code_of(guard(allowed_domains=("example.org", "*.bücher.de")), url) == code

    @pytest.mark.parametrize(
        ("url", "code"),
        [
            ("https://evil.com/", "domain_blocked"),
            ("https://a.b.evil.com/", "domain_blocked"),
            ("https://EVIL.com./", "domain_blocked"),
            ("https://notevil.com/", ""),
            ("https://evil.com.example.org/", ""),
            ("https://8.8.8.8/", "domain_blocked"),
            ("https://9.8.8.8/", ""),
        ],
    )
    async def test_blocked_domains_and_those_below_are_refused(self, url: str, code: str) -> None:
        assert await code_of(guard(blocked_domains=(".evil.com", "8.8.8.8")), url) == code

    async def test_a_blocked_domain_below_an_allowed_one_stays_blocked(self) -> None:
        guarded = guard(allowed_domains=("example.org",), blocked_domains=("ads.example.org",))
        assert await code_of(guarded, "https://ads.example.org/") == "domain_blocked"

    @pytest.mark.parametrize("depth", range(1, MAX_HOPS + 1))
    async def test_every_redirect_hop_is_held_against_the_lists(self, depth: int) -> None:
        hops = [f"/{hop}" for hop in range(1, depth)] + ["https://other.net/"]
        verdict = await guard(allowed_domains=("example.org",)).explain("https://example.org/", redirects=hops)
        assert (verdict.code, verdict.host) == ("domain_not_allowed", "other.net")
        assert verdict.steps[-1].name == f"redirect {depth}: domains"

    async def test_the_refusal_names_the_setting(self) -> None:
        for name, domain in {"allowed_domains": "example.net", "blocked_domains": "example.org"}.items():
            verdict = await Guard(GuardPolicy(**{name: (domain,)}), Answers()).explain("https://example.org/")  # type: ignore[arg-type]
            assert f"{name} under [policy]" in verdict.message
            assert f"SEEKREAD_{name.upper()}" in verdict.message

    async def test_allow_private_does_not_lift_the_operators_lists(self) -> None:
        guarded = guard(allow_private=("localhost:80",), allowed_domains=("example.org",))
        assert await code_of(guarded, "http://localhost/") == "domain_not_allowed"

    def test_an_entry_that_is_not_a_domain_is_a_configuration_error(self) -> None:
        with pytest.raises(Misconfigured, match="allowed_domains"):
            guard(allowed_domains=("https://example.org/",))


class TestAllowPrivate:
    """An entry lifts the address, name and port rules for itself, and nothing else."""

    @pytest.mark.parametrize(
        ("url", "code"),
        [
            ("http://localhost:3000/", ""),
            ("http://LOCALHOST.:3000/", ""),
            ("http://localhost:3001/", "private_name"),
            ("http://localhost/", "private_name"),
            ("http://a.localhost:3000/", "private_name"),
            ("http://127.0.0.1:3000/", "private_address"),
            ("http://[::1]:9000/", ""),
            ("http://[0:0:0:0:0:0:0:1]:9000/", ""),
            ("http://10.1.2.3:22/", ""),
            ("http://10.1.2.3/", "private_address"),
            ("https://example.org:22/", "port_not_allowed"),
            ("http://tv.home.arpa:80/", ""),
            ("http://other.home.arpa/", "private_name"),
        ],
    )
    async def test_a_host_and_port_opens_that_host_and_port(self, url: str, code: str) -> None:
        guarded = guard(
            {"localhost": ["127.0.0.1", "::1"]},
            allow_private=("localhost:3000", "[::1]:9000", "10.1.2.3:22", "tv.home.arpa:80"),
        )
        assert await code_of(guarded, url) == code

    @pytest.mark.parametrize(
        ("url", "code"),
        [
            ("http://10.9.9.9/", ""),
            ("http://10.9.9.9:5000/", ""),
            ("http://11.0.0.1:5000/", "port_not_allowed"),
            ("http://192.168.0.1/", "private_address"),
            ("http://wiki.corp/", ""),
            ("http://wiki.corp:5000/", ""),
            ("http://wiki:5000/", ""),
            ("http://nas.example.org:5000/", ""),
            ("http://mixed.corp/", "private_name"),
            ("http://mixed.example.org/", ""),
            ("http://mixed.example.org:5000/", "port_not_allowed"),
            ("http://other.corp/", "private_name"),
            ("http://public.corp/", "private_name"),
            ("http://example.org:5000/", "port_not_allowed"),
            ("http://elsewhere.example.org/", "private_answer"),
            ("http://[fd12::1]:7/", ""),
        ],
    )
    async def test_a_network_opens_addresses_in_it_and_names_that_lead_there(self, url: str, code: str) -> None:
        answers = {
            "wiki.corp": ["10.0.0.7"],
            "wiki": ["10.0.0.7", "10.0.0.8"],
            "nas.example.org": ["10.0.0.9"],
            "mixed.corp": ["10.0.0.7", PUBLIC],
            "mixed.example.org": ["10.0.0.7", PUBLIC],
            "other.corp": [PUBLIC],
            "public.corp": ["1.1.1.1"],
            "elsewhere.example.org": ["192.168.0.1"],
        }
        assert await code_of(guard(answers, allow_private=("10.0.0.0/8", "fd12::/16")), url) == code

    @pytest.mark.parametrize(
        "url",
        [
            "http://169.254.169.254/",
            "http://[fd00:ec2::254]/",
            "http://[::ffff:169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:a9fe:a9fe::1]/",
            "http://100.100.100.200/",
            "http://metadata.google.internal/",
            "http://sneaky.example.org/",
            "http://listed.example.org:80/",
        ],
    )
    async def test_metadata_stays_refused_whatever_is_listed(self, url: str) -> None:
        guarded = guard(
            {"sneaky.example.org": ["169.254.169.254"], "listed.example.org": ["169.254.169.254"]},
            allow_private=(
                "0.0.0.0/0",
                "::/0",
                "169.254.169.254:80",
                "metadata.google.internal:80",
                "listed.example.org:80",
            ),
        )
        verdict = await guarded.explain(url)
        assert verdict.code == "metadata"
        assert "allow_private does not open it" in verdict.message

    @pytest.mark.proves("S3-30", "X-25")
    @pytest.mark.parametrize("answers", [["169.254.169.254", "169.254.7.7"], ["169.254.7.7", "169.254.169.254"]])
    async def test_one_answer_that_is_metadata_is_enough(self, answers: list[str]) -> None:
        """Beside an address that the operator did allow: whichever were dialled first, credentials are at stake."""
        guarded = guard(
            {"both.example.org": answers, "one.example.org": ["169.254.7.7"]}, allow_private=("169.254.0.0/16",)
        )
        assert await guarded.vet(guarded.check("http://one.example.org/")) == ("169.254.7.7",)
        with pytest.raises(Refused) as caught:
            await guarded.vet(guarded.check("http://both.example.org/"))
        assert caught.value.code == "metadata"

    @pytest.mark.parametrize("entry", ["localhost", "10.0.0.0/33", "10.0.0.1/8", "", "host:", ":80", "a b:80", "h:0"])
    def test_an_entry_that_is_neither_is_a_configuration_error(self, entry: str) -> None:
        with pytest.raises(Misconfigured, match="allow_private"):
            guard(allow_private=(entry,))

    async def test_a_plain_address_counts_as_a_network_of_one(self) -> None:
        guarded = guard(allow_private=("10.0.0.1",))
        assert await code_of(guarded, "http://10.0.0.1:9999/") == ""
        assert await code_of(guarded, "http://10.0.0.2/") == "private_address"

    async def test_the_refusal_names_the_very_entry_that_would_allow_the_host(self) -> None:
        for url, entry in {
            "http://10.0.0.1:8080/": "10.0.0.1:8080",
            "https://[::1]/": "[::1]:443",
            "http://nas.lan/": "nas.lan:80",
            "http://inside.example.org/": "inside.example.org:80",
            "http://example.org:22/": "example.org:22",
        }.items():
            answers = {"inside.example.org": ["10.0.0.1"], "nas.lan": ["10.0.0.1"]}
            refused = await guard(answers).explain(url)
            assert f'"{entry}" to allow_private' in refused.message
            assert await code_of(guard(answers, allow_private=(entry,)), url) == ""


class TestFakeIp:
    """A resolver that answers every name from a made-up range is diagnosed, and can be declared."""

    async def test_it_is_diagnosed_with_the_setting_to_write(self) -> None:
        verdict = await guard({"x.example.org": ["198.18.3.4"]}).explain("https://x.example.org/")
        assert verdict.code == "fake_ip"
        assert 'fake_ip_ranges = ["198.18.0.0/15"]' in verdict.message
        assert "198.18.3.4" not in json.dumps(verdict.as_json())

    async def test_declared_answers_are_dialled(self) -> None:
        guarded = guard({"x.example.org": ["198.18.3.4", "fc00::3"]}, fake_ip_ranges=("198.18.0.0/15", "fc00::/18"))
        assert await guarded.vet(guarded.check("https://x.example.org/")) == ("198.18.3.4", "fc00::3")
        assert "transparent proxy decides" in (await guarded.explain("https://x.example.org/")).steps[-1].detail

    @pytest.mark.parametrize(
        ("url", "code"),
        [
            ("http://198.18.3.4/", "private_address"),
            ("http://nas.lan/", "private_name"),
            ("http://metadata.google.internal/", "metadata"),
            ("http://x.example.org:22/", "port_not_allowed"),
            ("http://mixed.example.org/", "private_answer"),
        ],
    )
    async def test_a_declared_range_opens_nothing_but_answers(self, url: str, code: str) -> None:
        guarded = guard({"mixed.example.org": ["198.18.3.4", "10.0.0.1"]}, fake_ip_ranges=("198.18.0.0/15",))
        assert await code_of(guarded, url) == code

    async def test_a_range_that_covers_metadata_does_not_open_it(self) -> None:
        guarded = guard({"x.example.org": ["169.254.169.254"]}, fake_ip_ranges=("169.254.0.0/16",))
        assert await code_of(guarded, "http://x.example.org/") == "private_answer"

    def test_a_range_that_is_not_one_is_a_configuration_error(self) -> None:
        with pytest.raises(Misconfigured, match="fake_ip_ranges"):
            guard(fake_ip_ranges=("198.18.0.0/99",))


class TestEgressProxy:
    """With an explicit proxy names are still vetted; addresses become the proxy's job, and that is said aloud."""

    async def test_names_and_ports_are_still_checked_and_nothing_is_resolved(self) -> None:
        guarded = guard(proxy="http://proxy.example.net:3128", allow_private=("10.0.0.0/8",))
        assert await guarded.vet(guarded.check("https://example.org/")) == ()
        assert isinstance(guarded.resolver, Answers)
        assert guarded.resolver.asked == []
        assert await code_of(guarded, "http://db.internal/") == "private_name"
        assert await code_of(guarded, "http://example.org:22/") == "port_not_allowed"
        assert await code_of(guarded, "http://192.168.0.1/") == "private_address"

    async def test_it_is_said_in_the_log_and_in_every_verdict(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING, "seekread.http.guard"):
            guarded = guard(proxy="http://user:hidden-word@proxy.example.net:3128")
        assert "proxy's job" in caplog.text
        verdict = await guarded.explain("https://example.org/")
        assert "proxy's job" in verdict.notes[0]
        assert "hidden-word" not in caplog.text + json.dumps(verdict.as_json()) + repr(guarded.policy)


class TestSayingNo:
    """What refusals tell, and what they must not."""

    @pytest.mark.parametrize("answer", ["10.77.66.55", "127.0.0.9", "fd77:66::55", "169.254.169.254", "198.18.66.55"])
    async def test_a_resolved_address_is_never_told(self, answer: str) -> None:
        """Otherwise any page could map the network behind us."""
        verdict = await guard({"x.example.org": [PUBLIC, answer]}).explain("https://x.example.org/")
        told = json.dumps(verdict.as_json())
        assert answer not in told
        assert PUBLIC not in told

    async def test_a_private_answer_is_refused_alike_whatever_it_is(self) -> None:
        said = set()
        for answer in ("10.0.0.1", "127.0.0.1", "169.254.169.254", "fd00:ec2::254"):
            verdict = await guard({"x.example.org": [answer]}).explain("https://x.example.org/")
            said.add((verdict.code, verdict.message))
        assert len(said) == 1

    async def test_a_literal_address_is_told_why(self) -> None:
        verdict = await guard().explain("http://192.168.0.1/")
        assert "RFC 1918" in verdict.message


class TestExplaining:
    """`explain` tells every step and never fetches."""

    async def test_the_steps_are_told_in_order(self) -> None:
        verdict = await guard().explain("https://example.org/x")
        assert [step.name for step in verdict.steps] == ["parse", "domains", "name", "address", "port", "answers"]
        assert all(step.passed for step in verdict.steps)
        assert (verdict.allowed, verdict.final_url, verdict.host, verdict.port) == (
            True,
            "https://example.org/x",
            "example.org",
            443,
        )

    async def test_the_step_that_decides_is_the_last(self) -> None:
        verdict = await guard().explain("http://example.org:22/")
        assert [(step.name, step.passed) for step in verdict.steps][-2:] == [("address", True), ("port", False)]

    async def test_a_verdict_is_plain_json(self) -> None:
        told = json.loads(json.dumps((await guard().explain("http://127.1/")).as_json()))
        assert told["allowed"] is False
        assert told["steps"][0]["passed"] is False

    async def test_a_name_that_cannot_be_looked_up_is_not_a_refusal(self) -> None:
        class Dead:
            async def resolve(self, host: str, port: int) -> list[str]:
                raise Unreachable(f"The name {host} could not be looked up.")

        verdict = await Guard(resolver=Dead()).explain("https://example.org/")
        assert (verdict.verdict, verdict.allowed) == ("unresolved", False)

    @pytest.mark.parametrize("depth", range(1, MAX_HOPS + 1))
    async def test_the_bad_hop_is_found_at_every_depth(self, depth: int) -> None:
        hops = [f"/{hop}" for hop in range(1, depth)] + ["http://127.0.0.1/"]
        verdict = await guard().explain("https://example.org/", redirects=hops)
        assert verdict.steps[-1].name == f"redirect {depth}: address"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://example.org/x"),
        ("x", "https://example.org/a/x"),
        ("../x", "https://example.org/x"),
        ("?x", "https://example.org/a/b?x"),
        ("//example.net/x", "https://example.net/x"),
        ("http://example.net", "http://example.net/"),
        (" /x ", "https://example.org/x"),
        ("/ü", "https://example.org/%C3%BC"),
    ],
)
def test_a_hop_is_joined_and_checked(location: str, url: str) -> None:
    guarded = guard()
    assert guarded.hop(guarded.check("https://example.org/a/b"), location).url == url


@pytest.mark.parametrize("location", ["http://10.0.0.1/", "//localhost/", "https://example.org:22/", "file:///x"])
def test_a_hop_to_what_may_not_be_fetched_is_refused(location: str) -> None:
    guarded = guard()
    with pytest.raises(Refused):
        guarded.hop(guarded.check("https://example.org/a/b"), location)


def test_every_refusal_code_is_documented() -> None:
    source = Path(guard_module.__file__).parent
    codes = {
        code
        for path in source.glob("*.py")
        for code in re.findall(r'(?:Refused|Malformed)\(\s*"(\w+)"', path.read_text(encoding="utf-8"))
    }
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text(encoding="utf-8")
    assert len(codes) > 15
    assert not {code for code in codes if f"`{code}`" not in page}


async def test_the_system_resolver_answers_without_blocking_and_reports_failure_as_unreachable() -> None:
    assert "127.0.0.1" in await SystemResolver().resolve("localhost", 80)
    with pytest.raises(Unreachable, match="looked up"):
        await SystemResolver().resolve("x" * 64 + ".invalid", 80)


def test_private_names_resolved_by_the_system_are_rejected_by_their_answers() -> None:
    """Localhost is a real name here: with the name rule lifted for a wrong network the answers still decide."""
    guarded = Guard(GuardPolicy(allow_private=("10.0.0.0/8",)))
    target = guarded.check("http://localhost/")
    with pytest.raises(Refused) as caught:
        guarded.judge(target, ["127.0.0.1"])
    assert caught.value.code == "private_answer"
