"""Who is let in: tokens, hosts, origins, and how much of everything."""

import json
import socket
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from seekread.errors import InvalidQuery, Misconfigured
from seekread.server.app import ServiceOptions
from seekread.server.auth import Authentication
from seekread.server.heads import PunctualProtocol
from seekread.server.limits import MAX_BODY
from seekread.server.problems import Rejected
from seekread.server.run import Recipe
from seekread.server.signins import COOKIE
from seekread.server.tokens import Tokens, given_tokens
from seekread.server.visit import HttpVisit, Senders
from seekread.testing.server import LoopbackServer
from seekread.testing.simulators import Simulator

TOO_MUCH = "Too much is under way here right now. Wait 1 s and try once more; nothing was spent."
BEYOND = ServiceOptions(host="0.0.0.0", allowed_hosts=("127.0.0.1",))


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_a_token_is_kept_as_a_hash_in_a_file_only_its_owner_reads(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "state" / "tokens.json")
    text = tokens.create("laptop", per_minute=5)
    file = tmp_path / "state" / "tokens.json"
    assert text not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = tokens.find(text)
    assert found is not None
    assert (found.name, found.per_minute) == ("laptop", 5)
    assert text not in repr(found)
    assert tokens.find(text + "x") is None


def test_a_name_is_taken_once_and_revoked_once(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    text = tokens.create("laptop")
    with pytest.raises(InvalidQuery, match="already"):
        tokens.create("laptop")
    # Another process revokes it, and this one notices.
    Tokens(tmp_path / "tokens.json").revoke("laptop")
    assert tokens.find(text) is None
    with pytest.raises(InvalidQuery, match="no token named"):
        tokens.revoke("laptop")


def test_a_secrets_file_holds_tokens_that_are_long_enough(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("a-long-enough-token-0123456789\n\n")
    tokens = Tokens(tmp_path / "tokens.json", given_tokens(file))
    assert tokens.find("a-long-enough-token-0123456789") is not None
    for content in ("short\n", "\n"):
        file.write_text(content)
        with pytest.raises(Misconfigured):
            given_tokens(file)
    with pytest.raises(Misconfigured, match="cannot be read"):
        given_tokens(tmp_path / "none")


WRONG_KEY = {"/compat/brave": 422, "/compat/serper": 403}
"""How vendors that do not say 401 tell of a key that is missing."""


def test_beyond_loopback_nothing_but_healthz_answers_without_a_token(start: Any) -> None:
    running = start(BEYOND)
    routes = running.service._app.routes
    # What the console shows to people without a token: a page that asks for it, and what that is drawn with.
    console = {"/login", "/logout"}
    asked = {
        route.path.replace("{id}", "0").replace("{url:path}", "http://a.example")
        for route in routes
        if not route.path.startswith("/static")
    }
    assert len(asked) > 25
    for path in (asked | {"/nothing", "/messages/x"}) - {"/healthz"} - console:
        for method in ("GET", "POST"):
            told = next((status for prefix, status in WRONG_KEY.items() if path.startswith(prefix)), 401)
            assert running.client.request(method, path).status_code == told, path
    assert running.get("/healthz").status_code == 200
    token = running.tokens.create("laptop")
    assert running.get("/v1/search", params={"query": "tea"}, headers=bearer(token)).status_code == 200


def test_a_missing_token_is_asked_for_and_a_wrong_one_is_told_from_it(start: Any) -> None:
    running = start(BEYOND)
    missing = running.get("/v1/usage")
    assert (missing.status_code, missing.headers["www-authenticate"]) == (401, 'Bearer realm="seekread"')
    assert "seekread token create" in missing.json()["detail"]
    wrong = running.get("/v1/usage", headers=bearer("skr_wrong"))
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    token = running.tokens.create("laptop")
    assert running.get("/v1/usage", headers=bearer(token)).status_code == 200
    running.tokens.revoke("laptop")
    assert running.get("/v1/usage", headers=bearer(token)).status_code == 401


def test_tokens_that_cannot_be_read_let_nobody_in(start: Any, tmp_path: Path) -> None:
    running = start(BEYOND)
    token = running.tokens.create("laptop")
    (tmp_path / "tokens.json").write_text("broken")
    reply = running.get("/v1/usage", headers=bearer(token))
    assert (reply.status_code, reply.json()["outcome"]) == (503, "not_configured")


def test_a_token_is_no_session_and_a_cookie_can_be_nonsense(start: Any) -> None:
    running = start(BEYOND)
    token = running.tokens.create("person")
    for cookie in (f"{COOKIE}={token}", f"seekread_token={token}", f"{COOKIE}=no", "a=b; ;;=,"):
        for path in ("/status", "/v1/usage"):
            assert running.get(path, headers={"cookie": cookie}).status_code == 401


def test_on_loopback_another_service_s_key_is_ignored_but_a_revoked_token_is_not(running: Any) -> None:
    assert running.get("/v1/usage", headers=bearer("tvly-0123456789abcdef")).status_code == 200
    assert running.get("/v1/usage", headers=bearer("skr_revoked")).status_code == 401


def test_a_service_refuses_to_be_reachable_without_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(Misconfigured, match="seekread token create"):
            Recipe(ServiceOptions(host=host)).check()
    for host in ("127.0.0.1", "::1", "localhost", "127.1.2.3"):
        Recipe(ServiceOptions(host=host)).check()
    with pytest.raises(Misconfigured):
        Recipe(ServiceOptions(require_token=True)).check()
    with pytest.raises(Misconfigured, match="limit"):
        Recipe(settings={"limit": "many"}).check()
    with pytest.raises(Misconfigured, match="one worker"):
        Recipe(ServiceOptions(workers=2), record="session.jsonl").check()
    Tokens(tmp_path / "seekread" / "tokens.json").create("laptop")
    Recipe(ServiceOptions(host="0.0.0.0")).check()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 200),
        ("127.0.0.1", 200),
        ("[::1]:8787", 200),
        ("attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("192.168.1.4", 421),
        ("", 400),
        ("[::1]evil.example", 400),
        ("127.0.0.1:80:80", 400),
        ("127.0.0.1/x", 400),
        ("[", 400),
    ],
)
def test_on_loopback_only_names_of_this_machine_are_answered(running: Any, host: str, status: int) -> None:
    """A name of an attacker's that resolves to loopback gets nothing (DNS rebinding)."""
    assert running.get("/v1/usage", headers={"host": host}).status_code == status


def test_beyond_loopback_addresses_and_allowed_names_are_answered(start: Any) -> None:
    running = start(ServiceOptions(host="0.0.0.0", allowed_hosts=("search.example.org",)))
    headers = bearer(running.tokens.create("laptop"))
    for host, status in (("192.0.2.7:8787", 200), ("search.example.org", 200), ("other.example.org", 421)):
        assert running.get("/v1/usage", headers={**headers, "host": host}).status_code == status


def test_an_allowed_name_may_be_for_one_port_only(start: Any) -> None:
    running = start(ServiceOptions(allowed_hosts=("Search.example:8443",)))
    asked = {
        host: running.get("/healthz", headers={"host": host}).status_code
        for host in ("search.example:8443", "search.example")
    }
    assert asked == {"search.example:8443": 200, "search.example": 421}


COSTLY = (
    "/v1/search?query=tea",
    "/v1/open?url={site}/tea",
    "/compat/searxng/search?q=tea&format=json",
    "/compat/jina/{site}/tea",
    "/?q=tea",
    "/read?url={site}/tea",
)
"""Addresses that spend when they are fetched."""
AHEAD = (
    {"sec-purpose": "prefetch"},
    {"sec-purpose": "prefetch;prerender"},
    {"sec-purpose": "prefetch;anonymous-client-ip"},
    {"purpose": "prefetch"},
    {"x-moz": "prefetch"},
    {"x-purpose": "preview"},
)
FOREIGN = (
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
    {"sec-fetch-site": "something-new"},
    {"referer": "https://evil.example/page"},
    {"referer": "http://127.0.0.1:9/"},
    {"referer": "http://["},
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:9"},
    {"origin": "null"},
    {"origin": "https://app.example", "referer": "https://evil.example/"},
    {"origin": "https://app.example.evil.example", "sec-fetch-site": "cross-site"},
)


def spent(running: Any, site: LoopbackServer, brave: Simulator, headers: dict[str, str]) -> tuple[list[int], int]:
    """How the addresses that cost are answered, and how many calls and fetches that made."""
    before = len(brave.received) + len(site.received)
    answers = [running.get(path.format(site=site.url), headers=headers).status_code for path in COSTLY]
    return answers, len(brave.received) + len(site.received) - before


@pytest.mark.parametrize("mark", AHEAD, ids=str)
def test_nothing_is_fetched_ahead_of_time(start: Any, site: LoopbackServer, brave: Simulator, mark: Any) -> None:
    """A page of any site can have a browser prefetch an address here, which looks like one the person typed."""
    running = start(ServiceOptions(allowed_origins=("https://app.example",)))
    for sender in (
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin"},
        {},
        {"origin": "https://app.example"},
    ):
        assert spent(running, site, brave, {**sender, **mark}) == ([403] * len(COSTLY), 0)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_that_is_not_ours_spends_nothing(
    start: Any, site: LoopbackServer, brave: Simulator, headers: Any
) -> None:
    """Neither that of another site nor that of another port; a link shows the form, filled in."""
    running = start(ServiceOptions(allowed_origins=("https://app.example",)))
    answers, calls = spent(running, site, brave, headers)
    assert calls == 0
    assert set(answers[:4]) == {403}
    assert set(answers[4:]) <= {200, 403}


@pytest.mark.process
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "referer": "{own}/?q=x"},
        {"origin": "{own}"},
        {"sec-fetch-site": "cross-site", "origin": "https://app.example"},
        {"sec-fetch-site": "cross-site", "referer": "https://app.example/page"},
        {"sec-purpose": ""},
    ],
    ids=str,
)
def test_programs_people_and_allowed_pages_are_answered(
    start: Any, site: LoopbackServer, brave: Simulator, headers: dict[str, str]
) -> None:
    running = start(ServiceOptions(allowed_origins=("https://app.example",)))
    sent = {name: text.format(own=running.url) for name, text in headers.items()}
    answers, calls = spent(running, site, brave, sent)
    assert set(answers) == {200}
    assert calls > 0


def test_a_link_to_the_service_s_health_may_be_followed_and_not_embedded(running: Any) -> None:
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert running.get("/healthz", headers=followed).status_code == 200
    assert running.get("/healthz", headers={**followed, "sec-fetch-mode": "no-cors"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://[", "", "http://a b", "https://a.example https://b.example", "a", "//a"])
def test_an_origin_that_is_none_is_the_sender_s_mistake(running: Any, origin: str) -> None:
    assert running.get("/v1/usage", headers={"origin": origin}).status_code == 400


@pytest.mark.parametrize(
    "head",
    [
        "host: 127.0.0.1\r\nhost: 127.0.0.1",
        "host: 127.0.0.1\r\nhost: evil.example",
        "host: 127.0.0.1\r\norigin: http://127.0.0.1\r\norigin: http://127.0.0.1",
        "x: y",
    ],
)
def test_who_names_two_hosts_or_none_is_told_so(running: Any, head: str) -> None:
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as sent:
        sent.sendall(f"GET /healthz HTTP/1.0\r\n{head}\r\n\r\n".encode())
        assert sent.makefile("rb").readline() == b"HTTP/1.1 400 Bad Request\r\n"


def test_a_browser_is_told_which_sites_may_read_the_answers(start: Any) -> None:
    running = start(ServiceOptions(allowed_origins=("https://app.example/",), require_token=True))
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    allowed = running.client.options("/v1/search", headers={**asked, "origin": "https://app.example"})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://app.example")
    refused = running.client.options("/v1/search", headers={**asked, "origin": "https://evil.example"})
    assert "access-control-allow-origin" not in refused.headers
    headers = {**bearer(running.tokens.create("app")), "origin": "https://app.example"}
    read = running.get("/v1/usage", headers=headers)
    assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, "https://app.example")


def test_a_body_has_a_limit_declared_or_not(running: Any, brave: Simulator) -> None:
    large = json.dumps({"query": "x" * MAX_BODY}).encode()
    declared = running.client.post("/v1/search", content=large)
    assert (declared.status_code, declared.json()["type"]) == (413, "urn:problem-type:seekread:body_too_large")

    def pieces() -> Any:
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]

    assert running.client.post("/v1/search", content=pieces()).status_code == 413
    assert brave.received == []


def test_one_request_too_many_is_turned_away_at_once(start: Any) -> None:
    running = start(ServiceOptions(max_concurrent=1))
    with running.service.concurrency.one():
        busy = running.get("/v1/usage")
        assert (busy.status_code, busy.headers["retry-after"], busy.json()["outcome"]) == (503, "1", "overloaded")
        assert busy.json()["detail"] == TOO_MUCH
        assert running.get("/healthz").status_code == 200
        assert running.get("/metrics").status_code == 200
    assert running.get("/v1/usage").status_code == 200


def test_a_token_has_places_of_its_own(running: Any) -> None:
    narrow, other = running.tokens.create("narrow", max_concurrent=1), running.tokens.create("other")
    with running.service.concurrency.one(running.tokens.find(narrow)):
        busy = running.get("/v1/usage", headers=bearer(narrow))
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        assert "1 requests under way" in busy.json()["detail"]
        assert running.get("/v1/usage", headers=bearer(other)).status_code == 200
    assert running.get("/v1/usage", headers=bearer(narrow)).status_code == 200
    assert not running.service.concurrency.of_tokens


def half_a_body(running: Any, path: str, *headers: str) -> socket.socket:
    """A client that says it will send a body, and begins to."""
    host, port = running.url.removeprefix("http://").split(":")
    stalled = socket.create_connection((host, int(port)), timeout=60)
    lines = (f"POST {path} HTTP/1.1", f"host: {host}", "content-length: 50", *headers, "", "{")
    stalled.sendall("\r\n".join(lines).encode())
    return stalled


def test_who_sends_half_a_body_keeps_nobody_out(start: Any) -> None:
    """A request counts when it is there; where too many are sending, the slowest makes room."""
    running = start(ServiceOptions(max_concurrent=3, body_seconds=3600))
    with ExitStack() as stack:
        stalled = [stack.enter_context(half_a_body(running, "/v1/search")) for _ in range(6)]
        assert running.post("/v1/search", {"query": "tea"}).status_code == 200
        sent_off = [each.makefile("rb").readline() for each in stalled[:3]]
    assert set(sent_off) == {b"HTTP/1.1 408 Request Timeout\r\n"}


def test_a_body_has_its_time(start: Any) -> None:
    running = start(ServiceOptions(body_seconds=0.05))
    with half_a_body(running, "/v1/search") as stalled:
        answer = stalled.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer


def test_strangers_only_get_into_each_others_way(start: Any) -> None:
    running = start(ServiceOptions(require_token=True, max_concurrent=2, max_strangers=2, body_seconds=3600))
    known = running.tokens.create("known")
    with ExitStack() as stack:
        for path in ("/compat/tavily/search", "/login") * 4:
            stack.enter_context(half_a_body(running, path))
        for _ in range(3):
            assert running.post("/v1/search", {"query": "tea"}, headers=bearer(known)).status_code == 200
        # Whose key is in the body is a stranger until it has arrived, and gets in all the same.
        assert running.post("/compat/tavily/search", {"query": "tea", "api_key": known}).status_code == 200
        with running.service.strangers.one(), running.service.strangers.one():
            assert running.get("/login").status_code == 503
            assert running.get("/v1/usage", headers=bearer(known)).status_code == 200


def test_who_is_turned_away_at_the_door_need_not_send_the_rest(start: Any) -> None:
    running = start(ServiceOptions(require_token=True))
    with half_a_body(running, "/v1/search") as stranger:
        answer = stranger.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 401")


class Impatient(PunctualProtocol):
    seconds = 0.05
    largest = 4096


def test_a_head_has_its_time_and_its_size(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    running = start(http=Impatient)
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as silent:
        assert silent.recv(1) == b""
    with socket.create_connection((host, int(port)), timeout=60) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert slow.recv(1) == b""
    monkeypatch.setattr(Impatient, "seconds", 300)
    with socket.create_connection((host, int(port)), timeout=60) as endless:
        endless.sendall(b"GET /healthz HTTP/1.1\r\nx: " + b"x" * 8192)
        assert endless.makefile("rb").readline().startswith(b"HTTP/1.1 431")
    with socket.create_connection((host, int(port)), timeout=60) as kept:
        for _ in range(2):
            kept.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert kept.recv(65_536).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(Impatient, "seconds", 0.05)
        kept.sendall(b"GET /heal")
        assert kept.recv(1) == b""


def test_a_token_has_a_rate_of_its_own(running: Any) -> None:
    slow, other = running.tokens.create("slow", per_minute=2), running.tokens.create("other")
    statuses = [running.get("/v1/usage", headers=bearer(slow)).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    refused = running.get("/v1/usage", headers=bearer(slow))
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert running.get("/v1/usage", headers=bearer(other)).status_code == 200


def test_a_token_has_a_budget_of_its_own(running: Any) -> None:
    poor, other = running.tokens.create("poor", daily_calls=1), running.tokens.create("other")

    def search(text: str, token: str) -> Any:
        return running.get("/v1/search", params={"query": text}, headers=bearer(token))

    assert search("one", poor).status_code == 200
    spent = search("two", poor)
    assert (spent.status_code, spent.json()["outcome"]) == (429, "quota_exhausted")
    # What is kept costs nothing, and another token has not spent anything.
    assert search("one", poor).status_code == 200
    assert search("two", other).status_code == 200


@pytest.mark.anyio
async def test_a_strangers_body_is_not_read_where_no_key_stands_in_bodies(tmp_path: Path) -> None:
    async def never(*_message: Any) -> Any:
        pytest.fail("the body was read, or somebody was answered")

    visit = HttpVisit({"type": "http", "method": "POST", "path": "/v1/search", "headers": []}, never, never, MAX_BODY)
    authentication = Authentication(Tokens(tmp_path / "tokens.json"), Senders(1, 60.0), required=True)
    with pytest.raises(Rejected) as refused:
        await authentication.admit(visit)
    assert refused.value.problem.status == 401


@pytest.mark.process
@pytest.mark.usefixtures("patient_store")
def test_what_one_token_has_seen_another_has_not(start: Any, site: LoopbackServer, brave: Simulator) -> None:
    """The session of provenance is the token, in whichever worker a request arrives."""
    first, second = start(url_policy="seen"), start(url_policy="seen")
    mine, other = first.tokens.create("mine"), first.tokens.create("other")
    brave.fail(change_first_url(site.url))

    def read(running: Any, token: str) -> int:
        return int(running.get("/v1/open", params={"url": site.url}, headers=bearer(token)).status_code)

    assert read(first, mine) == 403
    assert first.get("/v1/search", params={"query": "tea"}, headers=bearer(mine)).status_code == 200
    assert read(first, mine) == 200
    assert read(second, mine) == 200
    assert read(first, other) == 403
    linked = second.get("/v1/open", params={"url": f"{site.url}/more"}, headers=bearer(mine))
    assert linked.status_code == 200


@pytest.mark.process
@pytest.mark.usefixtures("patient_store")
def test_what_the_user_gave_is_said_with_a_post_and_known_to_every_worker(start: Any, site: LoopbackServer) -> None:
    first, second = start(url_policy="seen"), start(url_policy="seen")
    mine, other = (bearer(first.tokens.create(name)) for name in ("mine", "other"))
    asked = {"params": {"url": site.url}}
    assert first.get("/v1/trust", params={"urls": site.url}, headers=mine).status_code == 405
    assert first.get("/v1/open", **asked, headers=mine).status_code == 403
    assert first.post("/v1/trust", {"urls": [site.url]}, headers=mine).json() == {"trusted": 1}
    assert second.get("/v1/open", **asked, headers=mine).status_code == 200
    assert first.get("/v1/open", **asked, headers=other).status_code == 403
    assert first.post("/v1/trust", {"urls": []}, headers=mine).status_code == 400


@pytest.mark.process
def test_an_address_that_is_asked_for_is_not_given_by_the_user(start: Any, site: LoopbackServer) -> None:
    """`seen` is not widened by a GET, which any link can make a browser send; a form that is sent does it."""
    running = start(url_policy="seen")
    own = {"origin": running.url, "sec-fetch-site": "same-origin"}
    shown = running.get("/read", params={"url": site.url}, headers=own)
    assert shown.status_code == 403
    assert "I want to read this address" in shown.text
    assert running.get("/v1/open", params={"url": site.url}).status_code == 403
    foreign = {"origin": "http://127.0.0.1:9", "sec-fetch-site": "same-site"}
    assert running.client.post("/read", data={"url": site.url}, headers=foreign).status_code == 403
    assert site.received == []
    sent = running.client.post("/read", data={"url": site.url}, headers=own, follow_redirects=True)
    assert sent.status_code == 200
    assert "eighty degrees" in sent.text
    assert running.get("/v1/open", params={"url": site.url}).status_code == 200


@pytest.mark.process
@pytest.mark.parametrize("shared", [False, True], ids=["apart", "shared"])
def test_what_one_token_asked_another_does_not_learn(
    start: Any, site: LoopbackServer, brave: Simulator, *, shared: bool
) -> None:
    """`cached` and `age_seconds` would tell, and so would a snapshot that is there already."""
    running = start(ServiceOptions(share_cache=shared))
    mine, other = (bearer(running.tokens.create(name)) for name in ("mine", "other"))

    def search(headers: dict[str, str]) -> bool:
        return bool(running.get("/v1/search", params={"query": "tea"}, headers=headers).json()["cached"])

    def read(headers: dict[str, str]) -> Any:
        return running.get("/v1/open", params={"url": site.url}, headers=headers).json()

    assert [search(mine), search(mine), search(other), search(other)] == [False, True, shared, True]
    page = read(mine)
    handle = page["snapshot"]
    assert read(mine)["cached"]
    found = {
        name: running.get(f"/v1/snapshots/{handle}", headers=headers).status_code
        for name, headers in (("mine", mine), ("other", other), ("nobody", {}))
    }
    others = 200 if shared else 404
    assert found == {"mine": 200, "other": others, "nobody": others}
    assert read(other)["cached"] is shared
    assert read(other)["snapshot"] == handle
    owner = running.tokens.all()[0].id
    assert running.get(f"/v1/snapshots/{owner}%2F{handle}").status_code == 404
    assert len(brave.received) == (1 if shared else 2)


@pytest.mark.process
def test_pages_that_were_read_are_listed_only_where_nobody_has_a_token(running: Any, site: LoopbackServer) -> None:
    def rpc(method: str, **params: Any) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        accepted = {"accept": "application/json, text/event-stream"}
        return str(running.post("/mcp", message, headers=accepted).text)

    rpc("tools/call", name="open_page", arguments={"url": site.url})
    assert site.url in rpc("resources/list")
    running.tokens.create("somebody")
    assert site.url not in rpc("resources/list")


def test_one_token_shares_with_whoever_needs_none(running: Any) -> None:
    assert not running.get("/v1/search", params={"query": "tea"}).json()["cached"]
    only = bearer(running.tokens.create("only"))
    assert running.get("/v1/search", params={"query": "tea"}, headers=only).json()["cached"]


def change_first_url(url: str) -> Any:
    from seekread.testing.server import Fault

    def change(body: Any) -> Any:
        body["web"]["results"][0]["url"] = url
        return body

    return Fault(change=change)
