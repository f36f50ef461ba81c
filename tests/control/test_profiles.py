"""The three profiles: one table, the defaults of every configuration, and the page in docs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from prefrontal.control.agent.control_config import ControlConfig
from prefrontal.control.profiles import (
    PROFILE_NAMES,
    PROFILES,
    Profile,
    check_profile,
    profile_values,
)

PAGE = Path(__file__).parents[2] / "docs" / "control.md"


def part(config: ControlConfig, name: str) -> Any:
    """The configuration of a part of the table."""
    if name in ("memory", "terrain"):
        return getattr(config.e1, name)
    return {"agent": config, "world": config.world()}.get(name) or getattr(config, name)


@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_an_agents_configuration_has_every_value_of_its_profile(profile: Profile) -> None:
    config = ControlConfig.from_dims(profile=profile)
    column = PROFILE_NAMES.index(profile)
    assert config.profile == profile
    for (name, field), row in PROFILES.items():
        assert getattr(part(config, name), field) == row[column], (name, field)


def test_the_defaults_of_every_configuration_are_the_profile_seed() -> None:
    for (name, field), row in PROFILES.items():
        assert getattr(type(part(ControlConfig.from_dims(), name))(), field) == row[0], field


def test_each_row_changes_something() -> None:
    assert all(len(set(row)) > 1 for row in PROFILES.values())


def test_an_unknown_profile_or_part_is_refused() -> None:
    with pytest.raises(
        ValueError, match="profile must be one of seed, upstream, sound, got 'best'"
    ):
        check_profile("best")
    with pytest.raises(ValueError, match="part must be one of agent, e1, .*, got 'e9'"):
        profile_values("seed", "e9")
    with pytest.raises(ValueError, match="profile must be one of"):
        ControlConfig.from_dims(profile="best")  # type: ignore[arg-type]


def test_the_page_shows_the_table_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)\.(\w+)` \| (.+?) \| (.+?) \| (.+?) \|", PAGE.read_text(), re.M)
    shown = {(name, field): tuple(values) for name, field, *values in rows}
    assert shown == {key: tuple(map(_cell, row)) for key, row in PROFILES.items()}


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
