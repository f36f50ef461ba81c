"""Who sees the first contact with a hazard coming: scores of steps before it, by episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

    from .walks import Walks

AHEAD = 3
"""A contact within so many steps is what is to be predicted."""
_CONTACT = -0.5  # a step onto a hazard costs at least that; nothing else in contrast14 does

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FirstContacts:
    """Of T steps of W worlds: before, bool [T, W], the steps up to each episode's first contact,
    soon, bool, a contact within AHEAD steps, and the episode's number, int64."""

    before: NDArray[np.bool_]
    soon: NDArray[np.bool_]
    episode: NDArray[np.int64]


def first_contacts(walks: Walks) -> FirstContacts:
    """What the walks tell of first contacts; the step that resets a world belongs to no episode."""
    running = walks.running.numpy()
    contact = (walks.signals.numpy() <= _CONTACT) & running
    resets = np.cumsum(~running, axis=0)
    episode = resets + (np.arange(running.shape[1]) * (len(running) + 1))[None]
    so_far = np.cumsum(contact, axis=0)
    at_start = np.maximum.accumulate(np.where(~running, so_far, 0), axis=0)
    before = running & (so_far - contact - at_start == 0)
    soon = np.zeros_like(contact)
    for ahead in range(AHEAD):
        rows = len(contact) - ahead
        soon[:rows] |= contact[ahead:] & (episode[ahead:] == episode[:rows])
    return FirstContacts(before, soon, episode.astype(np.int64))


def weighted_auc(scores: Floats, labels: NDArray[np.bool_], weights: Floats) -> Floats:
    """For each row of weights [D, n]: P(score of a positive > score of a negative), ties halved."""
    values, place = np.unique(scores, return_inverse=True)
    areas = np.empty(len(weights))
    for draw, weight in enumerate(weights):
        ones = np.bincount(place, weight * labels, len(values))
        zeros = np.bincount(place, weight * ~labels, len(values))
        below = np.cumsum(zeros) - zeros / 2
        total = ones.sum() * zeros.sum()
        areas[draw] = ones @ below / total if total > 0 else np.nan
    return areas


def episode_draws(episodes: NDArray[np.int64], draws: int, seed: int = 0) -> Floats:
    """Weights [draws, n]: how often the episode of each row is drawn, with replacement."""
    _, place = np.unique(episodes, return_inverse=True)
    count = int(place.max()) + 1 if len(place) else 0
    generator = np.random.default_rng(seed)
    weights = np.empty((draws, len(place)))
    for draw in range(draws):
        times = np.bincount(generator.integers(count, size=count), minlength=count)
        weights[draw] = times[place]
    return weights


def scores_before(walks: Walks, contacts: FirstContacts, scores: Tensor) -> Floats:
    """Those of the steps before first contacts, of scores [N] of all steps that ran."""
    whole = np.full(contacts.before.shape, np.nan)
    whole[walks.running.numpy()] = scores.double().numpy()
    return whole[contacts.before]
