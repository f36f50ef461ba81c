"""What is said of a feature before anything was learned."""

from __future__ import annotations

from typing import TypeAlias

Seed: TypeAlias = tuple[str, str, float]
"""Kind and value of a feature of the linear scorer, and its log-odds."""
