"""`decisions`, `explain` and `feedback` on what follows a wake."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import from_plain

from .test_decisions import decision

ROUTE = {
    "policy": "select",
    "tool": "python/check/check_syntax.py",
    "arguments": {"path": "x.py"},
    "sentence": "check_syntax fits best.",
    "considered": [
        {"tool": "python/check/check_syntax.py", "score": 0.91, "flags": []},
        {"tool": "notes/find/find_todos.py", "score": 0.41, "flags": ["too little history"]},
    ],
    "picked": 0,
    "beliefs": ["ada-reliable"],
    "verdict": {"decision": "approve", "reasoning": "trust +4"},
    "control": {"committed": True, "probing": False, "why": [["order", 0.2]]},
}
ACT = {
    "status": "done",
    "value": ["x.py:1: invalid syntax"],
    "useful": True,
    "accepted": None,
    "seconds": 0.42,
    "level": "namespace",
    "validation": {"ok": True, "summary": "3 of 3 passed"},
    "sha256": "ab" * 32,
}
BELIEF = {
    "change": "revised",
    "expires_at": 1_700_007_200.0,
    "evidence": ["cycle 1", "cycle 2"],
    "pinned": False,
    "quarantined": False,
    "peer": "ada",
    "rationale": "seen twice",
    "old": "was quick",
    "cycle": 2,
    "trigger": "timer",
}


def later(
    number: int, kind: str, cause: int, plain: dict[str, Any] | None = None, **fields: Any
) -> Decision:
    told: dict[str, Any] = {
        "score": math.nan,
        "threshold": math.nan,
        "window": (),
        "why": (),
        "cause": f"{cause:08x}" * 4,
        **fields,
    }
    return decision(number, payload=from_plain(kind, plain or {}, 0.0), **told)


@pytest.fixture(autouse=True)
def _chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_STATE", str(tmp_path))
    trust = {"trust": -1, "before": 2, "proposed": -4, "clamped": True, "info_score": 6, "cycle": 2}
    told = {"rationale": "it is late", "expires_at": 1_700_007_200.0, "why": "", "cycle": 2}
    records = [
        decision(1),
        later(2, "route", 1, subject="check_syntax", reason="select", score=0.91, plain=ROUTE,
              threshold=0.6, why=(("doc_keywords", 0.4),), question="check the syntax"),
        later(3, "act", 2, subject="check_syntax", reason="done", plain=ACT, question="invalid"),
        later(4, "assessment", 3, subject="ada", reason="clamp", plain=trust, question="Late."),
        later(5, "belief", 3, subject="ada-quick", reason="revised", score=0.75, plain=BELIEF,
              question="is slow"),
        later(6, "directive", 3, subject="ada", reason="queued", plain=told, question="Ask."),
        later(7, "act", 6, subject="agent", reason="asked", plain={"useful": None},
              question="asked: Ask."),
        decision(8),
        later(9, "act", 8, acted=False, reason="failed", subject="find_todos", question="broke"),
    ]  # fmt: skip
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        log.append_many(records)


def run(*words: str) -> Result:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, done.output
    return done


def page(number: int) -> str:
    return run("explain", f"{number:08x}").stdout


def test_one_kind_is_listed_alone_also_what_was_not_done() -> None:
    lines = run("decisions", "--kind", "act").stdout.splitlines()
    assert lines[0].split() == ["id", "when", "tool", "score", "label", "what"]
    assert [line[:8] for line in lines[1:]] == ["00000009", "00000007", "00000003"]
    assert lines[1].rstrip().endswith("failed: broke")
    assert lines[2].rstrip().endswith(" asked: Ask.")
    assert "asked: asked" not in lines[2]
    slept = run("decisions", "--kind", "act", "--slept").stdout.splitlines()
    assert [line[:8] for line in slept[1:]] == ["00000009"]


def test_all_kinds_are_listed_together_with_their_kind() -> None:
    lines = run("decisions", "--kind", "all").stdout.splitlines()
    assert lines[0].split()[:4] == ["id", "when", "kind", "about"]
    assert len(lines) == 10
    assert "assessment" in lines[6]
    assert "+2 -> -1. Late." in lines[6]
    told = [
        json.loads(line)
        for line in run("decisions", "--kind", "all", "--json").stdout.split("\n")
        if line
    ]
    assert told[3]["payload"]["cycle"]["number"] == 2


def test_a_kind_that_is_not_there_is_said() -> None:
    done = run("decisions", "--kind", "belief", "--module", "nobody")
    assert done.stdout.startswith("No belief of nobody is kept in /")


def test_wakes_are_listed_as_before() -> None:
    lines = run("decisions").stdout.splitlines()
    assert [line[:8] for line in lines[1:]] == ["00000008", "00000001"]


def test_a_route_is_explained_by_what_was_considered() -> None:
    said = page(2)
    for words in (
        "check_syntax fits best.",
        "taken: python/check/check_syntax.py 0.910",
        "notes/find/find_todos.py 0.410 (too little history)",
        '{"path": "x.py"}',
        "ada-reliable",
        "approve: trust +4",
        "by order +0.20",
        "doc_keywords",
        "Was the choice right? prefrontal feedback 00000002 right   (or wrong)",
    ):
        assert words in said, said


def test_an_act_is_explained_by_what_came_of_it() -> None:
    said = page(3)
    for words in ("It was done.", '["x.py:1: invalid syntax"]', "namespace", "0.42 s", "ab" * 32):
        assert words in said, said
    assert "nobody knows yet" in said
    assert "3 of 3 passed" in said


def test_what_reflection_came_to_is_explained() -> None:
    assert "The trust moved as far as one reflection may move it." in page(4)
    assert "+2 -> -1" in page(4)
    assert "-4, which was held back" in page(4)
    said = page(5)
    for words in ("75% sure", "was quick", "cycle 1; cycle 2", "seen twice", "2, started by timer"):
        assert words in said, said
    assert "It was handed to the agent." in page(6)
    assert "feedback" not in page(4)


def test_the_chain_is_told_above_and_below_with_a_mark() -> None:
    lines = [line.split() for line in page(3).splitlines() if "0000000" in line[:12]]
    assert [line[0] if line[0] != ">" else line[1] for line in lines] == [
        *("00000001", "00000002", "00000003", "00000004", "00000005", "00000006", "00000007"),
    ]
    assert [line[0] for line in lines].index(">") == 2
    told = json.loads(run("explain", "00000006", "--json").stdout)
    assert [each["id"][7] for each in told["chain"]] == list("123457")
    assert told["chain"][1]["cause"] == told["chain"][0]["id"]


def test_a_decision_by_itself_has_no_chain(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        log.append(later(10, "act", 99, subject="x"))
    assert "What led to what" not in page(10)
    assert json.loads(run("explain", "0000000a", "--json").stdout)["chain"] == []


def test_a_route_is_right_or_wrong_and_a_belief_neither() -> None:
    noted = run("feedback", "00000002", "wrong").stdout
    assert "Noted: 00000002, a route, of check_syntax was 0." in noted
    assert "A running `prefrontal run` learns from it" in noted
    assert "0 (wrong)" in page(2)
    done = CliRunner().invoke(main, ["feedback", "00000005", "right"])
    assert done.exit_code == 2
    assert "must belong to a wake, a route or an act, got one of kind belief" in done.stderr
