"""What an LSTM a module costs: one event, a window, a thousand modules, one label.

Beside each, the same network in torch on one thread, with the same weights, in the same run; the
scores are compared before anything is timed. Without torch ours stands alone.

    python benchmarks/bench_lstm.py [--smoke]
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import harness
from bench_pulse import event, fingerprint
from prefrontal._core import instruction_set
from prefrontal.pulse import LimbicLayer, SignalEvent

MODULES = 1000
Window = list[SignalEvent]
Entries = dict[str, Callable[[], object]]


def main() -> None:
    options = harness.options(__doc__ or "")
    modules = 20 if options.smoke else MODULES
    held = memory(modules)  # before torch is loaded
    print(f"instruction set {instruction_set()}; torch {torch_version()}\n\n{held}\n")
    limbic = LimbicLayer("lstm", utc=True)
    for i in range(modules):
        limbic.register(f"m{i}", fingerprint(i))
    one = [event(3, "pdf")]
    twins = Twins(limbic) if find_spec("torch") else None
    for title, entries in (
        ("one module, one event", score_entries(limbic, twins, one)),
        ("one module, 8 events", score_entries(limbic, twins, windows(8))),
        ("one module, 32 events", score_entries(limbic, twins, windows(32))),
        ("one module, 128 events", score_entries(limbic, twins, windows(128))),
        ("one module, one more event of a stream", stream_entries(limbic, twins)),
        (f"{modules} modules, one event", all_entries(limbic, twins, one)),
        (f"{modules} modules, those concerned by one event", routed_entries(limbic, one)),
        ("one label, one event", learn_entries(limbic, twins, one)),
        ("one label, 32 events", learn_entries(limbic, twins, windows(32))),
    ):
        rows = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
        twin = "torch" if "torch" in entries else None
        print(f"**{title}**\n\n{harness.table(rows, twin=twin)}\n")


def windows(length: int) -> Window:
    return [event(i, ("pdf", "tmp", "md")[i % 3]) for i in range(length)]


def torch_version() -> str:
    if not find_spec("torch"):
        return "not installed"
    import torch

    return str(torch.__version__)


class Twins:
    """The networks of a layer as torch modules, on one thread."""

    def __init__(self, limbic: LimbicLayer) -> None:
        import torch

        torch.set_num_threads(1)
        self.torch, self.networks = torch, {}
        for name in limbic.modules():
            weights = {n: torch.from_numpy(w) for n, w in limbic.get_weights(name).items()}
            lstm, head = torch.nn.LSTM(16, 64, batch_first=True), torch.nn.Linear(64, 1)
            lstm.load_state_dict({n: w for n, w in weights.items() if "." not in n})
            head.load_state_dict({n: weights[f"head.{n}"] for n in ("weight", "bias")})
            adam = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=1e-3)
            self.networks[name] = (lstm, head, adam)

    def tensor(self, window: Window) -> Any:
        vectors = np.stack([each.to_feature_vector() for each in window])
        return self.torch.from_numpy(vectors)[None]

    def score(self, name: str, window: Window) -> float:
        lstm, head, _ = self.networks[name]
        with self.torch.inference_mode():
            return float(self.torch.sigmoid(head(lstm(self.tensor(window))[0][:, -1])))

    def score_all(self, window: Window) -> dict[str, float]:
        scores, x = {}, self.tensor(window)
        with self.torch.inference_mode():
            for name, (lstm, head, _) in self.networks.items():
                scores[name] = float(self.torch.sigmoid(head(lstm(x)[0][:, -1])))
        return scores

    def stream(self, name: str) -> Callable[[SignalEvent], float]:
        lstm, head, _ = self.networks[name]
        state = None

        def step(one: SignalEvent) -> float:
            nonlocal state
            with self.torch.inference_mode():
                out, state = lstm(self.tensor([one]), state)
                return float(self.torch.sigmoid(head(out[:, -1])))

        return step

    def learn(self, name: str, window: Window, label: float) -> None:
        lstm, head, adam = self.networks[name]
        adam.zero_grad()
        score = self.torch.sigmoid(head(lstm(self.tensor(window))[0][:, -1]))[0, 0]
        target = self.torch.tensor(label)
        self.torch.nn.functional.binary_cross_entropy(score, target).backward()
        adam.step()


def score_entries(limbic: LimbicLayer, twins: Twins | None, window: Window) -> Entries:
    entries: Entries = {"ours": lambda: limbic.score("m0", window)}
    if twins:
        assert abs(limbic.score("m0", window) - twins.score("m0", window)) < 2e-6
        entries["torch"] = lambda: twins.score("m0", window)
    return entries


def stream_entries(limbic: LimbicLayer, twins: Twins | None) -> Entries:
    one = event(3, "pdf")
    entries: Entries = {"ours": lambda: limbic.score_stream("m0", one)}
    if twins:
        step = twins.stream("m0")
        limbic.forget_stream("m0")
        for each in windows(20):
            assert abs(limbic.score_stream("m0", each) - step(each)) < 2e-6
        entries["torch"] = lambda: step(one)
    return entries


def all_entries(limbic: LimbicLayer, twins: Twins | None, window: Window) -> Entries:
    entries: Entries = {"ours": lambda: limbic.score_all(window)}
    if twins:
        ours, theirs = limbic.score_all(window), twins.score_all(window)
        assert ours.keys() == theirs.keys()
        assert all(abs(ours[name] - theirs[name]) < 2e-6 for name in ours)
        entries["torch"] = lambda: twins.score_all(window)
    return entries


def routed_entries(limbic: LimbicLayer, window: Window) -> Entries:
    assert 0 < len(limbic.score_routed(window)) <= len(limbic.modules()) / 10
    return {"ours": lambda: limbic.score_routed(window)}


def learn_entries(limbic: LimbicLayer, twins: Twins | None, window: Window) -> Entries:
    entries: Entries = {"ours": lambda: limbic.update_weights("m1", window, 1.0)}
    if twins:
        entries["torch"] = lambda: twins.learn("m1", window, 1.0)
    return entries


def memory(modules: int) -> str:
    before = resident_kib()
    limbic = LimbicLayer("lstm")
    for i in range(modules):
        limbic.register(f"m{i}", fingerprint(i))
    registered = resident_kib()
    for i in range(modules):
        limbic.update_weights(f"m{i}", [event(3, "pdf")], 1.0)
    trained = resident_kib()
    return (
        f"{(registered - before) / modules:.1f} KiB a module registered, "
        f"{(trained - before) / modules:.1f} KiB after one label (reference 99 and 364 KiB)"
    )


def resident_kib() -> int:
    with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123
        return int(pages.read().split()[1]) * 4


if __name__ == "__main__":
    main()
