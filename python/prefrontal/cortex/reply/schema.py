"""The JSON schema of a reflection, for servers that enforce one."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_TRUST = {"type": "integer", "minimum": -10, "maximum": 10}


def _object(needed: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**needed, **optional},
        "required": list(needed),
        "additionalProperties": False,
    }


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


OUTPUT_SCHEMA: dict[str, Any] = _object(
    {
        "assessments": _list(_object({"peer_id": _TEXT, "rationale": _TEXT, "trust": _TRUST})),
        "beliefs": _list(
            _object({"key": _TEXT, "value": _TEXT, "rationale": _TEXT}, peer_id=_TEXT)
        ),
        "summary": _TEXT,
    },
    directives=_list(
        _object(
            {"target_peer": _TEXT, "action": _TEXT, "rationale": _TEXT},
            message=_TEXT,
            expires_minutes={"type": "number"},
        )
    ),
    commitments=_list(_object({"peer_id": _TEXT, "text": _TEXT, "due": {"type": "number"}})),
    soul_alignment=_object({"verdict": _TEXT}, score={"type": "number"}, evidence=_TEXT),
    lessons=_list(_TEXT),
)
"""What `parsing.parse_reflection` reads."""
