"""Which decisions are answered, and how much of an id names one to a person."""

from __future__ import annotations

from ...decisions.payloads import ACT, ROUTE, WAKE

ANSWERABLE = (WAKE, ROUTE, ACT)
"""The kinds that somebody can say something of that is learned."""
ID_LENGTH = 8
"""How much of an id is shown; any beginning of four characters or more finds the decision."""
