"""Who asks to send or to delete is told where no selected tool does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.ranking.outward_acts import act_of, does_act, open_acts
from prefrontal.routing.types import Manifest, SubIntent, Tool

from ..sample_tools import ROOT, harm, tool


def described(name: str, doc: str, manifest: Manifest | None = None) -> Tool:
    one = tool(f"domains/text/do/{name}.py", manifest=manifest)
    return replace(one, spec=replace(one.spec, doc=doc))


SUMMARISE = described("summarise_text", "Summarises a text. It does not send it.")
READ_MAIL = described("read_mail", "Reads a mail.")


@pytest.mark.parametrize(
    ("clause", "verb"),
    [
        ("send the summary to bob@example.com", "send"),
        ("please could you upload links to s3", "upload"),
        ("mail it to bob", "mail"),
        ("post 'hello' on the blog", "post"),
        ("delete them", "delete"),
        ("mail addresses in this file", ""),
        ("post titles of the blog", ""),
        ("send me the summary", ""),
        ("to send to a manager", ""),
        ("find what was sent", ""),
        ("send", ""),
        ("share the figures with me", ""),
        ("", ""),
    ],
)
def test_a_clause_asks_for_an_act_with_its_first_verb(clause: str, verb: str) -> None:
    assert act_of(clause) == verb


@pytest.mark.parametrize(
    ("one", "verb", "does"),
    [
        (SUMMARISE, "send", False),
        (READ_MAIL, "mail", False),
        (described("send_mail", "Does it."), "upload", True),
        (described("say", "Publishes a text."), "post", True),
        (described("create_post", "Creates an entry."), "post", True),
        (described("say", "Puts a message on the board.", harm("write")), "send", True),
        (described("say", "Puts a message on the board.", harm("none")), "send", False),
        (
            described("say", "Says it.", Manifest("say", ROOT / "x", intents=("send it to bob",))),
            "mail",
            True,
        ),
        (described("transfer_money", "Moves money."), "send", True),
        (SUMMARISE, "delete", False),
        (described("update_meeting", "Updates a meeting."), "delete", True),
    ],
)
def test_a_tool_does_what_its_name_first_sentence_or_intents_say(
    one: Tool, verb: str, does: bool
) -> None:
    assert does_act(one, verb) is does


def test_only_what_none_of_the_tools_does_is_left_undone() -> None:
    clauses = [SubIntent("summarize this", "summar"), SubIntent("send it to bob", "send")]
    assert open_acts(clauses, [SUMMARISE]) == {1: "send"}
    assert open_acts(clauses, [SUMMARISE, described("send_mail", "Sends.")]) == {}
    assert open_acts(clauses, []) == {}
