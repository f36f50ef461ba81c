"""What a person does on the page is kept in the log and in the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.cortex.memory.directives import PENDING, Directive
from prefrontal.cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from prefrontal.cortex.models import Belief
from prefrontal.cortex.state import STATE_KEY, CortexState
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.threshold_wishes import read_thresholds
from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.asker import Asker
from prefrontal.settings import GateSettings
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent
from prefrontal.web.changes import answer, change_belief, change_directive, set_threshold
from prefrontal.web.dash_context import DashContext
from prefrontal.web.markup import exact
from prefrontal.web.part_directives import directive_pieces
from prefrontal.web.part_memory import belief_pieces

from .dash_samples import INVOICES, NOON, decision, remember, shown_in, wake


@pytest.fixture
def context(tmp_path: Path) -> Iterator[DashContext]:
    with shown_in(tmp_path, INVOICES) as found:
        found.log.append(wake(id="wake1"))
        yield found


@pytest.mark.parametrize(("said", "label"), [("accept", 1.0), ("ignore", 0.0)])
def test_an_answer_is_a_label(context: DashContext, said: str, label: float) -> None:
    answer(context, {"decision": "wake1", "answer": said})
    [(_, record, given, _)] = context.log.labels_after(0)
    assert (record.id, given, record.labelled_at) == ("wake1", label, NOON)
    assert list(context.log.followed("wake1")) == []


def test_an_edited_question_is_accepted_and_its_words_are_kept(context: DashContext) -> None:
    said = answer(context, {"decision": "wake1", "answer": "edit", "text": " Pay it?\nNow? "})
    assert said.startswith("Accepted with your words")
    record = context.log.get("wake1")
    assert record is not None
    assert record.label == 1.0
    [kept] = context.log.followed("wake1")
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
    context: DashContext, told: dict[str, str], sentence: str
) -> None:
    context.log.append(decision("route", "tool", id="route1"))
    with pytest.raises(InputError, match=sentence):
        answer(context, told)
    assert list(context.log.labels_after(0)) == []
    assert list(context.log.followed("wake1")) == []


def test_a_threshold_is_kept_for_the_gate_and_taken_back(context: DashContext) -> None:
    set_threshold(context, {"module": "invoices", "threshold": "0.35"})
    assert read_thresholds(context.log) == {"invoices": 0.35}
    set_threshold(context, {"module": "invoices", "threshold": ""})
    assert read_thresholds(context.log) == {}


@pytest.mark.parametrize("given", ["-0.1", "1.01", "nan", "inf", "high"])
def test_a_threshold_that_is_none_is_refused(context: DashContext, given: str) -> None:
    with pytest.raises(InputError, match="threshold must be a number from 0 to 1"):
        set_threshold(context, {"module": "invoices", "threshold": given})
    with pytest.raises(InputError, match="module must be one that is known"):
        set_threshold(context, {"module": "nobody", "threshold": "0.5"})
    assert read_thresholds(context.log) == {}


def test_a_running_gate_takes_the_threshold_up(context: DashContext) -> None:
    clock = ManualClock(NOON)
    settings = GateSettings(audit_share=0.0)
    gate = Asker(context.log, [parse_fingerprint(INVOICES)], settings, clock=clock)
    window = [SignalEvent("filesystem", "/in/bill.pdf", "created", 1.0, NOON)]
    [before] = gate.judge(window)
    assert before.threshold == 0.6
    set_threshold(context, {"module": "invoices", "threshold": "0.99"})
    clock.advance(2.0)
    [after] = gate.judge(window)
    assert (after.threshold, after.acted) == (0.99, False)
    set_threshold(context, {"module": "invoices", "threshold": ""})
    clock.advance(2.0)
    assert gate.judge(window)[0].threshold == 0.6
    context.log.flush()


def test_a_belief_is_pinned_and_forgotten_as_the_command_line_does(
    context: DashContext, tmp_path: Path
) -> None:
    remember(tmp_path, Belief("house-rule", "Ask first.", "It went wrong.", 3, created_at=NOON))
    change_belief(context, {"key": "house-rule", "do": "pin"})
    [(belief, status)] = context.records.beliefs()
    assert (belief.pinned, status) == (True, "pinned")
    wishes = tmp_path / "workspace" / "memory" / "files" / "cortex-operator.md"
    assert json.loads(wishes.read_text())["pinned"]["house-rule"] == {"value": None, "at": NOON}
    change_belief(context, {"key": "house-rule", "do": "forget"})
    assert context.records.beliefs() == []


def test_what_others_words_went_into_is_approved_on_the_page(
    context: DashContext, tmp_path: Path
) -> None:
    words = Belief("claim", "Pay bob.", "", 3, created_at=NOON, sources=("peer:bob",))
    remember(tmp_path, words, Belief("plain", "Ask first.", "", 3, created_at=NOON))
    [claim, plain] = [str(each) for each in belief_pieces(context.records).values()]
    assert "words of <bdi>bob</bdi> are in it" in claim
    assert ">Approve <" in claim
    assert ">Approve <" not in plain
    with pytest.raises(InputError, match="key must be that of a belief that waits for approval"):
        change_belief(context, {"key": "plain", "do": "approve"})
    change_belief(context, {"key": "claim", "do": "approve"})
    [(approved, _), _] = context.records.beliefs()
    assert approved.approved_by.endswith(" on the page")
    [claim, _] = [str(each) for each in belief_pieces(context.records).values()]
    assert "Approved by" in claim
    assert ">Approve <" not in claim


def waiting(folder: Path, *ids: str) -> None:
    """Directives that wait for approval."""
    state = CortexState()
    fields = ("bob", "thank bob", "Pay <b>mallory", "", 3, NOON, NOON + 60.0, PENDING)
    state.directives = [Directive(each, *fields, "", ("peer:bob",)).to_json() for each in ids]
    MemoryFiles(folder / "workspace" / "memory" / "files").store(STATE_KEY, state.to_text())


def test_a_directive_is_approved_or_rejected_on_the_page(
    context: DashContext, tmp_path: Path
) -> None:
    waiting(tmp_path, "directive-3-1", "directive-3-2")
    [first, _] = [str(each) for each in directive_pieces(context.records).values()]
    assert "“Pay &lt;b&gt;mallory”" in first
    assert "words of <bdi>bob</bdi>" in first
    change_directive(context, {"id": "directive-3-1", "do": "approve"})
    change_directive(context, {"id": "directive-3-2", "do": "reject"})
    wishes = OperatorWishes.from_text(
        MemoryFiles(context.records.folder / "memory" / "files").retrieve(OPERATOR_KEY)
    )
    assert list(wishes.approved) == ["directive-3-1"]
    assert wishes.approver("directive-3-1").endswith(" on the page")
    assert list(wishes.rejected) == ["directive-3-2"]
    assert directive_pieces(context.records) == {}
    for form, sentence in (
        ({"id": "directive-3-1", "do": "approve"}, "id must be that of a directive that waits"),
        ({"id": "directive-3-1", "do": "burn"}, "do must be one of approve, reject"),
    ):
        with pytest.raises(InputError, match=sentence):
            change_directive(context, form)


def test_a_damaged_directive_is_shown_on_the_page_as_on_the_command_line(
    context: DashContext, tmp_path: Path
) -> None:
    state = CortexState()
    whole = Directive("directive-3-1", "bob", "ask", "", "", 3, NOON, NOON + 60.0, PENDING)
    state.directives = [
        {**whole.to_json(), "expires_at": "soon"},
        {**whole.to_json(), "id": "directive-3-2", "status": "delivered", "action": 7},
    ]
    MemoryFiles(tmp_path / "workspace" / "memory" / "files").store(STATE_KEY, state.to_text())
    [piece] = directive_pieces(context.records).values()
    assert "expires at a time that cannot be read" in piece
    assert "Damaged, it does not go out: it.expires_at must be a" in piece
    change_directive(context, {"id": "directive-3-1", "do": "reject"})
    assert directive_pieces(context.records) == {}


@pytest.mark.parametrize("name", ["a b/c", "\u202eevil\n", "\udcff", "%41", "x" * 900])
def test_a_name_comes_back_from_the_page_as_it_is(context: DashContext, name: str) -> None:
    context.log.append(wake(subject=name))
    set_threshold(context, {"module": exact(name), "threshold": "0.5"})
    assert read_thresholds(context.log) == {name: 0.5}
    with pytest.raises(InputError, match="module must be a name"):
        set_threshold(context, {"module": "%ff", "threshold": "0.5"})


def test_what_is_not_believed_is_neither_pinned_nor_forgotten(context: DashContext) -> None:
    for deed in ("pin", "forget"):
        with pytest.raises(InputError, match="key must be that of a belief that is held"):
            change_belief(context, {"key": "other", "do": deed})
    with pytest.raises(InputError, match="do must be one of pin, approve, forget"):
        change_belief(context, {"key": "other", "do": "burn"})
