"""
Where spans and metrics go: the standard `OTEL_*` variables, read here and nowhere else.

Names, defaults and units are those of the OpenTelemetry specification; times are milliseconds.
"""

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from seekread.config.sources import from_environment
from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.secret import SecretStr

OtlpSignal = Literal["traces", "metrics"]
USUAL_ENDPOINT = "http://localhost:4318"
COMPRESSIONS = ("none", "gzip", "deflate")
SAMPLERS = (
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
)


@dataclass(frozen=True)
class Destination:
    """Where one signal is sent, and how."""

    url: str
    headers: Mapping[str, SecretStr] = field(default_factory=dict)
    seconds: float = 10.0
    compression: str = "none"
    certificate: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None


@dataclass(frozen=True)
class Exporting:
    """What is exported; a signal without a destination is not."""

    traces: Destination | None
    metrics: Destination | None
    service: str = "seekread"
    resource: Mapping[str, str] = field(default_factory=dict)
    sampler: str = "parentbased_always_on"
    share: float = 1.0
    """The part of all traces that samplers of a ratio keep."""
    span_seconds: float = 5.0
    metric_seconds: float = 60.0

    @property
    def secrets(self) -> frozenset[str]:
        """What opens the door of the collector: each header's value, and it without its scheme."""
        sent = (value for to in (self.traces, self.metrics) if to for value in to.headers.values())
        texts = [value.get_secret_value() for value in sent]
        return frozenset({*texts, *(text.rpartition(" ")[2] for text in texts)})


def exporting(environ: Mapping[str, str]) -> Exporting:
    """What the environment says."""
    named = variables(environ)
    if named.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return Exporting(None, None)
    resource = pairs("OTEL_RESOURCE_ATTRIBUTES", named.get("OTEL_RESOURCE_ATTRIBUTES", ""))
    sampler = named.get("OTEL_TRACES_SAMPLER", "parentbased_always_on").lower()
    return Exporting(
        traces=destination(named, "traces"),
        metrics=destination(named, "metrics"),
        service=named.get("OTEL_SERVICE_NAME") or resource.pop("service.name", "seekread"),
        resource=resource,
        sampler=one_of("OTEL_TRACES_SAMPLER", sampler, SAMPLERS),
        share=number(named, "OTEL_TRACES_SAMPLER_ARG", 1.0, most=1.0),
        span_seconds=number(named, "OTEL_BSP_SCHEDULE_DELAY", 5000.0) / 1000,
        metric_seconds=number(named, "OTEL_METRIC_EXPORT_INTERVAL", 60_000.0, least=1.0) / 1000,
    )


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of OpenTelemetry that say something; each may stand in a file, as `NAME_FILE` names it."""
    names = {name.removesuffix("_FILE") for name in environ if name.startswith("OTEL_")}
    found = {name: from_environment(environ, (name,)) for name in sorted(names)}
    return {name: str(origin.value).strip() for name, origin in found.items() if origin}


def destination(named: Mapping[str, str], signal: OtlpSignal) -> Destination | None:
    """Where a signal goes; what is said of it alone counts more than what is said of all."""
    exporter = one_of(f"OTEL_{signal.upper()}_EXPORTER", named.get(f"OTEL_{signal.upper()}_EXPORTER", "otlp"))
    if exporter == "none":
        return None

    def said(name: str) -> tuple[str, str]:
        own, all_of_them = f"OTEL_EXPORTER_OTLP_{signal.upper()}_{name}", f"OTEL_EXPORTER_OTLP_{name}"
        chosen = own if own in named else all_of_them
        return chosen, named.get(chosen, "")

    where, url = said("ENDPOINT")
    if not where.endswith(f"_{signal.upper()}_ENDPOINT"):
        # Only the address for everything is one that others are made of.
        url = f"{(url or USUAL_ENDPOINT).rstrip('/')}/v1/{signal}"
    if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
        raise Misconfigured(f"{where} must be an address that begins with http:// or https://")
    spoken, protocol = said("PROTOCOL")
    one_of(spoken, protocol or "http/protobuf", ("http/protobuf",))
    packed, compression = said("COMPRESSION")
    opened, headers = said("HEADERS")
    timed, _ = said("TIMEOUT")
    return Destination(
        url=url,
        headers={name.lower(): SecretStr(value) for name, value in pairs(opened, headers).items()},
        seconds=number(named, timed, 10_000.0, least=1.0) / 1000,
        compression=one_of(packed, compression.lower() or "none", COMPRESSIONS),
        certificate=said("CERTIFICATE")[1] or None,
        client_certificate=said("CLIENT_CERTIFICATE")[1] or None,
        client_key=said("CLIENT_KEY")[1] or None,
    )


def pairs(variable: str, text: str) -> dict[str, str]:
    """Names with values, as in `a=1,b=two%20words`. A wrong one is not repeated: it may be a key."""
    found: dict[str, str] = {}
    for number_, part in enumerate(filter(None, map(str.strip, text.split(","))), start=1):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise Misconfigured(f"{variable} must be pairs such as name=value,other=value; number {number_} is none")
        found[unquote(name.strip())] = unquote(value.strip())
    return found


def one_of(variable: str, value: str, known: tuple[str, ...] = ("otlp", "none")) -> str:
    """A word that is known, or a sentence that names those that are."""
    if value not in known:
        raise Misconfigured(f"{variable} must be {' or '.join(known)} here, not {value!r}")
    return value


def number(named: Mapping[str, str], variable: str, usual: float, *, least: float = 0.0, most: Any = math.inf) -> float:
    """A number within its bounds."""
    text = named.get(variable, "")
    try:
        value = float(text) if text else usual
    except ValueError:
        value = math.nan
    if not least <= value <= most or math.isinf(value):
        raise Misconfigured(f"{variable} must be a number that makes sense, not {text!r}")
    return value
