from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefrontal.routing.catalog.manifest import from_facts, manifest_of, read_manifests, to_facts
from prefrontal.routing.types import ArgSpec, Manifest

from ..project import write

FULL = """\
name: summarize_matrix
intents: [summarize, statistics, "matrix "]
args:
  - name: df
    type: DataFrame
    required: true
  - {name: n, default: 3}
returns: [summary]
hints:
  domain: analysis
  action: summarise
  anti_intents: [plot, visualise]
side_effects: none
files: ["*.csv", matrix*]
hosts: [api.example.org, "*.example.com", "10.0.0.7:8080"]
example: {df: [1, 2.5], n: 3}
"""
TOML = """\
name = "summarize_matrix"
intents = ["summarize", "statistics", "matrix"]
returns = ["summary"]
side_effects = "none"
files = ["*.csv", "matrix*"]
hosts = ["api.example.org", "*.example.com", "10.0.0.7:8080"]
[[args]]
name = "df"
type = "DataFrame"
required = true
[[args]]
name = "n"
default = 3
[hints]
domain = "analysis"
action = "summarise"
anti_intents = ["plot", "visualise"]
[example]
df = [1, 2.5]
n = 3
"""


def expected(path: Path) -> Manifest:
    return Manifest(
        name="summarize_matrix",
        path=path,
        intents=("summarize", "statistics", "matrix"),
        args=(ArgSpec("df", "DataFrame", True, None), ArgSpec("n", None, False, "3")),
        returns=("summary",),
        domain="analysis",
        action="summarise",
        anti_intents=("plot", "visualise"),
        side_effects="none",
        example={"df": [1, 2.5], "n": 3},
        files=("*.csv", "matrix*"),
        hosts=("api.example.org", "*.example.com", "10.0.0.7:8080"),
    )


def slips(path: Path, default: str = "") -> list[str]:
    """line: sentence."""
    return [f"{each.line}: {each.text}" for each in read_manifests(path, default)[1]]


@pytest.mark.parametrize(("name", "text"), [("tool.yaml", FULL), ("tool.toml", TOML)])
def test_yaml_and_toml_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = write(tmp_path / name, text)
    assert read_manifests(path) == ([expected(path)], [])


def test_what_was_read_comes_back_from_its_facts(tmp_path: Path) -> None:
    import json

    path = write(tmp_path / "tool.yaml", FULL + "colour: red\n")
    read = read_manifests(path)
    assert len(read[1]) == 1
    assert from_facts(path, json.loads(json.dumps(to_facts(*read)))) == read


def test_no_word_of_hosts_is_another_thing_than_a_list_without_one(tmp_path: Path) -> None:
    texts = {"a": "name: a\n", "b": "name: b\nhosts: []\n", "c": "name: c\nhosts: [10.1, a b]\n"}
    paths = [write(tmp_path / f"{name}.tool.yaml", text) for name, text in texts.items()]
    assert [read_manifests(path)[0][0].hosts for path in paths] == [None, (), ()]
    rule = "items of hosts must be hosts like api.example.org, *.example.org or example.org:8443"
    assert slips(paths[2]) == [f"2: {rule}, got 10.1", f"2: {rule}, got 'a b'"]


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("tool.yaml", ""),
        ("tool.yml", ""),
        ("tool.toml", ""),
        ("plot.tool.yaml", "plot"),
        ("plot.tool.toml", "plot"),
        ("plot.yaml", None),
        ("tool.py", None),
        ("mytool.yaml", None),
        ("tool.json", None),
    ],
)
def test_a_manifest_is_known_by_its_name(name: str, tool: str | None) -> None:
    assert manifest_of(name) == tool


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tool.yaml", "- name: one\n- name: two.py\n"),
        ("tool.toml", '[[tool]]\nname = "one"\n[[tool]]\nname = "two"\n'),
    ],
)
def test_one_file_may_describe_several_tools(tmp_path: Path, name: str, text: str) -> None:
    found, findings = read_manifests(write(tmp_path / name, text))
    assert [each.name for each in found] == ["one", "two"]
    assert findings == []


def test_a_file_of_one_tool_need_not_name_it_and_must_not_name_another(tmp_path: Path) -> None:
    path = write(tmp_path / "plot.tool.yaml", "intents: [plot]\n")
    assert [each.name for each in read_manifests(path, "plot")[0]] == ["plot"]
    path = write(tmp_path / "plot.tool.yaml", "name: draw\n")
    assert [each.name for each in read_manifests(path, "plot")[0]] == ["plot"]
    assert slips(path, "plot") == ["1: name must be 'plot' as in the file's name, got 'draw'"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "intens: [a]",
            "manifest must have only known keys, got 'intens' (did you mean 'intents'?); known are "
            "name, intents, args, returns, hints, side_effects, example, files, hosts",
        ),
        ("intents: plot", "intents must be a list of at most 10000, got 'plot'"),
        ("intents: [plot, 3]", "items of intents must be texts, got 3"),
        ("intents: [' ']", "items of intents must be texts, got ' '"),
        ("returns: [a b]", "items of returns must be names, got 'a b'"),
        ("args: {df: 1}", "args must be a list of at most 10000, got {'df': 1}"),
        ("args: [df]", "items of args must be mappings with a name, got 'df'"),
        ("args: [{type: int}]", "name of an argument must be an identifier, got None"),
        ("args: [{name: a b}]", "name of an argument must be an identifier, got 'a b'"),
        ("args: [{name: a}, {name: a}]", "args must name each argument once, got 'a' twice"),
        ("hints: [a]", "hints must be a mapping, got ['a']"),
        ("side_effects: some", "side_effects must be one of none, write, delete, got 'some'"),
        ("side_effects: [none]", "side_effects must be one of none, write, delete, got ['none']"),
        ("example: [1]", "example must map arguments to values, got [1]"),
        ("example: {a: .nan}", "example must hold no NaN and no infinity"),
        ("example: {a: 2026-01-01}", "example must hold plain values, not date"),
        ("example: {1: a}", "example must have text as its keys"),
    ],
)
def test_a_wrong_key_is_a_finding_with_its_line_and_the_rest_counts(
    tmp_path: Path, line: str, sentence: str
) -> None:
    path = write(tmp_path / "tool.yaml", f"# a comment\nname: plot\n{line}\n")
    assert slips(path) == [f"3: {sentence}"]
    assert [each.name for each in read_manifests(path)[0]] == ["plot"]


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("name: a\nhints:\n  domain: Data Science\n", "3: hints.domain must be lower-case"),
        (
            "name: a\nhints:\n  anti_intent: [x]\n",
            "3: hints must have only known keys, got 'anti_intent' (did",
        ),
        ("- name: a\n- name: b\n  intents: x\n", "3: intents must be a list"),
        ("- name: a\n  intents: [x]\n- name: b\n  intents: x\n", "4: intents must be a list"),
        ("name: a\nargs:\n  - name: x\n    type: 3\n", "4: type of x must be text, got 3"),
        ("name: a\nargs:\n  - name: x\n    required: 1\n", "4: required of x must be true or"),
        ("name: 3\n", "1: name must be the name of a tool, got 3"),
        ("intents: [a]\n", "1: name must be the name of a tool, got None"),
        ("just text\n", "0: manifest must be a mapping, got 'just text'"),
        ("name: a\nname: b\n", "2: must be YAML (the key 'name' stands twice (line 2)"),
        ("name: [a\n", "2: must be YAML (while parsing a flow sequence"),
        ("a: !!python/object:os.system x\n", "1: must be YAML (could not determine a con"),
        ("? [a]\n: b\n", "1: must be YAML (while constructing a mapping found unhashable"),
    ],
)
def test_bad_yaml_is_a_sentence_with_a_line(tmp_path: Path, text: str, slip: str) -> None:
    found = slips(write(tmp_path / "tool.yaml", text))
    assert found[0].startswith(slip)


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("name = \n", "1: must be TOML (Invalid value (at line 1, column 8)"),
        ('name = "a"\nname = "b"\n', "2: must be TOML (Cannot overwrite a value (at line 2"),
        ('name = "a"\nintents = "x"\n', "2: intents must be a list"),
        ('name = "a"\n[hints]\ndomain = "A"\n', "3: hints.domain must be lower-case"),
    ],
)
def test_bad_toml_is_a_sentence_with_a_line(tmp_path: Path, text: str, slip: str) -> None:
    assert slips(write(tmp_path / "tool.toml", text))[0].startswith(slip)


@pytest.mark.parametrize("name", ["tool.yaml", "tool.toml"])
@pytest.mark.parametrize("data", [b"\xff\xfe", b"name: \xe4", b"x" * ((1 << 20) + 1)])
def test_a_file_that_is_no_text_is_a_finding(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    found, findings = read_manifests(path)
    assert found == [] and len(findings) == 1


def test_an_empty_file_describes_nothing(tmp_path: Path) -> None:
    assert read_manifests(write(tmp_path / "tool.yaml", "# later\n")) == ([], [])


def test_aliases_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    lines = ["name: bomb", "a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for old, new in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    text = "\n".join(["name: bomb", "example:", *(f"  {line}" for line in lines[1:])])
    found = slips(write(tmp_path / "tool.yaml", text))
    assert found == [
        "7: must hold at most 30,000 values, with what aliases repeat (line 7, column 14)"
    ]


def test_a_value_that_holds_itself_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "tool.yaml", "name: a\nexample: &a {b: *a}\n")
    assert slips(path) == ["2: must hold no alias in what it repeats (line 2, column 17)"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_a_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "tool.toml", TOML)
    path.chmod(0)
    assert slips(path) == ["0: cannot be read: Permission denied"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(["name", "intents", "args", "returns", "hints", "side_effects", "example"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(KEYS, VALUES))
def test_any_document_is_read_or_refused_with_sentences(
    tmp_path: Path, raw: dict[str, object]
) -> None:
    path = write(tmp_path / "tool.yaml", yaml.safe_dump(raw, allow_unicode=False))
    found, findings = read_manifests(path)
    assert found or findings or not raw
    assert from_facts(path, to_facts(found, findings)) == (found, findings)
