"""The published path of `prefrontal.compat.prefrontal`."""

from ..compat.prefrontal import EscalationDecision, PrefrontalLayer

__all__ = ["EscalationDecision", "PrefrontalLayer"]
