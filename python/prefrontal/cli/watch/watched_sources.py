"""What a module declares of git, log files and other sources, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..paths import home_short

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint

MOST_NAMED = 3
"""Items of one list; the others are counted."""


def watched_sources(module: ModuleFingerprint) -> Iterator[str]:
    """`commits in ~/project (src, branch main)`, and so on, one text for each source."""
    if git := module.git:
        branches = ["branch " + _listed(git.branches, "or")] if git.branches else []
        yield f"commits{_in(git.repositories, ' in ')}{_of([*git.paths, *branches])}"
    if logs := module.logs:
        holding = [f"with {_listed(logs.contains, 'or')}"] if logs.contains else []
        yield f"lines of {_listed(logs.files) or 'log files'}{_of(holding)}"
    if http := module.http:
        verb = "sends" if len(http.sources) == 1 else "send"
        programs = _listed(http.sources) or "other programs"
        yield f"what {programs} {verb}{_of([*http.types, *http.locations])}"
    if mcp := module.mcp:
        yield f"MCP{_in(mcp.servers, ' server ') or ' servers'}{_of(mcp.resources)}"
    if github := module.github:
        yield f"GitHub{_in(github.repositories, ' ')}{_of(github.events)}"
    if mail := module.mail:
        senders = [f"from {_listed(mail.senders, 'or')}"] if mail.senders else []
        yield f"mail{_in(mail.folders, ' in ')}{_of(senders)}"
    if calendar := module.calendar:
        calendars = _in(calendar.calendars, "calendar ") or "calendars"
        yield f"{calendars}{_of(calendar.events)}"
    if network := module.network:
        yield _listed(network.endpoints) or "pages"


def _in(names: list[str], before: str) -> str:
    return f"{before}{_listed(names)}" if names else ""


def _of(what: Iterable[str]) -> str:
    words = ", ".join(what)
    return f" ({words})" if words else ""


def _listed(names: list[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b, c and 2 more`."""
    listed = [home_short(each) for each in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        listed.append(f"{len(names) - MOST_NAMED} more")
    return f" {last} ".join(filter(None, [", ".join(listed[:-1]), *listed[-1:]]))
