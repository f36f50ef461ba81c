"""A module of an adopted history: its rule, its hours in UTC, its windows alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.learning.rules import Rule, find_rule
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.types import SignalEvent

Window = tuple[SignalEvent, ...]


def window(path: str, at: float = 1_500_000_000.0, actor: str = "jane") -> Window:
    return (SignalEvent("filesystem", path, "modified", 1.0, at, {"actor": actor, "text": "x"}),)


def rule() -> Rule:
    labelled = [(window(f"src/core/{n}.py"), True) for n in range(20)]
    labelled += [(window(f"docs/{n}.md"), False) for n in range(60)]
    return find_rule(labelled).rule


def fingerprint(history: dict[str, Any] | None, module_id: str = "m") -> ModuleFingerprint:
    priors = {} if history is None else {"signal_priors": {"history": history}}
    return parse_fingerprint(
        {
            "module_id": module_id,
            "cluster": "c",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.5,
            **priors,
        }
    )


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_rule_goes_through_plain_values() -> None:
    found = rule()
    again = Rule.from_dict(json.loads(json.dumps(found.to_dict())))
    assert str(again) == str(found) != "**"
    assert again.to_dict() == found.to_dict()
    for path in ("src/core/x.py", "docs/x.md"):
        assert again.matches(window(path)) == found.matches(window(path))


def test_a_rule_with_any_bytes_goes_through_plain_values() -> None:
    labelled = [(window(f"src/{n}", actor="j\udc80ö"), True) for n in range(20)]
    labelled += [(window(f"src/{n}"), False) for n in range(60)]
    found = find_rule(labelled).rule
    again = Rule.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.matches(labelled[0][0])
    assert not again.matches(labelled[-1][0])


@pytest.mark.parametrize(
    "broken", [{}, {"join": "xor"}, {"join": "one", "first": 1}, {"join": "one", "first": {}}]
)
def test_what_is_no_rule_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"signal_priors\.history\.rule must be a rule that"):
        fingerprint({"rule": broken})


@pytest.mark.parametrize("recall", [0.0, 1.1, True, "x"])
def test_its_recall_is_a_share(recall: object) -> None:
    with pytest.raises(InputError, match=r"history\.recall must be a number above 0 and at most 1"):
        fingerprint({"recall": recall})


def test_whether_its_labels_are_complete_is_a_yes_or_no() -> None:
    with pytest.raises(InputError, match=r"history\.complete must be true or false, got 1"):
        fingerprint({"complete": 1})


def test_it_goes_through_its_raw_form() -> None:
    given = fingerprint({"recall": 0.8, "rule": rule().to_dict(), "complete": True})
    assert parse_fingerprint(json.loads(json.dumps(given.to_dict()))) == given


def test_it_scores_as_a_replay_with_the_rule_does_in_any_time_zone(in_tokyo: None) -> None:
    found = rule()
    replayed = LimbicLayer(utc=True)
    replayed.register("m", fingerprint(None))
    replayed.start_from("m", found)
    live = LimbicLayer()
    live.register("other", fingerprint(None, "other"))
    live.register("m", fingerprint({"rule": found.to_dict()}))
    for n in range(40):
        each = window(f"{'src/core' if n % 3 else 'docs'}/{n}", 1_500_000_000.0 + n * 7_000)
        assert live.score("m", each) == replayed.score("m", each) == live.score_all(each)["m"]
        assert live.contributions("m", each) == replayed.contributions("m", each)
        for layer in (live, replayed):
            layer.update_weights("m", each, float(n % 2))
    assert live.score("other", each) != live.score_all(each)["m"]


def test_other_signals_do_not_concern_it() -> None:
    live = LimbicLayer()
    live.register("m", fingerprint({}))
    live.register("other", fingerprint(None, "other"))
    assert list(live.score_routed(window("a"))) == ["other"]
    live.register("m", fingerprint(None))
    assert list(live.score_routed(window("a"))) == ["m", "other"]
    live.register("m", fingerprint({}))
    live.unregister("m")
    live.register("m", fingerprint(None))
    assert list(live.score_routed(window("a"))) == ["m", "other"]


def test_a_network_cannot_be_told_a_rule() -> None:
    with pytest.raises(ValueError, match="scorer must be linear for 'm'"):
        LimbicLayer("lstm").register("m", fingerprint({}))


def test_what_it_learned_comes_back_with_its_rule() -> None:
    layer = LimbicLayer()
    layer.register("m", fingerprint({"rule": rule().to_dict()}))
    layer.update_weights("m", window("src/core/a.py"), 0.0)
    again = LimbicLayer()
    again.register("m", fingerprint({"rule": rule().to_dict()}))
    assert again.restore("m", layer.to_bytes()) == "restored"
    for path in ("src/core/b.py", "docs/b.md"):
        assert again.score("m", window(path)) == layer.score("m", window(path))
