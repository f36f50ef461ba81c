"""The keys below `routing`: defaults, borders, and how a slip is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from prefrontal.errors import InputError
from prefrontal.settings import load_settings, parse_settings
from prefrontal.settings.routing import Ranker, Routing, Weights

WHOLE = """\
routing:
  workflows_root: tools
  log_dir: journal
  tmp_dirname: _draft
  retention_days: 14
  log: {retention_days: 30}
  tmp: {retention_days: 3}
  model: {provider: command, name: writer, temperature: 0.3, command: write --module}
  embeddings_enabled: true
  embedder: "my_words:embed"
  parser: {threshold: 0.7}
  ranker:
    threshold: 0.65
    weights: {name: 0.5, doc: 0.3, history: 0.2}
    calibration: {slope: 9, cold: 0.3, learned: 0.4}
    compose_margin: 0.1
    harmless_first: false
  sandbox: {max_seconds: 10, max_mem_mb: 256, network: "on", level: landlock}
  validators: {ruff_s: 2, mypy_s: 9, import_s: 1, allow_missing: true}
  generator: {allowed_imports: [yaml], allow_writes: true}
  cache_enabled: false
  rag_enabled: true
"""


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFRONTAL_ROUTING", raising=False)


def read(folder: Path, text: str) -> Routing:
    path = folder / "prefrontal.yml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path).routing


def refusal(raw: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        parse_settings({"routing": raw})
    return str(caught.value)


def test_the_defaults_are_those_that_are_documented() -> None:
    plain = Routing()
    assert (plain.workflows_root, plain.log_dir, plain.tmp_dirname) == ("workflows", "logs", "_tmp")
    assert plain.retention_days == plain.log_days() == plain.tmp_days() == 7
    assert plain.ranker.threshold == 0.6
    assert plain.ranker.weights.model_dump() == {"name": 0.4, "doc": 0.4, "history": 0.2}
    assert (plain.ranker.compose_margin, plain.ranker.harmless_first) == (0.05, True)
    assert plain.parser.threshold == 0.55
    box = plain.sandbox
    assert (box.max_seconds, box.max_mem_mb, box.network, box.level) == (30.0, 512, "off", "auto")
    checks = plain.validators
    assert (checks.ruff_s, checks.mypy_s, checks.import_s) == (5.0, 20.0, 3.0)
    assert not checks.allow_missing
    assert (plain.model.provider, plain.embeddings_enabled) == ("none", False)
    assert (plain.cache_enabled, plain.rag_enabled) == (True, False)
    assert (plain.generator.allowed_imports, plain.generator.allow_writes) == ((), False)


def test_every_key_can_be_set_in_the_file(tmp_path: Path) -> None:
    told = read(tmp_path, WHOLE)
    changed = {
        key for key, value in told.model_dump().items() if value != Routing().model_dump()[key]
    }
    assert changed == set(Routing.model_fields)
    assert told.ranker.weights.name == 0.5
    assert told.ranker.calibration.cold == 0.3
    assert (told.log_days(), told.tmp_days()) == (30, 3)
    assert told.sandbox.level == "landlock"
    assert told.generator.allowed_imports == ("yaml",)


def test_the_nested_days_take_the_outer_ones(tmp_path: Path) -> None:
    told = read(tmp_path, "routing: {retention_days: 3, tmp: {retention_days: 0}}\n")
    assert (told.log_days(), told.tmp_days()) == (3, 0)


def test_the_environment_stands_in_front_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_ROUTING", json.dumps({"rag_enabled": True}))
    assert read(tmp_path, "routing: {rag_enabled: false}\n").rag_enabled
    monkeypatch.delenv("PREFRONTAL_ROUTING")
    monkeypatch.setenv("PREFRONTAL_ROUTING__RANKER__THRESHOLD", "0.8")
    assert read(tmp_path, "routing: {ranker: {threshold: 0.7}}\n").ranker.threshold == 0.8


@given(st.integers(0, 100), st.integers(0, 100))
def test_weights_must_sum_to_one(name: int, doc: int) -> None:
    whole = {"name": name / 100, "doc": doc / 100}
    if name + doc <= 100:
        weights = Weights(**whole, history=(100 - name - doc) / 100)
        assert abs(weights.name + weights.doc + weights.history - 1) < 1e-9
    for history in (0.005, 0.995):
        with pytest.raises(ValidationError):
            Weights(**whole, history=history)


SLIPS: dict[str, tuple[Mapping[str, Any], str]] = {
    "weights": ({"ranker": {"weights": {"name": 0.9}}}, "ranker.weights must sum to 1"),
    "threshold": ({"ranker": {"threshold": 1.01}}, "ranker.threshold must"),
    "below 0": ({"ranker": {"threshold": -0.01}}, "ranker.threshold must"),
    "not a number": ({"ranker": {"threshold": float("nan")}}, "ranker.threshold must"),
    "confidence": ({"parser": {"threshold": 2}}, "parser.threshold must"),
    "days": ({"retention_days": -1}, "retention_days must"),
    "half a day": ({"tmp": {"retention_days": 0.5}}, "tmp.retention_days must"),
    "megabytes": ({"sandbox": {"max_mem_mb": 0}}, "sandbox.max_mem_mb must"),
    "seconds": ({"sandbox": {"max_seconds": 0}}, "sandbox.max_seconds must"),
    "network": ({"sandbox": {"network": "maybe"}}, "sandbox.network must"),
    "level": ({"sandbox": {"level": "firejail"}}, "sandbox.level must"),
    "provider": ({"model": {"provider": "openai"}}, "model.provider must"),
    "command": ({"model": {"provider": "command"}}, "model must have a command"),
    "unknown": ({"treshold": 0.6}, "routing must have only known keys, got 'treshold'"),
    "unknown below": (
        {"ranker": {"tau": 0.6}},
        "routing.ranker must have only known keys, got 'tau'",
    ),
    "temperature": ({"model": {"temperature": "hot"}}, "model.temperature must"),
    "switch": ({"cache_enabled": "perhaps"}, "cache_enabled must"),
    "imports": ({"generator": {"allowed_imports": [1]}}, "generator.allowed_imports"),
    "empty root": ({"workflows_root": ""}, "workflows_root must"),
    "calibration": ({"ranker": {"calibration": {"slope": 0}}}, "calibration.slope must"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_by_its_key(slip: str) -> None:
    raw, said = SLIPS[slip]
    sentence = refusal(raw)
    assert said in sentence, sentence
    assert "\n" not in sentence
    assert "got" in sentence


@pytest.mark.parametrize("threshold", [0.0, 0.6, 1.0])
def test_a_threshold_may_lie_on_either_border(threshold: float) -> None:
    assert Ranker(threshold=threshold).threshold == threshold


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError):
        Routing().rag_enabled = True
