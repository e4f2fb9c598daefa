"""
The egress guard: which URLs that a model chose may be fetched, and why not.

1. **parse** One strict parser (`target.parse`) refuses what two programs could read differently.
2. **domains** The operator's own lists, `allowed_domains` and `blocked_domains`.
3. **name** Names that mean this machine, this network or a metadata service.
4. **address** An address in the URL is judged by our own tables (`addresses`).
5. **port** Only ports on which the web is served.
6. **answers** The name is resolved once and every answer is judged; one bad answer rejects the name.

Steps 1 to 5 are `check`, which does no I/O. Step 6 is `vet`, which returns the addresses that may be dialled; whoever
connects dials one of exactly these (`pinned`, `proxy`). Every redirect hop goes through all six again (`hop`).

`allow_private` lifts steps 3 to 6 for one entry. An entry `host:port` is about that host and port in the URL. An entry
that is a network is about addresses in it, so for a name the decision waits until the answers are known, and they must
then all lie in such a network. Metadata services stay refused whatever is listed.

A refusal never names a resolved address: a page could otherwise use us to map the network behind us.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol
from urllib.parse import urljoin

from seekread.errors import Refused, Unreachable
from seekread.hostnames import matches_any, read_domains
from seekread.http import addresses, names
from seekread.http.addresses import contains
from seekread.http.policy import WEB_PORTS, GuardPolicy, read_allow_private, read_networks
from seekread.http.target import FORBIDDEN, SCHEME, Target, parse
from seekread.http.verdict import DECIDED_LATER, MAX_HOPS, GuardStep, Reached, Trail, Verdict

__all__ = [
    "MAX_HOPS",
    "WEB_PORTS",
    "Guard",
    "GuardPolicy",
    "GuardStep",
    "Resolver",
    "SystemResolver",
    "Target",
    "Verdict",
    "parse",
]

logger = logging.getLogger("seekread.http.guard")

PROXY_NOTE = (
    "An egress proxy is set for pages: names and ports are still checked here, "
    "but which addresses may be reached is now the proxy's job."
)

Judge = Callable[[str], str | None]
"""Says why an address is not public, or `None` when it is."""


class Resolver(Protocol):
    """Looks a name up."""

    async def resolve(self, host: str, port: int) -> list[str]:
        """Every address of a host; raise `Unreachable` when it cannot be looked up."""
        ...


class SystemResolver:
    """The resolver of the operating system, off the event loop."""

    async def resolve(self, host: str, port: int) -> list[str]:
        import socket

        import anyio

        try:
            # A name server may be slow on purpose; a lookup nobody waits for any more is abandoned.
            found = await anyio.to_thread.run_sync(
                lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), abandon_on_cancel=True
            )
        except (OSError, UnicodeError):
            raise Unreachable(f"The name {host} could not be looked up.") from None
        return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Guard:
    """Decides about URLs. `why_not_public` is there for tests that need a loopback address to play a public one."""

    def __init__(
        self,
        policy: GuardPolicy | None = None,
        resolver: Resolver | None = None,
        *,
        why_not_public: Judge = addresses.why_not_public,
    ) -> None:
        self.policy = policy or GuardPolicy()
        self.resolver: Resolver = resolver or SystemResolver()
        self._why_not_public = why_not_public
        self._endpoints, self._networks = read_allow_private(self.policy.allow_private)
        self._fake_ips = read_networks("fake_ip_ranges", self.policy.fake_ip_ranges)
        self._allowed_domains = read_domains("allowed_domains", self.policy.allowed_domains)
        self._blocked_domains = read_domains("blocked_domains", self.policy.blocked_domains)
        self._rules: Mapping[str, Callable[[Target], str]] = {
            "domains": self._check_domains,
            "name": self._check_name,
            "address": self._check_address,
            "port": self._check_port,
        }
        if self.policy.proxy:
            logger.warning(PROXY_NOTE)

    def check(self, url: str) -> Target:
        """Everything that can be said without asking a resolver: raise `Refused`, or return the target."""
        target = parse(url)
        self.check_target(target)
        return target

    def check_target(self, target: Target) -> None:
        """The same for a URL that was parsed already."""
        for rule in self._rules.values():
            rule(target)

    def hop(self, current: Target, location: str) -> Target:
        """Check where a redirect (or a meta refresh) leads, with everything that holds for a first URL."""
        return self.check(join(current, location))

    async def vet(self, target: Target) -> tuple[str, ...]:
        """
        Resolve once and judge every answer; return the addresses that may be dialled.

        With an egress proxy nothing is resolved here and the answer is empty.
        """
        self.check_target(target)
        if target.literal:
            return (target.host,)
        if self.policy.proxy:
            return ()
        return self.judge(target, await self.resolver.resolve(target.host, target.port))

    def judge(self, target: Target, answers: Iterable[str]) -> tuple[str, ...]:
        """Judge a resolver's answers for a target: all of them, or none."""
        found = tuple(dict.fromkeys(answers))
        if not found:
            raise Refused("no_answer", f"The name {target.host} has no address.")
        opened = {answer: self.lifted(target, answer) for answer in found}
        if any(addresses.is_metadata(answer) for answer in found):
            # Without an entry in allow_private the refusal looks like any other: which address it was is not told.
            raise metadata_refusal(target) if any(opened.values()) else self._private_answer(target)
        bad = [
            answer
            for answer in found
            if not opened[answer] and not contains(self._fake_ips, answer) and self._why_not_public(answer)
        ]
        if bad:
            raise self._bad_answer(target, bad)
        if not all(opened.values()):
            # The rules for name and port were put off because a network is listed; these answers are not in it.
            self._strictly_check_name(target)
            self._strictly_check_port(target)
        return found

    def lifted(self, target: Target, address: str) -> bool:
        """Whether `allow_private` opens this address for this target."""
        return self._listed(target) or contains(self._networks, address)

    async def explain(self, url: str, *, redirects: Sequence[str] = ()) -> Verdict:
        """Go through every step for a URL, and for the redirects it would answer with, and say how it ends."""
        trail = Trail()
        ended: tuple[Reached, str, str] = ("allowed", "", "")
        try:
            for hop, location in enumerate((url, *redirects)):
                trail.enter(hop)
                await self._explain_one(location if trail.target is None else join(trail.target, location), trail)
        except Refused as refused:
            ended = ("refused", refused.code, str(refused))
        except Unreachable as unreachable:
            ended = ("unresolved", "unresolved", str(unreachable))
        trail.stop(*ended)
        at = trail.target
        return Verdict(
            url,
            *ended,
            final_url=at.url if at else "",
            host=at.host if at else "",
            port=at.port if at else None,
            steps=tuple(trail.steps),
            notes=(PROXY_NOTE,) if self.policy.proxy else (),
        )

    async def _explain_one(self, url: str, trail: Trail) -> None:
        trail.begin("parse")
        trail.target = target = parse(url)
        trail.passed(f"{target.scheme}, host {target.host}, port {target.port}")
        for name, rule in self._rules.items():
            trail.begin(name)
            trail.passed(rule(target))
        trail.begin("answers")
        trail.passed(self._about_answers(target, await self.vet(target)))

    def _about_answers(self, target: Target, vetted: tuple[str, ...]) -> str:
        if target.literal:
            return "nothing to resolve"
        if not vetted:
            return "not resolved here: the egress proxy decides about addresses"
        if any(contains(self._fake_ips, answer) for answer in vetted):
            return "answered from a declared fake-IP range: the transparent proxy decides about addresses"
        if all(self.lifted(target, answer) for answer in vetted):
            return f"{len(vetted)} resolved, allowed by allow_private"
        return f"{len(vetted)} resolved, all public" if len(vetted) > 1 else "1 resolved, public"

    def _listed(self, target: Target) -> bool:
        return (target.host, target.port) in self._endpoints

    def _networks_decide(self, target: Target) -> bool:
        """Whether the answers of the resolver may still lift a rule for this name."""
        return bool(self._networks) and not target.literal and not self.policy.proxy

    def _check_domains(self, target: Target) -> str:
        if matches_any(target.host, self._blocked_domains):
            raise Refused(
                "domain_blocked",
                f"The operator blocks {target.host}. {setting('blocked_domains', 'decides', section='policy')}",
            )
        if self._allowed_domains and not matches_any(target.host, self._allowed_domains):
            raise Refused(
                "domain_not_allowed",
                f"The operator allows certain domains only, and {target.host} is not among them. "
                f"{setting('allowed_domains', 'decides', section='policy')}",
            )
        return "on the operator's list" if self._allowed_domains else "not blocked by the operator"

    def _check_name(self, target: Target) -> str:
        if target.literal:
            return "an address, not a name"
        if names.metadata_of(target.host):
            raise metadata_refusal(target)
        if self._listed(target):
            return "allowed by allow_private"
        if self._networks_decide(target) and names.why_local(target.host):
            return DECIDED_LATER
        return self._strictly_check_name(target)

    def _strictly_check_name(self, target: Target) -> str:
        if not target.literal and (why := names.why_local(target.host)):
            raise Refused(
                "private_name",
                f"The name {target.host} is not a public one: {why}. {allow_hint(target)}",
            )
        return "a public name"

    def _check_port(self, target: Target) -> str:
        if self._listed(target) or (target.literal and contains(self._networks, target.host)):
            return "allowed by allow_private"
        if self._networks_decide(target) and target.port not in self.policy.ports:
            return DECIDED_LATER
        return self._strictly_check_port(target)

    def _strictly_check_port(self, target: Target) -> str:
        if target.port not in self.policy.ports:
            raise Refused(
                "port_not_allowed",
                f"Port {target.port} is not one of those the web is served on. "
                f"{setting('allowed_ports', 'lists them')} {allow_hint(target)}",
            )
        return f"{target.port} is allowed"

    def _check_address(self, target: Target) -> str:
        if not target.literal:
            return "a name, resolved below"
        if addresses.is_metadata(target.host):
            raise metadata_refusal(target)
        if self.lifted(target, target.host):
            return "allowed by allow_private"
        if why := self._why_not_public(target.host):
            raise Refused(
                "private_address",
                f"The address in the URL is not on the public internet: {why}. {allow_hint(target)}",
            )
        return "public"

    def _bad_answer(self, target: Target, bad: Sequence[str]) -> Refused:
        fake = {addresses.fake_ip_range(answer) for answer in bad}
        if None in fake:
            return self._private_answer(target)
        ranges = ", ".join(sorted(f'"{block}"' for block in fake))
        return Refused(
            "fake_ip",
            f"The resolver of this machine answers for {target.host} from a range that transparent proxies (Clash, "
            f"sing-box, Surge and others) use for made-up addresses. If you run such a proxy, declare the range: "
            f"fake_ip_ranges = [{ranges}] under [guard], or SEEKREAD_FAKE_IP_RANGES.",
        )

    def _private_answer(self, target: Target) -> Refused:
        return Refused(
            "private_answer",
            f"The name {target.host} does not resolve to public addresses only. {allow_hint(target)}",
        )


def join(current: Target, location: str) -> str:
    """
    The absolute URL that a `Location` means.

    The reference is looked at before it is joined, so that joining cannot repair what `parse` would refuse.
    """
    reference = location.strip(" ")
    if FORBIDDEN.search(reference):
        raise Refused("bad_character", "The redirect contains a space, a backslash or a control character.")
    if SCHEME.match(reference):
        return reference
    if reference.startswith("//"):
        return f"{current.scheme}:{reference}"
    return urljoin(current.url, reference)


def setting(name: str, role: str, *, section: str = "guard") -> str:
    """A sentence that points to a setting."""
    return f"The setting {name} under [{section}] (SEEKREAD_{name.upper()}) {role}."


def allow_hint(target: Target) -> str:
    """A sentence with the entry that would allow this very host and port."""
    return f'To allow it, add "{target.endpoint}" to allow_private under [guard] (SEEKREAD_ALLOW_PRIVATE).'


def metadata_refusal(target: Target) -> Refused:
    """The refusal that no setting lifts."""
    return Refused(
        "metadata",
        f"{target.host} is, or leads to, a cloud metadata service, which hands out credentials. "
        "It stays refused: allow_private does not open it.",
    )
