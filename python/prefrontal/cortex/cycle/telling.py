"""Telling what a cycle did: to the log, and to whoever listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..models import ReflectionRecord

if TYPE_CHECKING:
    from .life import CortexLife


async def tell(cortex: CortexLife, record: ReflectionRecord) -> None:
    """Announce a finished cycle with exactly the agreed keys, a skipped one with its reason."""
    if record.status == "ok":
        _log(cortex, record)
        await cortex.announce("cortex.after_reflect", _after_reflect(record))
    else:
        skipped = {"cycle": record.cycle, "trigger": record.trigger, "reason": record.status}
        await cortex.announce("cortex.cycle_skipped", {**skipped, "detail": record.skip_reason})
    await cortex.announce("cortex.audit", record.to_json())


def _log(cortex: CortexLife, record: ReflectionRecord) -> None:
    cortex.log_debug(
        f"Beliefs added {list(record.beliefs_added)}, confirmed "
        f"{list(record.beliefs_reaffirmed)}, revised {list(record.beliefs_revised)}, "
        f"gone {list(record.beliefs_expired)}"
    )
    cortex.log_info(
        f"Reflection {record.cycle} finished in {record.elapsed_seconds:.1f}s: "
        f"{len(record.peers_assessed)} assessed, {len(record.beliefs_updated)} beliefs, "
        f"{len(record.directives)} directives"
    )


def _after_reflect(record: ReflectionRecord) -> dict[str, Any]:
    return {
        "cycle": record.cycle,
        "trigger": record.trigger,
        "peers_assessed": list(record.peers_assessed),
        "beliefs_added": list(record.beliefs_added),
        "beliefs_reaffirmed": list(record.beliefs_reaffirmed),
        "beliefs_expired": list(record.beliefs_expired),
        "summary": record.summary,
        "elapsed_seconds": record.elapsed_seconds,
    }
