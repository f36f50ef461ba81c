"""The recall that a gate keeps: thresholds that follow from labels, and audits of what slept."""

from __future__ import annotations

from .promise import MEMORY, STEP, RecallPromise, check_recall, share_interval

__all__ = ["MEMORY", "STEP", "RecallPromise", "check_recall", "share_interval"]
