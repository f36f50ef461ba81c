from __future__ import annotations

import pytest

from prefrontal.replay.histories.agent_replies import MOST_BESIDE_TOKEN, is_noop


@pytest.mark.parametrize(
    "answer",
    [
        *("", " \n", "HEARTBEAT_OK", "**HEARTBEAT_OK**", "`NO_REPLY`.", "no_reply", '"NO_REPLY"'),
        *("NOOP", "NO_OP", "SESSION_WATCHDOG_OK", "NO_NEW_MAIL", "No response requested."),
        *('{"action":"NO_REPLY"}', "<think>calm seas</think>\nNO_REPLY", "<think>cut off"),
        *("[[reply_to_current]] NO_REPLY", "[[reply_to: 7]]"),
    ],
)
@pytest.mark.parametrize("woken", [False, True])
def test_a_no_op_says_nothing_whoever_asked(answer: str, woken: bool) -> None:
    assert is_noop(answer, woken)


@pytest.mark.parametrize(
    "answer",
    [
        *("It is paid.", "Mail: your landlord wrote.", "0", "👍 done", "<b>rain</b>"),
        "The heartbeat replies HEARTBEAT_OK when all is well.",
        "NO_REPLY_TOKEN is defined in tokens.ts.",
        *("[[reply_to_current]] Paid.", "x" * 100_000),
    ],
)
@pytest.mark.parametrize("woken", [False, True])
def test_whatever_else_is_said_says_something(answer: str, woken: bool) -> None:
    assert not is_noop(answer, woken)


@pytest.mark.parametrize(
    "answer", ["ok", "OK.", "ack", "HEARTBEAT_OK - all green", "Calm. NO_REPLY"]
)
def test_what_acknowledges_a_wake_says_something_to_a_person(answer: str) -> None:
    assert is_noop(answer, woken=True)
    assert not is_noop(answer, woken=False)


def test_a_token_outweighs_a_few_words_beside_it_and_no_report() -> None:
    assert is_noop("HEARTBEAT_OK" + "x" * MOST_BESIDE_TOKEN, woken=True)
    assert not is_noop("HEARTBEAT_OK" + "x" * (MOST_BESIDE_TOKEN + 1), woken=True)
