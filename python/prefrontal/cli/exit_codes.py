"""The exit codes of every command, told in one form at the end of its help."""

from __future__ import annotations

import click

USUAL = {
    0: "done",
    1: "nobody took the output, or a defect",
    2: "a slip, or a file that cannot be read",
    130: "Ctrl-C",
    143: "SIGTERM",
}
ROUTED = {
    3: "confidence or score too low",
    4: "a person must approve",
    5: "validation failed",
    6: "the guardrails refused generated code",
    7: "the sandbox does not confine",
}
OWN: dict[str, dict[int, str]] = {
    "cortex backtest": {3: "a sweep lacks runs whose workers ended"},
    "control experiment": {0: "none failed", 3: "one failed"},
    "hook": {1: "no answer, and the agent goes on as without it"},
    "push": {0: "review, or --github", 1: "no review"},
    "gate": {
        0: "wake, and sleep, too, in the formats hermes, openclaw, no-work and github",
        1: "sleep",
        2: "sleep with --format exit",
        64: "a slip on the command line",
    },
    "replay": {3: "a sweep lacks runs whose workers ended"},
    "route": ROUTED,
    "route audit": {5: "a rule is broken"},
    "route prompt": ROUTED,
    "route resume": ROUTED,
    "route tools expand": {4: ROUTED[4]},
    "route tools move": {4: ROUTED[4], 5: ROUTED[5]},
    "route tools promote": {4: ROUTED[4], 5: ROUTED[5]},
    "run": {0: "done, after --once", 129: "the terminal was closed"},
    "verify": {0: "no difference", 3: "something comes out otherwise"},
    "watch": {129: "the terminal was closed"},
}
"""Command -> its codes besides the usual ones, or with another meaning."""
ENDLESS = ("watch",)
"""Commands that never end by themselves."""
HEADING = "Exit codes: "


def sentence(path: str) -> str:
    """What the codes of a command mean: "Exit codes: 0 done; ..."."""
    codes = USUAL | OWN.get(path, {})
    if path in ENDLESS:
        del codes[0]
    return HEADING + "; ".join(f"{code} {codes[code]}" for code in sorted(codes)) + "."


def tell_exit_codes(command: click.Command, path: str) -> None:
    """End the help of the command, and of those below it, with their codes."""
    before = (command.epilog or "").partition(HEADING)[0].strip()
    command.epilog = f"{before}\n\n{sentence(path)}".strip()
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            tell_exit_codes(below, f"{path} {name}".strip())
