"""The outcome of a cycle, for the log and for listeners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plugin import hookspecs
from ...plural import many

if TYPE_CHECKING:
    from ..host import Host
    from ..models import ReflectionRecord


async def announce_record(host: Host, record: ReflectionRecord) -> None:
    """Announce a finished cycle with exactly the agreed keys, a skipped one with its reason."""
    if record.status == "ok":
        _log(host, record)
        ctx: hookspecs.ReflectionContext = {
            "cycle": record.cycle,
            "trigger": record.trigger,
            "peers_assessed": list(record.peers_assessed),
            "beliefs_added": list(record.beliefs_added),
            "beliefs_reaffirmed": list(record.beliefs_reaffirmed),
            "beliefs_expired": list(record.beliefs_expired),
            "summary": record.summary,
            "elapsed_seconds": record.elapsed_seconds,
        }
        await host.announce(hookspecs.cortex_after_reflect, ctx)
    else:
        skipped: hookspecs.SkippedCycleContext = {
            "cycle": record.cycle,
            "trigger": record.trigger,
            "reason": record.status,
            "detail": record.skip_reason,
        }
        await host.announce(hookspecs.cortex_cycle_skipped, skipped)
    await host.announce(hookspecs.cortex_audit, record.to_json())


def _log(host: Host, record: ReflectionRecord) -> None:
    host.log_debug(
        f"Beliefs added {list(record.beliefs_added)}, confirmed "
        f"{list(record.beliefs_reaffirmed)}, revised {list(record.beliefs_revised)}, "
        f"gone {list(record.beliefs_expired)}"
    )
    host.log_info(
        f"Reflection {record.cycle} finished in {record.elapsed_seconds:.1f}s: "
        f"{len(record.peers_assessed)} assessed, {many(len(record.beliefs_updated), 'belief')}, "
        f"{many(len(record.directives), 'directive')}"
    )
