"""The standard variables of OpenTelemetry, as their specification has them."""

from pathlib import Path

import pytest

from seekread.compose import compose
from seekread.config.sources import load
from seekread.config.telemetry import exporting
from seekread.errors import Misconfigured

OTLP = "OTEL_EXPORTER_OTLP"


def test_without_a_word_both_signals_go_to_this_machine() -> None:
    wanted = exporting({})
    assert wanted.traces is not None
    assert wanted.metrics is not None
    assert (wanted.traces.url, wanted.metrics.url) == (
        "http://localhost:4318/v1/traces",
        "http://localhost:4318/v1/metrics",
    )
    assert (wanted.service, wanted.sampler, wanted.traces.seconds) == ("seekread", "parentbased_always_on", 10.0)


def test_what_is_said_of_one_signal_counts_more_than_what_is_said_of_both() -> None:
    wanted = exporting(
        {
            f"{OTLP}_ENDPOINT": "https://collector.example/otlp/",
            f"{OTLP}_TRACES_ENDPOINT": "http://other.example:9/here",
            f"{OTLP}_HEADERS": "Api-Key=one%20two, tenant = 7",
            f"{OTLP}_METRICS_HEADERS": "api-key=three",
            f"{OTLP}_TIMEOUT": "2500",
            f"{OTLP}_COMPRESSION": "gzip",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=live,service.name=ours",
            "OTEL_TRACES_SAMPLER": "traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": "0.25",
        }
    )
    traces, metrics = wanted.traces, wanted.metrics
    assert traces is not None
    assert metrics is not None
    assert (traces.url, metrics.url) == ("http://other.example:9/here", "https://collector.example/otlp/v1/metrics")
    assert {name: value.get_secret_value() for name, value in traces.headers.items()} == {
        "api-key": "one two",
        "tenant": "7",
    }
    assert {name: value.get_secret_value() for name, value in metrics.headers.items()} == {"api-key": "three"}
    assert (traces.seconds, traces.compression) == (2.5, "gzip")
    assert (wanted.service, wanted.resource) == ("ours", {"deployment.environment.name": "live"})
    assert (wanted.sampler, wanted.share) == ("traceidratio", 0.25)
    assert "one two" not in repr(wanted)


def test_a_signal_can_be_left_out_and_all_of_it_switched_off() -> None:
    assert exporting({"OTEL_METRICS_EXPORTER": "none"}).metrics is None
    off = exporting({"OTEL_SDK_DISABLED": "true", f"{OTLP}_ENDPOINT": "nonsense"})
    assert (off.traces, off.metrics) == (None, None)


def test_headers_may_stand_in_a_file_and_are_known_as_secrets(tmp_path: Path) -> None:
    secret = tmp_path / "headers"
    secret.write_text("authorization=Bearer%20collector-key-4711\n")
    parts = compose(load({"telemetry": True}, environ={f"{OTLP}_HEADERS_FILE": str(secret)}))
    assert {"collector-key-4711", "Bearer collector-key-4711"} <= parts.secrets.keys()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (f"{OTLP}_ENDPOINT", "collector:4317"),
        (f"{OTLP}_TRACES_ENDPOINT", "grpc://collector"),
        (f"{OTLP}_PROTOCOL", "grpc"),
        (f"{OTLP}_COMPRESSION", "brotli"),
        (f"{OTLP}_HEADERS", "sesame-open"),
        (f"{OTLP}_TIMEOUT", "ten"),
        ("OTEL_TRACES_SAMPLER", "sometimes"),
        ("OTEL_TRACES_SAMPLER_ARG", "1.5"),
        ("OTEL_METRICS_EXPORTER", "prometheus"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "0"),
    ],
)
def test_what_makes_no_sense_is_named_and_no_header_is_repeated(name: str, value: str) -> None:
    with pytest.raises(Misconfigured, match=name) as caught:
        exporting({name: value})
    assert "sesame" not in str(caught.value)
