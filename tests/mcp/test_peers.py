from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.cortex.models import Belief
from prefrontal.testing import ManualClock

from .served_samples import answer, asking, meet, refusal, remember

NOW = 1_700_000_000.0


def belief(key: str, age_s: float = 60.0, **changes: object) -> Belief:
    held = Belief(key, f"Value of {key}.", "Six interactions.", 1, created_at=NOW - age_s)
    for name, value in changes.items():
        setattr(held, name, value)
    return held


async def test_beliefs_that_hold_are_told_with_their_status(tmp_path: Path) -> None:
    remember(
        tmp_path,
        belief("old", age_s=3 * 3600),
        belief("early", age_s=600),
        belief("late", age_s=60, peer_id="ada"),
        belief("kept", age_s=90_000, pinned=True),
        belief("unsure", quarantined=True),
    )
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("get_beliefs", {}))
        every = answer(await client.call_tool("get_beliefs", {"quarantined": True, "limit": 2}))
        of_ada = answer(await client.call_tool("get_beliefs", {"peer": "ada"}))
    assert [(each["key"], each["status"]) for each in found["beliefs"]] == [
        ("kept", "pinned"),
        ("late", "active"),
        ("early", "active"),
    ]
    assert found["beliefs"][0]["expires_at"] is None
    assert found["beliefs"][1]["expires_at"] == NOW - 60 + 7200
    assert [each["key"] for each in every["beliefs"]] == ["kept", "late"]
    assert every["total"] == 4
    assert [each["key"] for each in of_ada["beliefs"]] == ["late"]


async def test_beliefs_are_read_anew_for_each_question(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        before = answer(await client.call_tool("get_beliefs", {}))
        remember(tmp_path, belief("new"))
        after = answer(await client.call_tool("get_beliefs", {}))
    assert (before["total"], after["total"]) == (0, 1)


async def test_a_damaged_file_of_beliefs_is_a_sentence(tmp_path: Path) -> None:
    remember(tmp_path)
    [path] = (tmp_path / "workspace").rglob("*.md")
    path.write_text("{", encoding="utf-8")
    async with asking(tmp_path) as client:
        said = refusal(await client.call_tool("get_beliefs", {}))
    assert said.startswith(f"{path} must be readable (")


async def test_a_peer_is_told_with_what_is_on_record_and_what_the_record_supports(
    tmp_path: Path,
) -> None:
    clock = ManualClock()
    meet(tmp_path, "npub-ada", messages=12, trust=3, clock=clock)
    async with asking(tmp_path, clock=clock) as client:
        found = answer(await client.call_tool("assess_peer", {"peer": "npub"}))
    assert (found["peer"], found["name"]) == ("npub-ada", "Ada")
    assert found["messages_in"] == 12
    assert found["on_record"]["trust"] == 3
    assert found["on_record"]["rationale"] == "Kept what it promised."
    assert found["trajectory"] == [3]
    assert -10 <= found["supported_trust"] <= 10
    assert "12 interactions" in found["supported_because"]
    assert found["info"] > 0


async def test_a_peer_that_nobody_met_is_refused(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        said = refusal(await client.call_tool("assess_peer", {"peer": "bob"}))
    assert said.startswith("peer must be the id of one that the ledger holds")
    assert said.endswith("got 'bob'")


async def test_asking_leaves_the_ledger_to_its_one_writer(tmp_path: Path) -> None:
    from prefrontal.ledger import Ledger

    clock = ManualClock()
    meet(tmp_path, "npub-ada", messages=2, trust=None, clock=clock)
    with Ledger(tmp_path / "workspace" / "ledger.sqlite", clock=clock) as writer:
        async with asking(tmp_path, clock=clock) as client:
            before = answer(await client.call_tool("assess_peer", {"peer": "npub-ada"}))
            writer.record_assessment("npub-ada", -2, "Did not answer.")
            after = answer(await client.call_tool("assess_peer", {"peer": "npub-ada"}))
    assert before["on_record"] is None
    assert after["on_record"]["trust"] == -2


@pytest.mark.parametrize(
    ("asked", "decision", "kind"),
    [
        ({"step": "Good morning!"}, "approve", None),
        ({"step": "rm -rf build", "tool": "bash"}, "conditional", "irreversible"),
        ({"step": "ls build", "tool": "bash"}, "approve", None),
        ({"step": "{}", "tool": "sendPayment", "peer": "nobody"}, "deny", "money"),
        ({"step": "I promise to be there."}, "conditional", "commitment"),
        ({"step": "Here it is.", "kind": "scope"}, "conditional", "scope"),
    ],
)
async def test_a_step_that_is_hard_to_take_back_gets_a_verdict(
    tmp_path: Path, asked: dict[str, str], decision: str, kind: str | None
) -> None:
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("consult", asked))
    assert (found["decision"], found["kind"]) == (decision, kind)
    assert found["reasoning"]
    assert bool(found["conditions"]) is (decision == "conditional")


async def test_the_record_of_the_peer_decides(tmp_path: Path) -> None:
    clock = ManualClock()
    meet(tmp_path, "npub-ada", messages=30, trust=9, clock=clock)
    meet(tmp_path, "npub-bob", messages=30, trust=-5, clock=clock)
    step = {"step": "I promise to look into it."}
    async with asking(tmp_path, clock=clock) as client:
        good = answer(await client.call_tool("consult", {**step, "peer": "npub-ada"}))
        bad = answer(await client.call_tool("consult", {**step, "peer": "npub-bob"}))
    assert bad["decision"] == "deny"
    assert "trust -5" in bad["reasoning"]
    assert good["decision"] == "approve"
    assert good["reasoning"].startswith("trust +9, info ")
