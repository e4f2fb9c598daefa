"""Mojeek as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.004


def refusal(status: str) -> Fault:
    """A refusal as Mojeek sends it: with status 200."""
    return Fault(200, {"response": {"status": status}})


class MojeekSimulator(Simulator):
    """Results behind a key in the address."""

    name = "mojeek"
    url_variable = "SEEKREAD_MOJEEK_BASE_URL"
    key_variable = "MOJEEK_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal("ERROR: Invalid API Key"), Unauthorized),
        "day used up": Refusal(refusal("ERROR: Daily Limit Reached"), QuotaExhausted),
        "bad parameter": Refusal(refusal("ERROR: No Query"), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("api_key") != self.key:
            return self.refused("wrong key")
        days = all(re.fullmatch(r"\d{8}|day|month|year", params.get(name, "day")) for name in ("since", "before"))
        if received.path != "/search" or not params.get("q") or params.get("fmt") != "json" or not days:
            return self.refused("bad parameter")
        count, first = int(params.get("t", 10)), int(params.get("s", 1))
        found = hits(params["q"], count, page=(first - 1) // count + 1)
        head = {"query": params["q"], "results": len(found), "start": first, "return": len(found)}
        rows = [hit.row(url="url", title="title", desc="snippet") for hit in found]
        return Answer({"response": {"status": "OK", "head": head, "results": rows}}, price=PRICE)
