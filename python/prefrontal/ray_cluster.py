"""Ray, connected to a cluster for as long as a command needs it."""

from __future__ import annotations

import logging
import os
import re
import secrets
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import InputError, SourceError

AUTO, LOCAL = "auto", "local"
REACH_S = 5.0
STORE_BYTES = 128 * 2**20
"""Shared memory of a cluster on this machine alone: nothing large lies in it."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of it
    "RAY_DEDUP_LOGS": "0",
    "RAY_COLOR_PREFIX": "0",
}
"""Set where the caller's environment says nothing else: Ray reports to nobody."""
ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
"""For a cluster on this machine alone: its ports are of the loopback, as they are on a Mac."""
_PLACE = re.compile(r"(?:ray://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


@contextmanager
def ray_cluster(address: str, processors: int, *, shows_logs: bool = False) -> Iterator[Any]:
    """The module `ray`, connected. shows_logs: what its processes print is printed here, too.

    address: "auto", the cluster that this machine is part of; "local", one on this machine and its
    loopback alone, with so many `processors`, which ends with the command; HOST:PORT or
    ray://HOST:PORT. Raises InputError for another address and without the extra [ray]; SourceError
    where no cluster can be reached.
    """
    check_address(address)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ray = _imported(address)
    try:
        ray.init(log_to_driver=shows_logs, **_options(address, processors))
    except Exception as error:  # Ray raises plain ones, too
        raise SourceError(f"Ray at {address} cannot be used: {first_line(error)}") from error
    finally:
        for number, handler in handlers.items():  # Ray has its own for SIGTERM
            signal.signal(number, handler)
    try:
        yield ray
    finally:
        ray.shutdown()


def check_address(address: str) -> None:
    """Raises InputError for what is no address, SourceError where nothing listens there."""
    if address in (AUTO, LOCAL):
        return
    match = _PLACE.fullmatch(address)
    if match is None or not 0 < int(match[2]) < 2**16:
        raise InputError(
            f"--ray must be auto, local, HOST:PORT or ray://HOST:PORT, got {address!r:.120}"
        )
    try:
        socket.create_connection((match[1].strip("[]"), int(match[2])), REACH_S).close()
    except OSError as error:
        raise SourceError(
            f"Ray at {address} cannot be reached: {error}. `ray start --head` begins a cluster"
        ) from None


def first_line(error: BaseException) -> str:
    """What an error of Ray says, without its stacks."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]


def _imported(address: str) -> Any:
    alone = ALONE | {"RAY_AUTH_TOKEN": secrets.token_hex(32)} if address == LOCAL else {}
    for name, value in (QUIET | alone).items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise InputError(
            f"--ray needs the extra [ray]: pip install 'prefrontal[ray]' ({error})"
        ) from None
    return ray


def _options(address: str, processors: int) -> dict[str, Any]:
    if address == LOCAL:
        alone = {
            "include_dashboard": False,
            "num_cpus": processors,
            "num_gpus": 0,
            "object_store_memory": STORE_BYTES,
        }
    else:
        alone = {}
    return {"address": address, "logging_level": logging.WARNING, **alone}
