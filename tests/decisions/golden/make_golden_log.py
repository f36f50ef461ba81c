"""Writes a small log of decisions with the code of an earlier release.

    PYTHONPATH=CHECKOUT/python python make_golden_log.py FILE.sqlite.gz

`log-1` was written at c835107 (schema 1: wakes and labels), `log-2` at e7700d7 (2: deliveries, too;
both this one and the next with --owed),
`log-3` at 52f8fca (3: decisions of every kind, the last release before they had typed payloads).
CHECKOUT is that commit. A file that is there already is never written again.
"""

from __future__ import annotations

import gzip
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prefrontal.types import SignalEvent

EARLIER = import_module("prefrontal.storage.decisions")
DecisionLog, DecisionRecord = EARLIER.DecisionLog, EARLIER.DecisionRecord

NOW = 1_700_000_000.25
KNOWN = {each.name for each in fields(DecisionRecord)}
EVERY_KIND = "details" in KNOWN
NAN = float("nan")

WAKE = {"run": "5ce340fe", "event": 7, "monotonic": 12.25, "labels": 3, "slept": 2,
        "peer": "ann", "trust": -4, "shift": -2.0, "budget": 1.5, "wished": True}  # fmt: skip
GROUP = {"run": "5ce340fe", "event": 9, "monotonic": 20.5, "labels": 3, "slept": 2, "closed": True,
         "gathered": [{"event": 8, "monotonic": 15.5, "labels": 3, "slept": 2, "time": NOW},
                      {"event": 9, "monotonic": 16.5, "labels": 3, "slept": 2, "peer": "bob",
                       "trust": 2, "shift": 0.3, "time": NOW + 1}]}  # fmt: skip
ROUTE = {"policy": "select", "tool": "code/check.py", "arguments": {"path": "x.py"},
         "sentence": "check fits best.",
         "considered": [{"tool": "code/check.py", "name": "check", "score": 0.91,
                         "flags": ["accepted before"], "features": {"margin": 0.0}}],
         "picked": 0, "domain": "code", "action": "check", "confidence": 0.75, "search": "exact",
         "control": {"committed": True, "probing": False, "harm": 0.5, "goal": 0.25,
                     "why": [["order", 0.2]]},
         "taught": 3, "beliefs": ["ann-quick"],
         "verdict": {"decision": "approve", "reasoning": "trust +4"}}  # fmt: skip
ACT = {"status": "done", "value": ["x.py:1"], "useful": True, "accepted": None, "seconds": 0.42,
       "tool": "code/check.py", "sha256": "ab" * 32,
       "validation": {"ok": True, "summary": "3 of 3"}, "level": "namespace"}  # fmt: skip
CYCLE = {"cycle": 2, "trigger": "timer", "reflector": "rules"}
ASSESSMENT = {"trust": -1, "before": 2, "proposed": -4, "clamped": True, "info_score": 6, **CYCLE}
BELIEF = {"change": "revised", "expires_at": NOW + 7200, "evidence": ["cycle 1", "cycle 2"],
          "pinned": False, "quarantined": False, "peer": "ann", "rationale": "seen twice",
          "provenance": "reflection", "old": "was quick", **CYCLE}  # fmt: skip
DIRECTIVE = {"kind": "reflection", "directive": "directive-2-1", "action": "ask",
             "message": "Where is it?", "rationale": "it is late", "why": "",
             "expires_at": NOW + 7200, "cycle": 2}  # fmt: skip
EDITED = {"kind": "edited_question", "asked": "Read /in/1.pdf?"}


def record(number: int, **changes: Any) -> Any:
    """A wake; what the release does not know of is left out."""
    event = SignalEvent("filesystem", f"/in/{number}.pdf", "created", 1.0, NOW, {"size_bytes": 9})
    told: dict[str, Any] = {
        "id": f"{number:08x}" * 4, "time": NOW + number, "kind": "wake", "subject": "papers",
        "acted": True, "reason": "woke", "score": 0.75, "threshold": 0.65,
        "question": f"Read /in/{number}.pdf?", "propensity": 1.0, "window": (event,),
        "why": (("extension=.pdf", 1.5), ("hour=22", -0.25)), **changes,
    }  # fmt: skip
    return DecisionRecord(**{name: value for name, value in told.items() if name in KNOWN})


def later(number: int, kind: str, cause: int, **changes: Any) -> Any:
    """A decision of another kind."""
    told = {"window": (), "why": (), "threshold": NAN, "cause": f"{cause:08x}" * 4, **changes}
    return record(number, kind=kind, **told)


def main() -> None:
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there already and is not written again")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.sqlite"
        owed: dict[str, Any] = {"owed_to": ("post x",)} if sys.argv[2:] == ["--owed"] else {}
        with DecisionLog(path, **owed) as log:
            log.append(record(1, details=WAKE))
            slept = {"acted": False, "question": None, "score": 0.25}
            log.append(record(2, reason="below_threshold", **slept))
            log.append(record(3, reason="audit", score=0.5, propensity=0.02))
            if EVERY_KIND:
                events = tuple(each.window[0] for each in (record(8), record(9)))
                log.append(record(4, window=events, details=GROUP))
                log.append(later(5, "route", 1, subject="check", reason="select", details=ROUTE))
                log.append(later(6, "act", 5, subject="check", reason="done", details=ACT))
                log.append(later(7, "assessment", 6, subject="ann", details=ASSESSMENT))
                log.append(later(8, "belief", 6, subject="ann-quick", details=BELIEF))
                log.append(later(9, "directive", 6, subject="ann", details=DIRECTIVE))
                log.append(later(10, "directive", 1, reason="edited", details=EDITED))
            log.add_label(f"{1:08x}" * 4, 1.0, NOW + 60)
            log.save_state("weights", b"learned", 1)
        with gzip.open(target, "wb") as packed:
            packed.write(path.read_bytes())


if __name__ == "__main__":
    main()
