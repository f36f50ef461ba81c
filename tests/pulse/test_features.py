"""What the linear scorer sees of a window, by name."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core import pulse as core
from prefrontal.types import SignalEvent

from ..exhaustive import first
from .sample_modules import MONDAY_EVENING, file, tick


def seen(*events: SignalEvent) -> set[str]:
    names = core.feature_names(list(events), utc=True)
    assert len(names) == len(set(names))
    return set(names)


def test_a_file_is_seen_by_kind_place_name_and_words() -> None:
    names = seen(file("src/net/HttpServer_v2.py", delta_type="modified", size_bytes=3_000))
    assert names >= {
        *("source=filesystem", "delta=modified", "extension=.py", "name=HttpServer_v2.py"),
        *("directory=src", "directory=src/net", "token=http", "token=server", "token=v2"),
        *(
            "count=1",
            "hour=19",
            "weekday=Mon",
            "file kinds=code",
            "only extension=.py",
            "size=2^11",
        ),
    }


def test_actor_and_text_are_seen_once_whoever_carries_them() -> None:
    told: dict[str, Any] = {"actor": "jane", "text": "Fix HTTP 404"}
    one = seen(file("a.py", **told))
    assert one >= {"actor=jane", "word=fix", "word=http", "word=#", "words=fix http", "words=^ fix"}
    assert seen(file("a.py", **told), file("a.py", **dict(told))) - one == {"count=2"}


def test_a_clock_is_seen_by_its_own_hour_and_by_how_long_nothing_happened() -> None:
    event = tick(minutes=100)
    event.timestamp = 0.0  # a Thursday at midnight: the clock's own word counts
    assert seen(event) >= {"source=time", "hour=19", "weekday=Mon", "idle minutes=2^6"}


def test_other_sources_are_seen_by_their_features() -> None:
    features: dict[str, Any] = {"key": "exam", "value_length": 3, "status": 503.0, "big": 70_000}
    event = SignalEvent("memory", "notes/study", "modified", 0.5, MONDAY_EVENING, features)
    assert seen(event) >= {
        *("source=memory", "directory=notes", "name=study", "magnitude=2^2"),
        *("feature=key=exam", "feature=value_length=3", "feature=status=503", "feature=big=2^16"),
    }


def test_a_burst_is_seen_by_its_size_and_pace() -> None:
    burst = [file(f"src/{number}.py", time=MONDAY_EVENING + 10 * number) for number in range(5)]
    assert seen(*burst) >= {"count=4-5", "span=2^5", "gap=2^3", "only directory=src"}
    assert seen(*burst[:3], file("docs/a.md")) >= {"extensions=.md+.py", "directories=docs+src"}


@pytest.mark.parametrize(
    "location", ["", "/", "//", "a/", ".", "..", ".bashrc", "a.", "/x", "a//b"]
)
def test_odd_paths_have_features_too(location: str) -> None:
    names = seen(file(location))
    assert sum(name.startswith("extension=") for name in names) == 1
    assert any(name.startswith("directory=") for name in names)


def test_nothing_is_seen_in_an_empty_window() -> None:
    assert core.feature_names([]) == []


@given(st.lists(st.builds(file, st.text(max_size=30), st.floats(-1e13, 1e13)), min_size=1))
@settings(deadline=None, max_examples=100)
def test_every_feature_has_one_name_and_a_kind(window: list[SignalEvent]) -> None:
    names = core.feature_names(window)
    assert 0 < len(names) <= 1024
    assert all("=" in name for name in names)
    assert names == core.feature_names(tuple(window))


CLOCKS = """
import random
from datetime import datetime, timezone
from prefrontal._core import pulse
from prefrontal.types import SignalEvent

rng = random.Random(4)
times = [rng.uniform(-2**31, 2**32) for _ in range(1500)]
times += [1_700_000_000 + 900 * n - 1 for n in range(-20_000, 20_000, 7)]
for utc in (False, True):
    for time in times:
        names = pulse.feature_names([SignalEvent("filesystem", "a", "created", 1.0, time)], utc=utc)
        when = datetime.fromtimestamp(time, timezone.utc if utc else None)
        assert f"hour={when.hour}" in names, (time, when, names)
        assert f"weekday={when:%a}" in names, (time, when, names)
print("agreed", len(times))
"""


@pytest.mark.parametrize(
    "zone",
    first(
        1,
        [
            "UTC0",
            "CET-1CEST,M3.5.0,M10.5.0/3",
            "NST3:30NDT,M3.2.0,M11.1.0",
            "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
        ],
    ),
)
def test_the_hour_and_the_day_are_those_of_the_calendar_in_every_zone(zone: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLOCKS],
        env=os.environ | {"TZ": zone, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("agreed"), done.stderr


@pytest.mark.parametrize("time", [float("nan"), float("inf"), 1e12, -1e300])
def test_a_time_outside_the_calendar_has_no_hour(time: float) -> None:
    assert not any(name.startswith(("hour", "weekday")) for name in seen(file(time=time)))
