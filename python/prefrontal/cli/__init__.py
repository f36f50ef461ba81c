"""The command `prefrontal`.

The names below are loaded at first use: `prefrontal gate` answers without click.
"""

from __future__ import annotations

from ..lazy_names import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command_group import COMMANDS, main

__all__ = ["COMMANDS", "main"]

__getattr__, __dir__ = lazy_names(
    __name__, {"COMMANDS": ".command_group", "main": ".command_group"}
)
