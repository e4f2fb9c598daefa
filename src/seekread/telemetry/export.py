"""Send spans and metrics over OTLP/HTTP, to where the settings say."""

import os
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler, TraceIdRatioBased

from seekread.config.telemetry import Destination, Exporting
from seekread.telemetry.spans import OpenTelemetry
from seekread.version import VERSION

COMPRESSION = {
    "none": Compression.NoCompression,
    "gzip": Compression.Gzip,
    "deflate": Compression.Deflate,
}


def application_watches() -> bool:
    """Whether the application around us has set up OpenTelemetry for its whole process."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def opened(wanted: Exporting, *, shows_text: Callable[[str], str] | None = None) -> OpenTelemetry:
    """Spans and metrics that go where the application's go, or where the settings say."""
    if application_watches():
        return OpenTelemetry(trace.get_tracer_provider(), metrics.get_meter_provider(), shows_text=shows_text)
    resource = described(wanted)
    # It is closed with the engine. Nothing waits for a collector when the interpreter ends.
    tracers = TracerProvider(sampler(wanted), resource, shutdown_on_exit=False)
    if wanted.traces:
        spans = OTLPSpanExporter(**arguments(wanted.traces))
        tracers.add_span_processor(
            BatchSpanProcessor(spans, schedule_delay_millis=max(1.0, wanted.span_seconds * 1000))
        )
    readers = []
    if wanted.metrics:
        numbers = OTLPMetricExporter(**arguments(wanted.metrics))
        readers.append(
            PeriodicExportingMetricReader(
                numbers,
                export_interval_millis=wanted.metric_seconds * 1000,
                export_timeout_millis=wanted.metrics.seconds * 1000,
            )
        )
    meters = MeterProvider(readers, resource, shutdown_on_exit=False)
    return OpenTelemetry(tracers, meters, shows_text=shows_text, close=partial(ended, tracers, meters))


def ended(tracers: TracerProvider, meters: MeterProvider) -> None:
    tracers.shutdown()
    meters.shutdown()


def described(wanted: Exporting) -> Resource:
    """Who it is that tells."""
    return Resource(
        {
            "service.version": VERSION,
            # Several processes answer as one service; their numbers are added up by whoever keeps them apart.
            "service.instance.id": str(uuid.uuid4()),
            "process.pid": os.getpid(),
            **wanted.resource,
            "service.name": wanted.service,
        }
    )


def arguments(to: Destination) -> dict[str, Any]:
    """A destination in the words of the exporters."""
    return {
        "endpoint": to.url,
        "headers": {name: value.get_secret_value() for name, value in to.headers.items()},
        "timeout": to.seconds,
        "compression": COMPRESSION[to.compression],
        "certificate_file": to.certificate,
        "client_certificate_file": to.client_certificate,
        "client_key_file": to.client_key,
    }


def sampler(wanted: Exporting) -> Sampler:
    """Which traces are kept."""
    name = wanted.sampler.removeprefix("parentbased_")
    root = {"always_on": ALWAYS_ON, "always_off": ALWAYS_OFF}.get(name) or TraceIdRatioBased(wanted.share)
    return ParentBased(root) if wanted.sampler.startswith("parentbased_") else root
