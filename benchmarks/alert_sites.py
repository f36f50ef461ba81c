"""The alerts of four sites, as windows and as the plain rows that twins count."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

SITES = ("fox", "harrison", "santos", "shaw")


@dataclass(frozen=True, slots=True)
class Alert:
    """One line: when, what, where, by which detector, of which step of the attack ("" of none)."""

    time: float
    text: str
    host: str
    detector: str
    step: str


def read_site(folder: Path, site: str) -> list[Alert]:
    with gzip.open(folder / f"{site}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return [
            Alert(float(row["time"]), row["text"], row["host"], row["detector"], row["step"])
            for row in csv.DictReader(file)
        ]


def write_windows(alerts: list[Alert], path: Path) -> Path:
    """As `prefrontal replay --events` reads them; the step is the incident's name."""
    with path.open("w", encoding="utf-8") as file:
        for each in alerts:
            # A mail host is named after its user, who is another one at each site.
            host = f"user_mail/{each.host}" if each.host.endswith("_mail") else each.host
            event = {"source": "alerts", "location": host, "delta_type": each.detector}
            line = {"time": each.time, "text": each.text, "relevant": each.step or False}
            file.write(json.dumps({**line, "events": [event]}) + "\n")
    return path
