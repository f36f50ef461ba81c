"""Which partition a module belongs to."""

from __future__ import annotations

from hashlib import blake2b


def partition_of(module_id: str, partitions: int) -> int:
    """0..partitions-1, the same on every machine.

    Modules whose ids begin alike up to the first "/", those of one agent say, are together.
    """
    agent = module_id.partition("/")[0].encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(agent, digest_size=8).digest(), "big") % partitions
