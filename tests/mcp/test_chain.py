"""Decisions of every kind over the protocol: explained, read by address, labelled."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from mcp.types import TextResourceContents

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import from_plain

from .served_samples import answer, asking, refusal


def decision(
    id_: str, kind: str, cause: str | None, plain: dict[str, Any] | None = None, **fields: object
) -> Decision:
    told: dict[str, object] = {"subject": kind, "reason": "done", **fields}
    return Decision(
        id=id_ * 32,
        time=1.7e9,
        payload=from_plain(kind, plain or {}, 1.7e9),
        acted=True,
        score=math.nan,
        threshold=math.nan,
        question=f"what the {kind} says",
        propensity=1.0,
        window=(),
        cause=None if cause is None else cause * 32,
        **told,  # type: ignore[arg-type]
    )


def chain(folder: Path) -> None:
    (folder / "state").mkdir(parents=True, exist_ok=True)
    trust = {"trust": 3, "before": 1}
    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        log.append_many(
            [
                decision("a", "wake", None, reason="woke"),
                decision("b", "route", "a", plain={"tool": "x.py", "sentence": "It fits."}),
                decision("c", "act", "b", plain={"value": [1]}),
                decision("d", "assessment", "c", reason="judged", plain=trust, subject="ada"),
            ]
        )


async def test_a_decision_of_any_kind_is_explained_with_its_chain(tmp_path: Path) -> None:
    chain(tmp_path)
    async with asking(tmp_path) as client:
        told = {
            id_: answer(await client.call_tool("explain_decision", {"id": id_ * 8}))
            for id_ in "abcd"
        }
    assert [told[id_]["kind"] for id_ in "abcd"] == ["wake", "route", "act", "assessment"]
    for id_ in "abcd":
        others = [each["id"][0] for each in told[id_]["chain"]]
        assert others == [each for each in "abcd" if each != id_]
    assert told["b"]["sentence"] == "It fits."
    assert told["c"]["sentence"] == "It was done."
    assert told["c"]["payload"]["value"] == [1]
    assert told["d"]["cause"] == "c" * 32
    assert told["b"]["chain"][-1]["summary"] == "trust: ada +1 -> +3. what the assessment says"
    assert told["a"]["cause"] is None


async def test_a_decision_of_any_kind_is_read_by_its_address(tmp_path: Path) -> None:
    chain(tmp_path)
    async with asking(tmp_path) as client:
        found = await client.read_resource(f"prefrontal://decisions/{'c' * 32}")
    [content] = found.contents
    assert isinstance(content, TextResourceContents)
    told = json.loads(content.text)
    assert (told["kind"], told["score"], len(told["chain"])) == ("act", None, 3)


async def test_a_choice_is_labelled_right_or_wrong_and_a_judgment_not_at_all(
    tmp_path: Path,
) -> None:
    chain(tmp_path)
    async with asking(tmp_path) as client:
        noted = answer(await client.call_tool("give_feedback", {"id": "bbbb", "label": "wrong"}))
        said = refusal(await client.call_tool("give_feedback", {"id": "dddd", "label": "right"}))
    assert (noted["id"], noted["label"]) == ("b" * 32, 0.0)
    assert said == "id must belong to a wake, a route or an act, got one of kind assessment"
