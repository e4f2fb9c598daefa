"""What the simulators of all services share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from seekread.provider import Blocked, ProviderError, SecretStr
from seekread.testing.server import Answer, Fault, LoopbackServer, Received


@dataclass(frozen=True)
class Refusal:
    """A way of its own in which a service says no, and the error that must come of it."""

    fault: Fault
    error: type[ProviderError]


ROW_FAULTS: Mapping[str, type[ProviderError] | None] = dict.fromkeys((
    "rows are a number", "rows are text", "rows are an object", "null instead of rows", "rows of numbers",
    "rows of nulls", "rows without fields",
))  # fmt: skip
"""Faults in the rows of JSON, for services that speak something else and bring faults of their own."""


NO_KEY_TO_REJECT: Mapping[str, type[ProviderError] | None] = dict.fromkeys(("status 401", "status 403"), Blocked)
"""What refusals of a key mean to those who sent none."""


class Simulator(LoopbackServer):
    """One service's API on loopback: subclasses check a request as the service does and answer in its words."""

    name: ClassVar[str]
    prefix: ClassVar[str] = ""
    url_variable: ClassVar[str]
    key_variable: ClassVar[str | None] = None
    refusals: ClassVar[Mapping[str, Refusal]] = {}
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {}
    """Where this service differs from `provider_contract.FAULTS`; `None` where its contract makes an answer of it."""
    read_expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {}
    """The same for reading a page."""
    modes: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Other ways to use the service, each with the settings of the provider that choose it."""
    believable: ClassVar[bool] = True
    """Whether an empty answer of this service means that nothing was found."""

    def __init__(self, *, port: int = 0, key: str | None = None) -> None:
        super().__init__(self.reply, port=port)
        self.key = key or f"simulated-{self.name}-key"

    def reply(self, received: Received) -> Answer:
        """Answer one request as the service would."""
        raise NotImplementedError

    def refused(self, name: str) -> Answer:
        """One of its refusals, as an answer."""
        return self.refusals[name].fault.applied(Answer())

    @property
    def base_url(self) -> str:
        """What the provider's `base_url` must be."""
        return self.url + self.prefix

    def settings(self) -> dict[str, Any]:
        """The arguments that point a provider here."""
        keyed = {"api_key": SecretStr(self.key)} if self.key_variable else {}
        return {"base_url": self.base_url, **keyed}

    def environment(self) -> dict[str, str]:
        """The environment that points a program here."""
        keyed = {self.key_variable: self.key} if self.key_variable else {}
        return {self.url_variable: self.base_url, **keyed}
