"""`prefrontal route audit`: the rules of routing as a list of checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...plain_text import one_line
from ..answers import printable_json

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...routing.layout import Layout
    from ...settings.routing import Routing


def print_audit(layout: Layout, settings: Routing, flags: Collection[str], as_json: bool) -> bool:
    """Run every check and print it; whether all hold. flags: of `prefrontal route prompt`."""
    from ...assembly.router import build_runner
    from ...routing.audit.audit import audit

    checks = audit(layout, settings, runner=build_runner(settings), flags=set(flags))
    for check in checks:
        if as_json:
            row = {"rule": check.rule, "ok": check.ok, "said": check.evidence}
            click.echo(printable_json({**row, "problems": check.problems}))
            continue
        click.echo(one_line(f"{'ok' if check.ok else 'BROKEN':7}{check.rule}  ({check.evidence})"))
        for problem in check.problems:
            click.echo(one_line(f"         {problem}"))
    broken = sum(not check.ok for check in checks)
    if not as_json:
        click.echo(f"{len(checks)} rules, {broken} broken")
    return not broken
