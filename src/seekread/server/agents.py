"""The service with nothing but the agents' protocol, behind one token: `seekread mcp` on an address."""

from dataclasses import field, replace
from typing import ClassVar

from seekread.compose import Parts
from seekread.late import dataclass
from seekread.mcp.server import HttpRoutes, HttpTransport
from seekread.server.app import Service
from seekread.server.run import Recipe
from seekread.server.sessions import current
from seekread.server.tokens import Tokens, check_length
from seekread.toolkit.answer import Budget


@dataclass(frozen=True)
class AgentsRecipe(Recipe):
    """
    How to make it.

    token: what clients have to send; without one, whoever reaches it may use it
    transports: `/mcp`, `/sse` or both
    tool_prefix: goes before every tool's name
    max_tokens: estimated tokens of one result, unless a call asks for more
    """

    before_opening: ClassVar[str] = "set SEEKREAD_MCP_TOKEN to a long random text, or listen on 127.0.0.1"

    token: str | None = field(default=None, repr=False)
    transports: tuple[HttpTransport, ...] = ("http", "sse")
    tool_prefix: str = ""
    max_tokens: int = Budget.usual

    def service(self, parts: Parts) -> Service:
        """
        The service over an engine.

        Who has the one token is one session, so the pages it has read may be listed; people of an identity provider
        are many.
        """
        options = replace(self.options, require_token=self.options.require_token or self.token is not None)
        protocol = HttpRoutes(
            current,
            transports=self.transports,
            tool_prefix=self.tool_prefix,
            max_tokens=self.max_tokens,
            list_pages=lambda: not parts.settings.auth.auth_issuer,
        )
        return Service(parts, self.tokens(), options, protocol=protocol)

    def tokens(self) -> Tokens:
        """The one token; those of `seekread token` open another door."""
        return Tokens(None, () if self.token is None else (self.token,))

    def check(self) -> None:
        """Refuse wrong settings, a token that could be guessed, and to open the door to anybody."""
        if self.token is not None:
            check_length(self.token, "the token")
        super().check()
