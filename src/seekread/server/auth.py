"""
Who is asking: a token where the dialect's clients put their key, a person who signed in, or nobody on loopback.

A bearer token is taken everywhere, the console's session in the console only. A body is read for a key only where a
dialect has it there, only when no header carried a valid one, and only as one of the few strangers who may send one at
a time.
"""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from seekread.server.access import is_below
from seekread.server.identity import NotValid, TokenIssuer
from seekread.server.keys import BearerKey, KeyPlace
from seekread.server.problems import Rejected, rejected
from seekread.server.signins import SignIns
from seekread.server.tokens import PREFIX, Token, Tokens
from seekread.server.visit import HttpVisit, Senders

EVERYWHERE: tuple[KeyPlace, ...] = (BearerKey(),)
WITHOUT_TOKEN = frozenset({"/healthz"})
"""What answers anybody, wherever the service is bound."""


class Authentication:
    """Decides who is asking. Where a token is required, nothing else but `/healthz` answers."""

    def __init__(
        self,
        tokens: Tokens,
        strangers: Senders,
        *,
        required: bool,
        public: frozenset[str] = frozenset(),
        signins: SignIns | None = None,
        for_programs: Sequence[str] = (),
        identity: TokenIssuer | None = None,
    ) -> None:
        self.tokens = tokens
        self._signins = signins
        self._for_programs = for_programs
        self.required = required
        self._strangers = strangers
        self._identity = identity
        self._public = WITHOUT_TOKEN | public | (identity.public if identity else frozenset())

    async def admit(self, visit: HttpVisit, further: Sequence[KeyPlace] = ()) -> Token | None:
        """
        The token of a request, or `None` for nobody in particular.

        Raises when a token is missing or wrong.
        further: where else the clients of this address put their key
        """
        places = (*EVERYWHERE, *further)
        headers = Headers(scope=visit.scope)
        sent = [key for place in places if (key := place.of_headers(headers))]
        if token := self._known(sent):
            return token
        identity = self._identity if self._identity and self._identity.serves(visit.scope["path"]) else None
        judged = await identity.judge(sent) if identity and sent else None
        if isinstance(judged, Token):
            return judged
        if token := await self._signed_in(visit.scope):
            return token
        if visit.scope["path"] in self._public:
            return None
        if any(place.in_body for place in places) and visit.scope["method"] == "POST":
            body = await visit.body(self._strangers)
            sent += [key for place in places if (key := place.of_body(body))]
            if token := self._known(sent):
                return token
        # An application that only changed its base URL still sends the key of the service it used before.
        if self.required or any(text.startswith(PREFIX) for text in sent):
            raise unauthorized(places, self.tokens.advice, wrong=bool(sent), identity=identity, judged=judged)
        return None

    async def _signed_in(self, scope: Scope) -> Token | None:
        """Whose session it is, in the console."""
        if self._signins is None or is_below(scope["path"], self._for_programs):
            return None
        return await self._signins.token(scope)

    def _known(self, sent: Sequence[str]) -> Token | None:
        return next((token for text in sent if (token := self.tokens.find(text))), None)


def unauthorized(
    places: Sequence[KeyPlace],
    advice: str,
    *,
    wrong: bool,
    identity: TokenIssuer | None = None,
    judged: NotValid | None = None,
) -> Rejected:
    """How to knock. `identity` gives tokens for this address, `judged` is what was found about what was sent."""
    schemes = [place.challenge for place in places if place.challenge]
    error = "invalid_token" if wrong else ""
    if identity:
        schemes[0] += f", {identity.challenge(error, judged.why if judged else '')}"
        advice = f"{identity.issuer} gives one, and {advice}"
    elif error:
        schemes[0] += f', error="{error}"'
    detail = "This token is not valid (any more)." if wrong else "A token is needed."
    if judged:
        detail = f"This token is not valid: {judged.why}."
    how = " or ".join(place.hint for place in places if place.hint)
    return rejected(
        401,
        "unauthorized",
        f"{detail} Send {how}; {advice}.",
        www_authenticate=", ".join(schemes),
    )
