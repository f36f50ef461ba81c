"""Two kept results of `prefrontal replay`, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError

if TYPE_CHECKING:
    from ...replay.result import ReplayResult

COMPARED = (
    "asked_recall", "got_recall", "wakes_per_day", "share_woken", "precision",
    "tokens_per_useful_wake", "auc", "windows", "relevant", "missed", "wasted_count",
)  # fmt: skip


def compare(first: str, second: str, as_json: bool) -> None:
    """first, second: files that --save wrote. Raises InputError for any other."""
    before, after = _kept(first), _kept(second)
    if as_json:
        figures = {name: [getattr(before, name), getattr(after, name)] for name in COMPARED}
        click.echo(json.dumps({"first": first, "second": second, "figures": figures}))
        return
    from rich.console import Console

    from ...replay.report.table import print_comparison

    print_comparison(before, after, Console())


def _kept(path: str) -> ReplayResult:
    from ...replay.result import ReplayResult

    try:
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} must be a readable file ({error.strerror})") from None
    except RecursionError:
        raise InputError(f"{path} must be nested less deep") from None
    except ValueError as error:
        raise InputError(f"{path} must be JSON that --save wrote ({error})") from None
    if isinstance(raw, dict) and isinstance(raw.get("results"), list):
        raise InputError(f"{path} must hold one result, got {len(raw['results'])}")
    try:
        return ReplayResult.from_dict(raw)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
