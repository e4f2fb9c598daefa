"""`seekread forget`: what a person wants gone."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import say
from seekread.hostnames import host_of, matches

if TYPE_CHECKING:
    from seekread.compose import Parts
    from seekread.ports import Entry, Store

ALL = 1_000_000
CRAWLS = ("job/", "jobpage/", "jobend/")
PERSONAL = ("search/", "snapshot/", "address/", "seen/", "signed-in/", "robots/", *CRAWLS)
"""What is kept of what people asked and read; what was spent is not among it."""


@click.command()
@click.argument("what", nargs=-1)
@click.option(
    "--token",
    metavar="NAME",
    help="Everything that is kept of one token's questions and pages, or of somebody your identity provider names.",
)
@click.option("--all", "everything", is_flag=True, help="Everything that is kept of anybody's.")
@click.pass_context
def forget(ctx: click.Context, what: tuple[str, ...], token: str | None, everything: bool) -> None:
    """
    Forget answers and pages: those that have to do with WHAT, those of a token, or all.

    WHAT is an address, a domain or some words of a question. An address or a domain stands for its pages and for every
    answer that lists one of them. What was spent is never forgotten.
    """
    import anyio

    if (bool(what), token is not None, everything).count(True) != 1:
        raise click.UsageError("say what to forget, or --token NAME, or --all")
    say(counted(anyio.run(forgotten, ctx.obj, what, token)))


async def forgotten(given: dict[str, Any], what: tuple[str, ...], token: str | None) -> int:
    """Forget, and say how many entries that were."""
    from seekread.compose import compose
    from seekread.config.sources import load

    parts = compose(load(given["settings"], file=given["config"]))
    try:
        if token is not None:
            return await of_token(parts, given, token)
        if not what:
            return sum([await parts.store.clear(prefix) for prefix in PERSONAL])
        return sum([await about(parts.store, text.strip()) for text in what])
    finally:
        await parts.close()


async def of_token(parts: "Parts", given: dict[str, Any], name: str) -> int:
    """Forget what a token asked and read, and end the sessions of its owner."""
    from seekread.cli.token import opened
    from seekread.errors import InvalidQuery
    from seekread.server.identity import mark_of
    from seekread.server.tokens import Token

    store, auth = parts.store, parts.settings.auth
    found = next((token for token in opened(given).all() if token.name == name), None)
    if found is None and auth.auth_issuer:
        found = Token(name=name, sha256=mark_of(auth.auth_issuer, auth.auth_claim, name))
    if found is None:
        raise InvalidQuery(f"there is no token named {name!r}")
    own = [f"{kind}{found.id}/" for kind in ("search/", "snapshot/", "address/")]
    sessions = await removed(store, "signed-in/", lambda entry: entry.value.decode() == found.sha256)
    own += [f"{kind}token-{found.id}/" for kind in ("seen/", *CRAWLS)]
    return sessions + sum([await store.clear(prefix) for prefix in own])


async def about(store: "Store", text: str) -> int:
    """Forget the answers and pages that have to do with a text."""
    from seekread.server.sessions import mark

    pages: set[str] = set()

    def is_page(entry: "Entry") -> bool:
        page = document(entry)
        wanted = any(is_meant(text, page.get(name) or "") for name in ("url", "final_url"))
        pages.update([entry.key.rpartition("/")[2]] if wanted else ())
        return wanted

    def is_answer(entry: "Entry") -> bool:
        answer = document(entry).get("response", {})
        asked = text.casefold() in answer.get("query", "").casefold()
        return asked or any(is_meant(text, result.get("url", "")) for result in answer.get("results", ()))

    tests: dict[str, Callable[[Entry], bool]] = {
        "search/": is_answer,
        "snapshot/": is_page,
        "address/": lambda entry: document(entry).get("snapshot") in pages,
        "seen/": lambda entry: entry.key.endswith(mark(text)),
        "job/": lambda entry: is_meant(text, document(entry).get("url", "")),
        "jobpage/": is_page,
        "robots/": lambda entry: is_meant(text, entry.key.removeprefix("robots/")),
    }
    return sum([await removed(store, prefix, test) for prefix, test in tests.items()])


async def removed(store: "Store", prefix: str, test: "Callable[[Entry], bool]") -> int:
    """Delete the entries that pass a test."""
    found = [entry.key for entry in await store.scan(prefix, limit=ALL) if test(entry)]
    for key in found:
        await store.delete(key)
    return len(found)


def is_meant(text: str, url: str) -> bool:
    """Whether a text names an address, or the site it stands on."""
    return bool(url) and (text == url or ("." in text and "/" not in text and matches(host_of(url), text)))


def document(entry: "Entry") -> dict[str, Any]:
    """What an entry holds; one of another version may hold anything."""
    try:
        found = json.loads(entry.value)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def counted(amount: int) -> str:
    return "nothing of it was kept" if not amount else f"forgot {amount} {'entry' if amount == 1 else 'entries'}"
