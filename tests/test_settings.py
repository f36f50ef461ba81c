"""prefrontal.yml: what is read, what stands in front of it, and how a slip is told."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.policy import PolicySettings
from prefrontal.settings import Policy, Settings, load_settings, parse_settings
from prefrontal.storage.state_folder import default_state

FULL = """\
modules: [modules/invoices.json]
sources:
  directories: [~/Downloads]
  network: [{url: "https://example.org/news", every_s: 60}]
policy: {cooldown_s: 5, quiet_hours: [22, 6], overlap: skip}
sinks:
  - exec: notify-send Prefrontal
  - post: https://example.org/wake
    headers: {Authorization: Bearer abc}
recall: 0.9
state: state
"""


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PREFRONTAL_STATE", "PREFRONTAL_RECALL", "PREFRONTAL_THRESHOLD"):
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, text: str) -> Path:
    path = folder / "prefrontal.yml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(raw: object) -> str:
    with pytest.raises(InputError) as caught:
        parse_settings(raw)
    return str(caught.value)


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, FULL))
    assert settings.modules == ("modules/invoices.json",)
    assert settings.sources.network[0].every_s == 60.0
    assert settings.policy.quiet_hours == (22, 6)
    assert settings.sinks[0].exec == "notify-send Prefrontal"
    assert settings.sinks[1].headers == {"Authorization": "Bearer abc"}
    assert settings.recall == 0.9


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n", "{}"])
def test_an_empty_file_gives_the_defaults(tmp_path: Path, text: str) -> None:
    settings = load_settings(written(tmp_path, text))
    assert settings.model_dump() == Settings().model_dump()
    assert settings.audit_share == 0.02


def test_the_policy_has_the_names_and_defaults_of_the_gate() -> None:
    assert Policy().model_dump() == asdict(PolicySettings())


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    monkeypatch.setenv("HOME", "/home/somebody")
    settings = load_settings(written(tmp_path, FULL))
    assert settings.state_folder() == tmp_path / "state"
    assert settings.path("modules/a.json") == tmp_path / "modules/a.json"
    assert settings.path("~/Downloads") == Path("/home/somebody/Downloads")


def test_the_state_is_where_the_system_keeps_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("XDG_STATE_HOME", "/var/tmp/state")
    assert Settings().state_folder() == Path("/var/tmp/state/prefrontal")
    monkeypatch.setenv("XDG_STATE_HOME", "relative paths are to be ignored")
    assert default_state() == Path("/home/somebody/.local/state/prefrontal")


def test_the_command_line_comes_before_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "audit_share: 0.1\nseed: 1\npolicy: {burst: 3, key_ttl_s: 9}\n")
    monkeypatch.setenv("PREFRONTAL_SEED", "2")
    monkeypatch.setenv("PREFRONTAL_POLICY__BURST", "4")
    settings = load_settings(path, {"seed": 3})
    assert (settings.audit_share, settings.seed) == (0.1, 3)
    assert (settings.policy.burst, settings.policy.key_ttl_s) == (4, 9.0)


def test_the_other_variables_of_the_package_are_no_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ISA", "TRACEBACK", "QUESTION", "MODULE", "ID", "LOCATION", "SCORE"):
        monkeypatch.setenv(f"PREFRONTAL_{name}", "x")
    assert parse_settings(None) is not None


def test_a_recall_given_to_load_takes_the_place_of_a_threshold(tmp_path: Path) -> None:
    path = written(tmp_path, "threshold: 0.3\n")
    settings = load_settings(path, {"recall": 0.9, "threshold": None})
    assert (settings.threshold, settings.recall) == (None, 0.9)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (
            {"polcy": {}},
            "settings must have only known keys, got 'polcy' .did you mean 'policy'.*; known are ",
        ),
        ({"policy": {"cooldwn_s": 1}}, "policy must .*'cooldwn_s' .did you mean 'cooldown_s'"),
        (
            {"sources": {"network": [{"ulr": "x", "url": "y"}]}},
            r"sources.network\[0\] must .*'ulr'",
        ),
        ({"sources": {"network": [{}]}}, r"sources.network\[0\] must have the key url"),
        ({"sources": {"git": "."}}, "sources.git must be a list, got '.'"),
        ({"sources": {"git": [" "]}}, r"sources.git\[0\] must be a non-blank string, got ' '"),
        ({"policy": 3}, "policy must be a mapping, got 3"),
        ({"policy": {"cooldown_s": True}}, "policy.cooldown_s must be a number.*got True"),
        ({"policy": {"cooldown_s": -1}}, "policy.cooldown_s must be .*at least 0, got -1"),
        ({"policy": {"quiet_hours": [22]}}, "policy.quiet_hours must be a list of two .*22"),
        ({"policy": {"quiet_hours": [True, 3]}}, "policy.quiet_hours must be a list of two"),
        ({"policy": {"overlap": "q"}}, "policy.overlap must be one of 'skip', 'queue' or 'para"),
        ({"threshold": float("nan")}, "threshold must be a number in 0..1, got nan"),
        ({"threshold": 1.5}, "threshold must be a number in 0..1, got 1.5"),
        ({"recall": 0}, "recall must be a number above 0 and at most 1, got 0"),
        ({"recall": 0.9, "threshold": 0.5}, "settings must have a threshold or a recall, not"),
        (
            {"sinks": [{}]},
            r"sinks\[0\] must have exactly one of exec, post, lines, openclaw, got {}",
        ),
        ({"sinks": [{"exec": "a", "lines": "b"}]}, r"sinks\[0\] must have exactly one of"),
        ({"sinks": [{"post": "a", "headers": {"b": 1}}]}, r"sinks\[0\].headers.b must be a non"),
        ({"sinks": [{"exec": "a", "secret_env": "S"}]}, r"sinks\[0\] must have a secret_env only"),
        ({"modules": [3]}, r"modules\[0\] must be a fingerprint or the path of one, got 3"),
        ({"log_refusals": "perhaps"}, "log_refusals must be true or false, got 'perhaps'"),
        ({1: 2}, "settings must have only known keys, got 1; known are"),
        ({"seed": 10**5000}, "seed must be a whole number, got int too long to show"),
        (["a"], r"settings must be a mapping, got \['a'\]"),
    ],
)
def test_a_slip_is_told_with_field_rule_and_value(raw: object, sentence: str) -> None:
    assert re.match(sentence, refusal(raw)), refusal(raw)


def test_the_environment_is_told_of_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_THRESHOLD", "high")
    assert refusal({}) == "threshold must be a number in 0..1, got 'high'"
    monkeypatch.delenv("PREFRONTAL_THRESHOLD")
    monkeypatch.setenv("PREFRONTAL_POLICY", "{broken")
    assert 'field "policy"' in refusal({})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("policy: [", r"must be YAML, got: .* \(line 1, column 10\)"),
        ("seed: 1\nseed: 2\n", r"must be YAML, got: the key 'seed' stands twice \(line 2\)"),
        ("policy:\n  burst: 2\n  burst: 3\n", "the key 'burst' stands twice"),
        ("a: !!python/object/apply:os.system [ls]\n", "must be YAML, got: could not determine"),
        ("a: &a [*a]\n", "settings must have only known keys"),
        ("state: 2024-01-01\n", "state must be a non-blank string, got datetime.date"),
        ("[" * 5000, "must be nested less deep"),
        ("seed: \x07\n", "must be YAML, got: unacceptable character"),
        ("threshold: 9\n", "threshold must be a number in 0..1, got 9"),
    ],
)
def test_a_broken_file_is_told_by_name(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=sentence) as caught:
        load_settings(path)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_no_text_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="x.yml must be text in UTF-8"):
        load_settings(path)
    path.write_bytes(b"# " + b"x" * (1 << 20))
    with pytest.raises(InputError, match="x.yml must have at most 1048576 bytes"):
        load_settings(path)


@pytest.mark.parametrize("name", ["missing.yml", ".", "with\0null"])
def test_a_file_that_cannot_be_read_is_told_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        load_settings(tmp_path / name)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(scalars, inner, max_size=3),
    max_leaves=6,
)


def nearly(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """A mapping with some of these keys, right or wrong."""
    return st.fixed_dictionaries({}, optional=fields) | values


sinks = nearly(
    dict.fromkeys(("exec", "post", "lines", "openclaw", "headers", "timeout_s", "durable"), values)
)
documents = nearly(
    {
        **dict.fromkeys(Settings.model_fields, values),
        "policy": nearly(dict.fromkeys(Policy.model_fields, values)),
        "sinks": st.lists(sinks, max_size=2),
        "sources": nearly({"network": st.lists(values), "git": values, "socket": values}),
    }
)


@given(documents)
def test_any_document_is_read_or_refused_by_a_field_that_it_names(raw: object) -> None:
    try:
        settings = parse_settings(raw)
    except InputError as error:
        field = str(error).partition(" must ")[0]
        assert re.split(r"[.\[]", field)[0] in {"settings", *Settings.model_fields}, error
        return
    again = settings.model_dump()
    assert parse_settings(again).model_dump() == again


def test_the_settings_of_the_guide_are_good(tmp_path: Path) -> None:
    guide = (Path(__file__).parent.parent / "docs" / "pulse.md").read_text(encoding="utf-8")
    shown = guide.partition("## prefrontal.yml")[2].partition("```yaml\n")[2].partition("```")[0]
    settings = load_settings(written(tmp_path, shown))
    assert settings.sources.git == ("~/src/project",)
    assert settings.policy.overlap == "queue"
    assert len(settings.sinks) == 4
    assert settings.sources.mcp[0].command == ("tickets-mcp",)
