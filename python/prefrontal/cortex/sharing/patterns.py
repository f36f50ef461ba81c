"""Typical findings of cycles, as anonymous counts for other agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from ...errors import InputError
from ...plain_text import visible
from ..models import TRIGGERS, ReflectionRecord
from .insights import insights
from .signing import sign, verified

FORMAT = "prefrontal-patterns/1"
SOURCE_PREFIX = "pattern:"
LEAST_CYCLES = 3
FINDINGS = (
    "trust_raised",
    "trust_lowered",
    "proposed_much_lower",
    "caution",
    "reliable",
    "overdue",
    "tempo",
    "directive",
    "nothing",
)
"""The only words that are exported; a model's text never is."""
_BELIEF_FINDINGS = ("caution", "reliable", "overdue", "tempo")
_MOST_HINTS = 50
_MOST_CYCLES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PatternHint:
    """Of `cycles` cycles that `trigger` started elsewhere, `share` (0..1) had this finding.

    source: "pattern:<agent>". A hint is shown to a reflector; nothing else is done with it.
    """

    source: str
    trigger: str
    finding: str
    cycles: int
    share: float
    text: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def export(records: Sequence[ReflectionRecord], *, key: str, source: str, now: float) -> str:
    """A signed file of trigger -> finding counts; omits triggers of fewer than three cycles.

    Nothing in it comes from a text: triggers and findings are words of fixed lists, the rest are
    counts and the date.
    """
    cycles: Counter[str] = Counter()
    findings: Counter[tuple[str, str]] = Counter()
    for record in records:
        if record.status == "ok" and record.trigger in TRIGGERS:
            cycles[record.trigger] += 1
            findings.update((record.trigger, finding) for finding in _findings(record))
    statistics = [
        {"trigger": trigger, "finding": finding, "cycles": cycles[trigger], "found": count}
        for (trigger, finding), count in sorted(findings.items())
        if cycles[trigger] >= LEAST_CYCLES
    ]
    date = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")
    document = {"format": FORMAT, "source": source, "date": date, "statistics": statistics}
    return sign(document, key)


def read(text: str, key: str) -> list[PatternHint]:
    """The hints in a signed file. Raises InputError for another format or a wrong signature."""
    raw = verified(text, key)
    if raw.get("format") != FORMAT or not isinstance(raw.get("source"), str):
        raise InputError(f"a file of patterns must have the format {FORMAT!r}")
    statistics = raw.get("statistics")
    if not isinstance(statistics, list):
        raise InputError("a file of patterns must have a list of statistics")
    source = SOURCE_PREFIX + visible(raw["source"], 60)
    return [_hint(source, each) for each in statistics[:_MOST_HINTS]]


def hints(raw: object) -> list[dict[str, Any]]:
    """Stored hints as they may be shown to a reflector: patterns, then insights, nothing else."""
    entries = [each for each in raw if isinstance(each, Mapping)] if isinstance(raw, list) else []
    patterns = [each for each in map(_stored, entries) if each is not None]
    reports = [each.to_json() for each in insights(entries)]
    return ([each.to_json() for each in patterns] + reports)[:_MOST_HINTS]


def _findings(record: ReflectionRecord) -> Iterator[str]:
    """The findings of one cycle, each once."""
    findings = {*_moves(record.assessments), *_beliefs(record)}
    if record.directives:
        findings.add("directive")
    yield from sorted(findings or {"nothing"})


def _moves(assessments: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in assessments:
        trust, previous, proposed = (each.get(k) for k in ("clamped", "previous", "proposed"))
        if each.get("outcome") != "recorded" or not isinstance(trust, int):
            continue
        before = previous if isinstance(previous, int) else 0
        if trust != before:
            yield "trust_raised" if trust > before else "trust_lowered"
        if isinstance(proposed, int) and trust - proposed >= 3:
            yield "proposed_much_lower"


def _beliefs(record: ReflectionRecord) -> Iterator[str]:
    for key in (*record.beliefs_added, *record.beliefs_reaffirmed):
        ending = key.rsplit("-", 1)[-1]
        if ending in _BELIEF_FINDINGS:
            yield ending


def _hint(source: str, raw: object) -> PatternHint:
    if not isinstance(raw, Mapping):
        raise InputError(f"a statistic must be a mapping, got {raw!r:.80}")
    trigger, finding = raw.get("trigger"), raw.get("finding")
    cycles: Any = raw.get("cycles")
    count: Any = raw.get("found")
    if trigger not in TRIGGERS or finding not in FINDINGS:
        raise InputError(f"a statistic must have a known trigger and finding, got {raw!r:.120}")
    if not (_is_count(cycles) and _is_count(count) and 0 < count <= cycles):
        raise InputError(f"a statistic must have counts with found <= cycles, got {raw!r:.120}")
    return _made(source, str(trigger), str(finding), int(cycles), count / cycles)


def _made(source: str, trigger: str, finding: str, cycles: int, share: float) -> PatternHint:
    text = f"Elsewhere {share:.0%} of {cycles} {trigger} cycles found {finding.replace('_', ' ')}."
    return PatternHint(source, trigger, finding, cycles, round(share, 4), text)


def _stored(raw: Mapping[Any, Any]) -> PatternHint | None:
    source, share = raw.get("source"), raw.get("share")
    cycles: Any = raw.get("cycles")
    is_known = raw.get("trigger") in TRIGGERS and raw.get("finding") in FINDINGS
    if not is_known or not isinstance(source, str) or not source.startswith(SOURCE_PREFIX):
        return None
    if not isinstance(share, int | float) or not 0 <= share <= 1 or not _is_count(cycles):
        return None
    return _made(visible(source, 80), str(raw["trigger"]), str(raw["finding"]), int(cycles), share)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_CYCLES
