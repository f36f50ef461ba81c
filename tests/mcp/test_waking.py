from __future__ import annotations

from pathlib import Path

from prefrontal.decisions.log import DecisionLog
from prefrontal.testing import ManualClock

from .served_samples import BILL, INVOICES, NOTES, answer, asking, refusal

TAXES = {**INVOICES, "module_id": "taxes", "question_template": "{location}: for the taxes?"}


async def test_what_matters_wakes_with_a_question_and_the_reasons(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("should_wake", {"events": [BILL]}))
    assert found["wake"] is True
    assert found["questions"] == ["/downloads/bill.pdf: an invoice to file?"]
    [decision] = found["decisions"]
    assert (decision["version"], decision["subject"]) == (2, "invoices")
    assert decision["score"] > decision["threshold"] == 0.6
    assert decision["reason"] == "woke"
    assert decision["why"][0]["name"] == "extension=.pdf"
    assert decision["why"][0]["words"] == "a .pdf file"
    assert decision["why"][0]["amount"] > 0


async def test_what_does_not_matter_sleeps_and_says_why(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("should_wake", {"events": [NOTES]}))
    assert found["wake"] is False
    assert found["questions"] == []
    assert found["decisions"][0]["sentence"] == (
        "It woke nobody: the score stayed below the threshold."
    )


async def test_every_module_that_is_concerned_decides_unless_one_is_named(tmp_path: Path) -> None:
    async with asking(tmp_path, INVOICES, TAXES) as client:
        every = answer(await client.call_tool("should_wake", {"events": [BILL]}))
        one = answer(await client.call_tool("should_wake", {"events": [BILL], "module": "taxes"}))
        elsewhere = {**BILL, "location": "/elsewhere/bill.pdf"}
        none = answer(await client.call_tool("should_wake", {"events": [elsewhere]}))
    assert every["questions"] == [
        "/downloads/bill.pdf: an invoice to file?",
        "/downloads/bill.pdf: for the taxes?",
    ]
    assert [each["subject"] for each in one["decisions"]] == ["taxes"]
    assert one["thresholds"] == {"taxes": "threshold 0.60, the module's own"}
    assert none == {"wake": False, "questions": [], "decisions": [], "thresholds": {}}


async def test_a_window_is_judged_as_one(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("should_wake", {"events": [NOTES, BILL]}))
        shown = answer(
            await client.call_tool("explain_decision", {"id": found["decisions"][0]["id"]})
        )
    assert len(found["decisions"]) == 1
    assert [each["location"] for each in shown["events"]] == [NOTES["location"], BILL["location"]]


async def test_a_module_that_nobody_knows_is_told_with_those_that_are(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        asked = {"events": [BILL], "module": "taxes"}
        said = refusal(await client.call_tool("should_wake", asked))
    assert said == "module must be one of invoices, got 'taxes'"


async def test_a_feature_of_the_wrong_type_is_named(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        asked = {"events": [{**BILL, "features": {"actor": 3}}]}
        said = refusal(await client.call_tool("should_wake", asked))
    assert said == "event.features['actor'] must be a str, got 3"


async def test_feedback_moves_the_next_score_at_once(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        first = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        told = {"id": first["id"][:8], "label": "useless"}
        noted = answer(await client.call_tool("give_feedback", told))
        again = answer(await client.call_tool("give_feedback", {**told, "label": 0.25}))
        second = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
    assert noted == {
        "id": first["id"], "kind": "wake", "subject": "invoices", "label": 0.0, "before": None
    }  # fmt: skip
    assert again["before"] == 0.0
    assert second["score"] < first["score"]


async def test_feedback_is_on_the_disk_and_learned_after_a_restart(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        first = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        await client.call_tool("give_feedback", {"id": first["id"], "label": "useless"})
        with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
            kept = log.get(first["id"])
            assert kept is not None
            assert kept.label == 0.0
            assert log.load_state("weights") is None  # those belong to `prefrontal watch`
        learned = answer(await client.call_tool("should_wake", {"events": [BILL]}))
    async with asking(tmp_path) as client:
        again = answer(await client.call_tool("should_wake", {"events": [BILL]}))
    assert again["decisions"][0]["score"] == learned["decisions"][0]["score"] < first["score"]


async def test_feedback_on_nothing_is_refused(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        said = refusal(await client.call_tool("give_feedback", {"id": "f00d", "label": 1}))
    assert said.startswith("decision id must be one of a decision that was kept")


async def test_a_decision_is_explained_with_its_label_and_events(tmp_path: Path) -> None:
    clock = ManualClock(1_700_000_000.0)
    async with asking(tmp_path, clock=clock) as client:
        made = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        await client.call_tool("give_feedback", {"id": made["id"], "label": "useful"})
        shown = answer(await client.call_tool("explain_decision", {"id": made["id"][:6]}))
    moment = "2023-11-14T22:13:20.000Z"
    label = {"label": 1.0, "labelled_at": moment}
    assert {name: shown[name] for name in made} == made | label
    assert made["events"] == [{**BILL, "magnitude": 1.0, "time": moment}]
    assert (shown["chain"], shown["deliveries"]) == ([], [])


async def test_the_policy_of_the_settings_holds_wakes_back(tmp_path: Path) -> None:
    clock = ManualClock()
    async with asking(tmp_path, clock=clock, policy={"cooldown_s": 60}) as client:
        asked = {"events": [BILL]}
        found = [answer(await client.call_tool("should_wake", asked)) for _ in range(2)]
        clock.advance(61)
        found.append(answer(await client.call_tool("should_wake", asked)))
    assert [each["decisions"][0]["reason"] for each in found] == ["woke", "cooldown", "woke"]


async def test_a_slept_window_may_be_an_audit(tmp_path: Path) -> None:
    async with asking(tmp_path, audit_share=1.0) as client:
        found = answer(await client.call_tool("should_wake", {"events": [NOTES]}))
    assert found["wake"] is True
    assert found["decisions"][0]["reason"] == "audit"
