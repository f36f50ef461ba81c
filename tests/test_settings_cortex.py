"""What stands below `cortex` is checked key by key, and every key has a default."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.settings.cortex import CortexSettings, parse_cortex


def test_the_defaults_are_the_agreed_ones() -> None:
    settings, warnings = parse_cortex(None)
    assert warnings == ()
    assert settings.model_dump(include=set(EXPECTED)) == EXPECTED


EXPECTED = {
    "enabled": True,
    "schedule_minutes": 30.0,
    "triggers": ("timer", "interaction_count"),
    "interaction_threshold": 5,
    "max_beliefs": 20,
    "belief_ttl_minutes": 120.0,
    "belief_expiry_cycles": 5,
    "context_window": 10,
    "max_peers_per_cycle": None,
    "max_context_tokens": 4000,
    "llm_provider": None,
    "model": None,
    "reflection_timeout_seconds": 60.0,
    "max_trust_delta": 3,
    "max_trust_delta_per_hour": 9,
    "trust_policy": "corroborate",
    "history_size": 50,
    "stale_beliefs": "ignore",
    "event_buffer_size": 10_000,
    "retry_backoff_seconds": 60.0,
    "fallback": "freeze",
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_trust_delta", 0),
        ("max_trust_delta", -3),
        ("max_trust_delta", 2.5),
        ("max_trust_delta", True),
        ("max_trust_delta_per_hour", 0),
        ("schedule_minutes", 0),
        ("schedule_minutes", True),
        ("schedule_minutes", float("nan")),
        ("interaction_threshold", 0),
        ("belief_ttl_minutes", -1),
        ("max_context_tokens", 10),
        ("reflection_timeout_seconds", 0),
        ("stale_beliefs", "hide"),
        ("trust_policy", "wild"),
        ("triggers", "often"),
        ("triggers", ["often"]),
        ("triggers", [{"timer": 0}]),
        ("pinned_beliefs", {"a": 3}),
        ("pinned_beliefs", ["a"]),
        ("directives", {"per_cycle": -1}),
        ("farming", 3),
        ("enabled", "perhaps"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_key(key: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^cortex\.({key}|schedule_minutes)[^ ]* must "):
        parse_cortex({key: value})


@pytest.mark.parametrize("raw", [3, "text", ["timer"]])
def test_the_whole_must_be_a_mapping(raw: Any) -> None:
    with pytest.raises(InputError, match="cortex must be a mapping"):
        parse_cortex(raw)


@pytest.mark.parametrize(
    ("raw", "name", "value"),
    [
        ({"reflection_interval": 15}, "schedule_minutes", 15.0),
        ({"reflection_interval": 15, "schedule_minutes": 15}, "schedule_minutes", 15.0),
        ({"triggers": [{"interaction_count": 7}]}, "interaction_threshold", 7),
        ({"triggers": {"interaction_count": 7, "timer": 20}}, "schedule_minutes", 20.0),
        ({"triggers": ["new_peer", {"timer": None}]}, "triggers", ("new_peer", "timer")),
    ],
)
def test_both_spellings_are_taken(raw: Any, name: str, value: Any) -> None:
    settings, warnings = parse_cortex(raw)
    assert getattr(settings, name) == value
    assert warnings == ()


@pytest.mark.parametrize(
    "raw",
    [
        {"reflection_interval": 15, "schedule_minutes": 30},
        {"triggers": [{"interaction_count": 7}], "interaction_threshold": 5},
    ],
)
def test_two_spellings_that_differ_are_refused(raw: Any) -> None:
    with pytest.raises(InputError, match="must be the same as"):
        parse_cortex(raw)


def test_an_unknown_key_is_left_out_with_the_nearest_name() -> None:
    settings, warnings = parse_cortex(
        {"shedule_minutes": 3, "directives": {"per_hours": 1}, "xyzzy": 1}
    )
    assert settings == CortexSettings()
    assert warnings == (
        "cortex.shedule_minutes is not a known key (did you mean 'schedule_minutes'?); ignored",
        "cortex.directives.per_hours is not a known key (did you mean 'per_hour'?); ignored",
        "cortex.xyzzy is not a known key; ignored",
    )
