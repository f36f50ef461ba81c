"""The Iowa Gambling Task: the cards of its four decks, and how healthy people played it.

Cards: the schedule of Bechara, Damasio, Damasio and Anderson (1994), 40 cards a deck, then from the
first again. Per ten cards A and B lose 250 in all, C and D win 250; A and C lose often, B and D
seldom. People: means of the many-labs data of Steingroever and others (2015); net is
(C + D) - (A + B) in each block of 20 cards.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

DECKS = ("A", "B", "C", "D")
CARDS, BLOCK = 100, 20
BLOCKS = CARDS // BLOCK
GAINS = (100.0, 100.0, 50.0, 50.0)

_CYCLE = 40
_LOSSES: tuple[dict[int, float], ...] = (
    {
        3: 150, 5: 300, 7: 200, 9: 250, 10: 350, 12: 350, 14: 250, 15: 200, 17: 300, 18: 150,
        22: 300, 24: 350, 26: 200, 27: 250, 28: 150, 31: 350, 32: 200, 33: 250, 37: 150, 38: 300,
    },
    {9: 1250, 14: 1250, 21: 1250, 32: 1250},
    {
        3: 50, 5: 50, 7: 50, 9: 50, 10: 50, 12: 25, 13: 75, 17: 25, 18: 75, 20: 50,
        24: 50, 25: 25, 26: 50, 29: 75, 30: 50, 34: 25, 35: 25, 37: 75, 39: 50, 40: 75,
    },
    {10: 250, 20: 250, 29: 250, 35: 250},
)  # fmt: skip
"""Of each deck: the number of the card, from 1, and its loss."""


@dataclass(frozen=True, slots=True)
class People:
    """A study: how many, their mean net of the five blocks, the shares of the decks A to D."""

    n: int
    blocks: tuple[float, ...]
    shares: tuple[float, ...]


HEALTHY = People(504, (-2.97, 0.49, 2.41, 3.55, 4.14), (0.15, 0.31, 0.23, 0.31))
"""All who played 100 cards: what the model is fitted to (the shares are not)."""

STUDIES = {
    "Horstmann": People(162, (-2.19, -0.69, 0.40, 1.79, 1.99), (0.15, 0.35, 0.20, 0.31)),
    "Wood": People(153, (-2.60, 1.41, 2.97, 3.45, 3.71), (0.17, 0.29, 0.23, 0.31)),
    "Maia": People(40, (-5.85, 1.10, 7.80, 8.45, 10.65), (0.14, 0.25, 0.31, 0.30)),
    "Premkumar": People(25, (-2.72, 4.56, 7.60, 8.72, 8.40), (0.16, 0.21, 0.27, 0.36)),
    "Steingroever": People(70, (-3.26, -1.83, 1.63, 4.11, 5.71), (0.12, 0.35, 0.29, 0.24)),
    "Kjome": People(19, (-3.79, 4.74, 3.16, 4.95, 4.63), (0.17, 0.26, 0.22, 0.35)),
    "Worthy": People(35, (-4.06, 0.63, 0.63, 0.91, 2.06), (0.18, 0.32, 0.23, 0.27)),
}
"""The studies of 100 cards that make up HEALTHY."""


def loss_schedule() -> Tensor:
    """What each card loses, at least 0: [4, 40]."""
    schedule = torch.zeros(len(DECKS), _CYCLE)
    for deck, losses in enumerate(_LOSSES):
        for card, loss in losses.items():
            schedule[deck, card - 1] = loss
    return schedule


def block_nets(choices: Tensor) -> Tensor:
    """Net of each block [N, 5] from the decks chosen [N, 100], 0 to 3."""
    good = torch.where(choices >= 2, 1.0, -1.0)
    nets: Tensor = good.unflatten(1, (BLOCKS, BLOCK)).sum(2)
    return nets


def deck_shares(choices: Tensor) -> Tensor:
    """The share of each deck among all the cards drawn: [4]."""
    counts = torch.bincount(choices.flatten(), minlength=len(DECKS))
    return counts / choices.numel()
