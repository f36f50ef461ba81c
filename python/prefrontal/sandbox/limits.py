"""Limits on the resources of a sandboxed command."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for all processes of a run together, unless it says "each".

    max_seconds: wall clock. max_mem_mb: memory of all, and the data of each. max_output_bytes: of
    stdout and stderr together. max_file_mb: each file. max_scratch_mb, max_scratch_entries: the
    scratch folder with its previous content. max_processes: including threads. max_open_files:
    each process. cpus: processors in use at a time. Raises InputError for values not above 0.
    """

    max_seconds: float = 30.0
    max_mem_mb: int = 512
    max_output_bytes: int = 1_000_000
    max_file_mb: int = 64
    max_scratch_mb: int = 256
    max_scratch_entries: int = 20_000
    max_processes: int = 64
    max_open_files: int = 128
    cpus: int = 1

    def __post_init__(self) -> None:
        for entry in fields(self):
            _check(entry.name, getattr(self, entry.name))


def _check(name: str, value: object) -> None:
    whole = name != "max_seconds"
    kind = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind):
        rule = "be a whole number" if whole else "be a number"
        raise InputError(f"{name} must {rule}, got {value!r}")
    if not 0 < value <= 1e9 or not math.isfinite(value):
        raise InputError(f"{name} must be above 0 and at most 1e9, got {value!r}")
