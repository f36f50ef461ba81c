"""The live gate: what is pushed is decided in order, asked once, and learned from."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.settings import PolicySettings
from prefrontal.types import Reason, SignalEvent

from ..pulse.registries import PATIENCE_S, Inbox, decided, file, log_at, raw


def test_a_relevant_file_wakes_with_one_scoped_question_and_others_do_not() -> None:
    decisions, registry = decided([file("a.pdf"), file("b.tmp"), file("c.txt")])
    assert [each.question for each in decisions] == ["Is /srv/homework/a.pdf homework?"]
    assert decisions[0].reason == Reason.WOKE
    assert not decisions[0].audit
    assert registry.status()["decisions"] == {"woke": 1, "below_threshold": 1}


def test_a_file_elsewhere_is_not_even_scored() -> None:
    elsewhere = SignalEvent("filesystem", "/tmp/a.pdf", "created", 1.0, 1.0)
    decisions, registry = decided([elsewhere])
    assert decisions == []
    assert registry.status()["decisions"] == {}


def test_each_module_gates_at_its_own_threshold_above_the_floor() -> None:
    modules = [raw("low", 0.1), raw("high", 0.99), raw("middle", 0.65)]
    decisions, registry = decided([file()], modules=modules, threshold=0.5)
    assert sorted(each.module_id for each in decisions) == ["low", "middle"]
    assert registry.status()["thresholds"] == {"high": 0.99, "low": 0.5, "middle": 0.65}


def test_every_wake_can_be_explained_and_so_can_the_last_refusals() -> None:
    decisions, registry = decided([file("a.pdf"), file("b.txt")])
    woke = registry.explain(decisions[0].activation_id or "")
    assert woke is not None
    assert (woke.acted, woke.reason, woke.question) == (True, "woke", decisions[0].question)
    assert "extension=.pdf" in [name for name, _ in woke.why]
    (slept,) = registry.refusals()
    assert (slept.acted, slept.reason, slept.question) == (False, "below_threshold", None)
    again = registry.explain(slept.id)
    assert again == slept
    assert len(slept.id) == 32
    assert registry.explain("nobody") is None


def test_feedback_moves_the_score_and_is_learned_once() -> None:
    decisions, registry = decided([file("a.pdf")])
    activation = decisions[0].activation_id or ""
    for _ in range(3):
        registry.drain_training()
    registry.record_feedback(activation, 0.0)
    registry.drain_training()
    assert registry.status()["labels_learned"] == 1
    found = registry.explain(activation)
    assert found is not None
    assert found.label == 0.0


def test_labels_silence_a_module_and_silence_itself_teaches_nothing() -> None:
    witness, inbox = Inbox(), Inbox()
    registry = PulseRegistry(audit_share=0.0, threshold=0.0)
    registry.register_module("homework", raw())
    registry.register_module("witness", raw("witness", 0.0))
    registry.on_escalation(lambda each: (witness if each.module_id == "witness" else inbox)(each))
    registry.start()

    def push(number: int) -> int:
        """Decide one event; how often homework was woken so far."""
        registry.push(file("junk.pdf", time=float(number)))
        witness.wait_for(number + 1)
        slept = registry.status()["decisions"].get("below_threshold", 0)
        return len(inbox.wait_for(number + 1 - slept))

    for number in range(20):
        assert push(number) == number + 1
    assert inbox.decisions[-1].confidence == inbox.decisions[0].confidence  # twenty silences
    labels = 0
    while push(20 + labels) == 21 + labels:
        registry.record_feedback(inbox.decisions[-1].activation_id or "", 0.0)
        registry.drain_training()
        labels += 1
    assert registry.stop(PATIENCE_S)
    assert 1 <= labels < 20


def test_an_activation_of_ones_own_is_learned_while_the_gate_runs() -> None:
    registry = PulseRegistry(audit_share=0.0)
    registry.register_module("homework", raw())
    inbox = Inbox()
    registry.on_escalation(inbox)
    registry.start()
    registry.push(file("a.pdf", time=1.0))
    (first,) = inbox.wait_for(1)
    activation = registry.record_activation("homework", [file("a.pdf", time=1.0)])
    registry.record_feedback(activation, 1.0)
    assert registry.stop(PATIENCE_S)
    registry.start()
    registry.push(file("a.pdf", time=2.0))
    assert inbox.wait_for(2)[-1].confidence > first.confidence
    assert registry.stop(PATIENCE_S)


def test_bad_feedback_is_refused_and_an_unknown_id_ignored() -> None:
    registry = PulseRegistry()
    registry.record_feedback("nobody", 1.0)
    with pytest.raises(ValueError, match="^label must be"):
        registry.record_feedback("nobody", 2.0)


def test_a_repeated_event_is_decided_once() -> None:
    decisions, registry = decided([file(), file(), file(time=2.0)])
    assert len(decisions) == 2
    assert registry.status()["decisions"]["duplicate"] == 1


def test_wakes_of_a_group_are_asked_as_one() -> None:
    modules = [raw() | {"question_template": "{location}?"}]
    policy = PolicySettings(group_s=3600)
    events = [file(f"{name}.pdf") for name in "abc"]
    decisions, registry = decided(events, modules=modules, policy=policy)
    [asked] = decisions
    others = " And 2 more: b.pdf created; c.pdf created."
    assert asked.question == f"/srv/homework/a.pdf?{others}"
    assert registry.status()["decisions"] == {"grouped": 2, "woke": 1}


def test_what_holds_a_wake_back_is_its_reason() -> None:
    policy = PolicySettings(cooldown_s=3600)
    decisions, registry = decided([file("a.pdf"), file("b.pdf")], policy=policy)
    assert len(decisions) == 1
    assert registry.status()["decisions"] == {"cooldown": 1, "woke": 1}
    assert registry.refusals()[0].reason == "cooldown"


def test_an_audit_delivers_what_slept_and_says_so() -> None:
    decisions, registry = decided([file("b.txt")], audit_share=1.0)
    assert [(each.audit, each.reason) for each in decisions] == [(True, Reason.AUDIT)]
    record = registry.explain(decisions[0].activation_id or "")
    assert record is not None
    assert record.propensity == 1.0


def test_audits_give_the_recall_with_its_interval() -> None:
    events = [file(f"{n}.pdf") for n in range(30)] + [file(f"{n}.txt") for n in range(30)]
    decisions, registry = decided(events, audit_share=1.0)
    for each in decisions:
        mattered = not each.audit or each.window[0].location.endswith("/7.txt")
        registry.record_feedback(each.activation_id or "", float(mattered))
    estimate = registry.recall_estimate("homework")
    assert estimate is not None
    assert estimate.recall == pytest.approx(30 / 31)
    assert estimate.low < 30 / 31 < estimate.high
    assert registry.recall_estimate("nobody") is None


def test_a_label_of_what_was_slept_through_teaches_and_leaves_the_estimate_alone() -> None:
    events = [file(f"{n}.pdf") for n in range(30)] + [file(f"{n}.txt") for n in range(30)]
    with DecisionLog() as log:
        decisions, registry = decided(events, audit_share=0.5, log_refusals=True, log=log)
        for each in decisions:
            registry.record_feedback(each.activation_id or "", 1.0)
        before = registry.recall_estimate("homework")
        slept = [record for record in registry.refusals() if record.reason == "below_threshold"]
        assert before is not None and len(slept) > 5
        for record in slept:  # chosen by whoever labels, not drawn: no estimate follows from them
            registry.record_feedback(record.id, 1.0)
        assert registry.recall_estimate("homework") == before
        assert registry.status()["labels_learned"] == len(decisions) + len(slept)


def test_a_broken_event_is_left_out_and_the_next_one_decided(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken: Any = file("a.pdf")
    broken.location = 5
    decisions, registry = decided([broken, file("b.pdf")])
    assert [each.question for each in decisions] == ["Is /srv/homework/b.pdf homework?"]
    assert registry.status()["broken_events"] == 1
    assert "event.location must be a str, got 5" in caplog.text


def test_an_event_without_features_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    broken: Any = file("a.pdf")
    broken.features = None
    decisions, registry = decided([broken, file("b.pdf")])
    assert len(decisions) == 1
    assert registry.status()["broken_events"] == 1
    assert "event left out" in caplog.text


def test_a_log_that_fails_ends_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = log_at(tmp_path)
    decisions, _ = decided([file("a.pdf")], log=log, prepare=lambda registry: log.close())
    assert len(decisions) == 1  # delivered all the same
    assert "could not be stored" in caplog.text
    assert "labels could not be read" in caplog.text


def test_a_full_queue_refuses_and_counts() -> None:
    registry = PulseRegistry(queue_size=3, audit_share=0.0)
    registry.register_module("homework", raw())
    registry.start()
    with registry._worker.paused():
        taken = [registry.push(file(time=float(n))) for n in range(2000)]
    assert not all(taken)
    assert registry.status()["refused_by_queue"] == taken.count(False)
    assert registry.stop(PATIENCE_S)
    assert registry.status()["events"] == taken.count(True)


def test_a_registry_that_does_not_run_takes_nothing() -> None:
    assert not PulseRegistry().push(file())


def test_registering_is_checked_whole_before_anything_changes() -> None:
    registry = PulseRegistry()
    with pytest.raises(InputError, match="^module_id must be that of the fingerprint"):
        registry.register_module("other", raw())
    with pytest.raises(InputError, match="default_threshold"):
        registry.register_module("homework", raw() | {"default_threshold": 2})
    assert registry.modules() == []


def test_an_unregistered_module_fires_no_more_and_a_replaced_one_only_once() -> None:
    def replace(registry: PulseRegistry) -> None:
        registry.register_module("homework", raw())
        registry.register_module("other", raw("other"))
        registry.unregister_module("other")
        registry.unregister_module("nobody")

    decisions, registry = decided([file()], prepare=replace)
    assert [each.module_id for each in decisions] == ["homework"]
    assert registry.modules() == ["homework"]


def test_start_and_stop_may_be_repeated_and_leave_no_thread() -> None:
    before = set(threading.enumerate())
    inbox = Inbox()
    registry = PulseRegistry(audit_share=0.0)
    registry.register_module("homework", raw())
    registry.on_escalation(inbox)
    for round_number in range(3):
        registry.start()
        registry.start()
        assert registry.push(file(time=float(round_number)))
        assert registry.stop(PATIENCE_S)
        assert registry.stop(PATIENCE_S)
    assert len(inbox.decisions) == 3
    assert set(threading.enumerate()) <= before


def test_what_was_learned_survives_a_restart(tmp_path: Path) -> None:
    with log_at(tmp_path) as log:
        decisions, registry = decided([file("a.pdf")], log=log)
        registry.record_feedback(decisions[0].activation_id or "", 0.0)
        registry.start()
        assert registry.stop(PATIENCE_S)
    with log_at(tmp_path) as log:
        again, restarted = decided([file("a.pdf", time=5.0)], log=log, threshold=0.0,
                                   modules=[raw(threshold=0.0)])  # fmt: skip
        assert again[0].confidence < decisions[0].confidence
        assert restarted.status()["labels_learned"] == 0  # it was in the weights already


def test_a_label_that_came_after_the_last_save_is_learned_at_the_next_start(
    tmp_path: Path,
) -> None:
    with log_at(tmp_path) as log:
        decisions, _ = decided([file("a.pdf")], log=log)
        log.add_label(decisions[0].activation_id or "", 0.0, 1.0)  # another process
    with log_at(tmp_path) as log:
        _, registry = decided([], log=log)
        assert registry.status()["labels_learned"] == 1


def test_a_module_that_sits_out_a_run_forgets_nothing_and_learns_its_labels(
    tmp_path: Path,
) -> None:
    other = raw("other", filesystem={"watch_directories": ["/elsewhere"]})
    sure = raw(threshold=0.0)
    with log_at(tmp_path) as log:
        first, registry = decided([file("a.pdf")], log=log, threshold=0.0, modules=[sure])
        registry.record_feedback(first[0].activation_id or "", 0.0)
        registry.start()
        assert registry.stop(PATIENCE_S)
    scores = [first[0].confidence]
    for time in (2.0, 3.0):
        with log_at(tmp_path) as log:  # a run without the module, but with a label for it
            _, registry = decided([], log=log, modules=[other])
            registry.record_feedback(first[0].activation_id or "", 0.0)
        with log_at(tmp_path) as log:
            again, _ = decided([file("a.pdf", time=time)], log=log, threshold=0.0, modules=[sure])
            scores.append(again[0].confidence)
    assert scores[0] > scores[1] > scores[2]


def test_a_module_registered_again_keeps_what_it_learned_under_the_same_priors() -> None:
    decisions, registry = decided([file("a.pdf")])
    registry.record_feedback(decisions[0].activation_id or "", 0.0)
    inbox = Inbox()
    registry.on_escalation(inbox)
    registry.register_module("homework", raw(threshold=0.0) | {"question_template": "{location}!"})
    registry.start()
    registry.push(file("a.pdf", time=9.0))
    (again,) = inbox.wait_for(1)
    assert registry.stop(PATIENCE_S)
    assert again.question == "/srv/homework/a.pdf!"
    assert again.confidence < decisions[0].confidence


def test_weights_are_also_written_to_the_file_and_read_from_it(tmp_path: Path) -> None:
    path = tmp_path / "weights.pflm"
    decisions, registry = decided([file("a.pdf")], model_save_path=path, auto_save_interval=1)
    registry.record_feedback(decisions[0].activation_id or "", 0.0)
    registry.start()
    assert registry.stop(PATIENCE_S)
    assert path.exists()
    again, _ = decided([file("a.pdf")], model_save_path=path, modules=[raw(threshold=0.0)],
                       threshold=0.0)  # fmt: skip
    assert again[0].confidence < decisions[0].confidence


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"threshold": 2}, "^threshold must"),
        ({"recall": 0.0}, "^recall must"),
        ({"audit_share": 2}, "^audit_share must"),
        ({"auto_save_interval": 0}, "^auto_save_interval must"),
        ({"scorer": "oracle"}, "^scorer must"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(options: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        PulseRegistry(**options)


@pytest.mark.exhaustive
def test_four_producers_and_feedback_from_the_handler_lose_and_double_nothing() -> None:
    registry = PulseRegistry(audit_share=0.0, policy=PolicySettings(overlap="parallel"))
    registry.register_module("homework", raw(threshold=0.0))
    seen: list[str] = []

    def handler(decision: EscalationDecision) -> None:
        seen.append(decision.activation_id or "")
        registry.record_feedback(decision.activation_id or "", 1.0)

    registry.on_escalation(handler)
    registry.start()

    def produce(producer: int) -> None:
        for number in range(250):
            assert registry.push(file(f"{producer}_{number}.pdf"))

    threads = [threading.Thread(target=produce, args=(each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert registry.stop(PATIENCE_S)
    assert len(set(seen)) == len(seen) == 1000
    assert registry.status()["labels_learned"] == 1000
    assert registry.status()["handler_errors"] == 0
