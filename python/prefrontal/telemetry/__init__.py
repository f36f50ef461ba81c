"""What the live gate does, told to the outside: spans, metrics, a Prometheus page, JSON log lines.

The names are loaded at first use; OpenTelemetry is imported by `observe` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .json_log import JsonLogFormatter
    from .logged_wakes import log_wakes
    from .metrics_server import MetricsDoor, MetricsServer
    from .observation import Observation, observe
    from .prometheus import prometheus_text
    from .woken_agent import WokenAgent

_HOMES = {
    "JsonLogFormatter": ".json_log",
    "MetricsDoor": ".metrics_server",
    "MetricsServer": ".metrics_server",
    "Observation": ".observation",
    "WokenAgent": ".woken_agent",
    "log_wakes": ".logged_wakes",
    "observe": ".observation",
    "prometheus_text": ".prometheus",
}

__all__ = [
    "JsonLogFormatter",
    "MetricsDoor",
    "MetricsServer",
    "Observation",
    "WokenAgent",
    "log_wakes",
    "observe",
    "prometheus_text",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
