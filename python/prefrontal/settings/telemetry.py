"""The keys of prefrontal.yml below `telemetry`."""

from __future__ import annotations

from .rules import Port, SettingsGroup, Switch, Text


class Metrics(SettingsGroup):
    """The page that Prometheus reads: GET /metrics.

    host, port: 0 for any free port. token_env: the environment variable that holds what a request
    must carry as bearer token; needed unless host is this machine alone.
    """

    host: Text = "127.0.0.1"
    port: Port = 9464
    token_env: Text | None = None


class Telemetry(SettingsGroup):
    """What is told to the tools that watch an agent; all of it is off unless switched on.

    metrics: serve the page for Prometheus. json_logs: what stands on standard error is one JSON
    object a line, each wake among them. otel: make spans and metrics for the providers of
    OpenTelemetry that were set up where the process was started. questions: put questions into
    spans and log lines, which shows paths and texts to whoever reads them.
    """

    metrics: Metrics | None = None
    json_logs: Switch = False
    otel: Switch = False
    questions: Switch = False
