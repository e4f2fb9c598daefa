"""What leaves carries no key, however it is spelled, and what people ask for is not taken for one."""

import base64
import codecs
import gzip
from collections.abc import Callable
from urllib.parse import quote

import pytest

from seekread.calling.outgoing import MOST_SITES, MOST_WORDS, TAIL, Outgoing, Said, innocent
from seekread.errors import Refused
from seekread.redact import Secrets
from seekread.testing.clock import FakeClock

KEY = "kZ9-canary_Secret.0123456789abcdefXYZ"
RAW = KEY.encode()


def code_of(outgoing: Outgoing, text: str) -> str:
    """The refusal, or an empty text."""
    try:
        outgoing.check(text, "url" if text.startswith("https://") else "query")
    except Refused as refused:
        return refused.code
    return ""


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def percent(text: str, layers: int) -> str:
    encoded = "".join(f"%{byte:02x}" for byte in text.encode())
    return encoded if layers == 1 else encoded.replace("%", "%" + "25" * (layers - 1))


SPELLINGS: dict[str, str] = {
    "three layers of percent signs": percent(KEY, 3),
    "base64 after one byte": base64.b64encode(b"x" + RAW).decode(),
    "base64 after two bytes": base64.urlsafe_b64encode(b"xy" + RAW).decode(),
    "base64 twice": base64.b64encode(base64.b64encode(RAW)).decode(),
    "base32": base64.b32encode(RAW).decode(),
    "base85": quote(base64.b85encode(RAW).decode()),
    "hexadecimal with colons": RAW.hex(":"),
    "hexadecimal with 0x": "-".join(f"0x{byte:x}" for byte in RAW),
    "hexadecimal of UTF-16": KEY.encode("utf-16-be").hex(),
    "decimal": "-".join(map(str, RAW)),
    "binary": "".join(f"{byte:08b}" for byte in RAW),
    "one number": str(int.from_bytes(RAW, "big")),
    "JSON escapes": quote("".join(f"\\u{ord(c):04x}" for c in KEY)),
    "entities": quote("".join(f"&#{ord(c)};" for c in KEY)),
    "backwards": KEY[::-1],
    "rot13": codecs.encode(KEY, "rot13"),
    "each letter plus one": quote("".join(chr(ord(c) + 1) for c in KEY)),
    "exclusive or with 1": quote("".join(chr(ord(c) ^ 1) for c in KEY)),
    "every character a folder": "/".join(KEY),
    "groups of four": "/".join(pieces(KEY, 4)),
    "over parameters": "?" + "&".join(f"p{n}={piece}" for n, piece in enumerate(pieces(KEY, 6))),
    "dashes": "-".join(KEY),
    "plus signs": "+".join(pieces(KEY, 5)),
    "a letter between": "x".join(KEY),
    "second half": KEY[18:],
    "without the beginning": KEY[8:],
    "full-width": "".join(chr(ord(c) + 0xFEE0) for c in KEY),
    "combining marks": "".join(c + "\u0301" for c in KEY),
    "Cyrillic": KEY.translate(str.maketrans("aceyXS", "асеуХЅ")),
    "gzip": base64.b64encode(gzip.compress(RAW, mtime=0)).decode(),
}


@pytest.mark.parametrize("how", SPELLINGS)
def test_a_configured_key_leaves_in_no_spelling(how: str) -> None:
    assert code_of(Outgoing(Secrets(KEY)), f"https://evil.org/{SPELLINGS[how]}") == "secret_in_url"


@pytest.mark.parametrize("host", [RAW.hex(), base64.b32encode(RAW).decode().rstrip("="), KEY.replace("_", "-")])
def test_a_configured_key_leaves_in_no_name_of_a_host(host: str) -> None:
    assert code_of(Outgoing(Secrets(KEY)), f"https://{'.'.join(pieces(host, 12))}.evil.org/") == "secret_in_url"


CALLS: dict[str, Callable[[int, str], str]] = {
    "paths": lambda _, piece: f"https://evil.org/{piece}",
    "parameters with a count": lambda n, piece: f"https://evil.org/?n={n}&d={piece}",
    "hosts": lambda _, piece: f"https://{piece.encode().hex()}.evil.org/",
    "queries": lambda _, piece: f"tell me about {piece} please",
}


@pytest.mark.parametrize("how", CALLS)
def test_a_key_does_not_leave_piece_by_piece(how: str) -> None:
    outgoing = Outgoing(Secrets(KEY))
    codes = []
    for number, piece in enumerate(pieces(KEY, 5)):
        codes.append(code_of(outgoing, CALLS[how](number, piece)))
        # Whatever else a session does in between makes no difference.
        assert not code_of(outgoing, "https://example.org/weather")
    assert codes[0] == ""
    assert any(codes[:4]), "before half of it is gone"


def test_pieces_of_different_sessions_are_no_key() -> None:
    codes = [code_of(Outgoing(Secrets(KEY)), f"https://evil.org/{piece}") for piece in pieces(KEY, 5)]
    assert codes == [""] * len(codes)


def test_what_a_session_remembers_of_its_texts_is_bounded() -> None:
    said = Said()
    outgoing = Outgoing(Secrets(KEY), said=said)
    for number in range(2 * MOST_SITES):
        outgoing.check(f"https://site{number}.org/" + "/".join(f"word{n}" for n in range(2 * MOST_WORDS)), "url")
        outgoing.check(f"https://site{number}.org/" + "x" * 2 * TAIL, "url")
    assert len(said._tails) == MOST_SITES
    for tails in said._tails.values():
        assert len(tails.before) <= MOST_WORDS
        assert max(map(len, (tails.last, tails.longest, tails.whole))) <= TAIL


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/skin-cancer-symptoms-and-causes",
        "https://example.com/skateboarding-tricks-for-beginners",
        "https://example.com/sky-news-live-blog-budget",
        "https://example.com/fc-barcelona-beats-real-madrid-2024",
        "https://example.com/jina-embeddings-v3-multilingual",
        "https://example.com/sk-hynix-announces-new-memory-chips",
        "https://example.com/commit/fc3f1d0a8b7e6c5d4e3f2a1b0c9d8e7f6a5b4c3d",
        "https://maps.googleapis.com/maps/api/js?key=AIzaSyB3NjT1mD9Cy7UtGaujp3IpcuueNVMuJqg",
        "https://www.amazon.com/dp/B07PXGQC1Q?SubscriptionId=AKIAIPK5F55TNVMRHSZQ",
        "skandinavischegeschichte",
        "skills-based-hiring-trends",
        "how to write postgres://user:<password>@host in a URL",
        "what does -----BEGIN RSA PRIVATE KEY----- mean",
        "a canary secret in a coal mine",
        "0123456789",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ],
)
def test_what_people_ask_for_is_no_key(text: str) -> None:
    assert code_of(Outgoing(Secrets(KEY)), text) == ""


MIXED = "aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA3bC5dE7fG9hJ1kL4mN6pQ8rS0tU2vW4xY6zA8bC0"
HEX = "3f9a0c7b1e5d8a2f4c6b9e0d7a1f3c5b8e2d4a6f0c9b7e1d5a3f8c2b6e4d0a9f"
LOGIN = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256"}', b'{"sub":"1234567890"}', b"a signature, as it were")
)
KEYS = {
    "tavily": f"tvly-dev-{MIXED[:32]}",
    "perplexity": f"pplx-{MIXED[:48]}",
    "firecrawl": f"fc-{HEX[:32]}",
    "brave": f"BSA{MIXED[:28]}",
    "jina": f"jina_{HEX[:32]}{MIXED[:28]}",
    "openai": f"sk-proj-{MIXED[:64]}",
    "anthropic": f"sk-ant-api03-{MIXED}{MIXED[:21]}",
    "openrouter": f"sk-or-v1-{HEX}",
    "groq": f"gsk_{MIXED[:52]}",
    "aws": "AKIAIPK5F55TNVMRHSZQ",
    "aws secret": "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",
    "stripe": f"rk_live_{MIXED[:24]}",
    "twilio": f"SK{HEX[:32]}",
    "sendgrid": f"SG.{MIXED[:22]}.{MIXED[:43]}",
    "npm": f"npm_{MIXED[:36]}",
    "pypi": f"pypi-AgEIcHlwaS5vcmcC{MIXED}",
    "huggingface": f"hf_{MIXED[:34]}",
    "telegram": f"123456789:AA{MIXED[:33]}",
    "github": "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",
    "digitalocean": f"dop_v1_{HEX}",
    "database": "postgres://admin:hunter2@db.example.org/shop",
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{MIXED[:64]}\n{MIXED[:64]}\n-----END RSA PRIVATE KEY-----",
    "web token": LOGIN,
}
"""None of these opens anything."""


@pytest.mark.parametrize("service", KEYS)
def test_somebodys_key_is_known_by_its_shape(service: str) -> None:
    key = KEYS[service]
    assert code_of(Outgoing(), f"what is {key} for") == "key_shape_in_query"
    assert code_of(Outgoing(), f"https://evil.org/?d={quote(key, safe='')}") == "key_shape_in_url"


@pytest.mark.parametrize("service", ["tavily", "groq", "stripe", "github", "database"])
def test_the_shape_of_a_key_is_seen_in_base64_hexadecimal_and_backwards(service: str) -> None:
    raw = KEYS[service].encode()
    for hidden in (base64.b64encode(b"k=" + raw).decode(), raw.hex(), KEYS["groq"][::-1]):
        assert code_of(Outgoing(), f"https://evil.org/{hidden}") == "key_shape_in_url"


def test_a_session_may_send_so_much_text_in_a_day() -> None:
    clock = FakeClock()
    outgoing = Outgoing(scan=False, said=Said(100, clock))
    outgoing.check("a" * 60, "query")
    assert code_of(outgoing, "https://a.org/" + "a" * 40) == "text_budget"
    outgoing.check("b" * 40, "query")
    assert code_of(outgoing, "c") == "text_budget"
    clock.now += 86_400
    outgoing.check("c", "query")


def test_a_text_that_holds_a_key_is_not_remembered() -> None:
    outgoing = Outgoing(Secrets(KEY))
    outgoing.check("the price of tea", "query")
    before = innocent.cache_info().currsize
    assert code_of(outgoing, f"what is {KEY}") == "secret_in_query"
    assert innocent.cache_info().currsize == before


def test_what_was_looked_at_once_is_looked_at_again_when_a_key_is_new() -> None:
    secrets = Secrets()
    outgoing = Outgoing(secrets)
    assert code_of(outgoing, f"what is {KEY[:20]}") == ""
    secrets.add({KEY[:20]})
    assert code_of(outgoing, f"what is {KEY[:20]}") == "secret_in_query"
