"""Log lines for programs: one JSON object a line."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from ..redaction import redact

FIELDS = ("id", "kind", "subject", "acted", "reason", "score", "threshold", "question")
"""What a record may say of a decision; anything else is left out."""


class JsonLogFormatter(logging.Formatter):
    """Each record as one line of JSON, without secrets.

    time (UTC, milliseconds), level, logger, message; decision, with those of FIELDS that stand in
    the record's `decision`, a mapping; and error with its traceback. For handlers of the logger
    "prefrontal".
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        fields: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        decision = getattr(record, "decision", None)
        if isinstance(decision, Mapping):
            fields["decision"] = {n: _plain(decision[n]) for n in FIELDS if n in decision}
        if record.exc_info and record.exc_info[0]:
            fields["error"] = record.exc_info[0].__qualname__
            fields["traceback"] = redact(self.formatException(record.exc_info))
        return json.dumps(fields)


def _plain(value: object) -> object:
    """A value that JSON has: text without secrets, no number that is not finite."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) else None
    return redact(str(value))
