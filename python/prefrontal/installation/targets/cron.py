"""cron: a line that asks the gate now and then."""

from __future__ import annotations

import re

from ...errors import InputError
from ..marked_lines import MarkedLines
from ..places import CrontabPlace
from ..programs import Caller
from ..target import InstallTarget

UNASKED = "prefrontal could not be asked; look yourself."
_EVERY = re.compile(r"([1-9]\d?)(m|h)")


def cron(caller: Caller, every: str, command: str | None) -> InstallTarget:
    """every: such as "10m". command: what gets the question on its standard input; without one the
    question is printed, and cron mails it."""
    line = caller.line("gate", "--format", "text")
    if command is not None:
        if "\n" in command or "\r" in command:
            raise InputError(f"--exec must be one line, got {command!r}")
        # Only 2 says sleep, which no program that cannot be started ends with.
        line = caller.line("gate", "--format", "exit")
        line = (
            f"""q="$({line})"; [ $? -eq 2 ] || printf '%s\\n' "${{q:-{UNASKED}}}" | ({command})"""
        )
    escaped = line.replace("%", "\\%")  # cron takes a bare one for the end of the line
    text = f"{_fields(every)} {escaped}"
    return InstallTarget(
        name="cron",
        key="cron",
        title="cron",
        pieces=[(CrontabPlace(), MarkedLines("cron", [text]))],
        following=[("crontab -l", "the line")],
    )


def _fields(every: str) -> str:
    """The five fields. Raises InputError for what does not divide an hour or a day."""
    match = _EVERY.fullmatch(every)
    number = int(match[1]) if match else 0
    if match and match[2] == "m" and 60 % number == 0:
        return "0 * * * *" if number == 60 else f"*/{number} * * * *"
    if match and match[2] == "h" and 24 % number == 0:
        return "0 0 * * *" if number == 24 else f"0 */{number} * * *"
    raise InputError(f"--every must divide an hour or a day, such as 10m or 2h, got {every!r}")
