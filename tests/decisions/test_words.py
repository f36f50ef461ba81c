"""What decisions are in words."""

from __future__ import annotations

import pytest

from prefrontal.decisions.payloads import ActPayload, FoldedWindow, Payload, WakePayload
from prefrontal.decisions.words import SENTENCES, brief, facts, sentence
from prefrontal.types import Reason

from .decision_samples import slept, woke
from .kinds_samples import ACT, ASSESSMENT, BELIEF, DIRECTIVE, ROUTE, WAKE, of


def test_every_reason_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Reason)
    assert sentence(slept(reason="cooldown")) == SENTENCES[Reason.COOLDOWN]


def test_a_reason_of_others_stays_as_it_is() -> None:
    assert sentence(slept(reason="snowed in")) == "snowed in"


def test_an_audit_says_its_chance() -> None:
    assert sentence(woke(reason="audit", propensity=0.02)).endswith("The chance was 2.0%.")


def test_a_question_about_a_burst_waited_for_the_rest_of_it_alone() -> None:
    def asked(*reasons: str) -> str:
        folded = tuple(FoldedWindow("x", 1.0, each, "a") for each in reasons)
        return sentence(woke(payload=WakePayload(late=True, folded=folded)))

    burst = "It waited for what else would come, and was asked once nothing did."
    assert asked("grouped", "grouped").endswith(burst)
    assert asked("grouped", "cooldown").endswith(
        "It had been held back, and was asked when that ended."
    )


@pytest.mark.parametrize(
    ("payload", "reason", "word", "words"),
    [
        (WAKE, "woke", "papers", "Read /home/me/a.pdf?"),
        (ROUTE, "select", "route", "papers 0.75. check fits best."),
        (ACT, "done", "done", "papers in 0.4 s: Read /home/me/a.pdf?"),
        (ASSESSMENT, "clamp", "trust", "papers +2 -> -1. Read /home/me/a.pdf?"),
        (BELIEF, "revised", "belief", "papers revised (75%): Read /home/me/a.pdf?"),
        (DIRECTIVE, "queued", "directive", "for papers, queued: Read /home/me/a.pdf?"),
    ],
    ids=lambda each: getattr(each, "kind", None),
)
def test_each_kind_is_said_on_one_line(
    payload: Payload, reason: str, word: str, words: str
) -> None:
    assert brief(of(payload, reason=reason)) == (word, words)


def test_whoever_was_asked_is_not_said_to_be_asked_twice() -> None:
    act = of(ActPayload(status="asked"), reason="asked", question="asked: A bill?")
    assert brief(act) == ("asked", "papers: A bill?")


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        (WAKE, ["ann, trust -4, which moved the score by -2.00 log-odds",
                "1.5 wakes an hour for this peer",
                "2 wakes asked as one, before their time was up: the gate ended",
                "drawn, but not asked: peer budget", "as a person set it"]),
        (ROUTE, ["select", "code/check.py", '{"path": "x.py", "time": 5.0}',
                 "taken: code/check.py 0.910 (accepted before)", "code/todo.py 0.400", "ann-quick",
                 "approve: trust +4", "tries another one; by order +0.20",
                 '{"steps": ["code/check.py"]}']),
        (ACT, ['["x.py:1"]', "yes", "no", "namespace", "0.42 s", "3 of 3", "ab" * 32]),
        (ASSESSMENT, ["+2 -> -1", "-4, which was held back", "6/10", "2, started by timer"]),
        (BELIEF, ["was quick", "ann", "seen twice", "cycle 1; cycle 2", "", "2, started by timer"]),
        (DIRECTIVE, ["it is late", "", "directive-2-1", "2, started by timer"]),
    ],
    ids=lambda each: getattr(each, "kind", None),
)  # fmt: skip
def test_each_kind_has_its_facts(payload: Payload, told: list[str]) -> None:
    assert [each.text for each in facts(of(payload))] == told
    moments = [each.at for each in facts(of(payload)) if not each.text]
    assert moments == [1_700_007_200.0] * told.count("")
