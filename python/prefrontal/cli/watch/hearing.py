"""Whether what a source tells can reach a module at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ...plain_text import visible
from ...plural import many, noun
from ...pulse.modules.source_priors import (
    CalendarPrior,
    HttpPrior,
    LogsPrior,
    MailPrior,
    McpPrior,
    NetworkPrior,
    SourcePrior,
    source_interests,
)
from ...types import SignalEvent

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint

MOST_NAMED = 3


def declares(module: ModuleFingerprint, kind: str) -> bool:
    """Whether the module is asked about the source, all or part of it."""
    return hears_all(module) or getattr(module, kind) is not None


def hears_all(module: ModuleFingerprint) -> bool:
    """Whether every signal reaches the module."""
    return module.history is None and module.declares_nothing


def hears_files(module: ModuleFingerprint, folder: Path) -> bool:
    """Whether what happens in the folder reaches the module."""
    watched = module.watch_directories() if module.history is None else []
    return hears_all(module) or _overlaps(folder, watched)


def hears_commits(module: ModuleFingerprint, repository: Path) -> bool:
    """Whether commits of the repository reach the module, some of them at least."""
    prior = module.git
    wants = prior is not None and (
        not prior.repositories or _overlaps(repository, prior.repositories)
    )
    return hears_all(module) or wants


def _overlaps(folder: Path, others: Iterable[str]) -> bool:
    return any(folder.is_relative_to(each) or Path(each).is_relative_to(folder) for each in others)


def hears_line(module: ModuleFingerprint, path: Path) -> bool:
    """Whether lines of the file do."""
    line = SignalEvent("log", str(path), "line", 1.0, 0.0)
    return hears_all(module) or (
        module.logs is not None and _concerns(LogsPrior(module.logs.files), line)
    )


def hears_server(module: ModuleFingerprint, server: str) -> bool:
    """Whether news of the MCP server of that name does."""
    message = SignalEvent("mcp", server, "message", 1.0, 0.0, {"server": server})
    return hears_all(module) or (
        module.mcp is not None and _concerns(McpPrior(module.mcp.servers), message)
    )


def hears_calendar(module: ModuleFingerprint, name: str) -> bool:
    """Whether events of the calendar of that name do."""
    begins = SignalEvent("calendar", name, "begins", 1.0, 0.0)
    return hears_all(module) or (
        module.calendar is not None and _concerns(CalendarPrior(module.calendar.calendars), begins)
    )


def hears_page(module: ModuleFingerprint, url: str) -> bool:
    """Whether the module is asked about the page."""
    changed = SignalEvent("network", url, "modified", 1.0, 0.0)
    return hears_all(module) or (
        module.network is not None and _concerns(NetworkPrior(module.network.endpoints), changed)
    )


def hears_folder(module: ModuleFingerprint, place: str) -> bool:
    """Whether mail in USER/FOLDER does."""
    message = SignalEvent("mail", place, "received", 1.0, 0.0)
    return hears_all(module) or (
        module.mail is not None and _concerns(MailPrior(module.mail.folders), message)
    )


def hears_program(module: ModuleFingerprint, source: str) -> bool:
    """Whether signals of a source with that name of its own do."""
    signal = SignalEvent(source, source, "created", 1.0, 0.0)
    return hears_all(module) or (
        module.http is not None and _concerns(HttpPrior(module.http.sources), signal)
    )


class Unheard:
    """Counts the events that reach no module, by their source."""

    def __init__(self, modules: Iterable[ModuleFingerprint]) -> None:
        from ..._core.pulse import Routes
        from ...pulse.modules.routes import interests

        self.counts: Counter[str] = Counter()
        self._routes = Routes()
        for module in modules:
            self._routes.add(module.module_id, **interests(module))

    def take(self, event: SignalEvent) -> None:
        """Count the event where nothing concerns itself with it."""
        if not self._routes.match([event]):
            self.counts[event.source] += 1

    def sentence(self) -> str:
        """What reached no module, "" where all did."""
        if not self.counts:
            return ""
        most = [f"{visible(name, 40)!r}" for name, _ in self.counts.most_common(MOST_NAMED)]
        more = len(self.counts) - len(most)
        names = ", ".join(most) + (f" and {more} more" if more else "")
        events = self.counts.total()
        return (
            f"{many(events, 'event')} reached no module: none declares the"
            f" {noun(len(self.counts), 'source')} {names} with what is in it (`prefrontal"
            " modules`)."
        )


def _concerns(prior: SourcePrior, event: SignalEvent) -> bool:
    from ..._core.pulse import Routes

    routes = Routes()
    routes.add("module", sources=source_interests(prior))
    return bool(routes.match([event]))
