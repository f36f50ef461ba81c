"""Every name that a scorer gives its features has words, and no text breaks the translation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core.pulse import feature_names
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.feature_words import USUAL, feature_words, reason_words
from prefrontal.types import SignalEvent, Window


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bias", USUAL),
        ("rule **: yes", USUAL),
        ("rule src/** and text has a number: yes", "it fits the rule"),
        ("rule src/**: no", "it does not fit the rule"),
        ("count=1", "one file only"),
        ("count=2", "2 files"),
        ("count=4-5", "4 to 5 files"),
        ("count=16+", "16 files or more"),
        ("word=fix", "the text says 'fix'"),
        ("word=#", "the text has a number"),
        ("words=# $", "the text ends in a number"),
        ("words=^ fix", "the text begins with 'fix'"),
        ("words=fix #", "the text says 'fix', then a number"),
        ("words=# #", "the text has two numbers in a row"),
        ("words=add docs", "the text says 'add docs'"),
        ("words=^ $", "the text has no words"),
        ("actor=ae1f4ee08", "by this author"),
        ("actor=Jane", "by Jane"),
        ("extension=", "a file without extension"),
        ("extension=.py", "a .py file"),
        ("only extension=none", "only files without extension"),
        ("only directory=none", "only in the top folder"),
        ("only directory=src", "only in src"),
        ("directory=.", "in the top folder"),
        ("directories=none+docs+src", "in the top folder, docs and src together"),
        ("extensions=.py+.rst", ".py and .rst together"),
        ("file kinds=code+tests", "code and tests"),
        ("file kinds=config", "configuration only"),
        ("name=AUTHORS", "it touches AUTHORS"),
        ("token=authors", "'authors' in a name"),
        ("hour=14", "in the hour from 14:00"),
        ("weekday=Thu", "on a Thursday"),
        ("span=2^8", "spread over about 4 min"),
        ("gap=0", "under 1 s after the one before"),
        ("size=2^12", "of about 4 kB"),
        ("size=unknown", "of unknown size"),
        ("idle minutes=2^9", "idle for about 9 h"),
        ("idle minutes=2^5", "idle for about 32 min"),
        ("magnitude=2^3", "of size about 1"),
        ("feature=branch=main", "branch is main"),
        ("feature=lines=2^7", "lines is about 128"),
        ("feature=source_lines_16=or more", "16 changed lines of code or more"),
        ("source=webhook", "from webhook"),
        ("delta=deleted", "something deleted"),
        ("trust in bob +3", "trust in bob +3"),
        ("what=ever", "what=ever"),
    ],
)
def test_a_name_has_its_words(name: str, words: str) -> None:
    assert feature_words(name) == words


def test_an_agents_turn_counts_events() -> None:
    assert feature_words("count=1", "event") == "one event only"
    assert feature_words("count=3", "event") == "3 events"


WINDOWS = [
    [SignalEvent("filesystem", path, delta, 1.0, 1_600_000_000.0 + 90 * number,
                 {"actor": "Jane", "text": "Fix 3 things", "size_bytes": 5000.0, "branch": "main"})
     for number, (path, delta) in enumerate(
         (("src/a.py", "modified"), ("x.tar.gz", "created"), ("docs/b.md", "deleted")))],
    [SignalEvent("filesystem", "README", "modified", 1.0, 1_600_000_000.0)],
    [SignalEvent("time", "tick", "tick", 1.0, 1_600_000_000.0,
                 {"minutes_since_last_activation": 7.0})],
    [SignalEvent("network", "https://x.org/y", "changed", 0.5, 1_600_000_000.0)],
    [SignalEvent("memory", "notes/plan", "set", 0.25, 1_600_000_000.0)],
]  # fmt: skip


def test_no_name_that_the_core_gives_is_shown_raw() -> None:
    names = {name for events in WINDOWS for name in feature_names(events, utc=True)}
    assert len(names) > 60
    kinds = {name.partition("=")[0] for name in names}
    assert {"source", "words", "count", "directories", "span", "idle minutes", "magnitude"} <= kinds
    raw = [name for name in names if feature_words(name) == name]
    assert raw == []


def test_what_a_learned_gate_says_is_words() -> None:
    gate = PulseGate()
    labelled = [(events, number % 2 == 0) for number, events in enumerate(WINDOWS * 6)]
    judge = gate.open(gate.find_rule(labelled), 0.9, complete=True)
    for events, relevant in labelled:
        window = Window("key", 0.0, tuple(events))
        judge.label(window, judge.judge(window), relevant)
    for events in WINDOWS:
        why = list(judge.contributions(Window("key", 0.0, tuple(events))))
        assert why
        assert [name for name, _ in why if feature_words(name) == name] == []


def test_what_reads_the_same_is_one_reason() -> None:
    why = [("bias", -1.0), ("word=fix", 0.5), ("rule **: yes", -0.25)]
    assert reason_words(why) == [(USUAL, -1.25), ("the text says 'fix'", 0.5)]
    alike = [("directory=docs", 0.5), ("words=^ fix", 0.25), ("word=fix", 0.5),
             ("words=fix $", 0.25), ("only directory=docs", -0.25), ("token=notes", -0.5),
             ("name=NOTES.txt", -0.5)]  # fmt: skip
    assert reason_words(alike) == [
        ("the text says 'fix'", 1.0), ("only in docs", 0.25), ("it touches NOTES.txt", -1.0)
    ]  # fmt: skip


def test_what_says_more_stays_beside_what_says_less() -> None:
    why = [("words=fix #", 0.5), ("word=add", 0.25), ("directory=docs/api", 0.125),
           ("only directory=docs", 0.0625), ("token=api", 0.03125)]  # fmt: skip
    assert [push for _, push in reason_words(why)] == [push for _, push in why]


KINDS = st.sampled_from(
    [
        "count",
        "words",
        "hour",
        "span",
        "size",
        "magnitude",
        "feature",
        "directories",
        "weekday",
        "gap",
    ]
    + ["idle minutes", "file kinds", "rule x: yes"]
)


@given(st.text() | st.builds("{}={}".format, KINDS, st.text() | st.sampled_from(
    ["2^9999999", "-2^3", "²", "9" * 5000, "", "+", "^"])))  # fmt: skip
def test_any_text_is_translated_without_harm(name: str) -> None:
    assert isinstance(feature_words(name), str)


def test_how_new_a_burst_is_reads_as_a_sentence() -> None:
    assert feature_words("feature=quiet_name=never") == "such words never came before"
    assert (
        feature_words("feature=quiet_kind=1h") == "such words in this place came in the last hour"
    )
    assert feature_words("feature=quiet_name=odd") == "quiet_name is odd"
