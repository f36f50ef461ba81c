"""The one JSON shape: the same fields for every kind, moments in UTC, nothing JSON cannot say."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from prefrontal.decisions.decision import KINDS
from prefrontal.decisions.deliveries import Handover
from prefrontal.decisions.document import document, document_v1, explanation, instant, line
from prefrontal.decisions.payloads import Payload
from prefrontal.types import SignalEvent

from .decision_samples import event, slept, woke
from .kinds_samples import ACT, BELIEF, ROUTE, WAKE, WHOLE, of

FIELDS = [
    "version", "id", "kind", "subject", "time", "acted", "reason", "score", "threshold", "question",
    "sentence", "summary", "propensity", "why", "events", "label", "labelled_at", "cause",
    "payload",
]  # fmt: skip


@pytest.mark.parametrize("payload", WHOLE, ids=lambda each: each.kind)
def test_every_kind_has_the_same_fields_in_the_same_order(payload: Payload) -> None:
    told = json.loads(line(of(payload)))
    assert list(told) == FIELDS
    assert (told["version"], told["kind"]) == (2, payload.kind)
    assert payload.kind in KINDS


def test_a_wake_is_told_with_its_moment_and_who_is_behind_it() -> None:
    told = document(woke(payload=WAKE, id="a" * 32, label=0.5, labelled_at=1_700_000_060.0))
    assert (told["id"], told["subject"], told["acted"]) == ("a" * 32, "papers", True)
    assert (told["time"], told["labelled_at"]) == (
        "2023-11-14T22:13:20.500Z",
        "2023-11-14T22:14:20.000Z",
    )
    moment = told["payload"]["moment"]
    assert moment["time"] == "2023-11-14T22:13:20.500Z"
    assert moment["standing"] == {
        "peer": "ann", "trust": -4, "shift": -2.0, "wakes_per_hour": 1.5
    }  # fmt: skip
    assert told["why"][0] == {"name": "extension .pdf", "words": "extension .pdf", "amount": 1.5}


def test_only_fields_of_payloads_are_moments_and_what_a_tool_took_or_gave_is_not() -> None:
    assert document(of(BELIEF))["payload"]["expires_at"] == "2023-11-15T00:13:20.000Z"
    assert document(of(ROUTE))["payload"]["arguments"] == {"path": "x.py", "time": 5.0}
    assert document(of(ACT))["payload"]["tool_run"]["validation"] == {
        "ok": True,
        "summary": "3 of 3",
    }


def test_what_json_has_no_word_for_is_null_or_text() -> None:
    odd = SignalEvent("s", "l", "d", math.inf, math.nan, {"a": math.nan, "b": {1}, "c": b"x"})
    found = slept(score=math.nan, threshold=-math.inf, window=(odd,), why=(("n", math.inf),))
    told: dict[str, Any] = json.loads(line(found, features=True))
    assert (told["score"], told["threshold"], told["why"][0]["amount"]) == (None, None, None)
    [only] = told["events"]
    assert (only["magnitude"], only["time"]) == (None, None)
    assert only["features"] == {"a": None, "b": [1], "c": "b'x'"}


def test_features_stay_on_this_machine_unless_they_are_asked_for() -> None:
    assert "features" not in document(woke())["events"][0]
    assert document(woke(), features=True)["events"][0]["features"] == {"extension": ".pdf"}


@pytest.mark.parametrize("time", [math.nan, math.inf, 1e300, "noon", None])
def test_what_is_no_moment_is_none(time: object) -> None:
    assert instant(time) is None


def test_an_explanation_tells_the_chain_and_the_deliveries() -> None:
    told = explanation(
        woke(), [of(ROUTE)], [Handover("post", "pending", 2, 1_700_000_000.0, "404")]
    )
    assert [each["kind"] for each in told["chain"]] == ["route"]
    assert told["deliveries"] == [
        {
            "sink": "post", "state": "pending", "attempts": 2,
            "next_at": "2023-11-14T22:13:20.000Z", "detail": "404",
        }
    ]  # fmt: skip


def test_version_1_is_as_it_was() -> None:
    audit = woke(id="a" * 32, reason="audit", window=(event(), event("/home/me/b.pdf")))
    assert document_v1(audit) == {
        "id": "a" * 32,
        "module": "papers",
        "question": "Read /home/me/a.pdf?",
        "score": 0.75,
        "reason": "audit",
        "audit": True,
        "time": "2023-11-14T22:13:20.250Z",
        "location": "/home/me/b.pdf",
        "events": [
            {"source": "filesystem", "location": place, "delta_type": "created",
             "timestamp": 1_700_000_000.25}
            for place in ("/home/me/a.pdf", "/home/me/b.pdf")
        ],
    }  # fmt: skip
