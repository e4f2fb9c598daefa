"""A collector that takes spans and metrics over OTLP/HTTP, as a real one would, and remembers them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from seekread.testing.server import Answer, LoopbackServer, Received


@dataclass(frozen=True)
class SeenSpan:
    """A span as it arrived."""

    name: str
    trace: str
    id: str
    parent: str
    kind: int
    facts: dict[str, Any]
    failed: bool
    service: str
    seconds: float


class Collector(LoopbackServer):
    """Takes everything."""

    def __init__(self) -> None:
        super().__init__(lambda _received: Answer(b"", content_type="application/x-protobuf"))

    def environment(self, **more: str) -> dict[str, str]:
        """The variables that lead here."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, **more}

    def bodies(self, path: str) -> Iterator[bytes]:
        for received in list(self.received):
            if received.path == path:
                yield unpacked(received)

    @property
    def everything(self) -> bytes:
        """All that arrived in bodies, to be searched."""
        return b"".join(map(unpacked, self.received))

    @property
    def spans(self) -> list[SeenSpan]:
        """Every span, in the order in which they ended."""
        return [
            SeenSpan(
                name=span.name,
                trace=span.trace_id.hex(),
                id=span.span_id.hex(),
                parent=span.parent_span_id.hex(),
                kind=span.kind,
                facts=facts(span.attributes),
                failed=span.status.code == span.status.STATUS_CODE_ERROR,
                service=facts(of_resource.resource.attributes)["service.name"],
                seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
            )
            for body in self.bodies("/v1/traces")
            for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]

    def span(self, name: str) -> SeenSpan:
        """The only span of this name."""
        found = [span for span in self.spans if span.name == name]
        assert len(found) == 1, [span.name for span in self.spans]
        return found[0]

    def counts(self, metric: str) -> dict[str, int]:
        """How often each set of facts was counted, by the last that was told."""
        return {
            json.dumps(facts(point.attributes), sort_keys=True): point.count
            for body in self.bodies("/v1/metrics")
            for of_resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for of_scope in of_resource.scope_metrics
            for told in of_scope.metrics
            if told.name == metric
            for point in told.histogram.data_points
        }


def facts(attributes: Any) -> dict[str, Any]:
    """Attributes as plain values."""
    return {pair.key: plain(pair) for pair in attributes}


def plain(pair: KeyValue) -> Any:
    kind = pair.value.WhichOneof("value")
    return getattr(pair.value, kind) if kind else None


def unpacked(received: Received) -> bytes:
    packed = received.headers.get("content-encoding") == "gzip"
    return gzip.decompress(received.body) if packed else received.body
