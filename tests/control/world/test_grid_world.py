"""What a step of the world does, with the numbers of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from prefrontal._core.control import GridWorld
from prefrontal.control import GridWorldConfig

UP, DOWN, LEFT, RIGHT, STAY = range(5)
EMPTY, WALL, RESOURCE, HAZARD, CONTAMINATED, AGENT = range(6)
RNG = np.random.default_rng(0)  # not drawn from: nothing drifts or comes back in these worlds

Places = Sequence[tuple[int, int]]


def world(
    agent: tuple[int, int], hazards: Places = (), resources: Places = (), **changes: Any
) -> GridWorld:
    made = GridWorld(**GridWorldConfig(**{"drift_prob": 0.0, **changes}).core_options())
    made.reset_to(agent, hazards, resources)
    return made


def test_a_seed_gives_the_shuffled_interior_from_its_end() -> None:
    made = GridWorld()
    made.reset(np.random.default_rng(42))
    cells = [(i, j) for i in range(1, 9) for j in range(1, 9)]
    np.random.default_rng(42).shuffle(cells)
    assert made.agent == cells[-1]
    assert made.hazards == cells[-2:-5:-1]
    assert made.resources == cells[-5:-10:-1]
    assert (made.health, made.energy, made.last_action, made.steps) == (1.0, 1.0, STAY, 0)
    assert (made.agent, made.hazards[0]) == ((2, 1), (2, 6))


def test_fields_peak_at_one_over_their_source_and_add_up() -> None:
    made = world((8, 8), hazards=[(2, 2), (2, 4)])
    field = made.hazard_field()
    assert field[2, 2] == field[2, 4] == 1 + 1 / 2
    assert field[2, 3] == 2 / 1.5
    assert field[0, 0] == 1 / 3 + 1 / 4  # walls have their share too
    assert not made.resource_field().any()


def test_a_wall_stops_the_agent_and_only_energy_is_spent() -> None:
    made = world((1, 1), hazards=[(1, 2)])
    assert made.step(UP, RNG) == (0.0, "none", None)
    assert (made.agent, made.health, made.energy, made.last_action) == ((1, 1), 1.0, 0.99, UP)
    assert not made.contamination().any() and not made.footprint().any()


def test_a_hazard_costs_a_half_and_a_part_of_its_field() -> None:
    made = world((1, 1), hazards=[(1, 2)])
    assert made.step(RIGHT, RNG) == (-0.55, "env_caused_hazard", None)
    assert made.health == 1 - 0.55
    assert made.harm_exposure == pytest.approx(0.055) and made.benefit_exposure == 0.0
    assert made.grid()[1, 1] == EMPTY and made.grid()[1, 2] == AGENT


def test_a_resource_restores_health_and_energy_and_is_gone() -> None:
    made = world((1, 1), hazards=[(1, 2)], resources=[(2, 2), (8, 8)])
    made.step(RIGHT, RNG)
    field = 1 + 1 / (1 + 0.5 * 12)
    assert made.step(DOWN, RNG) == (0.3 + 0.03 * field, "resource", None)
    assert made.health == pytest.approx(0.45 + 0.15) and made.energy == 1 - 0.01
    assert made.resources == [(8, 8)] and made.resource_field()[2, 2] == 1 / 7
    assert made.benefit_exposure == pytest.approx(0.1 * (0.3 + 0.03 * field))


def test_a_resource_comes_back_elsewhere_when_it_is_to() -> None:
    made = world((1, 1), resources=[(1, 2)], resource_respawn_on_consume=True)
    made.step(RIGHT, np.random.default_rng(3))
    empty = [(i, j) for i in range(1, 9) for j in range(1, 9) if (i, j) != (1, 2)]
    place = empty[np.random.default_rng(3).integers(len(empty))]
    assert made.resources == [place] and made.grid()[place] == RESOURCE


def test_near_a_hazard_harm_has_priority_over_benefit() -> None:
    made = world((4, 4), hazards=[(4, 7)], resources=[(4, 2)])
    assert made.step(RIGHT, RNG) == (-0.05 * 0.5, "hazard_approach", None)
    assert made.health == 1 - 0.025
    far = world((4, 4), resources=[(4, 2)], decay=2.0)
    assert far.step(STAY, RNG) == (0.03 * 0.2, "benefit_approach", None)
    assert far.health == 1.0
    assert world((8, 8), resources=[(1, 1)], decay=2.0).step(STAY, RNG) == (0.0, "none", None)


def test_a_field_of_exactly_the_threshold_counts() -> None:
    at = world((4, 4), hazards=[(4, 2)], approach_threshold=0.5)
    assert at.step(STAY, RNG)[1] == "hazard_approach"
    above = world((4, 4), hazards=[(4, 2)], approach_threshold=np.nextafter(0.5, 1.0))
    assert above.step(STAY, RNG)[1] == "none"


def test_four_visits_make_a_cell_harm_whoever_enters_it() -> None:
    made = world((1, 1), profile="fixed")
    for _ in range(4):
        assert made.step(RIGHT, RNG)[1] == "none"
        made.step(LEFT, RNG)
    assert made.contamination()[1, 2] == 2.0 and made.grid()[1, 2] == CONTAMINATED
    before = made.health
    assert made.step(RIGHT, RNG) == (-0.4, "agent_caused_hazard", None)
    assert made.health == before - 0.4 and made.footprint()[1, 2] == 5


def test_slow_averages_follow_the_fields_of_the_agents_cell_up_to_one() -> None:
    made = world((1, 1), hazards=[(1, 3), (2, 2)], resources=[(8, 8)])
    made.step(STAY, RNG)
    made.step(STAY, RNG)
    harm_a = made.observe()["harm_a"]
    hazard, resource = min(1.0, 0.5 + 0.5), 1 / 8
    assert harm_a[:25] == pytest.approx(hazard * (1 - 0.95**2))
    assert harm_a[25:] == pytest.approx(resource * (1 - 0.95**2))


def test_hazards_drift_in_the_sixth_step_and_every_fifth_after_it() -> None:
    made = world((8, 8), hazards=[(2, 2)], drift_prob=1.0, contamination_spread=0.0)
    rng, moved = np.random.default_rng(0), []
    for step in range(1, 22):
        before = made.hazards
        made.step(STAY, rng)
        if made.hazards != before:
            moved.append(step)
            (i, j), (k, n) = before[0], made.hazards[0]
            assert abs(i - k) + abs(j - n) == 1
            assert made.grid()[i, j] == EMPTY and made.grid()[k, n] == HAZARD
            assert made.hazard_field()[k, n] == 1.0
    assert moved == [6, 11, 16, 21]


def test_a_hazard_that_is_shut_in_stays() -> None:
    hazards = [(1, 1), (1, 2), (2, 1)]
    made = world((2, 2), hazards=hazards, drift_prob=1.0, size=4, num_resources=0)
    for _ in range(6):
        made.step(STAY, RNG)
    assert made.hazards == hazards


def test_no_health_ends_the_episode_and_so_does_the_last_step() -> None:
    made = world((1, 1), hazards=[(1, 2), (1, 3)])
    assert made.step(RIGHT, RNG)[2] is None
    assert made.step(RIGHT, RNG)[2] == "health"
    assert made.health == 0.0 and not made.running
    short = world((1, 1), max_steps=2)
    assert [short.step(STAY, RNG)[2] for _ in range(2)] == [None, "steps"]


def test_health_is_the_cause_when_both_come_at_once() -> None:
    made = world((1, 1), hazards=[(1, 2), (1, 3)], max_steps=2)
    made.step(RIGHT, RNG)
    assert made.step(RIGHT, RNG)[2] == "health"


def test_the_view_shows_walls_around_and_nothing_of_the_fields_there() -> None:
    made = world((1, 1), hazards=[(1, 2)], resources=[(3, 3)])
    seen = made.observe()
    kinds = seen["world"][:175].reshape(5, 5, 7).argmax(axis=2)
    assert kinds.tolist() == [
        [WALL] * 5,
        [WALL] * 5,
        [WALL, WALL, AGENT, HAZARD, EMPTY],
        [WALL, WALL, EMPTY, EMPTY, EMPTY],
        [WALL, WALL, EMPTY, EMPTY, RESOURCE],
    ]
    hazards = seen["harm"][:25].reshape(5, 5)
    assert not hazards[0].any() and not hazards[:, 0].any()
    assert hazards[2, 3] == pytest.approx(1, abs=2e-6)
    assert hazards[1, 1] == pytest.approx(1 / 2.5, abs=2e-6)
    assert np.array_equal(seen["world"][200:250], seen["harm"][:50])


def test_the_harm_view_is_a_share_of_the_largest_field_as_in_the_reference() -> None:
    hazards = [(4, 5), (5, 4), (4, 3)]
    raw, share = (
        world((4, 4), hazards=hazards, resources=[(1, 1), (1, 2)], profile=profile).observe()
        for profile in ("fixed", "upstream")
    )
    assert raw["harm"][:25].max() > 1.5  # fields of several sources add up
    assert share["harm"][:50].max() <= 1
    assert np.array_equal(share["harm"][:50], share["world"][200:250])
    ratio = raw["harm"][:50] / share["harm"][:50]
    assert ratio[:25] == pytest.approx(ratio[0]) and ratio[25:] == pytest.approx(ratio[25])


def test_two_worlds_made_of_a_copy_do_not_share_anything() -> None:
    import copy

    made = world((4, 4), hazards=[(4, 6)])
    other = copy.deepcopy(made)
    made.step(RIGHT, RNG)
    assert other.agent == (4, 4) and other.steps == 0 and other.running
    assert other.step(RIGHT, RNG)[1] == "hazard_approach"
