"""What `watch` and `run` tell to the tools that watch an agent: a page, spans, JSON log lines."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import click

from ...decisions.document import mention
from ...errors import InputError, SourceError
from ...plain_text import visible
from ...redaction import redact
from ...settings.secrets import environment_secret

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...pulse.shells.watch import Watch
    from ...settings.telemetry import Metrics, Telemetry
    from ...telemetry import MetricsServer

NEEDS_OTEL = "telemetry.otel needs OpenTelemetry: pip install 'prefrontal[otel]'"
NO_PROVIDER = (
    "telemetry.otel is on, but no provider of OpenTelemetry was set up;"
    " start with `opentelemetry-instrument prefrontal ...`"
)
_PACKAGE = "prefrontal"
_log = logging.getLogger("prefrontal.cli")


class Say(Protocol):
    """Tells people, or programs, one sentence; `decision` is what it is about."""

    def __call__(self, sentence: str, decision: Decision | None = None) -> None: ...


def say(sentence: str, decision: Decision | None = None) -> None:
    """On standard error, where it is in nobody's way; nobody there is no trouble."""
    with suppress(OSError, ValueError):
        click.echo(sentence, err=True)


@contextmanager
def telling(registry: Watch, settings: Telemetry) -> Iterator[Say]:
    """While inside, what the settings ask for is told; the answer says sentences in their form.

    What the package logs as a warning or worse goes to standard error: as sentences, or, with
    json_logs, as one JSON object a line, and then so do wakes and what is said. Raises InputError
    for a part that cannot be had, SourceError where the page cannot listen; nothing stays then.
    """
    with ExitStack() as held:
        speak: Say = say
        if settings.json_logs:
            speak = _in_json(registry, settings.questions, held)
        else:
            _attach(_Lines(logging.WARNING), held)
        if settings.otel:
            _observe(registry, settings.questions, held)
        if settings.metrics is not None:
            server = held.enter_context(metrics_page(registry, settings.metrics))
            speak(where_figures_are(server))
        yield speak


def place(text: str) -> dict[str, Any]:
    """Host and port of "[HOST:]PORT", as `telemetry.metrics` has them. Raises InputError."""
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit()) or (colon and not host):
        raise InputError(f"--metrics must be a port, or a host, a colon and a port, got {text!r}")
    place_settings: dict[str, Any] = {"port": int(port)}
    return (
        place_settings | {"host": host.removeprefix("[").removesuffix("]")}
        if host
        else place_settings
    )


def where_figures_are(server: MetricsServer) -> str:
    """A sentence."""
    return f"Figures are at {server.door.address(server.port)}/metrics."


def metrics_page(registry: Watch | Callable[[], str], metrics: Metrics) -> MetricsServer:
    """The page of the settings. registry: as of `MetricsServer`. Raises InputError."""
    from ...telemetry import MetricsDoor, MetricsServer

    token = environment_secret("telemetry.metrics.token_env", metrics.token_env) or ""
    try:
        door = MetricsDoor(metrics.host, metrics.port, token)
    except InputError as error:
        raise InputError(f"telemetry.metrics: {error}") from None
    return MetricsServer(registry, door)


def _observe(registry: Watch, questions: bool, held: ExitStack) -> None:
    try:
        from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider
    except ImportError:
        raise SourceError(NEEDS_OTEL) from None
    from ...telemetry import observe

    if isinstance(get_tracer_provider(), ProxyTracerProvider):
        _log.warning(NO_PROVIDER)
    held.enter_context(observe(registry, questions=questions))


def _in_json(registry: Watch, questions: bool, held: ExitStack) -> Say:
    from ...telemetry import JsonLogFormatter, log_wakes

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLogFormatter())
    logger = logging.getLogger(_PACKAGE)
    held.callback(logger.setLevel, logger.level)
    logger.setLevel(logging.INFO)
    _attach(handler, held)
    held.callback(log_wakes(registry, questions=questions))
    return _log_sentence


def _log_sentence(sentence: str, decision: Decision | None = None) -> None:
    """One record a line; what is said of a decision is said because something failed."""
    if decision is None:
        for line in sentence.splitlines():
            _log.info("%s", line)
        return
    _log.warning("%s", sentence, extra={"decision": mention(decision)})


def _attach(handler: logging.Handler, held: ExitStack) -> None:
    logger = logging.getLogger(_PACKAGE)
    logger.addHandler(handler)
    held.callback(logger.removeHandler, handler)


class _Lines(logging.Handler):
    """A sentence for people."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error else ""
        text = visible(redact(record.getMessage() + cause), 1000)
        say(f"{record.levelname.capitalize()}: {text}")
