"""A llama.cpp server in a process of its own, for a model file.

Run as a program: `llama_server.py MODEL` prints its address and serves until its input ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any


@contextmanager
def serving_model(model: Path) -> Iterator[str]:
    """The address of the server, ending in /v1; it is gone afterwards."""
    log = model.with_suffix(".log")
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, __file__, str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address and process.wait(10) == -signal.SIGILL:
                import pytest

                pytest.skip("the wheel does not run on this processor")
            if not address:
                raise RuntimeError(f"no server: {log.read_text(errors='replace')[-2000:]}")
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.stdout.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _serve(model: str) -> None:
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 16384
    params.n_parallel = 1
    params.n_threads_http = 2
    params.cpuparams.n_threads = 1
    params.sampling.temp = 0.0
    params.warmup = params.fit_params = params.ui = False
    params.verbosity = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
