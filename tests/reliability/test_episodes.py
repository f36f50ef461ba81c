"""Episodes that are killed at each step boundary, and a planted fault that must be found."""

from __future__ import annotations

from pathlib import Path

import pytest

import episodes
from prefrontal.executive import loop


def nothing(*_: object) -> None:
    """Keeps no act, or finds none."""


@pytest.mark.exhaustive
def test_an_episode_goes_on_at_its_step_and_acts_once(tmp_path: Path) -> None:
    acts = episodes.killed(tmp_path, episodes.loop_alone, None, 2 * len(episodes.BOUNDARIES))
    assert acts["acted"] == {2: 2}  # within the act: nobody knows whether it went through
    assert all(counts == {1: 2} for name, counts in acts.items() if name != "acted")


@pytest.mark.exhaustive
def test_an_act_that_is_not_kept_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "keep_act", nothing)
    acts = episodes.killed(tmp_path, episodes.loop_alone, None, len(episodes.BOUNDARIES))
    assert acts["act kept"] == acts["reflecting"] == {2: 1}
