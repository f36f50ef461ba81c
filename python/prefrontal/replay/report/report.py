"""The report: one HTML file that shows replays to a person and needs nothing else."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from .markup import escape
from .next_steps import NextStep, next_steps
from .parts import replay_section, summary, tabs
from .wording import (
    KIND_WORDS,
    axis_moments,
    moment,
    paths_words,
    policy_words,
    printable,
    shown_policies,
    source_names,
)

if TYPE_CHECKING:
    from ..result import Outcome, ReplayResult

SCRIPTS = ("report_words.js", "report_chart.js", "report_strip.js", "report_page.js")


def render_html(results: Sequence[ReplayResult], relevant: str | None = None) -> str:
    """One page for one replay or several; text from the histories is shown, never obeyed.

    relevant: as `next_steps` takes it; what it says names no place, so that no report tells where
    it was made. Raises InputError when there is no result to show.
    """
    if not results:
        raise InputError("results must hold at least one replay, got none")
    names = source_names(results)
    style = _asset("report_page.css")
    script = "\n".join(map(_asset, SCRIPTS))
    title = names[0] if len(names) == 1 else f"{len(names)} histories"
    return Template(_asset("report_page.html")).substitute(
        policy=_content_security_policy(style, script),
        title=escape(f"Wake-ups replayed: {title}"),
        style=style,
        script=script,
        body=_body(
            results, names, [next_steps(each, "", relevant, has_report=True) for each in results]
        ),
        data=_data_block([_chart_data(each) for each in results]),
    )


def _body(
    results: Sequence[ReplayResult], names: list[str], steps: list[tuple[NextStep, ...]]
) -> str:
    several = len(results) > 1
    parts = [summary(results, names), tabs(names)] if several else []
    parts += [
        replay_section(result, name, number, several, steps[number])
        for number, (result, name) in enumerate(zip(results, names, strict=True))
    ]
    return "\n".join(parts)


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _content_security_policy(style: str, script: str) -> str:
    """Only this page's own style and script run; nothing is fetched from anywhere."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _data_block(value: object) -> str:
    """JSON that cannot end its script element: every bracket and line separator is escaped."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for bad in "<>&\u2028\u2029":
        text = text.replace(bad, f"\\u{ord(bad):04x}")
    return text


def _chart_data(result: ReplayResult) -> dict[str, Any]:
    """What the page's script draws from; texts are already fit to be shown."""
    return {
        "windows": result.windows,
        "relevant": result.relevant,
        "days": result.days,
        "asked": result.asked_recall,
        "got": result.got_recall,
        "wakes": result.wakes_per_day,
        "tokens": result.tokens_per_wake,
        "price": result.usd_per_million_tokens,
        "curve": result.curve,
        "policies": [
            {
                "name": each.name,
                "label": policy_words(each),
                "recall": each.recall,
                "wakes": each.wakes_per_day,
            }
            for each in shown_policies(result)
        ],
        "strip": list(map(_bar, result.strip, axis_moments(result.strip))),
    }


def _bar(outcome: Outcome, day: str) -> dict[str, Any]:
    return {
        "kind": outcome.kind,
        "verdict": KIND_WORDS[outcome.kind],
        "score": outcome.score,
        "threshold": outcome.threshold,
        "day": day,
        "when": moment(outcome.time),
        "text": printable(outcome.text, 160),
        "paths": paths_words(outcome.paths, outcome.more_paths),
    }
