"""How a command that goes on and on is ended: by a signal, cleanly."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue

LOOKING_UP_S = 0.5


def awaited(ended: SimpleQueue[int]) -> int:
    """The code of the end. A signal may be taken while another thread runs, and not wake this one,
    so it looks up now and then.
    """
    while True:
        with suppress(Empty):
            return ended.get(timeout=LOOKING_UP_S)


@contextmanager
def ended_by_signals(ended: SimpleQueue[int]) -> Iterator[None]:
    """The first signal ends the watch cleanly; after it they do what they always do."""
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
    before = {
        number: signal.signal(number, lambda got, _: ended.put(codes[signal.Signals(got)]))
        for number in codes
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
