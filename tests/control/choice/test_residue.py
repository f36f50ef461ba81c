"""The residue field remembers harm: it adds up, it does not fade, and it refuses the imagined."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.control.choice.residue import ResidueConfig, ResidueField

from .. import drawn


def smooth_alone(field: ResidueField, z: torch.Tensor) -> torch.Tensor:
    """0.1 softplus of the network: the field before any harm."""
    fresh = ResidueField(field.config, generator=drawn.generator(3))
    found: torch.Tensor = fresh(z).detach()
    return found


def test_it_has_the_parameters_of_the_specification_and_marks_take_no_gradient() -> None:
    field = drawn.field(0)
    assert drawn.parameters_of(field) == 7_393
    assert field.centres.shape == (32, 32)
    assert field.weights.shape == (32,)
    assert not field.centres.requires_grad
    assert not field.weights.requires_grad
    assert not field.weights.any()


def test_a_mark_peaks_at_its_place_and_falls_off_as_a_gaussian() -> None:
    field = drawn.field(0, bandwidth=1.5)
    place = drawn.normal(1, 32)
    field.accumulate(place, -2.0)
    step = torch.zeros(1, 32)
    step[0, 3] = 3.0
    points = torch.cat([place, place + step, place + 100.0])
    found = (field(points) - smooth_alone(field, points)).detach()
    wanted = [0.2, 0.2 * math.exp(-9.0 / (2 * 1.5**2)), 0.0]
    assert found.tolist() == pytest.approx(wanted, abs=1e-6)
    assert float(smooth_alone(field, points).min()) > 0.0


def test_points_keep_their_shape_and_no_points_give_none() -> None:
    field = drawn.field()
    points = drawn.normal(2, 3, 32)
    assert field(points).shape == (2, 3)
    assert torch.allclose(field(points)[1, 2], field(points[1, 2]))
    assert field(torch.zeros(0, 32)).shape == (0,)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    allocation=st.sampled_from(["ring", "nearest"]),
)
def test_all_residue_together_is_a_tenth_of_all_harm_however_it_came(
    seed: int, sizes: list[int], allocation: str
) -> None:
    field = drawn.field(0, num_centres=8, allocation=allocation)
    total = 0.0
    for i, size in enumerate(sizes):
        harm = drawn.normal(size, seed=seed + i)
        field.accumulate(drawn.normal(size, 32, seed=seed + i), harm)
        total += float(harm.abs().sum())
        assert float(field.total()) == pytest.approx(0.1 * total, rel=1e-5)
    assert int(field.accumulated) == sum(sizes)


def test_many_at_once_are_marked_as_one_after_the_other() -> None:
    at_once, singly = (drawn.field(0, num_centres=4) for _ in range(2))
    points, harm = drawn.normal(11, 32), drawn.normal(11, seed=1)
    at_once.accumulate(points, harm)
    for i in range(11):
        singly.accumulate(points[i : i + 1], float(harm[i]))
    assert torch.equal(at_once.centres, singly.centres)
    assert torch.allclose(at_once.weights, singly.weights, atol=1e-7)
    assert torch.equal(at_once.centres, points[[8, 9, 10, 7]])


def test_with_nearest_places_the_field_falls_nowhere_even_when_it_is_full() -> None:
    field, ring = (drawn.field(0, num_centres=4, allocation=it) for it in ("nearest", "ring"))
    points, anywhere = drawn.normal(9, 32), 0.5 * drawn.normal(50, 32, seed=1)
    for it in (field, ring):
        it.accumulate(points[:3], 1.0)
    before, ring_before = field(points), ring(points)
    for i in range(3, 9):
        lower = field(anywhere)
        field.accumulate(points[i : i + 1], 1.0)
        ring.accumulate(points[i : i + 1], 1.0)
        assert bool((field(anywhere) >= lower - 1e-6).all())
    assert bool((field(points[:3]) >= before[:3] - 1e-6).all())
    assert bool((ring(points[:3]) < ring_before[:3] - 0.05).all())  # the places moved on


def test_a_full_field_leaves_harm_at_the_nearest_place() -> None:
    field, points = drawn.field(0, num_centres=4, allocation="nearest"), drawn.normal(4, 32)
    field.accumulate(points, 1.0)
    field.accumulate(points[[2, 0, 2]] + 0.01, torch.tensor([1.0, 2.0, 3.0]))
    assert torch.allclose(field.weights, torch.tensor([0.3, 0.1, 0.5, 0.1]))
    assert torch.equal(field.centres, points)


def test_what_is_imagined_leaves_nothing() -> None:
    field = drawn.field()
    before = {name: it.clone() for name, it in field.state_dict().items()}
    with pytest.raises(ValueError, match="hypothesis_tag must be False"):
        field.accumulate(drawn.normal(1, 32), -1.0, hypothesis_tag=True)
    assert all(torch.equal(it, before[name]) for name, it in field.state_dict().items())


def test_no_harm_takes_no_place() -> None:
    field = drawn.field(0)
    field.accumulate(drawn.normal(3, 32), torch.tensor([0.0, -1.0, 0.0]))
    field.accumulate(drawn.normal(2, 32), 0.0)
    assert int(field.accumulated) == 1
    assert torch.equal(field.centres[0], drawn.normal(3, 32)[1])


def test_what_does_not_fit_is_refused_by_name() -> None:
    field = drawn.field(0)
    with pytest.raises(ValueError, match=r"z_world must be shaped \[B, 32\], got \[32\]"):
        field.accumulate(torch.zeros(32), 1.0)
    with pytest.raises(ValueError, match=r"harm must be one number or \[B\], got shape \[3\]"):
        field.accumulate(torch.zeros(2, 32), torch.ones(3))
    with pytest.raises(ValueError, match="harm must be finite, got nan"):
        field.accumulate(torch.zeros(2, 32), float("nan"))
    assert int(field.accumulated) == 0
    with pytest.raises(ValueError, match="bandwidth must be finite and above 0, got 0.0"):
        ResidueConfig(bandwidth=0.0)
    with pytest.raises(ValueError, match="allocation must be one of ring, nearest, got 'oldest'"):
        ResidueConfig(allocation="oldest")  # type: ignore[arg-type]


def test_a_checkpoint_holds_the_field_whole() -> None:
    field, loaded = drawn.field(), ResidueField()
    loaded.load_state_dict(field.state_dict())
    points = drawn.normal(4, 32)
    assert torch.equal(loaded(points), field(points))
    for it in (field, loaded):
        it.accumulate(points[:1], 1.0)
    assert torch.equal(loaded.centres, field.centres)
