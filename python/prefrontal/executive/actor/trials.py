"""Whether a tool passed the router's validation, once for each content of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ...routing.catalog.history import read_history
from ...routing.local_time import LocalTime
from ...routing.records import append_record, read_records
from ...routing.trace import UnwrittenTrace
from ...routing.trials.hosts import reaching
from ...routing.trials.validation import validate

if TYPE_CHECKING:
    from ...clock import Clock
    from ...protocols import Runner
    from ...routing.layout import Layout
    from ...settings.routing import Routing

AGAIN_S = 3600.0
"""After how long a tool that did not pass is tried again."""
_FILE = ".validated.jsonl"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial found. fresh: it took place now, rather than before, and says something of the
    tool, rather than of a check that is not installed here."""

    ok: bool
    summary: str
    fresh: bool = False


class Trials:
    """Tries tools as `prefrontal route` does, and remembers by the hash of their bytes.

    What passed is remembered in a file among the temporary modules, or stands in the history of
    `prefrontal route`; what did not is tried again after AGAIN_S and after a restart, since a
    checker may have been installed, or the machine been busy. A verdict of a sandbox that does not
    confine counts for such a one only.
    """

    def __init__(
        self,
        layout: Layout,
        settings: Routing,
        runner: Runner,
        clock: Clock,
        *,
        allow_weak: bool = False,
    ) -> None:
        self._layout = layout
        self._settings = settings
        self._runner = runner
        self._clock = clock
        self._allow_weak = allow_weak
        self._known: dict[str, Verdict] = {}
        self._tried: dict[str, float] = {}
        for row in read_records(layout.tmp / _FILE).rows:
            if row.get("enforced") is True or not runner.enforced:
                self._known[str(row.get("sha256"))] = Verdict(True, str(row.get("summary", "")))

    def verdict(
        self,
        path: Path,
        source: bytes,
        route_id: str,
        example: Mapping[str, Any] | None = None,
        *,
        calls: Sequence[str] = (),
        hosts: tuple[str, ...] | None = None,
    ) -> Verdict:
        """Of the source, which `path` holds. calls: hashes of the tools that a composition calls.

        hosts: that it may reach, None for all that the settings list.

        Raises SourceError when logs cannot be written.
        """
        digest = sha256(source).hexdigest()
        key = sha256(":".join([digest, *calls]).encode()).hexdigest() if calls else digest
        known = self._known.get(key) or self._from_history(path, key)
        now = self._clock.now()
        if known is not None and (known.ok or now - self._tried[key] < AGAIN_S):
            return known
        report = validate(
            path,
            layout=self._layout,
            route_id=route_id,
            runner=reaching(self._runner, hosts),
            settings=self._settings,
            trace=UnwrittenTrace(self._layout, self._clock, f"run-{route_id}", route_id),
            clock=self._clock,
            day=LocalTime(self._clock).day(),
            generated=bool(calls),
            example=example,
            expected_sha256=digest,
            allow_weak_sandbox=self._allow_weak,
        )
        self._known[key] = Verdict(report.ok, report.summary)
        self._tried[key] = now
        if report.ok:
            self._remember(key, report.summary)
        return Verdict(report.ok, report.summary, fresh=not report.lacks_check)

    def _from_history(self, path: Path, digest: str) -> Verdict | None:
        """The last trial of `prefrontal route`, if it was of this content and went well."""
        try:
            past = read_history(path.parent).of(path.stem)
        except PrefrontalError:
            return None
        tried = [
            each.event
            for each in past
            if each.sha256 == digest
            and each.signature is None
            and each.event in ("validation_ok", "failed")
        ]
        if not self._runner.enforced or tried[-1:] != ["validation_ok"]:
            return None
        verdict = self._known[digest] = Verdict(True, "it passed before")
        return verdict

    def _remember(self, key: str, summary: str) -> None:
        line = {"sha256": key, "enforced": self._runner.enforced, "summary": summary}
        append_record(self._layout.tmp / _FILE, line)
