"""How the time of what reads strangers' texts grows with their length: n, 2n, 4n.

Linear is 4 in the last column, quadratic 16. Each text is the worst we know of for its reader.

    python benchmarks/bench_growth.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import harness
from prefrontal.executive.chooser.prompt import routed_prompt
from prefrontal.redaction import redact
from prefrontal.replay.histories.claude import ClaudeSession
from prefrontal.types import SignalEvent

LENGTH = 50_000
"""Characters of the shortest text, about."""
LONG_ENOUGH_S = 0.02


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: unit * (length // len(unit))


def _routed(text: str) -> None:
    event = SignalEvent("chat", "room", "created", 1.0, 1e9, {"text": text})
    routed_prompt("Count words in room.", [event])


def _claude(text: str) -> None:
    message = {"role": "user", "content": text}
    entry = {"type": "user", "message": message, "timestamp": "2026-01-01T00:00:00Z"}
    ClaudeSession("-home-me-project").read(1, entry)


READERS: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "redaction, one word": (redact, _repeated("a")),
    "redaction, key key key": (redact, _repeated("key ")),
    "redaction, x://x://": (redact, _repeated("x://")),
    "redaction, token: token:": (redact, _repeated("token: ")),
    "redaction, eyJ-eyJ-": (redact, _repeated("eyJ-")),
    "redaction, dashes": (redact, _repeated("-")),
    "the prompt of a wake": (_routed, _repeated("a b")),
    "Claude Code, open marks": (_claude, _repeated("<system-reminder>")),
}


def seconds(run: Callable[[str], object], text: str, smoke: bool) -> float:
    """CPU seconds of a call: the least of five, each long enough to be measured."""
    best, calls = float("inf"), 1
    for _ in range(1 if smoke else 5):
        while True:
            before = time.process_time()
            for _ in range(calls):
                run(text)
            spent = time.process_time() - before
            if smoke or spent >= LONG_ENOUGH_S:
                break
            calls *= 2
        best = min(best, spent / calls)
    return best


def main() -> None:
    options = harness.options(__doc__ or "")
    length = 500 if options.smoke else LENGTH
    print(f"{'text':26} {'n, ms':>9} {'2n / n':>7} {'4n / n':>7}")
    for name, (run, text) in READERS.items():
        first, *longer = (seconds(run, text(length * k), options.smoke) for k in (1, 2, 4))
        ratios = " ".join(f"{each / first if first else 0.0:7.2f}" for each in longer)
        print(f"{name:26} {first * 1e3:9.3f} {ratios}")


if __name__ == "__main__":
    main()
