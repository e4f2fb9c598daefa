"""
`seekread doctor`: what is set up, what is missing, and what to know about it.

Nobody outside this machine is asked, unless `--live` allows it.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import click

from seekread.cli.terminal import say
from seekread.render.failure import tell

if TYPE_CHECKING:
    from seekread.compose import Parts
    from seekread.provider import SearchProvider

Mark = Literal["ok", "note", "problem"]
SIGNS: dict[Mark, str] = {"ok": "✓", "note": "·", "problem": "✗"}
EXTRAS = {
    "mcp": "mcp",
    "server": "starlette",
    "browser": "playwright",
    "pdf": "pypdfium2",
    "redis": "redis",
    "keyring": "keyring",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    mark: Mark
    text: str


@click.command()
@click.option("--live", is_flag=True, help="Also ask each provider a question with a known answer; this may cost.")
@click.pass_context
def doctor(ctx: click.Context, live: bool) -> None:
    """Check the settings, the providers, the state and the optional parts of this installation."""
    import anyio

    from seekread.cli.cache import opened

    code = anyio.run(examine, opened(ctx.obj), live)
    ctx.exit(code)


async def examine(parts: "Parts", live: bool) -> int:
    """Print what was found; 1 if anything is wrong."""
    findings = [*settings(parts), *providers(parts), *extras(parts)]
    try:
        findings.append(await state(parts))
        findings += damaged(parts)
        show(findings)
        if live:
            findings += (answers := await known_answers(parts))
            show(answers)
    finally:
        await parts.close()
    return 1 if any(finding.mark == "problem" for finding in findings) else 0


def show(findings: list[Finding]) -> None:
    for finding in findings:
        say(f"{SIGNS[finding.mark]} {finding.text}")


def settings(parts: "Parts") -> Iterator[Finding]:
    file = parts.configuration.file
    yield Finding("ok", f"settings are read from {file}" if file else "no settings file: defaults and environment")
    if parts.settings.guard.page_proxy:
        yield Finding("note", "page_proxy is set: which addresses pages are read from is that proxy's business")
    if parts.settings.guard.allow_private:
        yield Finding("note", f"allow_private opens {', '.join(parts.settings.guard.allow_private)} to pages")


def providers(parts: "Parts") -> Iterator[Finding]:
    """Who will be asked, and what to know about them."""
    from seekread.errors import SeekreadError
    from seekread.provider import traits
    from seekread.providers.registry import Unready, at_hand

    try:
        chain = [at_hand(provider) for provider in parts.chain(())]
    except SeekreadError as error:
        yield Finding("problem", str(error))
        return
    yield Finding("ok" if chain else "problem", f"a search asks {' → '.join(p.name for p in chain) or 'nobody'}")
    for provider in chain:
        if isinstance(provider, Unready):
            mark: Mark = "note" if provider.name in parts.registry.foreign_names() else "problem"
            yield Finding(mark, str(provider.error))
        elif caveat := traits(provider).caveat:
            yield Finding("note", f"{provider.name} is {caveat}")
    if chain and not any(promises(provider) for provider in chain):
        yield Finding("note", "for production add a provider with a promise: Tavily, Brave, or a SearXNG of your own")


def promises(provider: "SearchProvider") -> bool:
    """Whether somebody stands behind a search of the web with this provider."""
    from seekread.provider import traits
    from seekread.providers.registry import Unready

    about = traits(provider)
    return not isinstance(provider, Unready) and about.scope == "web" and not about.caveat


def extras(parts: "Parts") -> Iterator[Finding]:
    """Optional packages and programs."""
    missing = [name for name, module in EXTRAS.items() if importlib.util.find_spec(module) is None]
    if missing:
        yield Finding("note", f"not installed: seekread[{','.join(missing)}]")
    if "browser" not in missing and not parts.registry.ready("browser"):
        yield Finding("note", "no Chromium was found: pages that need JavaScript cannot be read")


async def state(parts: "Parts") -> Finding:
    """Whether state can be kept."""
    from seekread.ports import StoreUnavailable

    try:
        entries, size = await parts.store.size()
        # Beside a file of a newer seekread values are kept in memory, but nothing is counted.
        await parts.store.counters("ledger/session/")
    except StoreUnavailable as error:
        return Finding("problem", f"state cannot be kept: {error}")
    return Finding("ok", f"state is kept: {entries} entries, {size / 1_000_000:.1f} MB")


def damaged(parts: "Parts") -> Iterator[Finding]:
    """What was damaged before."""
    for path in parts.damaged_state():
        yield Finding("note", f"a damaged state file was moved aside: {path}")


async def known_answers(parts: "Parts") -> list[Finding]:
    """Whether each provider of the chain finds what it must find."""
    from seekread.errors import SeekreadError
    from seekread.provider import traits
    from seekread.providers.registry import Unready, at_hand

    try:
        chain = [at_hand(provider) for provider in parts.chain(())]
    except SeekreadError:
        return []
    able = [provider for provider in chain if not isinstance(provider, Unready)]
    asked = [provider for provider in able if traits(provider).known_answers]
    charged = [provider.name for provider in asked if traits(provider).plans]
    cost = f"charged like a search by {', '.join(charged)}" if charged else "nobody charges for it"
    names = ", ".join(provider.name for provider in asked) or "nobody"
    say(f"asking {names} a question with a known answer; {cost} …")
    unasked = [provider.name for provider in able if provider not in asked]
    findings = [Finding("note", f"{name} declares no question with a known answer") for name in unasked]
    return findings + [await found_what_it_must(parts, provider) for provider in asked]


async def found_what_it_must(parts: "Parts", provider: "SearchProvider") -> Finding:
    """Ask one provider its known questions, past the cache and past the operator's lists of domains."""
    from seekread.errors import SeekreadError
    from seekread.options import Query
    from seekread.provider import traits
    from seekread.searching.known import is_answered

    usual = parts.searching
    searching = replace(
        usual,
        policy=replace(usual.policy, allowed_domains=(), blocked_domains=()),
        asker=replace(usual.asker, known=None),
    )
    for known in traits(provider).known_answers:
        try:
            response = await searching.search(Query(text=known.question), [provider], max_age=0)
        except SeekreadError as error:
            return Finding("problem", f"{provider.name} could not answer: {tell(error)}")
        if not is_answered(known, response.results):
            missing = f"a page of {known.site}" if known.site else "any page"
            return Finding("problem", f"{provider.name} did not find {missing} for {known.question!r}: is it blocked?")
    return Finding("ok", f"{provider.name} finds what it must find")
