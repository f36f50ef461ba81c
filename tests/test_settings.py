"""prefrontal.yml: what is read, what stands in front of it, and how a slip is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError, SourceError
from prefrontal.settings import (
    GateSettings,
    PolicySettings,
    Settings,
    load_settings,
    parse_settings,
)
from prefrontal.settings.state_place import state_path
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
    assert settings.gate.policy.quiet_hours == (22, 6)
    assert settings.sinks[0].exec == "notify-send Prefrontal"
    assert settings.sinks[1].headers == {"Authorization": "Bearer abc"}
    assert settings.gate.recall == 0.9


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n", "{}"])
def test_an_empty_file_gives_the_defaults(tmp_path: Path, text: str) -> None:
    settings = load_settings(written(tmp_path, text))
    assert settings.model_dump() == Settings().model_dump()
    assert settings.gate.audit_share == 0.02


NAMED = {"settings", *Settings.model_fields, *GateSettings.model_fields}
KEYS_OF_THE_GATE: dict[str, Any] = {
    "threshold": 0.3,
    "audit_share": 0.1,
    "policy": {"cooldown_s": 60.0, "quiet_hours": (22, 6)},
    "scorer": "lstm",
    "seed": 3,
    "log_refusals": True,
    "slept_mb": 8.0,
}


def test_the_keys_of_the_gate_may_stand_at_the_top() -> None:
    below, top = parse_settings({"gate": KEYS_OF_THE_GATE}), parse_settings(KEYS_OF_THE_GATE)
    mixed = {"gate": {"threshold": 0.3}, **KEYS_OF_THE_GATE}
    del mixed["threshold"]
    assert below.gate == top.gate == parse_settings(mixed).gate
    assert below.gate == GateSettings(**KEYS_OF_THE_GATE)
    assert below.gate.policy == PolicySettings(cooldown_s=60.0, quiet_hours=(22, 6))


@pytest.mark.parametrize("key", sorted(GateSettings.model_fields))
def test_a_key_of_the_gate_in_both_places_is_refused(key: str) -> None:
    value = ({"recall": 0.9} | KEYS_OF_THE_GATE)[key]
    sentence = refusal({key: value, "gate": {key: value}})
    assert sentence == f"settings must have {key} once, got it as {key} and as gate.{key}"


def test_a_key_is_named_as_it_was_written() -> None:
    rule = "recall must be a number above 0 and at most 1, got 2"
    assert refusal({"recall": 2}) == rule
    assert refusal({"gate": {"recall": 2}}) == f"gate.{rule}"
    assert refusal({"gate": {"seed": 1}, "recall": 2}) == rule


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("sources.http.max_bytes", "a whole number in 64..16777216"),
        ("gate.seed", "a whole number between -2^63 and 2^63"),
    ],
)
def test_a_number_that_is_too_large_is_told_by_its_key_and_bounds(key: str, rule: str) -> None:
    document: object = 10**30
    for part in reversed(key.split(".")):
        document = {part: document}
    assert refusal(document) == f"{key} must be {rule}, got {10**30}"


@pytest.mark.parametrize("value", [1, "x", [], True])
def test_a_gate_that_is_no_mapping_is_told(value: object) -> None:
    assert refusal({"gate": value}) == f"gate must be a mapping, got {value!r}"


def test_variables_reach_the_gate_by_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_GATE__POLICY__BURST", "4")
    monkeypatch.setenv("PREFRONTAL_RECALL", "0.8")
    gate = parse_settings({"recall": 0.9, "policy": {"burst": 3, "group_s": 5}}).gate
    assert (gate.recall, gate.policy.burst, gate.policy.group_s) == (0.8, 4, 5.0)
    monkeypatch.setenv("PREFRONTAL_GATE__RECALL", "0.7")
    assert refusal({}).startswith("settings must have recall once")


def test_the_paths_of_a_file_are_the_same_from_wherever_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text("state: state\nsources: {logs: [app.log]}\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    settings = load_settings("../prefrontal.yml")
    assert settings.state_folder() == state_path(None, "../prefrontal.yml") == tmp_path / "state"
    assert settings.path("app.log") == tmp_path / "app.log"


def test_who_decides_the_threshold() -> None:
    assert GateSettings(threshold=0.2).recall_of(None) is None is GateSettings().recall_of(0.5)
    assert (
        GateSettings(recall=0.8).recall_of(0.5) == 0.8 == GateSettings(recall=0.8).recall_of(None)
    )
    assert GateSettings().recall_of(None) == 0.9


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
    assert (settings.gate.audit_share, settings.gate.seed) == (0.1, 3)
    assert (settings.gate.policy.burst, settings.gate.policy.key_ttl_s) == (4, 9.0)


def test_the_other_variables_of_the_package_are_no_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ISA", "TRACEBACK", "QUESTION", "MODULE", "ID", "LOCATION", "SCORE"):
        monkeypatch.setenv(f"PREFRONTAL_{name}", "x")
    assert parse_settings(None) is not None


def test_a_recall_given_to_load_takes_the_place_of_a_threshold(tmp_path: Path) -> None:
    path = written(tmp_path, "threshold: 0.3\n")
    settings = load_settings(path, {"recall": 0.9, "threshold": None})
    assert (settings.gate.threshold, settings.gate.recall) == (None, 0.9)


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
        ({"policy": {"cooldown_s": float("inf")}}, "policy.cooldown_s must be .* 0, got inf"),
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
        ({"seed": 10**5000}, r"seed must be .* -2\^63 and 2\^63, got int too long to show"),
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
        ("policy: [", r"must be YAML \(.* \(line 2, column 1\)"),
        ("seed: 1\nseed: 2\n", r"must be YAML \(the key 'seed' stands twice \(line 2\)"),
        ("policy:\n  burst: 2\n  burst: 3\n", "the key 'burst' stands twice"),
        ("a: !!python/object/apply:os.system [ls]\n", r"must be YAML \(could not determine"),
        ("a: &a [*a]\n", "must hold no alias in what it repeats"),
        ("state: 2024-01-01\n", "state must be a non-blank string, got datetime.date"),
        ("[" * 5000, "must be nested at most 64 deep"),
        ("seed: \x07\n", r"must be YAML \(unacceptable character"),
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
        **dict.fromkeys({**Settings.model_fields, **GateSettings.model_fields}, values),
        "policy": nearly(dict.fromkeys(PolicySettings.model_fields, values)),
        "gate": nearly(dict.fromkeys(GateSettings.model_fields, values)),
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
        assert re.split(r"[.\[]", field)[0] in NAMED, error
        return
    again = settings.model_dump()
    assert parse_settings(again).model_dump() == again


def test_the_settings_of_the_guide_are_good(tmp_path: Path) -> None:
    guide = (Path(__file__).parent.parent / "docs" / "pulse.md").read_text(encoding="utf-8")
    shown = guide.partition("## prefrontal.yml")[2].partition("```yaml\n")[2].partition("```")[0]
    settings = load_settings(written(tmp_path, shown))
    assert settings.sources.git == ("~/src/project",)
    assert settings.gate.policy.overlap == "queue"
    assert len(settings.sinks) == 4
    assert settings.sources.mcp[0].command == ("tickets-mcp",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("recall: 7", ", line 1: recall must be a number"),
        ("gate:\n  policy:\n    # why\n    cooldwn_s: 3", ", line 4: gate.policy must have only"),
        ("sinks:\n- exec: a\n- post: x\n  headers: 5", ", line 4: sinks[1].headers must be a"),
        ("sources:\n  mail:\n  - {host: a}", ", line 3: sources.mail[0] must have the key user"),
        ("seed: 1\nsources: [a]", ", line 2: sources must be a mapping"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_line(
    text: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(f"{file}{sentence}")):
        load_settings(file)


@pytest.mark.parametrize("key", ["STATE", "RECALL", "GATE__RECALL", "POLICY__BURST", "SOURCES"])
def test_an_empty_variable_sets_nothing(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(f"PREFRONTAL_{key}", "")
    given = {"state": "kept", "recall": 0.8, "policy": {"burst": 4}, "sources": {"git": ["x"]}}
    settings = parse_settings(given)
    assert (settings.state, settings.gate.recall) == ("kept", 0.8)
    assert (settings.gate.policy.burst, settings.sources.git) == (4, ("x",))


def test_what_is_wrong_in_the_environment_blames_no_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text("recall: 0.8")
    monkeypatch.setenv("PREFRONTAL_RECALL", "9")
    sentence = f"{file} with the environment and the command line: recall must be"
    with pytest.raises(InputError, match=re.escape(sentence)):
        load_settings(file)
