"""Spans and metrics for whoever watches: the only package that knows OpenTelemetry (the extra `otel`)."""
