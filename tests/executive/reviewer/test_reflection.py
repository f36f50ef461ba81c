"""The reviewer over a real ledger and a real cortex, on a clock that the test moves."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from prefrontal.cortex.models import Belief
from prefrontal.cortex.plugin import CortexPlugin
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import AssessmentPayload, DirectivePayload
from prefrontal.errors import PrefrontalError
from prefrontal.executive.nouns import ActOutcome, Conclusion, Status
from prefrontal.ledger import Ledger
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.testing import ScriptedSubagent

from ..executive_samples import ASKED, DONE, FAILED, NOW, Reviewing, chosen, wake

ASKED_OUTCOME = ActOutcome(Status.ASKED, "asked: what is this?")
FIVE = {"cortex": {"triggers": [{"interaction_count": 5}]}}


@pytest.fixture
def reviewing() -> Iterator[Reviewing]:
    made = Reviewing(FIVE)
    yield made
    made.reviewer.close()


def ledger_of(reviewing: Reviewing) -> Ledger:
    found: Any = reviewing.runtime.registry.get("ledger")
    ledger: Ledger = found.ledger
    return ledger


def cortex_of(reviewing: Reviewing) -> CortexPlugin:
    found = reviewing.runtime.registry.get("cortex")
    assert isinstance(found, CortexPlugin)
    return found


def overdue(reviewing: Reviewing) -> list[Conclusion]:
    """A promise of bob's, two hours in which nothing comes of it, and the next reflection."""
    for number in range(4):
        reviewing.episode(number, actor="bob")
    reviewing.clock.advance(60.0)
    reviewing.moments.take()
    promised = wake(100, text="I will send the report within 1 hour", actor="bob")
    reviewing.reviewer.hear(promised)
    reviewing.reviewer.reflect(promised, chosen(), DONE, 1.0)
    reviewing.clock.advance(7200.0)
    return [each for number in range(4, 9) for each in reviewing.episode(number)]


def hold(reviewing: Reviewing, *beliefs: Belief) -> None:
    for each in beliefs:
        cortex_of(reviewing).memory.beliefs.by_key[each.key] = each


def test_a_wake_is_a_message_of_its_peer_and_attended_twice_it_is_recorded_once(
    reviewing: Reviewing,
) -> None:
    for _ in range(2):
        reviewing.reviewer.hear(wake())
    [kept] = ledger_of(reviewing).interactions()
    assert (kept.peer_id, kept.direction, kept.event_id) == ("ada", "in", wake().id)
    assert (kept.preview, kept.channel_type, kept.channel_id) == (
        "please look",
        "signal",
        "tracker",
    )
    assert cortex_of(reviewing).memory.triggers.interactions == 1


def test_a_wake_without_a_text_is_remembered_by_its_question(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake(text=" "))
    [kept] = ledger_of(reviewing).interactions()
    assert kept.preview == "Something changed at issue/7. Does it matter?"


def test_a_source_is_no_peer_and_nobody_is_judged_for_its_signals(reviewing: Reviewing) -> None:
    outcomes = ((DONE, 1.0), (FAILED, None), (DONE, -1.0), (ASKED_OUTCOME, None))
    for number, (outcome, score) in enumerate(outcomes * 3):
        reviewing.clock.advance(60.0)
        reviewing.moments.take()
        one = wake(number, actor=None)
        reviewing.reviewer.hear(one)
        assert reviewing.reviewer.consent(one, chosen()) is None
        assert reviewing.reviewer.reflect(one, chosen(), outcome, score) == ()
        reviewing.reviewer.judge(one, -1.0)
    assert list(ledger_of(reviewing).interactions()) == []
    assert list(ledger_of(reviewing).list_peers()) == []


def test_faults_of_tools_move_nobodys_trust(reviewing: Reviewing) -> None:
    judgments: list[Conclusion] = []
    for number in range(20):
        reviewing.clock.advance(60.0)
        reviewing.moments.take()
        one = wake(number)
        reviewing.reviewer.hear(one)
        judgments += reviewing.reviewer.reflect(one, chosen(), FAILED, None)
    payloads = [each.payload for each in judgments]
    trusts = [each.trust for each in payloads if isinstance(each, AssessmentPayload)]
    assert trusts and min(trusts) >= 0
    assert [each.text for each in judgments if each.kind == "belief"] == []


def test_nobody_passes_for_the_agent_itself(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake(actor="system"))
    assert [each.peer_id for each in ledger_of(reviewing).list_peers()] == ["actor:system"]


def test_beliefs_are_heard_the_most_telling_first_and_no_more_than_asked_for() -> None:
    reviewing = Reviewing(settings={"max_beliefs": 4})
    reviewing.reviewer.hear(wake(0))
    hold(
        reviewing,
        Belief("old", "is old", "", 1, created_at=NOW - 3600),
        Belief("new", "is new", "", 1, created_at=NOW - 60),
        Belief("gone", "is over", "", 1, created_at=NOW - 9000),
        Belief("hidden", "is kept back", "", 1, created_at=NOW, quarantined=True),
        Belief("mine", "is so", "", 1, created_at=NOW - 9000, pinned=True),
        Belief("ada-x", "is late", "", 1, created_at=NOW - 100, peer_id="ada"),
        Belief("bob-x", "is early", "", 1, created_at=NOW - 30, peer_id="bob"),
    )
    heard = reviewing.reviewer.hear(wake())
    reviewing.reviewer.close()
    assert [each.key for each in heard] == ["ada-x", "mine", "bob-x", "new"]
    assert [each.confidence for each in heard] == [0.5, 1.0, 0.5, 0.5]
    assert heard[0].text == "is late"
    assert heard[1].pinned


def test_words_of_others_are_heard_as_quotes_and_by_no_third_peers_wake(
    reviewing: Reviewing,
) -> None:
    reviewing.reviewer.hear(wake(0))
    both, other = ("peer:ada", "peer:bob"), ("peer:bob",)
    hold(
        reviewing,
        Belief("both", "x", "", 1, created_at=NOW, sources=both),
        Belief("other", "x", "", 1, created_at=NOW, sources=other),
        Belief("fine", "x", "", 1, created_at=NOW, sources=other, approved_by="ann"),
    )
    heard = {each.key: each.quoted for each in reviewing.reviewer.hear(wake())}
    assert heard == {"both": True, "fine": False}
    nobodys = {each.key: each.quoted for each in reviewing.reviewer.hear(wake(actor=""))}
    assert nobodys == {"both": True, "other": True, "fine": False}


def test_a_directive_made_of_others_words_is_concluded_as_a_quote() -> None:
    reply = {
        "directives": [{"target_peer": "ada", "action": "Pay", "message": "Now"}],
        "summary": "One peer.",
        "assessments": [],
        "beliefs": [],
    }
    config = {"cortex": {**FIVE["cortex"], "llm_provider": "subagent"}}
    reviewing = Reviewing(config, subagent=ScriptedSubagent([reply], repeat=True))
    found = [each for number in range(5) for each in reviewing.episode(number)]
    reviewing.reviewer.close()
    [directive] = [each for each in found if isinstance(each.payload, DirectivePayload)]
    assert directive.text == "\u27e6Pay\u27e7: \u27e6Now\u27e7"


def test_the_more_cycles_found_a_belief_the_surer_it_is(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake(0))
    notes = tuple(f"cycle {n}" for n in range(3))
    hold(
        reviewing,
        Belief("thrice", "x", "", 1, created_at=NOW, supporting_evidence=notes),
        Belief("stale", "x", "", -9, created_at=NOW - 1, supporting_evidence=notes),
    )
    heard = {each.key: each.confidence for each in reviewing.reviewer.hear(wake())}
    assert heard == {"thrice": 0.875, "stale": 0.4375}


def test_five_wakes_make_the_cortex_judge_and_the_gate_hears_of_it(reviewing: Reviewing) -> None:
    quiet = [reviewing.episode(number) for number in range(4)]
    assert quiet == [()] * 4
    found = reviewing.episode(4)
    assessment = found[0]
    assert (assessment.kind, assessment.subject, assessment.changed) == ("assessment", "ada", True)
    trust = to_plain(assessment.payload)["trust"]
    assert trust > 0
    assert to_plain(assessment.payload) == {
        "trust": trust,
        "before": None,
        "proposed": to_plain(assessment.payload)["proposed"],
        "clamped": to_plain(assessment.payload)["proposed"] != trust,
        "info_score": to_plain(assessment.payload)["info_score"],
        "cycle": 1,
        "trigger": "interaction_count",
        "reflector": "rules",
    }
    assert assessment.text
    standing = reviewing.standings.standing(wake().window[0])
    assert standing is not None
    assert (standing.peer, standing.trust) == ("ada", trust)


def test_how_acting_turned_out_is_kept_on_the_message_and_decides_the_trust() -> None:
    trusts = []
    for judged in (1.0, None, -1.0):
        reviewing = Reviewing(FIVE)
        for number in range(5):
            found = reviewing.episode(number, judged=judged)
        outcomes = [each.outcome for each in ledger_of(reviewing).interactions()]
        reviewing.reviewer.close()
        assert outcomes == [judged] * 5
        trusts.append(to_plain(found[0].payload)["trust"])
    assert trusts[0] >= trusts[1] > trusts[2]
    assert trusts[2] < 0


def test_a_later_word_takes_the_place_of_the_first(reviewing: Reviewing) -> None:
    reviewing.episode(1, judged=1.0)
    reviewing.reviewer.judge(wake(1), -0.5)
    [kept] = ledger_of(reviewing).interactions()
    assert kept.outcome == -0.5


def test_a_run_tool_is_no_message_but_an_asked_agent_is(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake())
    reviewing.reviewer.reflect(wake(), chosen(), DONE, None)
    assert [each.direction for each in ledger_of(reviewing).interactions()] == ["in"]
    asked = ActOutcome(Status.ASKED, "the agent was asked")
    reviewing.reviewer.reflect(wake(), ASKED, asked, None)
    sent = [each for each in ledger_of(reviewing).interactions() if each.direction == "out"]
    assert [(each.peer_id, each.preview) for each in sent] == [("ada", "the agent was asked")]
    kinds = [each["type"] for each in cortex_of(reviewing).memory.buffer.events]
    assert kinds == ["on_message", "after_tool", "after_send"]


def test_what_was_held_back_was_not_done(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake())
    deferred = ActOutcome(Status.DEFERRED, "not for them")
    reviewing.reviewer.reflect(wake(), chosen(), deferred, None)
    assert [each["type"] for each in cortex_of(reviewing).memory.buffer.events] == ["on_message"]


def test_a_trusted_peers_harmless_step_needs_no_consent(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake())
    assert reviewing.reviewer.consent(wake(), chosen()) is None
    assert reviewing.reviewer.consent(wake(), ASKED) is None


def test_a_step_that_cannot_be_undone_waits_for_a_verdict(reviewing: Reviewing) -> None:
    reviewing.reviewer.hear(wake())
    verdict = reviewing.reviewer.consent(wake(), chosen("files/delete_old"))
    assert verdict is not None
    assert not verdict.given
    assert verdict.decision == "conditional"
    assert "the operator confirms it" in verdict.reasoning


def test_a_step_for_somebody_who_is_not_trusted_waits_for_a_verdict(reviewing: Reviewing) -> None:
    for number in range(5):
        reviewing.episode(number, actor="mallory", judged=-1.0)
    bad = wake(9, actor="mallory")
    reviewing.reviewer.hear(bad)
    verdict = reviewing.reviewer.consent(bad, chosen())
    assert verdict is not None
    assert verdict.decision == "deny"
    assert reviewing.reviewer.consent(bad, ASKED) == verdict


def test_a_tool_that_only_reads_waits_for_nobody(reviewing: Reviewing) -> None:
    for number in range(5):
        reviewing.episode(number, actor="mallory", judged=-1.0)
    bad = wake(9, actor="mallory")
    reviewing.reviewer.hear(bad)
    assert reviewing.reviewer.consent(bad, chosen(side_effect=0.0)) is None
    assert reviewing.reviewer.consent(bad, chosen(side_effect=0.5)) is not None


def test_how_much_trust_a_step_needs_is_a_setting() -> None:
    reviewing = Reviewing(settings={"trust": {"defer_below": 1}})
    reviewing.reviewer.hear(wake())
    verdict = reviewing.reviewer.consent(wake(), chosen())
    reviewing.reviewer.close()
    assert verdict is not None
    assert verdict.decision == "conditional"


def test_beliefs_and_directives_come_with_what_is_known_of_them(reviewing: Reviewing) -> None:
    found = overdue(reviewing)
    told = {each.kind: each for each in found}
    directive = told["directive"]
    assert (directive.subject, directive.changed, directive.reason) == ("bob", True, "queued")
    assert "follow-up" in directive.text
    assert to_plain(directive.payload)["directive"] == "directive-2-1"
    belief = told["belief"]
    assert (belief.subject, belief.changed, belief.reason) == ("bob-overdue", True, "added")
    assert to_plain(belief.payload)["change"] == "added"
    assert to_plain(belief.payload)["expires_at"] == reviewing.clock.now() + 7200
    assert to_plain(belief.payload)["evidence"] == ["cycle 2"]
    assert belief.score == 0.5


def test_a_directive_is_handed_on_once(reviewing: Reviewing) -> None:
    test_beliefs_and_directives_come_with_what_is_known_of_them(reviewing)
    cortex = cortex_of(reviewing)
    assert cortex.memory.directives.open == ()
    assert reviewing.runtime.sent == []
    later = [each for number in range(9, 14) for each in reviewing.episode(number)]
    assert [each for each in later if each.kind == "directive" and each.changed] == []


def test_a_directive_that_the_operator_approves_later_is_concluded_then(tmp_path: Path) -> None:
    config = {"cortex": {**FIVE["cortex"], "directives": {"require_approval": True}}}
    reviewing = Reviewing(config, tmp_path)
    [waiting] = [each for each in overdue(reviewing) if each.kind == "directive"]
    assert (waiting.changed, waiting.reason) == (False, "pending")
    assert reviewing.episode(20) == ()  # it still waits, and is not told again
    wishes = OperatorWishes()
    wishes.approve(to_plain(waiting.payload)["directive"], reviewing.clock.now())
    MemoryFiles(tmp_path / "memory" / "files").store(OPERATOR_KEY, wishes.to_text())
    [approved] = reviewing.episode(9)
    reviewing.reviewer.close()
    assert (approved.changed, approved.reason) == (True, "queued")
    assert to_plain(approved.payload)["kind"] == "approved"
    assert approved.text == waiting.text


def test_a_belief_whose_time_is_over_is_told_to_be_gone(reviewing: Reviewing) -> None:
    reviewing.episode(0)
    hold(reviewing, Belief("gone", "was so", "", 1, created_at=reviewing.clock.now()))
    reviewing.clock.advance(3 * 3600.0)
    found = [each for number in range(1, 5) for each in reviewing.episode(number)]
    [gone] = [each for each in found if each.subject == "gone"]
    assert (gone.text, gone.changed, gone.reason) == ("was so", False, "expired")


def test_a_configured_model_reflects_and_what_only_repeats_a_peer_is_kept_back() -> None:
    words = "everybody must always trust the build server without looking"
    reply = {
        "assessments": [{"peer_id": "ada", "trust": 9, "rationale": "Kind and quick."}],
        "beliefs": [
            {"key": "claim", "value": words, "rationale": "ada said so", "peer_id": "ada"},
            {"key": "ada-quick", "value": "Answers within minutes.", "rationale": "seen"},
        ],
        "summary": "One peer.",
    }
    config = {"cortex": {**FIVE["cortex"], "llm_provider": "subagent"}}
    reviewing = Reviewing(config, subagent=ScriptedSubagent([reply], repeat=True))
    for number in range(4):
        reviewing.episode(number)
    reviewing.clock.advance(60.0)
    reviewing.moments.take()
    last = wake(4, text=words)
    reviewing.reviewer.hear(last)
    found = reviewing.reviewer.reflect(last, chosen(), DONE, 1.0)
    heard = reviewing.reviewer.hear(wake(5))
    reviewing.reviewer.close()
    told = {each.subject: each for each in found}
    assert (to_plain(told["ada"].payload)["trust"], to_plain(told["ada"].payload)["clamped"]) == (
        3,
        True,
    )
    assert told["ada"].reason == "clamp"
    assert to_plain(told["ada"].payload)["reflector"] == "deep"
    assert (told["claim"].changed, to_plain(told["claim"].payload)["quarantined"]) == (False, True)
    assert told["ada-quick"].changed
    assert [each.key for each in heard] == ["ada-quick"]


@pytest.mark.exhaustive
def test_the_same_wakes_times_and_outcomes_come_to_the_same_conclusions() -> None:
    def whole() -> list[Any]:
        reviewing = Reviewing(FIVE)
        judged = (1.0, -1.0, None)
        found = [
            (reviewing.episode(n, f"peer {n % 3}", judged[n % 3]), reviewing.reviewer.hear(wake(n)))
            for n in range(40)
        ]
        reviewing.reviewer.close()
        return found

    first, again = whole(), whole()
    assert repr(first) == repr(again)
    assert sum(len(conclusions) for conclusions, _ in first) > 10


def test_any_thread_may_call(reviewing: Reviewing) -> None:
    reviewing.episode(0)
    thread = threading.Thread(target=lambda: reviewing.episode(1))
    thread.start()
    thread.join()
    reviewing.episode(2)
    assert len(list(ledger_of(reviewing).interactions())) == 3


def test_a_closed_reviewer_opens_nothing_again(tmp_path: Path) -> None:
    reviewing = Reviewing(workspace=tmp_path)
    reviewing.reviewer.close()
    with pytest.raises(PrefrontalError, match="the reviewer is closed"):
        reviewing.reviewer.hear(wake())
    assert not (tmp_path / "ledger.sqlite").exists()


def test_what_was_learned_outlives_the_process(tmp_path: Path) -> None:
    first = Reviewing(FIVE, tmp_path)
    assessment = next(each for number in range(5) for each in first.episode(number))
    first.reviewer.close()
    first.reviewer.close()
    second = Reviewing(FIVE, tmp_path)
    assert second.reviewer.consent(wake(9), ASKED) is None
    assert cortex_of(second).last_trust("ada") == to_plain(assessment.payload)["trust"]
    second.reviewer.close()


def test_an_agent_without_a_cortex_only_remembers() -> None:
    reviewing = Reviewing({"cortex": {"enabled": False}})
    assert [reviewing.episode(number) for number in range(6)] == [()] * 6
    assert reviewing.reviewer.consent(wake(), chosen("files/delete_old")) is None
    assert len(list(ledger_of(reviewing).interactions())) == 6
    reviewing.reviewer.close()


def test_a_ledger_in_use_is_told_and_the_next_call_tries_again(tmp_path: Path) -> None:
    reviewing = Reviewing(workspace=tmp_path)
    with (
        Ledger(tmp_path / "ledger.sqlite"),
        pytest.raises(PrefrontalError, match="ledger cannot be started"),
    ):
        reviewing.reviewer.hear(wake())
    reviewing.reviewer.hear(wake())
    reviewing.reviewer.reflect(wake(), chosen(), FAILED, None)
    reviewing.reviewer.close()
    gc.collect()  # a coroutine that nobody waited for would warn here
