"""
What a page may try to reach from inside the browser, against a canary on loopback that must stay untouched.

A control run sends the same attempts to the public stand-in first: an attempt that is never made proves nothing.
"""

from collections.abc import AsyncIterator

import anyio
import pytest

from seekread.errors import BadReply, Refused
from seekread.http.selftest import CANARY
from seekread.models import Page
from seekread.readers.browser import chromium
from seekread.readers.browser.reader import Browser
from seekread.readers.builtin.workers import WorkerLimits, Workers
from tests.support.canary import FLIPPING_HOST, PRIVATE_HOST, Internet, Served, moved, small_internet

pytestmark = [pytest.mark.anyio, pytest.mark.process]

WORDS = "The harbour wall was built in stone, and the boats that came in were counted every morning. "

ATTEMPTS = {
    "fetch": "await fetch(at, { mode: 'no-cors' })",
    "post": "await fetch(at, { method: 'POST', mode: 'no-cors', body: 'secret' })",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', at); x.send(); await ended(x)",
    "script": "await put('script', { src: at })",
    "module": "await import(at)",
    "style": "await put('link', { rel: 'stylesheet', href: at })",
    "frame": "await put('iframe', { src: at })",
    "sandboxed-frame": "await put('iframe', { sandbox: 'allow-scripts', src: at })",
    "object": "await put('object', { data: at, type: 'text/html' })",
    "embed": "await put('embed', { src: at, type: 'text/html' })",
    "prefetch": "await put('link', { rel: 'prefetch', href: at })",
    "events": "await ended(new EventSource(at))",
    "socket": "await ended(new WebSocket(at.replace('http', 'ws')))",
    "worker": "await work(`await fetch('${at}', { mode: 'no-cors' })`)",
    "worker-import": "await work(`importScripts('${at}')`)",
    "worker-socket": "await work(`const s = new WebSocket('${at}'.replace('http', 'ws')); await ended(s)`)",
    "shared-worker": "await share(`await fetch('${at}', { mode: 'no-cors' })`)",
    "form-in-frame": "submit(at)",
}
"""How a page can ask for something, as JavaScript with `at` for the address."""

SILENT = {
    "image": "await put('img', { src: at })",
    "background": "document.body.style.background = `url(${at})`",
    "video": "await put('video', { src: at, autoplay: true })",
    "font": "await new FontFace('f', `url(${at})`).load()",
    "preconnect": "put('link', { rel: 'preconnect', href: at })",
    "dns-prefetch": "put('link', { rel: 'dns-prefetch', href: at })",
    "icon": "put('link', { rel: 'icon', href: at })",
    "window": "window.open(at)",
    "beacon": "navigator.sendBeacon(at, 'secret')",
    "ping": "const a = document.createElement('a'); a.href = '#'; a.ping = at; document.body.append(a); a.click()",
    "service-worker": "await navigator.serviceWorker.register('/sw.js?' + at)",
    "transport": "await new WebTransport(at.replace('http:', 'https:')).ready",
}
"""Attempts that must reach nobody at all, not even a public server."""

PAGE = """<!doctype html><title>Attempts</title><body><script>
const ended = (thing) => new Promise((done) => { thing.onloadend = thing.onclose = thing.onerror = done });
const put = (name, fields) => new Promise((done) => {
  const made = Object.assign(document.createElement(name), fields);
  made.onload = made.onerror = done;
  document.body.append(made);
});
const source = (text) => URL.createObjectURL(new Blob([
  `const ended = ${ended}; const tell = () => (self.port ?? self).postMessage(1);`,
  `(async () => { ${text} })().then(tell, tell)`,
], { type: "text/javascript" }));
const work = (text) => new Promise((done) => { const w = new Worker(source(text)); w.onmessage = w.onerror = done });
const share = (text) => new Promise((done) => {
  const w = new SharedWorker(source(`onconnect = (event) => { self.port = event.ports[0] }; ${text}`));
  w.port.onmessage = w.onerror = done;
});
const submit = (at) => {
  const form = Object.assign(document.createElement("form"), { action: at, target: "inner", method: "post" });
  document.body.append(Object.assign(document.createElement("iframe"), { name: "inner" }), form);
  form.submit();
};
const patience = () => new Promise((done) => setTimeout(done, 1500));
const attempts = { ATTEMPTS };
Promise.all(Object.entries(attempts).map(async ([name, attempt]) => {
  try { await Promise.race([attempt(`BASE/${name}`), patience()]) } catch {}
})).then(async () => {
  await new Promise((done) => setTimeout(done, 100));
  document.body.insertAdjacentHTML("afterbegin", "<article><h1>All tried</h1><p>WORDS</p></article>");
});
</script>"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def internet() -> AsyncIterator[Internet]:
    async with small_internet() as running:
        yield running


@pytest.fixture(scope="module")
async def browser(internet: Internet) -> AsyncIterator[Browser]:
    async with Workers(WorkerLimits(size=1, seconds=60)) as workers:
        made = Browser(internet.guard(), workers, wait_seconds=60)
        yield made
        await made.close()


@pytest.fixture(autouse=True)
def fresh(internet: Internet) -> None:
    internet.forget()


async def read(browser: Browser, url: str) -> Page:
    with anyio.fail_after(60):
        return await browser.read(url).run()


def attempts_at(base: str, attempts: dict[str, str]) -> Served:
    written = ",".join(f"{name!r}: async (at) => {{ {script} }}" for name, script in attempts.items())
    return Served(PAGE.replace("ATTEMPTS", written).replace("BASE", base).replace("WORDS", WORDS * 4))


async def test_the_attempts_are_really_made(browser: Browser, internet: Internet) -> None:
    """The control: what is tried below works when the address is a public one."""
    internet.pages = {"/page": attempts_at(internet.url("", "other.seekread-tests.org"), ATTEMPTS)}
    page = await read(browser, internet.url("/page"))
    assert "All tried" in page.content
    assert {path.lstrip("/") for path in internet.requests} >= set(ATTEMPTS)


@pytest.mark.proves("S3-30")
@pytest.mark.parametrize("way", ["address", "name", "redirect", "chain"])
async def test_no_attempt_reaches_the_canary(browser: Browser, internet: Internet, way: str) -> None:
    """Documents, frames, workers, WebSockets, redirects; by address, by name and by redirect."""
    bases = {
        "address": f"http://{CANARY}:{internet.port}",
        "name": internet.url("", PRIVATE_HOST),
        "redirect": internet.url("/to"),
        "chain": internet.url("/far"),
    }
    everything = ATTEMPTS | SILENT
    internet.pages = {"/page": attempts_at(bases[way], everything)}
    for name in everything:
        internet.pages[f"/to/{name}"] = moved(internet.url(f"/{name}", PRIVATE_HOST))
        internet.pages[f"/far/{name}"] = moved(f"/to/{name}")
    page = await read(browser, internet.url("/page"))
    assert "All tried" in page.content
    assert internet.touched == []
    refused = [signal for signal in page.signals if signal.kind == "requests-refused"]
    assert refused
    assert refused[0].count >= 10


async def test_what_brings_no_text_is_not_even_asked_of_public_servers(browser: Browser, internet: Internet) -> None:
    internet.pages = {"/page": attempts_at(internet.url("", "other.seekread-tests.org"), SILENT)}
    page = await read(browser, internet.url("/page"))
    assert "All tried" in page.content
    assert internet.requests == ["/page"]


WEBRTC = """<!doctype html><title>Calls</title><script>
const servers = [{ urls: "stun:HOST:PORT" }, { urls: "turn:HOST:PORT?transport=udp", username: "u", credential: "c" },
                 { urls: "turn:HOST:PORT?transport=tcp", username: "u", credential: "c" }];
const call = new RTCPeerConnection({ iceServers: servers });
call.createDataChannel("leak");
const done = new Promise((done) => {
  call.onicegatheringstatechange = () => call.iceGatheringState === "complete" && done();
});
call.createOffer().then((offer) => call.setLocalDescription(offer))
  .then(() => Promise.race([done, new Promise((done) => setTimeout(done, 2500))]))
  .then(() => { document.body.innerHTML = "<article><h1>Called</h1><p>WORDS</p></article>" });
</script><body></body>"""


@pytest.mark.parametrize("host", [CANARY, "localhost"])
async def test_no_datagram_and_no_relay_reaches_the_canary(browser: Browser, internet: Internet, host: str) -> None:
    """Without the switches for WebRTC, STUN goes past any proxy."""
    page = WEBRTC.replace("HOST", host).replace("PORT", str(internet.port)).replace("WORDS", WORDS * 4)
    internet.pages = {"/page": Served(page)}
    assert "Called" in (await read(browser, internet.url("/page"))).content
    assert internet.touched == []


LEADING = [
    *(("http", CANARY, way) for way in ("redirect", "chain", "refresh", "script", "header")),
    *(("http", PRIVATE_HOST, way) for way in ("redirect", "chain", "refresh", "script", "header")),
    *(("https", host, way) for host in (CANARY, PRIVATE_HOST) for way in ("redirect", "script")),
    *(("http", host, "redirect") for host in ("localhost", "169.254.169.254")),
]


@pytest.mark.proves("S3-30")
@pytest.mark.parametrize(("scheme", "host", "way"), LEADING)
async def test_a_document_behind_the_canary_is_refused_as_the_guard_says(
    browser: Browser, internet: Internet, scheme: str, host: str, way: str
) -> None:
    """Wherever a page leads, it is the guard's refusal that comes back, not an empty page."""
    target = f"{scheme}://{host}:{internet.port}/private"
    internet.pages = {
        "/redirect": moved(target),
        "/chain": moved("/redirect"),
        "/refresh": Served(f"<title>R</title><meta http-equiv=refresh content='0;url={target}'><p>{WORDS}"),
        "/script": Served(f"<title>S</title><p>{WORDS}<script>location.assign({target!r})</script>"),
        "/header": Served(f"<title>H</title><p>{WORDS}", headers={"Refresh": f"0;url={target}"}),
    }
    with pytest.raises(Refused) as caught:
        await read(browser, internet.url(f"/{way}"))
    wanted = {CANARY: "private_address", PRIVATE_HOST: "private_answer", "localhost": "private_name"}
    assert caught.value.code == wanted.get(host, "metadata")
    assert CANARY not in str(caught.value).replace(f'"{CANARY}:', "")
    assert internet.touched == []


@pytest.mark.parametrize("public_answers", [1, 2])
async def test_a_name_that_changes_its_mind_does_not_reach_the_canary(
    browser: Browser, internet: Internet, public_answers: int
) -> None:
    """Rebinding between our check and the browser's connection, and between one request of a page and the next."""
    internet.names.public_answers = public_answers
    script = "fetch('/secret').catch(() => 0).then(() => { document.getElementById('text').append(' Tried.') })"
    internet.pages = {
        "/page": Served(f"<title>Flip</title><article><p id=text>{WORDS * 4}</p></article><script>{script}</script>")
    }
    url = internet.url("/page", FLIPPING_HOST)
    if public_answers == 1:
        with pytest.raises(Refused) as caught:
            await read(browser, url)
        assert caught.value.code == "private_answer"
    else:
        assert "Tried." in (await read(browser, url)).content
    assert internet.touched == []
    assert "/secret" not in internet.requests


LOCAL = (
    "file:///etc/passwd",
    "view-source:file:///etc/passwd",
    "chrome://version/",
    "filesystem:http://x/",
    "data:text/html,x",
)


@pytest.mark.proves("S3-30")
@pytest.mark.parametrize("url", LOCAL)
async def test_a_page_cannot_open_what_is_on_this_machine(browser: Browser, internet: Internet, url: str) -> None:
    """No script and no frame gets to a file or to the browser's own pages."""
    script = f"""
    const frame = document.createElement("iframe"); frame.src = {url!r}; document.body.append(frame);
    fetch({url!r}).then((one) => one.text()).then((text) => document.body.append(text)).catch(() => 0);
    try {{ location.assign({url!r}) }} catch {{}}
    """
    internet.pages = {
        "/page": Served(f"<title>Local</title><article><p>{WORDS * 4}</p></article><script>{script}</script>")
    }
    page = await read(browser, internet.url("/page"))
    assert (page.title, page.final_url) == ("Local", internet.url("/page"))
    assert "root:" not in page.content


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/html,x"])
async def test_a_redirect_to_what_is_no_page_is_an_error(browser: Browser, internet: Internet, url: str) -> None:
    internet.pages = {"/page": moved(url)}
    with pytest.raises((Refused, BadReply)):
        await read(browser, internet.url("/page"))


async def test_a_server_cannot_speak_for_the_guard(browser: Browser, internet: Internet) -> None:
    """A public page with our header is a page like any other."""
    served = Served(
        f"<title>Liar</title><article><p>{WORDS * 4}</p></article>", headers={"X-Seekread-Refused": "metadata"}
    )
    internet.pages = {"/page": served}
    assert (await read(browser, internet.url("/page"))).title == "Liar"


def test_the_switches_keep_loopback_behind_the_proxy_and_datagrams_at_home() -> None:
    switches = " ".join(chromium.SWITCHES)
    for part in (
        "--proxy-bypass-list=<-loopback>",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
    ):
        assert part in switches
    assert "--no-sandbox" not in switches
