"""
What somebody's key looks like, service by service: its prefix, its length, its alphabet, and how random it is.

A shape is exact, because a scan that refuses `skin-cancer-symptoms-and-causes` is a scan that people turn off. Where a
prefix alone could begin a word or a name in an address, the rest must have the look of chance: digits, both cases, and
a change between them at every other step. Keys without a shape of their own (a UUID, 32 or 40 hexadecimal digits) are
not listed: commits and pictures are named like that.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache

from seekread.late import dataclass

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
CHANGE = re.compile(r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=[0-9])[^0-9]")
"""A step from one kind of character to another."""
CLAIMS = frozenset({"sub", "email", "scope", "scp", "role", "roles", "client_id", "azp", "uid", "user_id", "jti"})


def always(_found: str) -> bool:
    """The pattern says it all."""
    return True


def mixed(found: str) -> bool:
    """Whether letters and digits follow each other as chance has it, and not as in words, numbers and dates."""
    rest = found.partition("-")[2] or found.partition("_")[2] or found
    return any(map(str.isdigit, rest)) and any(map(str.isalpha, rest)) and len(set(rest)) * 8 >= min(len(rest), 64)


def random(found: str) -> bool:
    """Whether it has digits and both cases, changes at every third step or more, and repeats little."""
    kinds = any(map(str.isdigit, found)) and any(map(str.isupper, found)) and any(map(str.islower, found))
    return kinds and len(CHANGE.findall(found)) * 3 >= len(found) and len(set(found)) * 2 >= min(len(found), 36)


def random_base64(found: str) -> bool:
    """The same for what stands in an address, where only the two odd characters tell a key from a name."""
    return ("/" in found or "+" in found) and random(found) and not re.search(r"[a-z]{6}|[0-9]{6}", found)


def checksummed(found: str) -> bool:
    """Whether the last six characters are the checksum of those after the prefix, as GitHub writes it."""
    secret = found.partition("_")[2]
    number, digits = zlib.crc32(secret[:-6].encode()), ""
    while number:
        number, digit = divmod(number, len(LETTERS))
        digits = LETTERS[digit] + digits
    return secret[-6:] == digits.rjust(6, "0")


def is_login(found: str) -> bool:
    """Whether a JSON web token says who somebody is or what they may do; others sign the addresses of pictures."""
    try:
        head, claims = (json.loads(base64.urlsafe_b64decode(part + "===")) for part in found.split(".")[:2])
        return "alg" in head and not CLAIMS.isdisjoint(claims)
    except (ValueError, TypeError, RecursionError):
        return False


def is_filled_in(found: str) -> bool:
    """Whether the password of an address is one, and not the place for one."""
    password = found.partition("://")[2].partition(":")[2].rpartition("@")[0]
    return not re.fullmatch(r"[<\[{(].*|.*[>\]})]|\$.*|%\w+%|[*.x]+|…", password, re.IGNORECASE)


@dataclass(frozen=True)
class KeyShape:
    """The keys of one service."""

    name: str
    pattern: str
    check: Callable[[str], bool] = always
    home: str = ""
    """Hosts, as a pattern, where the key is at home: it is no secret to the one who issued it."""
    prefixed: bool = True
    """Whether it begins with something that names the service; only so it is told from the noise of decoding."""


WORD = "A-Za-z0-9"
WIDE = "A-Za-z0-9_-"
SHAPES = (
    KeyShape("tavily", rf"tvly-[{WIDE}]{{16,80}}", mixed),
    KeyShape("perplexity", rf"pplx-[{WORD}]{{40,64}}", mixed),
    KeyShape("firecrawl", r"fc-[0-9a-f]{32}", mixed),
    KeyShape("brave", rf"BSA[{WIDE}]{{24,36}}", random),
    KeyShape("jina", rf"jina_[0-9a-f]{{32}}[{WIDE}]{{20,36}}", mixed),
    KeyShape("openai", rf"sk-(?:proj|svcacct|admin)-[{WIDE}]{{40,200}}", random),
    KeyShape("openai", rf"sk-[{WORD}]{{20}}T3BlbkFJ[{WORD}]{{20}}"),
    KeyShape("openai", rf"sk-[{WORD}]{{48}}", random),
    KeyShape("deepseek", r"sk-[0-9a-f]{32}", mixed),
    KeyShape("anthropic", rf"sk-ant-[a-z]{{3,6}}[0-9]{{2}}-[{WIDE}]{{80,120}}", mixed),
    KeyShape("openrouter", r"sk-or-v1-[0-9a-f]{64}", mixed),
    KeyShape("xai", rf"xai-[{WORD}]{{70,90}}", mixed),
    KeyShape("groq", rf"gsk_[{WORD}]{{52}}", mixed),
    KeyShape("aws", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", home=r"amazon(?:aws)?\.(?:com|com?\.[a-z]{2}|[a-z]{2})"),
    KeyShape("aws secret", rf"(?<![^\s\"'(])[{WORD}/+]{{40}}(?![%/+=.{WIDE}])", random, prefixed=False),
    KeyShape("aws secret", rf"(?<=[=:])[{WORD}/+]{{40}}(?![%/+=.{WIDE}])", random_base64, prefixed=False),
    KeyShape("aws secret", rf"(?<=[a-z][a-z]/)[{WORD}/+]{{39}}[{WORD}+]$", random_base64, prefixed=False),
    KeyShape("stripe", rf"(?:sk|rk)_(?:live|test)_[{WORD}]{{24,120}}", mixed),
    KeyShape("stripe", rf"whsec_[{WORD}/+]{{32,64}}", mixed),
    KeyShape("twilio", r"(?:SK|AC)[0-9a-f]{32}", mixed),
    KeyShape("sendgrid", rf"SG\.[{WIDE}]{{22}}\.[{WIDE}]{{43}}"),
    KeyShape("npm", rf"npm_[{WORD}]{{36}}", mixed),
    KeyShape("pypi", rf"pypi-AgE[{WIDE}]{{60,250}}"),
    KeyShape("huggingface", rf"(?:hf|api_org)_[{WORD}]{{34}}", lambda found: len(CHANGE.findall(found)) > 8),
    KeyShape("telegram", rf"(?:bot)?[0-9]{{8,10}}:AA[{WIDE}]{{33}}", random),
    KeyShape("github", rf"gh[pousr]_[{WORD}]{{36}}", checksummed),
    KeyShape("github", rf"github_pat_[{WORD}]{{22}}_[{WORD}]{{59}}", mixed),
    KeyShape("gitlab", rf"glpat-[{WIDE}]{{20,64}}", mixed),
    KeyShape("slack", rf"xox[abeprs]-[0-9]{{6,}}-[{WORD}-]{{10,120}}"),
    KeyShape("google", rf"AIza[{WIDE}]{{35}}", mixed, home=r"(?:google(?:apis)?|youtube)\.com"),
    KeyShape("google", rf"GOCSPX-[{WIDE}]{{28}}", mixed),
    KeyShape("digitalocean", r"do[opr]_v1_[0-9a-f]{64}", mixed),
    KeyShape("azure", rf"AccountKey=[{WORD}/+]{{86}}=="),
    KeyShape("web token", rf"eyJ[{WIDE}]{{10,}}\.eyJ[{WIDE}]{{8,}}\.[{WIDE}]{{8,}}", is_login),
    KeyShape(
        "database",
        r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse|cockroachdb|oracle|ldaps?)"
        r"(?:\+[a-z0-9]{2,12})?://[^\s:/@]{0,64}:[^\s/@]{1,128}@[\w\[][\w.-]*",
        is_filled_in,
    ),
    KeyShape(
        "private key",
        r"-----BEGIN[ +](?:[A-Z0-9]{1,12}[ +]){0,3}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----"
        r"(?:\s|\\n|[A-Za-z-]{4,20}: [^\n]{0,80}\n)*"
        r"[A-Za-z0-9+/=]{24,}(?:(?:\s|\\n)+[A-Za-z0-9+/=]{16,80})*(?:(?:\s|\\n)+[A-Za-z0-9+/=]{1,15}(?=\s|\\n|-))?",
    ),
)
ENDED = re.compile(rf"[{WORD}]", re.ASCII)
"""A character that makes a longer word of what stands before it."""
HOST = re.compile(r"https?://([a-z0-9.-]+)(?=[:/?#]|$)", re.IGNORECASE)
PIECE = re.compile(r"[!-~]{20,}", re.ASCII)
"""Every shape but an address has a piece of at least this length."""


@cache
def pattern() -> re.Pattern[str]:
    """All shapes in one: made when a text is looked at, because it takes a good part of the start of a process."""
    shapes = "|".join(f"(?P<s{at}>{shape.pattern})" for at, shape in enumerate(SHAPES))
    return re.compile(rf"(?<![{WORD}])(?:{shapes})", re.ASCII)


def keys_in(text: str, *, plain: bool = True) -> Iterator[tuple[int, int]]:
    """Where in a text something stands that is almost certainly somebody's key; in what was decoded, by its prefix."""
    if not PIECE.search(text) and "://" not in text:
        return
    at, host = 0, HOST.match(text)
    while found := pattern().search(text, at):
        shape = SHAPES[int((found.lastgroup or "s0")[1:])]
        at_home = bool(host and shape.home and re.search(rf"(?:^|\.){shape.home}$", host[1]))
        if not ENDED.match(text, found.end()) and shape.check(found[0]) and not at_home and (plain or shape.prefixed):
            yield found.span()
            at = found.end()
        else:
            at = found.start() + 1
