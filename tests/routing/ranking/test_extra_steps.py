"""A kept composition is not taken for a prompt that asks for less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.catalog.tool_facts import ToolPlace, read_facts, tool_of
from prefrontal.routing.layout import Layout
from prefrontal.routing.plans.render import render
from prefrontal.routing.plans.wiring import wire
from prefrontal.routing.ranking.extra_steps import has_effects, steps_of
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Candidate, Manifest, SideEffects, SubIntent, Tool
from prefrontal.settings.routing import Ranker

from ..project import layout_of, write
from ..sample_tools import ROOT, tool

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
    return [read, send, composition(layout, PLACE, KEPT_FOR, read, send), *others]


def composition(layout: Layout, place: str, prompt: str, *steps: Tool) -> Tool:
    """The tool that was kept for the prompt."""
    plan = wire([Candidate(step, 0.7, {}) for step in steps], prompt)
    assert plan is not None
    path = layout.root / place
    write(path, render(plan, steps, layout, path.stem))
    _, domain, action, _ = place.split("/")
    facts = read_facts(path.read_bytes(), path.stem)
    about = ToolPlace(path=path, relative=place, domain=domain, action=action)
    return tool_of(facts, "0" * 64, about, None)


def ranked(
    tools: list[Tool], prompt: str, *clauses: str, kept_for: str = KEPT_FOR
) -> list[Candidate]:
    """With the composition accepted for the prompt that it was made for."""
    both = tools[2]
    accepted = PastEvent(both.name, "accepted", 0.0, "0" * 64, kept_for)
    ranker = ToolRanker(tools, {key_of(both): [accepted]}, Ranker(), 0.0)
    return ranker.candidates(prompt, [SubIntent(each, "") for each in clauses])


def test_its_steps_are_known(tools: list[Tool]) -> None:
    read, send, both, *_ = tools
    assert steps_of(both) == (key_of(read), key_of(send))
    assert steps_of(read) == steps_of(send) == ()


@pytest.mark.parametrize(
    ("name", "side_effects", "acts"),
    [
        ("send_mail", None, True),
        ("delete_file", None, True),
        ("write_file", None, True),
        ("createEvent", None, True),
        ("read_file", None, False),
        ("mail_count", "none", False),
        ("read_file", "write", True),
        ("list_sent_mails", None, False),
    ],
)
def test_what_a_tool_does_is_told_by_its_manifest_or_its_verb(
    name: str, side_effects: SideEffects | None, acts: bool
) -> None:
    manifest = Manifest(name, ROOT / "tool.yaml", side_effects=side_effects)
    assert has_effects(tool(f"domains/d/x/{name}.py", manifest=manifest)) is acts


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


@pytest.mark.parametrize(("verb", "taken"), [("send", False), ("read", True)])
def test_a_first_step_goes_without_saying_only_where_it_reads(
    tmp_path: Path, verb: str, taken: bool
) -> None:
    layout, kept_for = layout_of(tmp_path), f"{verb} the invoice and count the words of it"
    first = tool(
        f"domains/office/mail/{verb}_invoice.py", ["path: str"], ["text"], root=layout.root
    )
    count = tool("domains/text/count/count_words.py", ["text: str"], root=layout.root)
    place = f"domains/text/count/{verb}_invoice_then_count_words.py"
    both = composition(layout, place, kept_for, first, count)
    candidates = ranked([first, count, both], "count the words of it", kept_for=kept_for)
    best = next(one for one in candidates if one.tool is both)
    reason = f"{key_of(first)} is not asked for: name and doc x 0.3"
    assert (reason not in best.flags) is taken


def test_a_clause_need_not_ask_for_all(tools: list[Tool]) -> None:
    clauses = ("read the text file b.txt", "mail it to bob")
    best = ranked(tools, " and ".join(clauses), *clauses)[0]
    assert best.tool.name == "read_file_then_send_mail"
    assert best.clauses[0] >= 0.6


def test_a_step_that_is_gone_asks_for_nothing(tools: list[Tool]) -> None:
    read, _, both, *others = tools
    named = {one.tool.name: one for one in ranked([read, others[0], both], "read the text file")}
    assert REASON not in named["read_file_then_send_mail"].flags
