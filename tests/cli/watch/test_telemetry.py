"""What a watch tells to the tools that watch an agent: a page, JSON log lines, spans."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from prefrontal.cli import main
from prefrontal.cli.watch.telemetry import NO_PROVIDER, place, telling
from prefrontal.compat.registry import PulseRegistry
from prefrontal.errors import InputError, SourceError
from prefrontal.settings import load_settings, parse_settings
from prefrontal.settings.telemetry import Telemetry
from prefrontal.types import SignalEvent

from ..running import Running, watching


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def figures(line: str) -> str:
    """The page whose address stands in the line."""
    address = next(word for word in line.split() if word.startswith("http://"))
    with urlopen(address.rstrip("."), timeout=20) as answer:
        return str(answer.read().decode())


def gate() -> PulseRegistry:
    """A gate of one module, which wakes for everything."""
    registry = PulseRegistry(audit_share=0.0, threshold=0.0)
    asks = {"question_template": "Is {location} one?", "default_threshold": 0.0}
    about = {"module_id": "all", "cluster": "a", "version": "1", "signal_priors": {}}
    registry.register_module("all", about | asks)
    return registry


def run(registry: PulseRegistry) -> None:
    registry.start()
    registry.push(SignalEvent("log", "/var/log/app.log", "line", 1.0, 0.0, {"text": "full"}))
    assert registry.stop(20.0)


def told_by(telemetry: Telemetry, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The JSON lines of a gate that woke once, and had a handler that failed."""
    registry = gate()

    def broken(_: object) -> None:
        raise RuntimeError("no")

    registry.on_escalation(broken)
    with telling(registry, telemetry) as say:
        say("It begins.\nIt is ready.")
        run(registry)
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.exhaustive
def test_a_watch_serves_its_figures_where_it_was_told_to(tmp_path: Path, inbox: Path) -> None:
    running = Running(inbox, "--state", tmp_path / "state", "--metrics", "127.0.0.1:0")
    try:
        begun = running.until("Ctrl-C stops")
        (inbox / "a.txt").write_text("x")
        assert "a.txt was created" in running.line()
        page = figures(begun[0])
        code, _, _ = running.end()
    finally:
        running.close()
    assert "prefrontal_wakes_total 1" in page.splitlines()
    assert code == 130


@pytest.mark.exhaustive
def test_with_json_logs_standard_error_is_one_object_a_line(tmp_path: Path, inbox: Path) -> None:
    words = ("--log-format", "json", "--exec", "sh -c 'exit 3'")
    with watching(inbox, "--state", tmp_path / "state", *words) as running:
        (inbox / "a.txt").write_text("x")
        woken = running.line()
        errors = running.until("failed for")
        code, _, rest = running.end()
    told = [json.loads(line) for line in (*errors, *rest)]
    woke, failed, ended, threshold = told
    assert woke["message"] == "inbox: woke"
    assert (woke["decision"]["subject"], woke["decision"]["reason"]) == ("inbox", "woke")
    assert woke["decision"]["id"].startswith(woken.split()[3])
    assert failed["level"] == "warning"
    assert failed["decision"] == woke["decision"]
    assert ended["message"] == "Stopped: 1 event, 1 wake, 0 slept, 0 audits."
    assert threshold["message"].startswith("inbox: wakes on everything until 9 relevant answers")
    assert "question" not in woke
    assert code == 130


def test_a_handler_that_fails_is_told_with_its_decision(capsys: pytest.CaptureFixture[str]) -> None:
    told = told_by(Telemetry(json_logs=True), capsys)
    assert [each["message"] for each in told[:2]] == ["It begins.", "It is ready."]
    [error] = [each for each in told if each["level"] == "error"]
    [woke] = [each for each in told if each["message"] == "all: woke"]
    assert error["error"] == "RuntimeError"
    assert (error["decision"]["subject"], error["decision"]["reason"]) == ("all", "woke")
    assert error["decision"]["id"] == woke["decision"]["id"]


def test_sentences_for_people_hold_no_secrets_either(capsys: pytest.CaptureFixture[str]) -> None:
    registry = gate()

    def refuse(_: object) -> None:
        raise PermissionError("Incorrect API key provided: sk-abcdef0123456789")

    registry.on_escalation(refuse)
    with telling(registry, Telemetry()):
        run(registry)
    said = capsys.readouterr().err
    assert "PermissionError: Incorrect API key provided: [redacted]" in said
    assert "sk-abcdef0123456789" not in said


def _wakes(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each["decision"] for each in lines if each["logger"] == "prefrontal.wakes"]


def test_questions_are_told_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    plain, *_ = _wakes(told_by(Telemetry(json_logs=True), capsys))
    whole, *_ = _wakes(told_by(Telemetry(json_logs=True, questions=True), capsys))
    assert "question" not in plain
    assert whole["question"] == "Is /var/log/app.log one?"


def test_afterwards_nothing_is_attached_any_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("prefrontal")
    monkeypatch.setattr(logger, "level", logging.ERROR)
    before = (list(logger.handlers), logger.level)
    registry = gate()
    with telling(registry, Telemetry(json_logs=True)):
        assert len(logger.handlers) == len(before[0]) + 1
    run(registry)
    assert (logger.handlers, logger.level) == before
    assert capsys.readouterr().err == ""


def test_each_wake_is_a_span_for_the_provider_that_was_set_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    registry = gate()
    with telling(registry, Telemetry(otel=True)):
        run(registry)
    run(registry)
    assert [each.name for each in kept.get_finished_spans()] == ["wake all"]
    assert capsys.readouterr().err == ""


def test_spans_without_anybody_to_take_them_are_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "get_tracer_provider", trace.ProxyTracerProvider)
    with telling(gate(), Telemetry(otel=True)):
        pass
    assert capsys.readouterr().err == f"Warning: {NO_PROVIDER}\n"


def test_without_opentelemetry_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with (
        pytest.raises(SourceError, match=r"needs OpenTelemetry: pip install 'prefrontal\[otel\]'"),
        telling(gate(), Telemetry(otel=True)),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("9464", {"port": 9464}),
        ("10.1.2.3:80", {"host": "10.1.2.3", "port": 80}),
        ("[::1]:0", {"host": "::1", "port": 0}),
    ],
)
def test_a_place_is_a_port_or_a_host_and_a_port(text: str, told: dict[str, Any]) -> None:
    assert place(text) == told


@pytest.mark.parametrize("text", ["", "here", ":80", "host:", "host:-1"])
def test_another_place_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="^--metrics must be a port"):
        place(text)


def test_the_command_line_stands_in_front_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    path.write_text("telemetry: {metrics: {port: 9000, token_env: T}, json_logs: true}")
    told = {"telemetry": {"metrics": {"port": 9001}, "json_logs": False}}
    found = load_settings(path, told).telemetry
    assert found.metrics is not None
    assert (found.metrics.port, found.metrics.token_env, found.json_logs) == (9001, "T", False)


def test_nothing_is_told_unless_it_was_asked_for() -> None:
    assert parse_settings({}).telemetry == Telemetry()
    assert parse_settings({"telemetry": {"metrics": {}}}).telemetry.metrics is not None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--metrics", "nowhere"], "--metrics must be a port"),
        (["--metrics", "99999"], "telemetry.metrics.port must be a whole number in 0..65535"),
        (["--metrics", "0.0.0.0:9464"], "telemetry.metrics: token must be set unless"),
    ],
)
def test_a_slip_is_one_sentence_and_nothing_was_started(
    tmp_path: Path, inbox: Path, words: list[str], sentence: str
) -> None:
    told = ["watch", str(inbox), "--state", str(tmp_path / "state"), *words]
    for _ in range(2):  # the state folder is free again
        result = CliRunner().invoke(main, told)
        assert result.exit_code == 2, result.output
        assert sentence in result.stderr
