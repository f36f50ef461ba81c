"""A kept composition is not taken for a prompt that asks for less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.catalog.tool_facts import read_facts, tool_of
from prefrontal.routing.plans.render import render
from prefrontal.routing.plans.wiring import wire
from prefrontal.routing.ranking.extra_steps import later_steps
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Candidate, SubIntent, Tool
from prefrontal.settings.routing import Ranker

from ..project import layout_of, write
from ..sample_tools import tool

KEPT_FOR = "read the text file notes.txt and mail it to ada"
PLACE = "domains/office/send/read_file_then_send_mail.py"
REASON = "domains/office/send/send_mail.py is not asked for: name and doc x 0.3"


@pytest.fixture
def tools(tmp_path: Path) -> list[Tool]:
    """Two tools, the composition of both, and others beside."""
    layout = layout_of(tmp_path)
    read, send, *others = (
        replace(one, spec=replace(one.spec, doc=doc))
        for one, doc in (
            (tool("domains/files/read/read_file.py", ["path: str"], ["text"], root=layout.root),
             "Read a text file."),
            (tool("domains/office/send/send_mail.py", ["text: str", "to: str"], root=layout.root),
             "Send a mail to somebody."),
            (tool("domains/text/count/count_words.py", ["text: str"]), "Count the words."),
            (tool("domains/calendar/list/list_events.py"), "List the events of a day."),
        )
    )  # fmt: skip
    plan = wire([Candidate(read, 0.7, {}), Candidate(send, 0.7, {})], KEPT_FOR)
    assert plan is not None
    path = write(
        layout.root / PLACE, render(plan, [read, send], layout, "read_file_then_send_mail")
    )
    facts = read_facts(path.read_bytes(), path.stem)
    both = tool_of(
        facts,
        "0" * 64,
        {"path": path, "relative": PLACE, "domain": "office", "action": "send"},
        None,
    )
    return [read, send, both, *others]


def ranked(tools: list[Tool], prompt: str, *clauses: str) -> list[Candidate]:
    """With the composition accepted for the prompt that it was made for."""
    both = tools[2]
    accepted = PastEvent(both.name, "accepted", 0.0, "0" * 64, KEPT_FOR)
    ranker = ToolRanker(tools, {key_of(both): [accepted]}, Ranker(), 0.0)
    return ranker.candidates(prompt, [SubIntent(each, "") for each in clauses])


def test_its_later_steps_are_known(tools: list[Tool]) -> None:
    read, send, both, *_ = tools
    assert later_steps(both) == (key_of(send),)
    assert later_steps(read) == later_steps(send) == ()


@pytest.mark.parametrize("prompt", ["read the text file b.txt", "please read the text file"])
def test_it_is_not_taken_for_its_first_step_alone(tools: list[Tool], prompt: str) -> None:
    best, *others = ranked(tools, prompt)
    assert best.tool.name == "read_file"
    both = next(one for one in others if one.tool.name == "read_file_then_send_mail")
    assert both.score < 0.55 and REASON in both.flags


@pytest.mark.parametrize(
    "prompt",
    [KEPT_FOR, "read the text file b.txt and mail it to bob", "read_file_then_send_mail"],
)
def test_it_is_taken_where_all_is_asked_for(tools: list[Tool], prompt: str) -> None:
    best = ranked(tools, prompt)[0]
    assert best.tool.name == "read_file_then_send_mail" and best.score >= 0.6
    assert REASON not in best.flags


def test_a_clause_need_not_ask_for_all(tools: list[Tool]) -> None:
    clauses = ("read the text file b.txt", "mail it to bob")
    best = ranked(tools, " and ".join(clauses), *clauses)[0]
    assert best.tool.name == "read_file_then_send_mail"
    assert best.clauses[0] >= 0.6


def test_a_step_that_is_gone_asks_for_nothing(tools: list[Tool]) -> None:
    read, _, both, *others = tools
    named = {one.tool.name: one for one in ranked([read, others[0], both], "read the text file")}
    assert REASON not in named["read_file_then_send_mail"].flags
