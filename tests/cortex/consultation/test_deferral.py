"""Which steps wait is decided by names, words and sizes, never by a judgment."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.consultation.deferral import kind_of_reply, kind_of_tool
from prefrontal.settings.cortex_growth import Consultations

SETTINGS = Consultations(enabled=True)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("wallet_send", "money"),
        ("sendPayment", "money"),
        ("pay", "money"),
        ("transfer_funds", "money"),
        ("HTTPTransfer", "money"),
        ("delete_file", "irreversible"),
        ("rm", "irreversible"),
        ("deployService", "irreversible"),
        ("npm-publish", "irreversible"),
        ("read_file", None),
        ("send_message", None),
        ("payload_size", None),
        ("removed_items", None),
        ("", None),
    ],
)
def test_words_of_a_tools_name_decide(tool: str, kind: str | None) -> None:
    assert kind_of_tool(tool, {}, SETTINGS) == kind


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        ({"command": "rm -rf build"}, "irreversible"),
        ({"commands": [{"line": "git push --force"}]}, "irreversible"),
        ({"command": "lncli wallet send"}, "money"),
        ({"command": "ls -la"}, None),
        ("drop table peers", "irreversible"),
        (None, None),
    ],
)
def test_a_shell_is_known_by_what_it_runs(args: object, kind: str | None) -> None:
    assert kind_of_tool("run_shell", args, SETTINGS) == kind
    assert kind_of_tool("search_notes", args, SETTINGS) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Sure, I will pay you tomorrow.",
        "OK, I'll pay half now",
        "I’ll   pay",
        "I guarantee that it works",
        "You can have FULL ACCESS",
    ],
)
def test_a_reply_that_spends_what_the_agent_has_is_a_commitment(reply: str) -> None:
    assert kind_of_reply(reply, 10, 5, SETTINGS) == "commitment"


@pytest.mark.parametrize("reply", ["I will payload-test it", "It will pay off", "Here you are", ""])
def test_other_replies_are_none(reply: str) -> None:
    assert kind_of_reply(reply, 10, -5, SETTINGS) is None


@pytest.mark.parametrize(
    ("trust", "size", "kind"),
    [
        (-1, 2000, "scope"),
        (-1, 1999, None),
        (0, 2000, None),
        (None, 9000, None),
        (6, 9000, None),
    ],
)
def test_much_asked_by_somebody_of_low_trust_waits(
    trust: int | None, size: int, kind: str | None
) -> None:
    assert kind_of_reply("Here you are", size, trust, SETTINGS) == kind


def test_the_words_are_the_operators() -> None:
    own = Consultations(money_tools=("Stamp",), irreversible_tools=(), commitment_words=("deal",))
    assert kind_of_tool("stamp_letter", {}, own) == "money"
    assert kind_of_tool("delete", {}, own) is None
    assert kind_of_reply("It's a deal!", 1, 0, own) == "commitment"
    assert kind_of_reply("It is ideal", 1, 0, own) is None


@settings(deadline=None)
@given(st.text(max_size=60), st.recursive(st.text(), st.lists), st.text(max_size=200))
def test_any_name_arguments_and_reply_have_an_answer(tool: str, args: object, reply: str) -> None:
    assert kind_of_tool(tool, args, SETTINGS) in (None, "money", "irreversible")
    assert kind_of_reply(reply, 1, None, SETTINGS) in (None, "commitment")
