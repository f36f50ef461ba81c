"""Clusters of z_world learn what harm and benefit follow, and make targets of it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.context_clusters import ContextClusters


def places(count: int = 3) -> Tensor:
    return 5 * torch.eye(32)[:count]


def around(place: Tensor, n: int, seed: int = 0) -> Tensor:
    noise = torch.randn(n, 32, generator=torch.Generator().manual_seed(seed))
    return place + 0.2 * noise


def test_what_is_near_falls_into_one_cluster_and_the_centre_is_its_mean() -> None:
    clusters = ContextClusters(clusters=3, learning_rate=0.0)
    stream = torch.cat([around(place, 40, i) for i, place in enumerate(places())])
    first = torch.tensor([0, 40, 80])
    order = torch.cat([first, torch.randperm(120, generator=torch.Generator().manual_seed(1))])
    order = torch.cat([first, order[3:][~torch.isin(order[3:], first)]])
    found = torch.tensor([clusters.observe(stream[i], 0.0) for i in order.tolist()])
    assert torch.equal(found, order // 40)
    assert clusters.counts.tolist() == [40, 40, 40] and clusters.known == 3
    assert torch.allclose(clusters.centres, stream.view(3, 40, 32).mean(dim=1), atol=1e-5)
    assert torch.equal(clusters.assign(stream), torch.arange(120) // 40)


def test_a_row_seen_before_does_not_take_a_second_centre() -> None:
    clusters = ContextClusters(clusters=4)
    assert [clusters.observe(place, 0.0) for place in places(2).repeat(3, 1)] == [0, 1] * 3
    assert clusters.known == 2


def test_the_outcome_of_a_cluster_is_what_followed_within_the_horizon() -> None:
    clusters = ContextClusters(clusters=2, horizon=3, outcome_rate=0.0)
    signals = [0.0, -0.5, 0.2, 0.0, 0.3, -0.1]
    for i, signal in enumerate(signals):
        clusters.observe(places(2)[i % 2], signal)
    clusters.end_episode()
    wanted: dict[int, list[tuple[float, float]]] = {0: [], 1: []}
    for i in range(6):
        ahead = signals[i : i + 3]
        wanted[i % 2].append((-sum(min(s, 0) for s in ahead), sum(max(s, 0) for s in ahead)))
    means = torch.stack([torch.tensor(wanted[c]).mean(dim=0) for c in (0, 1)])
    assert torch.allclose(clusters.outcomes, means, atol=1e-6)
    assert clusters.outcome_counts.tolist() == [3, 3]


def test_nothing_is_settled_before_its_horizon_has_passed() -> None:
    clusters = ContextClusters(clusters=2, horizon=3)
    for count, signal in ((0, 0.0), (0, -1.0), (1, 0.0), (2, 0.0)):
        clusters.observe(places(1)[0], signal)
        assert int(clusters.outcome_counts.sum()) == count
    assert clusters.outcomes[0].tolist() == [1.0, 0.0]


def experienced(**options: Any) -> ContextClusters:
    """Place 0 is dangerous, 1 is neither, 2 is good."""
    clusters = ContextClusters(clusters=3, horizon=1, **options)
    for _ in range(10):
        for place, signal in zip(places(), (-0.6, 0.0, 0.4), strict=True):
            clusters.observe(place, signal)
    return clusters


def test_targets_follow_harm_and_benefit_and_range_as_told() -> None:
    clusters = experienced()
    found = clusters.targets(around(places()[0], 1).new_tensor(places().tolist()))
    assert torch.allclose(found[:, 0], torch.tensor([0.8, 0.2, 0.2]), atol=1e-6)
    assert torch.allclose(found[:, 1], torch.tensor([0.3, 0.6 * 0.5 + 0.3, 0.8]), atol=1e-6)
    narrow = experienced(harm_low=0.4, harm_high=0.6).targets(places())
    assert torch.allclose(narrow[:, 0], torch.tensor([0.6, 0.4, 0.4]), atol=1e-6)


def test_a_cluster_without_an_outcome_is_in_the_middle() -> None:
    clusters = ContextClusters(clusters=2, horizon=9)
    clusters.observe(places(1)[0], -1.0)
    assert torch.allclose(clusters.targets(places(1)), torch.tensor([[0.5, 0.55]]), atol=1e-6)


def test_offline_clustering_finds_the_places_and_forgets_the_outcomes() -> None:
    clusters = experienced()
    rows = torch.cat([around(3 * place, 30, i) for i, place in enumerate(places())])
    clusters.fit(rows, generator=torch.Generator().manual_seed(0))
    groups = clusters.assign(rows).view(3, 30)
    assert bool((groups == groups[:, :1]).all()) and len(set(groups[:, 0].tolist())) == 3
    means = rows.view(3, 30, 32).mean(dim=1)
    assert torch.allclose(clusters.centres[groups[:, 0]], means, atol=1e-5)
    assert int(clusters.outcome_counts.sum()) == 0 and clusters.known == 3
    again = experienced()
    again.fit(rows, generator=torch.Generator().manual_seed(0))
    assert torch.equal(again.centres, clusters.centres)
    same = ContextClusters(clusters=2)
    same.fit(torch.ones(5, 32))
    assert same.assign(torch.ones(2, 32)).tolist() == [0, 0]


def test_what_cannot_be_learnt_from_is_refused_and_changes_nothing() -> None:
    clusters = ContextClusters(clusters=3)
    with pytest.raises(ValueError, match=r"observe\(\) or fit\(\) must be called"):
        clusters.targets(places())
    for z, signal in ((torch.full((32,), torch.nan), 0.0), (torch.zeros(32), float("nan"))):
        with pytest.raises(ValueError, match="z_world and signal must be finite"):
            clusters.observe(z, signal)
    with pytest.raises(ValueError, match=r"z_world must be of shape \[B, 32\], got \[1, 31\]"):
        clusters.observe(torch.zeros(1, 31), 0.0)
    with pytest.raises(ValueError, match="z_world must be one row, got 2"):
        clusters.observe(torch.zeros(2, 32), 0.0)
    with pytest.raises(ValueError, match="z_world must have at least 3 rows, got 2"):
        clusters.fit(torch.zeros(2, 32))
    assert clusters.known == 0
    with pytest.raises(ValueError, match="clusters must be at least 1, got 0"):
        ContextClusters(clusters=0)
