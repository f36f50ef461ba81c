"""Bold, dim and coloured text, for whoever wants it."""

from __future__ import annotations

import os
import sys
from typing import Any

import click


def painted(text: str, **style: Any) -> str:
    """The text as `click.style` has it, unless NO_COLOR is set or TERM says dumb.

    `click.echo` takes the style out again where nobody looks.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return click.style(text, **style)


def is_output_terminal() -> bool:
    """Whether a person reads standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()
