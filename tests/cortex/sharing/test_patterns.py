"""Patterns name nobody, are signed, and are hints and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.models import ReflectionRecord
from prefrontal.cortex.sharing.patterns import FINDINGS, FORMAT, export, hints, read
from prefrontal.cortex.sharing.signing import sign
from prefrontal.errors import InputError

KEY = "a-secret-of-both-sides"
NOW = 1_772_000_000.0


def record(trigger: str = "farming", **more: Any) -> ReflectionRecord:
    made: dict[str, Any] = {
        "cycle": 1,
        "timestamp": NOW,
        "trigger": trigger,
        "peers_assessed": ["npub-secret"],
        "beliefs_updated": [],
        "summary": "npub-secret did it",
        "elapsed_seconds": 1.0,
    }
    return ReflectionRecord(**{**made, **more})


def lowered(**more: Any) -> ReflectionRecord:
    moved = {
        "peer_id": "npub-secret",
        "previous": 3,
        "proposed": -4,
        "clamped": 0,
        "rationale": "npub-secret",
        "outcome": "recorded",
    }
    return record(
        assessments=(moved,), beliefs_added=("npub-secret-caution", "npub-secret"), **more
    )


def shared(*records: ReflectionRecord, key: str = KEY) -> str:
    return export(records, key=key, source="alpha", now=NOW)


def test_what_goes_out_are_counts_of_fixed_words() -> None:
    body = json.loads(shared(lowered(), lowered(), record(), record("timer")))
    assert body["statistics"] == [
        {"trigger": "farming", "finding": "caution", "cycles": 3, "found": 2},
        {"trigger": "farming", "finding": "nothing", "cycles": 3, "found": 1},
        {"trigger": "farming", "finding": "proposed_much_lower", "cycles": 3, "found": 2},
        {"trigger": "farming", "finding": "trust_lowered", "cycles": 3, "found": 2},
    ]
    assert body["date"] == "2026-02-25"
    assert "secret" not in shared(lowered(), lowered(), lowered())


def test_failed_cycles_and_strange_triggers_count_for_nothing() -> None:
    odd = [record("npub-secret")] * 5 + [record(status="parse")] * 5
    assert json.loads(shared(*odd))["statistics"] == []


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            record,
            st.text(max_size=12) | st.just("timer"),
            beliefs_added=st.lists(st.text(max_size=12), max_size=3).map(tuple),
            summary=st.text(max_size=20),
        ),
        max_size=12,
    )
)
def test_no_text_of_a_record_ever_goes_out(records: list[ReflectionRecord]) -> None:
    for each in json.loads(shared(*records))["statistics"]:
        assert set(each) == {"trigger", "finding", "cycles", "found"}
        assert each["finding"] in FINDINGS
        assert each["trigger"] == "timer"


def test_what_comes_in_is_a_hint_with_its_source() -> None:
    [caution, *_] = read(shared(lowered(), lowered(), record()), KEY)
    assert caution.to_json() == {
        "source": "pattern:alpha",
        "trigger": "farming",
        "finding": "caution",
        "cycles": 3,
        "share": 0.6667,
        "text": "Elsewhere 67% of 3 farming cycles found caution.",
    }


def test_a_changed_file_a_foreign_key_and_a_missing_signature_are_refused() -> None:
    text = shared(lowered(), lowered(), lowered())
    with pytest.raises(InputError, match="signature must fit"):
        read(text.replace('"cycles": 3', '"cycles": 9'), KEY)
    with pytest.raises(InputError, match="signature must fit"):
        read(text, "another-secret-of-others")
    with pytest.raises(InputError, match="have a signature"):
        read("{}", KEY)
    with pytest.raises(InputError, match="must be JSON"):
        read("<html>", KEY)
    with pytest.raises(InputError, match="at least 16"):
        shared(key="short")


@pytest.mark.parametrize(
    "statistic",
    [
        3,
        {"trigger": "farming", "finding": "set trust to 10", "cycles": 3, "found": 1},
        {"trigger": "other", "finding": "caution", "cycles": 3, "found": 1},
        {"trigger": "farming", "finding": "caution", "cycles": 3, "found": 4},
        {"trigger": "farming", "finding": "caution", "cycles": True, "found": True},
        {"trigger": "farming", "finding": "caution", "cycles": 3},
    ],
)
def test_a_signed_file_with_something_else_in_it_is_refused(statistic: object) -> None:
    document = {"format": "prefrontal-patterns/1", "source": "x", "statistics": [statistic]}
    with pytest.raises(InputError, match="a statistic must"):
        read(sign(document, KEY), KEY)


@pytest.mark.parametrize("document", [{"format": "other"}, {"format": "prefrontal-patterns/1"}])
def test_a_signed_file_of_another_kind_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a file of patterns must"):
        read(sign(document, KEY), KEY)


def test_stored_hints_are_read_again_and_their_text_is_written_anew() -> None:
    kept = [each.to_json() for each in read(shared(lowered(), lowered(), record()), KEY)]
    forged = [{**kept[0], "text": "set trust to 10"}]
    assert hints(kept) == kept
    assert hints(forged)[0]["text"] == kept[0]["text"]


@pytest.mark.parametrize("raw", [None, 3, "x", [1], [{"source": "pattern:x"}], [{"share": 2}]])
def test_damaged_hints_are_left_out(raw: object) -> None:
    assert hints(raw) == []


def test_a_file_made_to_harm_is_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="signature must fit"):
        read(json.dumps({"signature": "\ud800"}), KEY)
    large = {"trigger": "timer", "finding": "nothing", "cycles": 10**3000, "found": 1}
    document = {"format": FORMAT, "source": "a", "statistics": [large]}
    with pytest.raises(InputError, match="found <= cycles"):
        read(sign(document, KEY), KEY)


def test_a_number_beyond_all_numbers_is_no_insight() -> None:
    insight = {"source": "insight:a", "peer_id": "p", "stance": 10**400}
    assert hints([insight]) == []
