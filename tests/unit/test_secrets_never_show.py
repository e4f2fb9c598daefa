"""
A canary key goes in through every door, a service misbehaves in sixty ways, and the key must not come out anywhere.

Looked at: errors with their whole chain, reprs, debug logs behind the filter of the command line, recordings, what the
store holds (keys and values), and what the commands print. Looked for: the key as it is, percent-encoded, with plus
signs, in base64 (both alphabets), in hexadecimal, escaped, and its first eight characters.
"""

import base64
import gzip
import io
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from click.testing import CliRunner

from seekread import AllFailed, Seekread
from seekread.cli.app import app
from seekread.errors import SeekreadError
from seekread.provider import Call, NotConfigured, Query, SearchResult, SecretStr
from seekread.redact import RedactingFilter, Secrets
from seekread.testing.clock import FakeClock
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator, names, simulator

pytestmark = pytest.mark.anyio

CANARY = "cANaRy+9f/Zq=tweet~42&song"
FORMS = {
    "raw": CANARY,
    "percent": quote(CANARY, safe=""),
    "plus": quote_plus(CANARY),
    "base64": base64.b64encode(CANARY.encode()).decode().rstrip("="),
    "urlsafe": base64.urlsafe_b64encode(CANARY.encode()).decode().rstrip("="),
    "hexadecimal": CANARY.encode().hex(),
    "escaped": json.dumps(CANARY)[1:-1],
    "first eight": CANARY[:8],
}
KEYED = sorted(name for name in names() if simulator(name).key_variable)
READERS = ["firecrawl", "jina", "tavily"]
PAGE = "http://93.184.216.34/page"
"""An address that needs no resolver; only the simulator of a cloud reader ever hears of it."""

STATUSES = [400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 413, 414, 418, 422, 425, 429, 431, 451]
STATUSES += [500, 501, 502, 503, 504, 507, 520, 529]
REDIRECTS = (301, 302, 303, 307, 308)


def echo(form: str = "raw") -> dict[str, Any]:
    """A body that repeats the key, in the places services put their explanations."""
    text = f"the key {FORMS[form]} is not welcome"
    return {"error": {"code": "X", "detail": text, "message": text}, "message": text, "detail": text, "code": text}


def located(form: str = "raw") -> dict[str, str]:
    return {"location": f"http://127.0.0.1:9/login?next={FORMS[form]}"}


FAULTS: dict[str, Fault] = {
    **{f"status {status}": Fault(status, echo()) for status in STATUSES},
    **{f"redirect {status}": Fault(status, "", located("percent")) for status in REDIRECTS},
    **{f"refused in {form}": Fault(401, echo(form)) for form in FORMS},
    **{f"broken in {form}": Fault(500, f"<html>{FORMS[form]}</html>") for form in FORMS},
    "header challenge": Fault(401, {}, {"www-authenticate": f'Bearer realm="{CANARY}"'}),
    "header retry": Fault(429, {}, {"retry-after": CANARY}),
    "header limits": Fault(429, {}, {"x-ratelimit-policy": f"{CANARY};w=1", "x-ratelimit-reset": CANARY}),
    "header cookie": Fault(503, {}, {"set-cookie": f"key={CANARY}"}),
    "header of its own": Fault(403, {}, {"x-your-key": FORMS["base64"]}),
    "content type": Fault(200, f"<html>{CANARY}</html>", content_type=f"text/html; key={CANARY}"),
    "no answer": Fault(how="hang"),
    "connection reset": Fault(how="reset"),
    "broken off": Fault(how="truncate"),
    "one byte at a time": Fault(how="drip"),
    "not JSON": Fault(200, f"surprise {CANARY}"),
    "half JSON": Fault(200, '{"results": [{"title": "' + CANARY, content_type="application/json"),
    "a string": Fault(200, CANARY, content_type="application/json"),
    "quoted string": Fault(200, json.dumps(CANARY), content_type="application/json"),
    "a list": Fault(200, [CANARY]),
    "null": Fault(200, b"null", content_type="application/json"),
    "a number": Fault(200, b"7", content_type="application/json"),
    "nothing": Fault(200, b""),
    "key as a name": Fault(200, {CANARY: CANARY}),
    "rows of text": Fault(200, {"results": CANARY, "web": CANARY, "data": CANARY, "organic": CANARY}),
    "rows of the wrong kind": Fault(200, {"results": [{"title": {CANARY: 1}, "url": [CANARY]}]}),
    "not Unicode": Fault(200, CANARY.encode() + b"\xff\xfe", content_type="application/json"),
    "not compressed": Fault(200, CANARY, {"content-encoding": "gzip"}),
    "compressed halfway": Fault(200, gzip.compress(CANARY.encode())[:20], {"content-encoding": "gzip"}),
    "deeply nested": Fault(200, b"[" * 100_000, content_type="application/json"),
    "challenge page": Fault(403, f"<html><title>Just a moment</title>{CANARY}</html>"),
}


def shown(text: str) -> list[str]:
    """The forms in which the key shows up in a text."""
    return [name for name, form in FORMS.items() if form in text]


class Witness:
    """Collects everything that comes out, by where it came out."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        self.log = io.StringIO()

    def error(self, what: str, error: BaseException) -> None:
        whole = "".join(traceback.format_exception(error))
        self.seen[f"{what}: error"] = f"{error} {error!r} {error.args!r} {vars(error)!r} {whole}"
        if isinstance(error, AllFailed):
            self.seen[f"{what}: response"] = error.response.model_dump_json() + repr(error.response)

    def leaks(self) -> dict[str, list[str]]:
        found = {where: shown(text) for where, text in self.seen.items()}
        found["log"] = shown(self.log.getvalue())
        return {where: forms for where, forms in found.items() if forms}

    @contextmanager
    def listening(self, secrets: Secrets) -> Iterator[None]:
        """Everything that is logged, at the lowest level, through the filter of the command line."""
        handler = logging.StreamHandler(self.log)
        handler.addFilter(RedactingFilter(secrets))
        root = logging.getLogger()
        before = root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            root.setLevel(before)
            root.removeHandler(handler)


async def kept(web: Seekread) -> str:
    """Everything the store holds."""
    store = web._parts.store
    entries = await store.scan("", limit=100_000)
    counters = await store.counters("")
    return " ".join([*(f"{e.key} {e.value!r}" for e in entries), *(c.key for c in counters)])


def written(folder: Path) -> str:
    """Everything in the files of a folder."""
    return "".join(file.read_bytes().decode("latin-1") for file in folder.iterdir())


def parts_of(web: Seekread) -> str:
    """The reprs somebody could print."""
    parts = web._parts
    described = [web, parts, parts.configuration, parts.settings, parts.registry, parts.gate, parts.ledger, parts.store]
    described += [parts.recorder, parts.searching, parts.policy, parts.client, *parts.chain(())]
    return " ".join(repr(item) for item in described)


@asynccontextmanager
async def engine(
    folder: Path, running: Simulator, clock: FakeClock, *, patience: float = 20.0, **more: Any
) -> AsyncIterator[Seekread]:
    settings: dict[str, Any] = {
        "store": str(folder / "state.sqlite"),
        "attempts": 1,
        "stale_seconds": 0,
        "empty_seconds": 0,
    }
    settings |= {"attempt_seconds": patience, "page_seconds": patience}
    providers = {running.name: running.settings()}
    record = folder / "session.jsonl"
    wanted = {"settings": settings, "providers": providers, "clock": clock, "record": record, **more}
    async with Seekread(running.name, **wanted) as web:
        yield web


SLOW = ("no answer", "one byte at a time")
PATIENCE = {"at once": 20.0, "never": 0.1}
"""Seconds an attempt may take, for services that answer and for those that do not."""


def faults(speed: str) -> Iterator[tuple[str, Fault]]:
    return ((what, fault) for what, fault in FAULTS.items() if (what in SLOW) == (speed == "never"))


@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize("speed", PATIENCE)
async def test_no_failure_of_a_search_shows_the_key(name: str, speed: str, tmp_path: Path) -> None:
    """K1: sixty ways to fail, and everything that comes out of them."""
    assert len(FAULTS) >= 60
    witness, clock = Witness(), FakeClock()
    with simulator(name)(key=CANARY) as running:
        async with engine(tmp_path, running, clock, patience=PATIENCE[speed]) as web:
            with witness.listening(web._parts.secrets):
                for what, fault in faults(speed):
                    running.reset()
                    running.fail(fault)
                    # Longer than any rest or pause, so that every fault is really met.
                    clock.now += 1000
                    try:
                        response = await web.search(f"tea, {what}")
                        witness.seen[what] = repr([response.notes, response.attempts, response.query_sent])
                    except SeekreadError as error:
                        witness.error(what, error)
                    assert running.received or speed == "never", what
            witness.seen["reprs"] = parts_of(web)
            witness.seen["store"] = await kept(web)
            running.reset()
        witness.seen["files"] = written(tmp_path)
    failed = sum(where.endswith(": error") for where in witness.seen)
    assert failed >= (len(SLOW) if speed == "never" else 50)
    assert "provider=" in witness.log.getvalue()
    assert witness.leaks() == {}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("speed", PATIENCE)
async def test_no_failure_of_a_cloud_reader_shows_the_key(name: str, speed: str, tmp_path: Path) -> None:
    witness, clock = Witness(), FakeClock()
    with simulator(name)(key=CANARY) as running:
        async with engine(tmp_path, running, clock, patience=PATIENCE[speed]) as web:
            with witness.listening(web._parts.secrets):
                for number, (what, fault) in enumerate(faults(speed)):
                    running.reset()
                    running.fail(fault)
                    clock.now += 1000
                    page = await web.open_page(f"{PAGE}/{number}", reader=name)
                    if not page.success:
                        witness.seen[what] = page.model_dump_json() + repr(page)
            running.reset()
        witness.seen["recording"] = (tmp_path / "session.jsonl").read_text()
    # What a service hands out as a page is kept as it came, even if it made it of our key; recordings are masked.
    assert len(witness.seen) > (len(SLOW) if speed == "never" else 40)
    assert witness.leaks() == {}


WRONG_ADDRESSES = [
    "http://127.0.0.1:9",
    "https://127.0.0.1:{port}",
    "http://user:{key}@127.0.0.1:9/{key}?key={key}",
    "http://127.0.0.1:9/?api_key={key}",
    "http://[::1",
    "not an address",
    "ftp://127.0.0.1/{key}",
    "http://127.0.0.1:99999/",
    "http://{key}.invalid.localhost:9/",
]


@pytest.mark.parametrize("address", WRONG_ADDRESSES)
async def test_a_wrong_service_address_is_told_without_the_key(address: str, tmp_path: Path) -> None:
    witness, clock = Witness(), FakeClock()
    with simulator("brave")(key=CANARY) as running:
        port = running.url.rpartition(":")[2]
        wrong = {"base_url": address.format(port=port, key=FORMS["percent"]), "api_key": CANARY}
        async with engine(tmp_path, running, clock, providers={"brave": wrong}) as web:
            with witness.listening(web._parts.secrets):
                try:
                    await web.search("tea")
                except SeekreadError as error:
                    witness.error(address, error)
        assert not running.received
    assert any(where.endswith("error") for where in witness.seen)
    assert witness.leaks() == {}


def given_by_argument(_folder: Path, _patch: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"providers": {"brave": {"api_key": CANARY}}}


def given_by_environment(_folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    patch.setenv("BRAVE_SEARCH_API_KEY", CANARY)
    return {}


def given_by_named_file(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    (folder / "key").write_text(CANARY + "\n")
    patch.setenv("BRAVE_SEARCH_API_KEY_FILE", str(folder / "key"))
    return {}


def given_by_settings_file(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    (folder / "config.toml").write_text(f'[providers.brave]\napi_key = "{CANARY}"\n')
    patch.setenv("SEEKREAD_CONFIG", str(folder / "config.toml"))
    return {}


def given_by_dotenv(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    (folder / ".env").write_text(f"export BRAVE_SEARCH_API_KEY='{CANARY}'\n")
    patch.chdir(folder)
    patch.setenv("SEEKREAD_DOTENV", "true")
    return {}


def given_by_keyring(_folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    import keyring
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return CANARY if (service, username) == ("seekread", "BRAVE_SEARCH_API_KEY") else None

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    patch.setattr(keyring.core, "_keyring_backend", Ring())  # type: ignore[no-untyped-call]
    patch.setenv("SEEKREAD_USE_KEYRING", "true")
    assert isinstance(keyring.get_keyring(), Ring)
    return {}


DOORS = {
    "argument": given_by_argument,
    "environment": given_by_environment,
    "named file": given_by_named_file,
    "settings file": given_by_settings_file,
    "dotenv": given_by_dotenv,
    "keyring": given_by_keyring,
}


@pytest.mark.parametrize("door", DOORS)
async def test_the_key_stays_inside_whichever_way_it_came_in(
    door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = Witness()
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    given: Mapping[str, Any] = DOORS[door](inside, monkeypatch)
    with simulator("brave")(key=CANARY) as running:
        monkeypatch.setenv("SEEKREAD_BRAVE_BASE_URL", running.base_url)
        async with engine(outside, running, FakeClock(), **{"providers": None, **given}) as web:
            with witness.listening(web._parts.secrets):
                assert set(web._parts.secrets) == {CANARY}
                assert (await web.search("tea")).provider == "brave", "the key was found"
                running.fail(Fault(403, echo()))
                with pytest.raises(AllFailed) as caught:
                    await web.search("coffee")
                witness.error(door, caught.value)
            witness.seen["reprs"] = parts_of(web)
            witness.seen["store"] = await kept(web)
            running.reset()
        witness.seen["files"] = written(outside)
    assert witness.leaks() == {}


@pytest.mark.parametrize("door", ["environment", "settings file"])
def test_no_command_prints_the_key(door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DOORS[door](tmp_path, monkeypatch)
    with simulator("brave")(key=CANARY) as running:
        monkeypatch.setenv("SEEKREAD_BRAVE_BASE_URL", running.base_url)
        said = run_commands(tmp_path)
        running.fail(Fault(401, echo()))
        said += run("-vv", "search", "cake")
        running.fail(Fault(401, {}, {"x-your-key": CANARY, "www-authenticate": f"Bearer {FORMS['base64']}"}))
        said += run("-vv", "search", "bread")
    assert "brave" in said
    assert "***" in said
    assert shown(said) == []


def run_commands(folder: Path) -> str:
    commands: list[list[str]] = [
        ["search", "tea", "--json"],
        ["--record", str(folder / "session.jsonl"), "search", "tea"],
        ["config", "show"],
        ["config", "show", "--json"],
        ["config", "path"],
        ["providers"],
        ["providers", "--json"],
        ["usage"],
        ["usage", "--json"],
        ["cache", "info"],
    ]
    said = "".join(run(*command) for command in commands)
    return said + (folder / "session.jsonl").read_text()


def run(*arguments: str) -> str:
    """What a command says, with the traceback of whatever ended it."""
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    try:
        result = CliRunner().invoke(app, list(arguments))
    finally:
        root.setLevel(before[0])
        root.handlers[:] = before[1]
    ended = "".join(traceback.format_exception(*result.exc_info)) if result.exc_info else ""
    return f"{result.output}{ended}"


def test_the_password_of_a_store_is_not_shown(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"redis://user:{quote(CANARY, safe='')}@127.0.0.1:{closed.getsockname()[1]}/0"
        said = "".join(run("--store", url, *command) for command in (["cache", "info"], ["usage"], ["search", "x"]))
    assert shown(said) == []


@pytest.fixture
def rude_line() -> Iterator[str]:
    """A server whose status line is not HTTP and repeats the key."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    client.recv(65_536)
                    client.sendall(f"HTTP/1.1 {CANARY} no\r\n\r\n".encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


async def test_a_reply_that_is_not_http_is_told_without_the_key(rude_line: str, tmp_path: Path) -> None:
    witness, clock = Witness(), FakeClock()
    with simulator("brave")(key=CANARY) as running:
        wrong = {"base_url": rude_line, "api_key": CANARY}
        async with engine(tmp_path, running, clock, providers={"brave": wrong}) as web:
            with witness.listening(web._parts.secrets), pytest.raises(AllFailed) as caught:
                await web.search("tea")
            witness.error("status line", caught.value)
    assert witness.leaks() == {}


PASSWORD = "pA55/w0rd@home"
LOGIN_FORMS = {
    "raw": PASSWORD,
    "percent": quote(PASSWORD, safe=""),
    "basic": base64.b64encode(f"reader:{PASSWORD}".encode()).decode().rstrip("="),
}


def with_login(address: str) -> str:
    """The same address, with a name and a password in it."""
    return address.replace("://", f"://reader:{LOGIN_FORMS['percent']}@", 1)


@pytest.mark.parametrize("name", sorted({*KEYED, "searxng", "wikipedia"}))
@pytest.mark.parametrize("fault", [None, Fault(500, "no"), Fault(how="reset")], ids=["answered", "refused", "reset"])
async def test_no_line_of_the_log_shows_the_password_of_a_services_address(
    name: str, fault: Fault | None, tmp_path: Path
) -> None:
    """Ours and the HTTP library's, at the lowest level, by a filter that was told nothing."""
    witness = Witness()
    with simulator(name)() as running:
        if fault:
            running.fail(fault)
        given = {**running.settings(), "base_url": with_login(running.settings()["base_url"])}
        async with engine(tmp_path, running, FakeClock(), providers={name: given}) as web:
            with witness.listening(Secrets()):
                logging.getLogger("httpx2").info("HTTP Request: GET %s", given["base_url"])
                logging.getLogger("httpcore2").debug("headers=%r", [(b"authorization", LOGIN_FORMS["basic"].encode())])
                try:
                    await web.search("tea")
                except SeekreadError as error:
                    witness.error(name, error)
        assert running.received or fault
    said = witness.log.getvalue() + " ".join(witness.seen.values())
    assert "provider=" in said
    assert [form for form, text in LOGIN_FORMS.items() if text in said] == []


@pytest.mark.process
def test_the_most_talkative_command_line_shows_no_password(tmp_path: Path) -> None:
    said = ""
    with simulator("searxng")() as running:
        environ = {**os.environ, "HOME": str(tmp_path), "SEARXNG_URL": with_login(running.settings()["base_url"])}
        for level in (["-v"], ["-vv"], []):
            command = [sys.executable, "-m", "seekread", *level, "search", "tea", "-p", "searxng"]
            ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environ)
            said += ended.stdout + ended.stderr
        assert running.received
    assert "provider=searxng" in said
    assert [form for form, text in LOGIN_FORMS.items() if text in said] == []


class Careless:
    """Somebody else's provider, which keeps its secrets in every way one can and logs them all."""

    name = "careless"

    def __init__(self) -> None:
        self.passphrase = "correct horse battery"
        self.headers = {"X-Acme-Token": "plain-but-secret", "Accept": "application/json"}
        self.inside = [SecretStr("Tr0ub4dor&3")]
        self.address = "https://reader:opensesame@example.org/"

    def search(self, _query: Query) -> Call[list[SearchResult]]:
        logging.getLogger("careless").warning("%s", vars(self) | {"inside": self.inside[0].get_secret_value()})
        raise NotConfigured("not today")


async def test_no_line_of_the_log_shows_a_secret_field_of_a_plug_in() -> None:
    witness = Witness()
    async with Seekread(settings={"store": "memory:"}) as web:
        web.register(Careless())
        with witness.listening(Secrets()), pytest.raises(AllFailed):
            await web.search("tea", provider="careless")
    said = witness.log.getvalue()
    assert "application/json" in said
    kept = ("correct horse battery", "plain-but-secret", "Tr0ub4dor", "opensesame")
    assert [secret for secret in kept if secret in said] == []


@pytest.mark.process
def test_a_warning_that_nobody_asked_for_shows_no_secret_either(tmp_path: Path) -> None:
    """Without -v the last resort of Python's logging printed it as it was."""
    script = (
        "from seekread.cli.app import app; from seekread.cli.exits import run; "
        "from tests.unit.test_secrets_never_show import Careless; from seekread.provider import secrets_of; "
        "from seekread.redact import Secrets; import logging, atexit; "
        "kept = Secrets(); kept.add(secrets_of(Careless())); "
        "logging.getLogger('acme').setLevel('INFO'); "
        "atexit.register(lambda: logging.getLogger('acme').info('unasked')); "
        "atexit.register(lambda: logging.getLogger('acme').warning('%s', vars(Careless()))); "
        "run(app)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "guard", "https://example.org/"],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "HOME": str(tmp_path)}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert "WARNING acme" in ended.stderr
    assert "unasked" not in ended.stderr
    assert [
        secret for secret in ("correct horse battery", "plain-but-secret", "opensesame") if secret in ended.stderr
    ] == []
