"""Modules that declare a source of which the settings name nothing: they would wait for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...plain_text import visible
from .hearing import (
    hears_calendar,
    hears_commits,
    hears_folder,
    hears_line,
    hears_page,
    hears_server,
)
from .sources import mcp_address, unadopted

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...settings import Settings

PLACES = {
    "git": "sources.git",
    "logs": "sources.logs",
    "http": "sources.http, redis, nats, socket or stdin",
    "github": "sources.github or sources.http.github_secret_env",
    "mcp": "sources.mcp",
    "network": "sources.network",
    "mail": "sources.mail",
    "calendar": "sources.calendar",
}
"""Which settings name a source, by the key of `signal_priors`."""


def unfed_modules(settings: Settings, modules: Iterable[ModuleFingerprint]) -> Iterator[str]:
    """A sentence for each source that a module declares and that nothing tells of."""
    for module in modules:
        for kind, place in PLACES.items():
            if getattr(module, kind) is not None and not _is_fed(settings, module, kind):
                name = visible(module.module_id, 80)
                yield f"{name} declares {kind}, but {place} names nothing that it would hear"


def _is_fed(settings: Settings, module: ModuleFingerprint, kind: str) -> bool:
    sources = settings.sources
    if kind == "git":
        return any(hears_commits(module, each.resolve()) for each in unadopted(settings))
    if kind == "logs":
        return any(hears_line(module, settings.path(each).absolute()) for each in sources.logs)
    if kind == "http":
        pushed = (sources.http, sources.socket, sources.stdin, sources.redis, sources.nats)
        return any(pushed)
    if kind == "github":
        delivered = sources.http is not None and sources.http.github_secret_env
        return bool(sources.github or delivered)
    if kind == "mcp":
        return any(hears_server(module, mcp_address(each).shown) for each in sources.mcp)
    if kind == "calendar":
        return any(hears_calendar(module, each.name) for each in sources.calendar)
    if kind == "mail":
        return any(hears_folder(module, f"{each.user}/{each.folder}") for each in sources.mail)
    return any(hears_page(module, each.url) for each in sources.network)
