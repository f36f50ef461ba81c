"""Payloads survive their rows, and rows of any release can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payload_json import from_plain, to_plain
from prefrontal.decisions.payloads import (
    EDITED_QUESTION,
    PAYLOADS,
    ActPayload,
    BeliefPayload,
    Consent,
    Considered,
    ControlPick,
    DirectivePayload,
    Moment,
    Payload,
    PromptReading,
    RoutePayload,
    WakePayload,
)
from prefrontal.errors import InputError
from prefrontal.types import Standing

from .kinds_samples import MOMENT, WHOLE, of

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
KEYS = sorted({key for each in WHOLE for key in to_plain(each)} | {"asked", "extra"})


@pytest.mark.parametrize("payload", WHOLE, ids=lambda each: each.kind)
def test_everything_a_payload_holds_comes_back(payload: Payload, tmp_path: Path) -> None:
    decision = of(payload, time=MOMENT.time)
    with DecisionLog(tmp_path / "log.db") as log:
        log.append(decision)
    with DecisionLog(tmp_path / "log.db") as log:
        found = log.get(decision.id)
    assert found is not None
    assert repr(found.payload) == repr(payload)


@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_payload_of_which_nothing_is_known_takes_no_room(kind: str) -> None:
    assert to_plain(PAYLOADS[kind]()) == {}
    assert from_plain(kind, {}, 1.0) == PAYLOADS[kind]()


def test_an_edited_question_is_kept_without_what_only_reflection_knows() -> None:
    edited = DirectivePayload(EDITED_QUESTION, asked="What now?")
    assert to_plain(edited) == {"kind": "edited_question", "asked": "What now?"}
    assert from_plain("directive", to_plain(edited), 1.0) == edited


def test_unknown_keys_are_passed_over_and_missing_ones_were_never_written() -> None:
    assert from_plain("wake", {"run": "5ce340fe", "colour": "blue"}, 1.0) == WakePayload("5ce340fe")
    assert from_plain("route", {"sentence": "fits", "mode": 3}, 1.0) == RoutePayload(
        sentence="fits"
    )


@example("directive", {"asked": ""})
@example("wake", {"gathered": True})
@given(st.sampled_from(list(PAYLOADS)), st.dictionaries(st.sampled_from(KEYS), plain))
def test_whatever_a_row_holds_is_read(kind: str, row: dict[str, object]) -> None:
    found = from_plain(kind, row, 1.0)
    again = from_plain(kind, json.loads(json.dumps(to_plain(found))), 1.0)
    assert repr(again) == repr(found)


def test_a_kind_of_a_release_to_come_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="kind must be one of wake, route, .*got 'dream'"):
        from_plain("dream", {}, 1.0)


def test_a_part_that_lacks_a_key_keeps_the_others() -> None:
    route = {"considered": [{"tool": "b/sum", "score": 0.4, "flags": [3]}], "search": "exact"}
    found = from_plain("route", route | {"control": {"harm": 0.2}, "verdict": {}}, 1.0)
    assert found == RoutePayload(
        considered=(Considered("b/sum", score=0.4),),
        reading=PromptReading(search="exact"),
        control=ControlPick(harm=0.2),
        consent=Consent(),
    )
    wake = from_plain("wake", {"event": 3, "peer": "ada", "trust": "x", "labels": 2}, 1.0)
    assert wake == WakePayload(moment=Moment(3, 1.0, labels=2, standing=Standing("ada")))


def test_a_part_that_no_key_speaks_of_is_none() -> None:
    assert from_plain("wake", {"event": True, "monotonic": 1.0}, 1.0) == WakePayload()
    assert from_plain("route", {"domain": "code", "search": 3}, 1.0) == RoutePayload()
    assert from_plain("act", {"tool": "a.py", "sha256": None}, 1.0) == ActPayload()
    assert from_plain("belief", {"trigger": "timer"}, 1.0) == BeliefPayload()
