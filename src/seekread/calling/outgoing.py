"""What may leave: neither a query nor an address carries a key out."""

from dataclasses import dataclass, field
from urllib.parse import unquote

from seekread.errors import Refused
from seekread.redact import KEY_SHAPES, Secrets

LONGEST = 20_000
"""Characters that are scanned. Longer texts are refused: an unscanned end could carry anything."""


@dataclass(frozen=True)
class Outgoing:
    """Looks at every text before it is sent. `secrets` are the configured keys."""

    secrets: Secrets = field(default_factory=Secrets)
    scan: bool = True

    def check(self, text: str, what: str) -> None:
        """Refuse text that holds a configured secret or something with the shape of a key, however it is encoded."""
        if not self.scan:
            return
        if len(text) > LONGEST:
            raise Refused("too_long", f"the {what} is longer than {LONGEST:,} characters and was not sent")
        once = unquote(text)
        readings = {text, once, unquote(once)}
        if any(form in reading for reading in map(str.casefold, readings) for form in self.secrets.forms()):
            raise Refused("secret_in_" + what, f"the {what} contains a configured secret and was not sent")
        if any(map(KEY_SHAPES.search, readings)):
            raise Refused(
                "key_shape_in_" + what,
                f"the {what} contains something that looks like a key and was not sent; "
                "set scan_outgoing = false under [policy] if that is intended",
            )
