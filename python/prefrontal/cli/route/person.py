"""The person at the terminal, asked on standard error so that output can be piped."""

from __future__ import annotations

import click

from ...plain_text import one_line
from ...standard_input import is_terminal


class Person:
    """Answers questions of a router; a program at the other end of a pipe is not asked.

    A closed input is no answer; Ctrl-C interrupts.
    """

    def answer(self, question: str) -> str:
        """What was typed; empty for nothing."""
        if not is_terminal():
            return ""
        try:
            text: str = click.prompt(one_line(question), default="", show_default=False, err=True)
        except click.Abort as ended:
            _closed(ended)
            return ""
        return text

    def agree(self, question: str) -> bool | None:
        """Yes or no; None when nobody answers."""
        if not is_terminal():
            return None
        try:
            return click.confirm(one_line(question), default=False, err=True)
        except click.Abort as ended:
            _closed(ended)
            return None


def _closed(ended: click.Abort) -> None:
    """End the line of a question nobody can answer. click hides a Ctrl-C in the same error."""
    click.echo(err=True)
    if isinstance(ended.__context__, KeyboardInterrupt):
        raise KeyboardInterrupt from None
