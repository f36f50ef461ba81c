"""Chat models, each by the name that the configuration calls it: `provider: openai-compatible`.

The names are loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import lazy_names

if TYPE_CHECKING:
    from .choice import KNOWN, Models, create_model, name_of

__all__ = ["KNOWN", "Models", "create_model", "name_of"]

__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(__all__, ".choice"))
