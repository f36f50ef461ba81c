"""Files that are either written whole or not at all."""

from .files import write_atomic

__all__ = ["write_atomic"]
