"""Learned contexts: clusters of z_world with the harm and benefit that followed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from torch import Tensor

from ..field_checks import Count, Share, check_fields
from .context_memory_config import with_changes


@dataclass(frozen=True, slots=True)
class ContextClustersConfig:
    """clusters: how many. learning_rate: least step of a centre toward a z_world of its own; the
    first ones count as 1/n. horizon: steps ahead that harm and benefit are summed over.
    outcome_rate: of the running averages of those sums, once enough were seen. harm_low ..
    goal_high: what the targets range over.
    """

    world_dim: Count = 32
    clusters: Count = 16
    learning_rate: Share = 0.01
    horizon: Count = 5
    outcome_rate: Share = 0.02
    harm_low: Share = 0.2
    harm_high: Share = 0.8
    goal_low: Share = 0.3
    goal_high: Share = 0.8

    def __post_init__(self) -> None:
        check_fields(self)


class ContextClusters:
    """Clusters z_world online and tracks outcomes: targets of the terrain, without a proxy.

    Each observation moves the nearest centre toward it; the first ones that are new become
    centres. When `horizon` more steps have passed, the harm and the benefit summed over them go
    into the running averages of its cluster. Targets rank the clusters by those averages.
    """

    def __init__(self, config: ContextClustersConfig | None = None, **changes: Any) -> None:
        """config, changes: see ContextClustersConfig. Raises ValueError and TypeError."""
        self.config = config = with_changes(config, ContextClustersConfig, changes)
        self.centres = torch.zeros(config.clusters, config.world_dim)
        self.counts = torch.zeros(config.clusters, dtype=torch.int64)
        self.outcomes = torch.zeros(config.clusters, 2)
        """Running averages of harm and benefit over the horizon, both 0 or more."""
        self.outcome_counts = torch.zeros(config.clusters, dtype=torch.int64)
        self._waiting: deque[tuple[int, list[float]]] = deque()

    @property
    def known(self) -> int:
        """How many clusters have a centre."""
        return int((self.counts > 0).sum())

    def observe(self, z_world: Tensor, signal: float) -> int:
        """One step of experience: z_world [32] or [1, 32] before it, and the harm signal of it.

        signal: below 0 harm, above 0 benefit. Returns the cluster. Raises ValueError for another
        shape and for what is not finite.
        """
        row = self._rows(z_world)
        if row.shape[0] != 1:
            raise ValueError(f"z_world must be one row, got {row.shape[0]}")
        if not bool(row.isfinite().all()) or not -inf < signal < inf:
            raise ValueError("z_world and signal must be finite, got NaN or infinity")
        cluster = self._learn(row[0])
        self._waiting.append((cluster, []))
        for _, signals in self._waiting:
            signals.append(signal)
        if len(self._waiting[0][1]) >= self.config.horizon:
            self._settle()
        return cluster

    def end_episode(self) -> None:
        """Settle pending steps with the outcomes so far."""
        while self._waiting:
            self._settle()

    def fit(
        self, z_world: Tensor, *, rounds: int = 20, generator: torch.Generator | None = None
    ) -> None:
        """Set the centres offline by k-means on z_world [N, 32]; forget the outcomes.

        N is at least `clusters`. The first centres are drawn far apart, with the chance of the
        squared distance.
        """
        rows = self._rows(z_world)
        if rows.shape[0] < self.config.clusters:
            raise ValueError(
                f"z_world must have at least {self.config.clusters} rows, got {rows.shape[0]}"
            )
        self.centres = _far_apart(rows, self.config.clusters, generator)
        for _ in range(rounds):
            nearest = self._nearest(rows, self.config.clusters)
            for cluster in set(nearest.tolist()):
                self.centres[cluster] = rows[nearest == cluster].mean(dim=0)
        nearest = self._nearest(rows, self.config.clusters)
        self.counts = torch.bincount(nearest, minlength=self.config.clusters).clamp_min(1)
        self.outcomes.zero_()
        self.outcome_counts.zero_()
        self._waiting.clear()

    def assign(self, z_world: Tensor) -> Tensor:
        """The cluster of each row of z_world [B, 32], int64 [B]. Raises ValueError for none yet."""
        if self.known == 0:
            raise ValueError("observe() or fit() must be called before clusters are asked for")
        return self._nearest(self._rows(z_world), self.known)

    def targets(self, z_world: Tensor) -> Tensor:
        """[w_harm, w_goal] for z_world [B, 32]: [B, 2].

        w_harm rises with the average harm of the cluster from harm_low to harm_high, w_goal with
        its benefit less its harm from goal_low to goal_high, both by their size among the clusters
        with an outcome; a cluster without one is in the middle.
        """
        config, clusters = self.config, self.assign(z_world)
        harm, benefit = self.outcomes.unbind(dim=1)
        weights = torch.stack(
            [
                self._scaled(harm, config.harm_low, config.harm_high),
                self._scaled(benefit - harm, config.goal_low, config.goal_high),
            ],
            dim=-1,
        )
        return weights[clusters].to(z_world)

    def _scaled(self, value: Tensor, low: float, high: float) -> Tensor:
        seen = self.outcome_counts > 0
        share = torch.full_like(value, 0.5)
        if bool(seen.any()):
            least, most = value[seen].min(), value[seen].max()
            if most > least:
                share = torch.where(seen, (value - least) / (most - least), share)
        return low + (high - low) * share

    def _learn(self, row: Tensor) -> int:
        known = self.known
        if known < self.config.clusters and not bool((self.centres[:known] == row).all(1).any()):
            cluster = known
        else:
            cluster = int(self._nearest(row[None], known))
        self.counts[cluster] += 1
        step = max(self.config.learning_rate, 1 / int(self.counts[cluster]))
        self.centres[cluster].lerp_(row, step)
        return cluster

    def _settle(self) -> None:
        cluster, signals = self._waiting.popleft()
        harm, benefit = -sum(min(it, 0.0) for it in signals), sum(max(it, 0.0) for it in signals)
        self.outcome_counts[cluster] += 1
        step = max(self.config.outcome_rate, 1 / int(self.outcome_counts[cluster]))
        self.outcomes[cluster].lerp_(torch.tensor([harm, benefit]), step)

    def _nearest(self, rows: Tensor, among: int) -> Tensor:
        return torch.cdist(rows, self.centres[:among]).argmin(dim=1)

    def _rows(self, z_world: Tensor) -> Tensor:
        rows = z_world.detach().to(self.centres)
        rows = rows[None] if rows.dim() == 1 else rows
        if rows.dim() != 2 or rows.shape[1] != self.config.world_dim:
            raise ValueError(
                f"z_world must be of shape [B, {self.config.world_dim}], got {list(z_world.shape)}"
            )
        return rows


def _far_apart(rows: Tensor, count: int, generator: torch.Generator | None) -> Tensor:
    first = torch.randint(len(rows), (1,), generator=generator)
    centres = rows[first].clone()
    while len(centres) < count:
        chances = torch.cdist(rows, centres).amin(dim=1).square()
        if not bool(chances.sum() > 0):
            chances = torch.ones_like(chances)
        drawn = torch.multinomial(chances, 1, generator=generator)
        centres = torch.cat([centres, rows[drawn]])
    return centres
