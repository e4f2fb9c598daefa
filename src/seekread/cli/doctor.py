"""
`seekread doctor`: what is set up, what is missing, and what to know about it.

Nobody outside this machine is asked, unless `--live` allows it.
"""

import importlib.metadata
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal

import click

from seekread.cli.terminal import say, say_folded
from seekread.late import dataclass
from seekread.render.failure import tell

if TYPE_CHECKING:
    from seekread.compose import Parts
    from seekread.ports import Clock, Sender
    from seekread.provider import Reply, Request, SearchProvider

Mark = Literal["ok", "note", "problem"]
SIGNS: dict[Mark, str] = {"ok": "✓", "note": "·", "problem": "✗"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    mark: Mark
    text: str
    hint: str = ""
    """What to do about it."""


@click.command()
@click.option("--live", is_flag=True, help="Also ask the network, and each provider a known question; this may cost.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def doctor(ctx: click.Context, live: bool, as_json: bool) -> None:
    """Check the settings, the providers, the state and the optional parts of this installation."""
    import anyio

    from seekread.cli.cache import opened
    from seekread.errors import SeekreadError

    try:
        findings = anyio.run(examine, opened(ctx.obj), live, not as_json)
    except SeekreadError as error:
        findings = [Finding("problem", str(error))]
        if not as_json:
            show(findings[0])
    if as_json:
        say(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    ctx.exit(1 if any(finding.mark == "problem" for finding in findings) else 0)


async def examine(parts: "Parts", live: bool, aloud: bool) -> list[Finding]:
    """Everything that was found; said at once where somebody waits for it."""
    findings: list[Finding] = []

    def found(more: Iterable[Finding]) -> None:
        for finding in more:
            findings.append(finding)
            if aloud:
                show(finding)

    try:
        found([*settings(parts), *variables(parts), *certificates(parts), *providers(parts), *extras(parts)])
        found([await state(parts), *damaged(parts), *await plans(parts)])
        if live:
            found(await names(parts))
            found(await known_answers(parts, aloud))
    finally:
        await parts.close()
    return findings


def show(finding: Finding) -> None:
    say_folded(f"{SIGNS[finding.mark]} {finding.text}")
    if finding.hint:
        say_folded(f"  → {finding.hint}")


def variables(parts: "Parts") -> Iterator[Finding]:
    """Variables that nobody reads."""
    from seekread.config.misspelt import misspelt_variables

    for name, meant in misspelt_variables(parts.configuration.environ).items():
        yield Finding("problem", f"the variable {name} is read by nobody", f"did you mean {meant}?" if meant else "")


def certificates(parts: "Parts") -> Iterator[Finding]:
    """Whether the certificates to trust can be read, and what else stands between us and services."""
    from seekread.errors import SeekreadError

    try:
        _ = parts.client.context
    except SeekreadError as error:
        yield Finding("problem", str(error), f"it comes from the {parts.configuration.origins['ca_file']}")
    proxy = parts.settings.services.service_proxy
    if proxy or any(parts.configuration.proxies.values()):
        yield Finding("note", f"services are asked through a proxy ({'service_proxy' if proxy else 'environment'})")


async def plans(parts: "Parts") -> list[Finding]:
    """What is left of plans."""
    from seekread.ports import StoreUnavailable

    try:
        rows = [row for row in await parts.ledger.usage() if row.remaining is not None and row.limit]
    except StoreUnavailable:
        return []
    return [
        Finding(
            "problem" if row.remaining <= 0 else "note",
            f"{row.provider}: {row.remaining:.10g} of {row.limit:.10g} {row.plan.unit} are left",
            f"it resets on {row.resets_on}" if row.resets_on and row.remaining <= 0 else "",
        )
        for row in rows
        if row.remaining is not None
    ]


async def names(parts: "Parts") -> list[Finding]:
    """Whether the names of services are looked up honestly; behind a proxy that is the proxy's business."""
    from seekread.http.lookups import troubled_names

    hosts = service_hosts(parts)
    if not hosts or parts.settings.services.service_proxy or any(parts.configuration.proxies.values()):
        return []
    troubles = await troubled_names(parts.guard, hosts)
    wrong = [Finding("problem", trouble.text, trouble.remedy) for trouble in troubles]
    return wrong or [Finding("ok", f"names are looked up as they should be ({', '.join(hosts)})")]


def service_hosts(parts: "Parts") -> list[str]:
    """The names of the hosts that a search asks, as far as settings tell."""
    from urllib.parse import urlsplit

    from seekread.providers.registry import at_hand

    values = [value for provider in parts.chain(()) for value in vars(at_hand(provider)).values()]
    urls = [value for value in values if isinstance(value, str) and value.startswith("https://")]
    found = dict.fromkeys(urlsplit(url).hostname or "" for url in urls)
    return [host for host in found if any(letter.isalpha() for letter in host) and ":" not in host]


SKEW = 120
"""Seconds that a clock may differ from those of services."""


@dataclass
class Listening:
    """Sends as usual, and compares the clock of whoever answers with our own."""

    sender: "Sender"
    clock: "Clock"
    off: float = 0.0
    """Seconds by which our clock is fast; slow is negative."""

    async def send(self, request: "Request", *, seconds: float) -> "Reply":
        reply = await self.sender.send(request, seconds=seconds)
        with suppress(ValueError, TypeError, IndexError):
            self.off = self.clock.time() - parsedate_to_datetime(reply.headers.get("date", "")).timestamp()
        return reply

    def findings(self) -> list[Finding]:
        if abs(self.off) <= SKEW:
            return []
        way = "fast" if self.off > 0 else "slow"
        return [Finding("problem", f"the clock of this machine is {abs(self.off) / 60:.0f} minutes {way}", "set it")]


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
    yield from unasked(parts)
    for provider in chain:
        if isinstance(provider, Unready):
            mark: Mark = "note" if provider.name in parts.registry.foreign_names() else "problem"
            yield Finding(mark, str(provider.error))
        elif caveat := traits(provider).caveat:
            yield Finding("note", f"{provider.name} is {caveat}")
    if chain and not any(promises(provider) for provider in chain):
        yield Finding("note", "for production add a provider with a promise: Tavily, Brave, or a SearXNG of your own")


def unasked(parts: "Parts") -> Iterator[Finding]:
    """Who was set up and is not asked, because an engine of one's own is asked alone unless somebody says otherwise."""
    from seekread.providers.catalog import OPEN, SEARCH_ORDER

    services = parts.settings.search
    if services.providers or services.fallback:
        return
    asked = [provider.name for provider in parts.chain(())]
    ready = [provider.name for provider in parts.registry.ready_searchers(SEARCH_ORDER)]
    if idle := [name for name in ready if name not in {*asked, *OPEN}]:
        text = f"{', '.join(idle)}: set up, and not asked, because {' and '.join(asked)} of your own is asked alone"
        yield Finding("note", text, f"to ask where that fails: seekread config set search.fallback {' '.join(idle)}")


def promises(provider: "SearchProvider") -> bool:
    """Whether somebody stands behind a search of the web with this provider."""
    from seekread.provider import traits
    from seekread.providers.registry import Unready

    about = traits(provider)
    return not isinstance(provider, Unready) and about.scope == "web" and not about.caveat


def extras(parts: "Parts") -> Iterator[Finding]:
    """Optional packages and programs."""
    missing = missing_extras()
    if missing:
        yield Finding("note", f"not installed: seekread[{','.join(missing)}]")
    if "browser" not in missing and not parts.registry.ready("browser"):
        yield Finding("note", "no Chromium was found: pages that need JavaScript cannot be read")


REQUIREMENT = re.compile(r"(?P<package>[\w.-]+).*\bextra == ['\"](?P<extra>[\w-]+)['\"]")
"""A line of a package's metadata about what one of its extras needs."""


def missing_extras() -> list[str]:
    """The extras that `seekread[all]` stands for and that are not wholly installed, as our own metadata has them."""
    needs = dict[str, set[str]]()
    for found in filter(None, map(REQUIREMENT.match, importlib.metadata.requires("seekread") or ())):
        needs.setdefault(found["extra"], set()).add(found["package"])
    everything = needs.pop("all", set())
    return sorted(name for name, all_of in needs.items() if all_of <= everything and not all(map(is_here, all_of)))


def is_here(package: str) -> bool:
    """Whether a package is installed."""
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


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


async def known_answers(parts: "Parts", aloud: bool) -> list[Finding]:
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
    if aloud:
        say_folded(f"asking {names} a question with a known answer; {cost} …")
    unasked = [provider.name for provider in able if provider not in asked]
    findings = [Finding("note", f"{name} declares no question with a known answer") for name in unasked]
    listening = Listening(parts.client, parts.clock)
    findings += [await found_what_it_must(parts, provider, listening) for provider in asked]
    return findings + listening.findings()


async def found_what_it_must(parts: "Parts", provider: "SearchProvider", sender: "Sender | None" = None) -> Finding:
    """Ask one provider its known questions."""
    from seekread.cli.diagnosis import origins
    from seekread.errors import AllFailed

    tried = await parts.probe(provider, sender)
    if tried.error is not None:
        attempts = tried.error.response.attempts if isinstance(tried.error, AllFailed) else ()
        hint = "; ".join(origins(parts.configuration, attempts))
        told = tell(tried.error).removeprefix(f"no provider could answer: {provider.name}: ")
        return Finding("problem", f"{provider.name} could not answer: {told}", hint)
    if tried.unfound:
        return Finding("problem", f"{provider.name} {tried.unfound}")
    return Finding("ok", f"{provider.name} finds what it must find")
