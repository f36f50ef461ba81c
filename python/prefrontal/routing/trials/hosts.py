"""Which hosts a tool, or a composition of tools, may reach while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...protocols import Runner
    from ..types import Tool


def hosts_of(tools: Iterable[Tool]) -> tuple[str, ...] | None:
    """All that the manifests name; None where one tool names none, so that the settings decide."""
    every = [tool.manifest.hosts if tool.manifest else None for tool in tools]
    if not every or None in every:
        return None
    return tuple(dict.fromkeys(host for hosts in every for host in hosts or ()))


def reaching(runner: Runner, hosts: tuple[str, ...] | None) -> Runner:
    """The runner for code that reaches these hosts at most; None: all that the settings list."""
    return runner if hosts is None else runner.narrow(hosts)
