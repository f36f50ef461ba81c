"""The memory of peers: what was said, what was judged, and how much is known.

The names below are loaded at first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .info_score import compute_info_score
    from .ledger import Ledger
    from .models import Assessment, Interaction, Peer
    from .plugin import LedgerPlugin
    from .scale import SCORE_GUIDE

_HOMES = {
    "Assessment": ".models",
    "Interaction": ".models",
    "Ledger": ".ledger",
    "LedgerPlugin": ".plugin",
    "Peer": ".models",
    "SCORE_GUIDE": ".scale",
    "compute_info_score": ".info_score",
}

__all__ = [
    "SCORE_GUIDE",
    "Assessment",
    "Interaction",
    "Ledger",
    "LedgerPlugin",
    "Peer",
    "compute_info_score",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
