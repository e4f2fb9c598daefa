"""`seekread doctor`: what is set up, what is missing, and what to know about it. Asks nobody outside this machine."""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

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
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check the settings, the providers, the state and the optional parts of this installation."""
    import anyio

    from seekread.cli.cache import opened

    parts = opened(ctx.obj)
    findings = [*settings(parts), *providers(parts), *extras(parts), *anyio.run(state, parts)]
    for finding in findings:
        click.echo(f"{SIGNS[finding.mark]} {finding.text}")
    ctx.exit(1 if any(finding.mark == "problem" for finding in findings) else 0)


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


async def state(parts: "Parts") -> list[Finding]:
    """Whether state can be kept, and what was damaged before."""
    from seekread.ports import StoreUnavailable

    try:
        entries, size = await parts.store.size()
        # Beside a file of a newer seekread values are kept in memory, but nothing is counted.
        await parts.store.counters("ledger/session/")
    except StoreUnavailable as error:
        kept = Finding("problem", f"state cannot be kept: {error}")
    else:
        kept = Finding("ok", f"state is kept: {entries} entries, {size / 1_000_000:.1f} MB")
    finally:
        await parts.close()
    damaged = parts.damaged_state()
    return [kept, *(Finding("note", f"a damaged state file was moved aside: {path}") for path in damaged)]
