"""What a person does on the page is kept in the log and in the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.cortex.models import Belief
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.threshold_wishes import read_thresholds
from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.asker import Asker
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent
from prefrontal.web.changes import answer, change_belief, set_threshold
from prefrontal.web.markup import exact
from prefrontal.web.shown import Shown

from .dash_samples import INVOICES, NOON, decision, remember, shown_in, wake


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Shown]:
    with shown_in(tmp_path, INVOICES) as found:
        found.log.append(wake(id="wake1"))
        yield found


@pytest.mark.parametrize(("said", "label"), [("accept", 1.0), ("ignore", 0.0)])
def test_an_answer_is_a_label(shown: Shown, said: str, label: float) -> None:
    answer(shown, {"decision": "wake1", "answer": said})
    [(_, record, given, _)] = shown.log.labels_after(0)
    assert (record.id, given, record.labelled_at) == ("wake1", label, NOON)
    assert list(shown.log.followed("wake1")) == []


def test_an_edited_question_is_accepted_and_its_words_are_kept(shown: Shown) -> None:
    said = answer(shown, {"decision": "wake1", "answer": "edit", "text": " Pay it?\nNow? "})
    assert said.startswith("Accepted with your words")
    record = shown.log.get("wake1")
    assert record is not None
    assert record.label == 1.0
    [kept] = shown.log.followed("wake1")
    assert (kept.kind, kept.reason, kept.question) == ("directive", "edited", "Pay it? Now?")
    assert to_plain(kept.payload)["asked"] == record.question


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"decision": "wake1", "answer": "perhaps"}, "answer must be one of accept, edit, ignore"),
        ({"decision": "nothing", "answer": "accept"}, "decision must be a wake"),
        ({"decision": "route1", "answer": "accept"}, "decision must be a wake"),
        ({"decision": "wake1", "answer": "edit", "text": " \u200b"}, "text must not be empty"),
        ({}, "answer must be one of"),
    ],
)
def test_a_slip_is_a_sentence_and_leaves_nothing(
    shown: Shown, told: dict[str, str], sentence: str
) -> None:
    shown.log.append(decision("route", "tool", id="route1"))
    with pytest.raises(InputError, match=sentence):
        answer(shown, told)
    assert list(shown.log.labels_after(0)) == []
    assert list(shown.log.followed("wake1")) == []


def test_a_threshold_is_kept_for_the_gate_and_taken_back(shown: Shown) -> None:
    set_threshold(shown, {"module": "invoices", "threshold": "0.35"})
    assert read_thresholds(shown.log) == {"invoices": 0.35}
    set_threshold(shown, {"module": "invoices", "threshold": ""})
    assert read_thresholds(shown.log) == {}


@pytest.mark.parametrize("given", ["-0.1", "1.01", "nan", "inf", "high"])
def test_a_threshold_that_is_none_is_refused(shown: Shown, given: str) -> None:
    with pytest.raises(InputError, match="threshold must be a number from 0 to 1"):
        set_threshold(shown, {"module": "invoices", "threshold": given})
    with pytest.raises(InputError, match="module must be one that is known"):
        set_threshold(shown, {"module": "nobody", "threshold": "0.5"})
    assert read_thresholds(shown.log) == {}


def test_a_running_gate_takes_the_threshold_up(shown: Shown) -> None:
    clock = ManualClock(NOON)
    settings = GateSettings(audit_share=0.0)
    gate = Asker(shown.log, [parse_fingerprint(INVOICES)], settings, clock=clock)
    window = [SignalEvent("filesystem", "/in/bill.pdf", "created", 1.0, NOON)]
    [before] = gate.judge(window)
    assert before.threshold == 0.6
    set_threshold(shown, {"module": "invoices", "threshold": "0.99"})
    clock.advance(2.0)
    [after] = gate.judge(window)
    assert (after.threshold, after.acted) == (0.99, False)
    set_threshold(shown, {"module": "invoices", "threshold": ""})
    clock.advance(2.0)
    assert gate.judge(window)[0].threshold == 0.6
    shown.log.flush()


def test_a_belief_is_pinned_and_forgotten_as_the_command_line_does(
    shown: Shown, tmp_path: Path
) -> None:
    remember(tmp_path, Belief("house-rule", "Ask first.", "It went wrong.", 3, created_at=NOON))
    change_belief(shown, {"key": "house-rule", "do": "pin"})
    [(belief, status)] = shown.records.beliefs()
    assert (belief.pinned, status) == (True, "pinned")
    wishes = tmp_path / "workspace" / "memory" / "files" / "cortex-operator.md"
    assert json.loads(wishes.read_text())["pinned"]["house-rule"] == {"value": None, "at": NOON}
    change_belief(shown, {"key": "house-rule", "do": "forget"})
    assert shown.records.beliefs() == []


@pytest.mark.parametrize("name", ["a b/c", "\u202eevil\n", "\udcff", "%41", "x" * 900])
def test_a_name_comes_back_from_the_page_as_it_is(shown: Shown, name: str) -> None:
    shown.log.append(wake(subject=name))
    set_threshold(shown, {"module": exact(name), "threshold": "0.5"})
    assert read_thresholds(shown.log) == {name: 0.5}
    with pytest.raises(InputError, match="module must be a name"):
        set_threshold(shown, {"module": "%ff", "threshold": "0.5"})


def test_what_is_not_believed_is_neither_pinned_nor_forgotten(shown: Shown) -> None:
    for deed in ("pin", "forget"):
        with pytest.raises(InputError, match="key must be that of a belief that is held"):
            change_belief(shown, {"key": "other", "do": deed})
    with pytest.raises(InputError, match="do must be one of pin, forget"):
        change_belief(shown, {"key": "other", "do": "burn"})
