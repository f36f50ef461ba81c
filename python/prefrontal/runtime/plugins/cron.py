"""Cron: the agent's scheduled jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...plugin import (
    IncomingMessage,
    OutgoingMessage,
    Plugin,
    PluginMeta,
    SubagentProvider,
    hookspecs,
)
from ...plugin.hooks import announce, hooks_of
from ...plugin.waiting import wait_for
from ..cron_job import OWN, CronJob, answer, question, read_job
from ..delivery import deliver
from ..registry import registry_of
from ..schedule import QuietHours, Timetable, local_time, parse_quiet_hours, parse_schedule
from ..workspace_files import locate, read_start, workspace_of

CHECK_S = 30.0
"""How often a running agent checks for due jobs."""
LONGEST_PROMPT = 32_000
"""Characters read of a prompt_file."""


@dataclass(slots=True)
class _Planned:
    job: CronJob
    timetable: Timetable
    quiet: QuietHours | None
    runs: bool = False


class CronPlugin(Plugin):
    """Runs the jobs of cron.jobs when they are due.

    Skips a job in its quiet hours, and one that is still running.
    """

    meta = PluginMeta(
        id="cron",
        version="1",
        capabilities=["cron"],
        optional_dependencies=["config", "workspace", "session"],
        consumes=["subagent"],
        priority=40,
        extension_points=hooks_of("cron"),
        implements={
            "runtime.tick": "tick",
            "session.poll_messages": "poll",
            "session.handled": "handled",
        },
        timeouts={"runtime.tick": None},  # jobs have their own
    )

    def __init__(self) -> None:
        self._config: dict[str, Any] = {}
        self._configured: list[CronJob] = []
        self._planned: dict[str, _Planned] = {}
        self._queue: list[IncomingMessage] = []
        self._asked: dict[str, float] = {}
        self._count = 0
        self._watch: asyncio.Task[None] | None = None
        self._runs: set[asyncio.Task[None]] = set()

    def configure(self, config: dict[str, Any]) -> None:
        entries = (config.get("cron") or {}).get("jobs") or ()
        if not isinstance(entries, list | tuple):
            raise ValueError(f"cron.jobs must be a list, got {entries!r:.80}")
        jobs = [read_job(f"cron.jobs[{n}]", raw) for n, raw in enumerate(entries)]
        for number, job in enumerate(jobs):
            _check_name(job, f"cron.jobs[{number}].name", [each.name for each in jobs[:number]])
        self._config, self._configured = config, jobs

    async def start(self) -> None:
        self._planned.clear()  # started again in a new event loop: plan anew
        for job in self._configured:
            self._plan(job)
        if getattr(self.registry, "background", False):
            self._watch = asyncio.create_task(self._keep_looking())

    async def stop(self) -> None:
        tasks = [*self._runs, *([self._watch] if self._watch is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watch = None
        self._planned.clear()
        self._queue.clear()

    def add(self, job: CronJob, *, own: bool = False) -> None:
        """Add a job. own: it belongs to the agent, with "__" in its name.

        Raises ValueError for a name that is in use or reserved for the agent's own jobs.
        """
        if own != job.is_own:
            raise ValueError(
                f"name must have {OWN!r} only for the agent's own job, got {job.name!r}"
            )
        if job.name in self._planned:
            raise ValueError(f"name must be another than those of the other jobs, got {job.name!r}")
        self._plan(job)

    def remove(self, name: str) -> None:
        """Remove a job. Raises ValueError for the agent's own jobs and for an unknown name."""
        if OWN in name:
            raise ValueError(f"name must not be that of one of the agent's own jobs, got {name!r}")
        if self._planned.pop(name, None) is None:
            raise ValueError(f"name must be that of a job, got {name!r}")

    def jobs(self) -> Sequence[CronJob]:
        """All jobs, in order of addition."""
        return [planned.job for planned in self._planned.values()]

    async def tick(self, ctx: Mapping[str, Any]) -> None:
        """Run the due jobs and wait for them."""
        await asyncio.gather(*self._due(ctx["now"], ctx["monotonic"]))

    async def poll(self) -> list[IncomingMessage]:
        """Return the questions of jobs in the main session, each once."""
        queue, self._queue = self._queue, []
        return queue

    async def handled(self, ctx: Mapping[str, Any]) -> None:
        """Announce the end of a job in the main session."""
        message, reply = ctx.get("message"), ctx.get("reply")
        began = self._asked.pop(getattr(message, "id", ""), None)
        if began is not None and isinstance(message, IncomingMessage):
            output = reply.content if isinstance(reply, OutgoingMessage) else ""
            await self._ended(message.metadata["job_name"], began, output, None)

    def _plan(self, job: CronJob) -> None:
        timetable = Timetable(
            parse_schedule(job.schedule), self.clock.now(), self.clock.monotonic()
        )
        quiet = parse_quiet_hours(job.quiet_hours) if job.quiet_hours else None
        self._planned[job.name] = _Planned(job, timetable, quiet)

    async def _keep_looking(self) -> None:
        while True:
            with suppress(TimeoutError):
                await wait_for(asyncio.Event().wait(), CHECK_S, self.clock)
            for run in self._due(self.clock.now(), self.clock.monotonic()):
                self._runs.add(run)
                run.add_done_callback(self._runs.discard)

    def _due(self, now: float, monotonic: float) -> list[asyncio.Task[None]]:
        tasks = []
        for planned in self._planned.values():
            job = planned.job
            if not planned.timetable.due(now, monotonic) or not job.enabled:
                continue
            if planned.quiet is not None and planned.quiet.holds(local_time(now)):
                self.log_debug(f"Job {job.name} left out: quiet hours")
            elif planned.runs or any(each.metadata["job_name"] == job.name for each in self._queue):
                self.log_debug(f"Job {job.name} left out: the last run has not ended")
            else:
                planned.runs = True
                tasks.append(asyncio.create_task(self._run(planned)))
        return tasks

    async def _run(self, planned: _Planned) -> None:
        job = planned.job
        try:
            prompt = self._prompt(job)
            if not prompt:
                self.log_debug(f"Job {job.name} left out: {job.prompt_file} is empty")
                return
            ctx: hookspecs.JobContext = {
                "job_name": job.name,
                "mode": job.mode,
                "schedule": job.schedule,
            }
            await announce(self.registry, hookspecs.cron_before_job, ctx)
            began = self.clock.monotonic()
            if job.mode == "main_session":
                self._ask_main_session(job, prompt, began)
                return
            output, error = await self._ask_subagent(job, prompt)
            await self._ended(job.name, began, output, error)
        except Exception as error:  # noqa: BLE001 - a job must not end the others
            self.log_error(f"Job {job.name} failed: {error!r}")
        finally:
            planned.runs = False

    def _prompt(self, job: CronJob) -> str:
        """The current question; "" for an empty or missing file."""
        if job.prompt:
            return job.prompt
        path = locate(workspace_of(self.registry, self._config), job.prompt_file)
        try:
            text, whole = read_start(path, LONGEST_PROMPT)
        except FileNotFoundError:
            return ""
        if not whole:
            self.log_warn(
                f"{path} must have at most {LONGEST_PROMPT} characters, the rest is unread"
            )
        return text

    def _ask_main_session(self, job: CronJob, prompt: str, began: float) -> None:
        self._count += 1
        message = question(job, prompt, self.clock.now(), self._count)
        self._asked[message.id] = began
        self._queue.append(message)
        registry_of(self).wake()

    async def _ask_subagent(self, job: CronJob, prompt: str) -> tuple[str, str | None]:
        """The subagent's answer and error."""
        subagent: Any = self.registry.get_by_capability("subagent")
        if subagent is None or not getattr(subagent, "available", True):
            return "", "No LLM provider available"
        provider: SubagentProvider = subagent
        result = await provider.spawn(prompt, None, job.system_prompt or None)
        if result.success and result.output.strip() and job.output:
            message, ids = answer(job, result.output)
            await deliver(registry_of(self), message, ids, ids["peer_id"])
        return result.output, result.error if not result.success else None

    async def _ended(self, name: str, began: float, output: str, error: str | None) -> None:
        if error is not None:
            self.log_warn(f"Job {name} failed: {error}")
        ctx: hookspecs.JobResultContext = {
            "job_name": name,
            "success": error is None,
            "output": output,
            "error": error,
            "elapsed_seconds": self.clock.monotonic() - began,
        }
        await announce(self.registry, hookspecs.cron_after_job, ctx)


def _check_name(job: CronJob, where: str, names: Sequence[str]) -> None:
    if job.is_own:
        raise ValueError(f"{where} must not contain {OWN!r}, got {job.name!r}")
    if job.name in names:
        raise ValueError(f"{where} must be another than those of the other jobs, got {job.name!r}")


def create_plugin() -> CronPlugin:
    return CronPlugin()
