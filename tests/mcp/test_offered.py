from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import TextResourceContents

from prefrontal.decisions.log import Decision, DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.mcp.offered import ToolAnswer
from prefrontal.types import Reason, SignalEvent

from .served_samples import answer, program, served

NAME = "/downloads/r\udce9sum\udce9.pdf"
"""As Python reads a file name of another encoding."""


def wake(log: DecisionLog) -> str:
    event = SignalEvent("filesystem", NAME, "created", 1.0, 5.0)
    record = Decision(
        id=new_id(),
        time=5.0,
        payload=WakePayload(),
        subject="invoices",
        acted=True,
        reason=Reason.WOKE,
        score=0.9,
        threshold=0.6,
        question="An invoice to file?",
        propensity=1.0,
        window=(event,),
        why=((f"directory={NAME}", 1.0),),
    )
    log.append(record)
    return record.id


@pytest.mark.exhaustive
async def test_a_file_name_that_is_no_utf8_can_be_told_of(tmp_path: Path) -> None:
    with served(tmp_path) as found:
        id_ = wake(found.log)
    async with Client(program(tmp_path)) as client:
        shown = answer(await client.call_tool("explain_decision", {"id": id_}))
        [decision] = (await client.read_resource(f"prefrontal://decisions/{id_}")).contents
        [wakes] = (await client.read_resource("prefrontal://wakes")).contents
    assert isinstance(decision, TextResourceContents)
    assert isinstance(wakes, TextResourceContents)
    assert json.loads(decision.text) == shown
    assert shown["events"][0]["location"] == "/downloads/r?sum?.pdf"
    assert shown["why"][0]["name"] == "directory=/downloads/r?sum?.pdf"
    assert json.loads(wakes.text)["wakes"][0]["events"][0]["location"] == "/downloads/r?sum?.pdf"


def test_lists_and_tables_of_an_answer_can_be_told_too() -> None:
    class OddAnswer(ToolAnswer):
        paths: list[str]
        plan: dict[str, Any] | None

    odd = OddAnswer(paths=["a", "\udce9"], plan={"\udce9": [{"in": ("\udce9", 1, None)}]})
    told = {"paths": ["a", "?"], "plan": {"?": [{"in": ["?", 1, None]}]}}
    assert json.loads(odd.model_dump_json()) == told
