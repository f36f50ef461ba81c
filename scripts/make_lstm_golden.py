"""Write tests/pulse/lstm_golden.json: what torch makes of the sample weights and windows.

PYTHONPATH=.:python python scripts/make_lstm_golden.py      (needs torch; run once, with 2.13.0)
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tests.pulse.plain_lstm import inputs, sample_weights, sample_window

LENGTHS = (1, 8, 32, 128)
LABELS = (1.0, 0.0, 1.0, 1.0, 0.25, 0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.0)
EVERY = 613
"""One of so many weights is kept, in torch's order."""


class Scorer(torch.nn.Module):
    """The network that the LSTM scorer computes."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(16, 64, batch_first=True)
        self.head = torch.nn.Linear(64, 1)
        weights = {name: torch.from_numpy(array) for name, array in sample_weights(seed).items()}
        head = {n.removeprefix("head."): w for n, w in weights.items() if n.startswith("head.")}
        self.lstm.load_state_dict({n: w for n, w in weights.items() if not n.startswith("head.")})
        self.head.load_state_dict(head)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.head(self.lstm(x)[0][:, -1]))[0, 0]


def trained(length: int) -> dict[str, object]:
    """Scores before and after each label, and some of the weights at the end."""
    scorer = Scorer(seed=length)
    adam = torch.optim.Adam(scorer.parameters(), lr=1e-3)
    window = torch.from_numpy(inputs(sample_window(length)))[None]
    scores = []
    for label in (*LABELS, None):
        score = scorer(window)
        scores.append(float(score.detach()))
        if label is not None:
            adam.zero_grad()
            torch.nn.functional.binary_cross_entropy(score, torch.tensor(label)).backward()
            adam.step()
    flat = torch.cat([each.detach().flatten() for each in scorer.parameters()])
    return {"length": length, "scores": scores, "weights": flat[::EVERY].tolist()}


def main() -> None:
    golden = {
        "torch": torch.__version__,
        "labels": LABELS,
        "every": EVERY,
        "cases": [trained(length) for length in LENGTHS],
    }
    path = Path(__file__).parent.parent / "tests" / "pulse" / "lstm_golden.json"
    path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
