"""Blame for a label goes to what told the window apart, not to what all windows share."""

from __future__ import annotations

import random
from typing import Any

import pytest

from prefrontal.pulse.learning.limbic import LEARNING_VERSION, LimbicLayer
from prefrontal.types import SignalEvent

from .sample_modules import MONDAY_EVENING, file, fingerprint

INBOX = "/home/user/Inbox"
APP_LOG, INVOICE = f"{INBOX}/app.log", f"{INBOX}/invoice.pdf"
FOLDER = {"filesystem": {"watch_directories": [INBOX]}}
GATE = 0.5
SLACK = 0.02
"""How far a file that nobody was asked about may move."""


def layer(priors: dict[str, Any], version: int = LEARNING_VERSION) -> LimbicLayer:
    limbic = LimbicLayer(utc=True, version=version)
    limbic.register("m", fingerprint(threshold=GATE, **priors))
    return limbic


def score(limbic: LimbicLayer, place: str, **features: Any) -> float:
    return limbic.score("m", [file(place, **features)])


def tell(limbic: LimbicLayer, place: str, label: float, n: int = 1, **features: Any) -> None:
    for number in range(n):
        time = MONDAY_EVENING + 60.0 * number
        limbic.update_weights("m", [file(place, time, "modified", **features)], label)


@pytest.mark.parametrize("priors", [{}, FOLDER], ids=["declared nothing", "the folder"])
@pytest.mark.parametrize("labels", [3, 10, 50])
@pytest.mark.parametrize("shared", [{}, {"size_bytes": 900}], ids=["bare", "size"])
def test_useless_questions_about_one_file_leave_a_file_never_seen_alone(
    priors: dict[str, Any], labels: int, shared: dict[str, Any]
) -> None:
    limbic = layer(priors)
    before = score(limbic, INVOICE, **shared)
    tell(limbic, APP_LOG, 0.0, labels, **shared)
    assert score(limbic, INVOICE, **shared) >= before - SLACK
    if priors:
        assert score(limbic, INVOICE, **shared) > GATE


@pytest.mark.parametrize("priors", [{}, FOLDER], ids=["declared nothing", "the folder"])
def test_after_three_useless_questions_the_same_file_sleeps(priors: dict[str, Any]) -> None:
    limbic = layer(priors)
    assert score(limbic, APP_LOG) >= GATE
    tell(limbic, APP_LOG, 0.0, 3)
    assert score(limbic, APP_LOG) < GATE - 0.1


@pytest.mark.parametrize("labels", [3, 10, 50])
def test_useful_answers_about_one_file_do_not_wake_for_everything(labels: int) -> None:
    quiet = {"filesystem": {"watch_directories": [INBOX], "relevant_extensions": [".txt"]}}
    limbic = layer(quiet)
    before = score(limbic, INVOICE)
    assert before < GATE
    tell(limbic, APP_LOG, 1.0, labels)
    assert score(limbic, INVOICE) <= before + SLACK
    assert score(limbic, APP_LOG) > GATE


def test_all_features_alike_blamed_the_invoice() -> None:
    """What version 1 does, which logs of before are decided again with."""
    limbic = layer(FOLDER, version=1)
    tell(limbic, APP_LOG, 0.0, 3)
    assert score(limbic, INVOICE) < GATE


def test_who_wrote_both_is_no_reason_either() -> None:
    limbic = layer({})
    before = score(limbic, INVOICE, actor="ann")
    tell(limbic, APP_LOG, 0.0, 3, actor="ann")
    assert score(limbic, INVOICE, actor="ann") > before - 3 * SLACK
    assert score(limbic, APP_LOG, actor="ann") < 0.35


def varied(seed: int, n: int) -> list[tuple[str, float, str]]:
    """Files of other names, kinds, folders and times."""
    rng = random.Random(seed)
    kinds = [".pdf", ".png", ".csv", ".doc", ".html", ".log", ".zip"]
    return [
        (
            f"{INBOX}/f{rng.randrange(9)}/{''.join(rng.choices('abcdefghij', k=7))}"
            f"{rng.choice(kinds)}",
            MONDAY_EVENING + rng.randrange(28 * 86_400),
            rng.choice(["created", "modified"]),
        )
        for _ in range(n)
    ]


def test_when_everything_is_useless_the_base_rate_comes_down() -> None:
    limbic = layer(FOLDER)
    fresh = file(f"{INBOX}/elsewhere/unheard.of", MONDAY_EVENING + 9 * 86_400, "moved")
    before = limbic.score("m", [fresh])
    for place in varied(1, 100):
        limbic.update_weights("m", [file(*place)], 0.0)
    assert limbic.score("m", [fresh]) < 0.3 < GATE < before


def test_a_kind_of_file_is_learned_across_names_within_ten_labels() -> None:
    limbic = layer({})
    for number in range(5):
        tell(limbic, f"{INBOX}/{'vwxyz'[number]}.log", 0.0)
        tell(limbic, f"{INBOX}/{'abcde'[number]}.pdf", 1.0)
    assert score(limbic, f"{INBOX}/unseen.log") < 0.4
    assert score(limbic, f"{INBOX}/unheard.pdf") > 0.6


def test_a_sender_is_learned_across_names_within_ten_labels() -> None:
    limbic = layer({})
    for number in range(5):
        tell(limbic, f"{INBOX}/{'vwxyz'[number]}.txt", 0.0, actor="newsletter")
        tell(limbic, f"{INBOX}/{'abcde'[number]}.txt", 1.0, actor="ann")
    assert score(limbic, f"{INBOX}/unseen.txt", actor="newsletter") < 0.4
    assert score(limbic, f"{INBOX}/unheard.txt", actor="ann") > 0.6


def test_an_hour_is_learned_where_nothing_specific_tells() -> None:
    """The same file all day long: it matters at night and not by day."""
    limbic, rng = layer({}), random.Random(3)
    for _ in range(200):
        hour = rng.randrange(24)
        when = MONDAY_EVENING + 86_400 * rng.randrange(28) + 3_600 * (hour - 19)
        limbic.update_weights("m", [file(APP_LOG, when)], float(hour < 6))
    night = [limbic.score("m", [file(APP_LOG, MONDAY_EVENING + 3_600 * h)]) for h in range(5, 11)]
    day = [limbic.score("m", [file(APP_LOG, MONDAY_EVENING - 3_600 * h)]) for h in range(12)]
    assert min(night) > max(day)


def test_a_heartbeat_in_a_log_sleeps_and_an_error_still_wakes() -> None:
    limbic = layer({})

    def line(text: str, minute: int) -> list[Any]:
        time = MONDAY_EVENING + 60 * minute
        return [SignalEvent("log", "/var/log/app.log", "line", 1.0, time, {"text": text})]

    before = limbic.score("m", line("ERROR disk full on node", 0))
    for minute in range(30):
        limbic.update_weights("m", line("heartbeat ok", minute), 0.0)
    assert limbic.score("m", line("heartbeat ok", 31)) < 0.2
    assert limbic.score("m", line("ERROR disk full on node", 31)) > before - SLACK


@pytest.mark.parametrize("version", [0, 4, "2", None])
def test_a_version_that_is_none_is_refused(version: Any) -> None:
    with pytest.raises(ValueError, match=r"^version must be 1, 2 or 3, got "):
        LimbicLayer(version=version)


def test_weights_learned_by_version_1_go_on_in_version_2() -> None:
    old, new = layer({}, version=1), layer({}, version=2)
    for place in varied(2, 40):
        old.update_weights("m", [file(*place)], float(place[0].endswith(".pdf")))
    new.restore_all(old.to_bytes())
    assert new.to_bytes() == old.to_bytes()
    seen, unseen = varied(2, 1)[0], varied(5, 1)[0]
    assert new.score("m", [file(*unseen)]) == old.score("m", [file(*unseen)])
    high = new.score("m", [file(*seen)])
    new.update_weights("m", [file(*seen)], 0.0)
    assert new.score("m", [file(*seen)]) < high


def test_a_kind_of_file_that_a_person_declared_outlives_two_useless_ones_of_other_names() -> None:
    def name(words: str) -> dict[str, Any]:
        return {"extension": ".pdf", "filename_tokens": words.split()}

    limbic = layer({"filesystem": {"watch_directories": [INBOX], "relevant_extensions": [".pdf"]}})
    tell(limbic, f"{INBOX}/bill-1.pdf", 1.0, **name("bill"))
    for week in (1, 2):
        tell(limbic, f"{INBOX}/menu-{week}.pdf", 0.0, **name(f"menu week{week}"))
    bill = score(limbic, f"{INBOX}/bill-2.pdf", **name("bill"))
    menu = score(limbic, f"{INBOX}/menu-3.pdf", **name("menu week3"))
    assert bill > 0.6 and bill > menu + 0.02
