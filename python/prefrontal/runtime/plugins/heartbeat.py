"""The heartbeat: every 15 minutes the agent does what HEARTBEAT.md asks."""

from __future__ import annotations

from typing import Any

from ...plugin import Plugin, PluginMeta
from ..cron_job import CronJob, read_job
from .cron import CronPlugin

NAME = "__heartbeat__"
_DEFAULTS = {
    "enabled": False,
    "schedule": "15m",
    "mode": "main_session",
    "prompt_file": "HEARTBEAT.md",
}


class HeartbeatPlugin(Plugin):
    """Adds a job to cron if heartbeat.enabled. Skips an empty file.

    Configuration: heartbeat, with the keys of a job but the name.
    """

    meta = PluginMeta(
        id="heartbeat",
        version="1",
        dependencies=["cron"],
        optional_dependencies=["config", "workspace"],
        priority=45,
    )

    def __init__(self) -> None:
        self._job: CronJob | None = None

    def configure(self, config: dict[str, Any]) -> None:
        section = config.get("heartbeat") or {}
        if isinstance(section, dict):
            if "name" in section:
                raise ValueError("heartbeat must have only known keys, got 'name'")
            without = {"prompt_file": ""} if section.get("prompt") else {}
            section = {**_DEFAULTS, **without, **section, "name": NAME}
        self._job = read_job("heartbeat", section)

    async def start(self) -> None:
        cron = self.registry.get("cron")
        if self._job is not None and self._job.enabled and isinstance(cron, CronPlugin):
            cron.add(self._job, own=True)

    async def stop(self) -> None:
        """Do nothing: the job ends with cron."""


def create_plugin() -> HeartbeatPlugin:
    return HeartbeatPlugin()
