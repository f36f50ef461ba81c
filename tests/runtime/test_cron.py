"""The plugins `cron` and `heartbeat`, in a whole runtime."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.agent import GivenModel, GivenSubagent
from prefrontal.plugin import Plugin, PluginError
from prefrontal.runtime.cron_job import CronJob
from prefrontal.runtime.models import create_model
from prefrontal.runtime.plugins.cron import CronPlugin
from prefrontal.runtime.plugins.heartbeat import NAME, HeartbeatPlugin
from prefrontal.runtime.plugins.subagent import SubagentPlugin
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.runtime.runtime import Runtime
from prefrontal.testing import ManualClock, ScriptedLLM, ScriptedSubagent

JOB = {"name": "report", "schedule": "15m", "prompt": "Report."}


def made(
    jobs: Any,
    clock: ManualClock,
    *,
    subagent: Any = None,
    llm: Any = None,
    workspace: Path | None = None,
    **config: Any,
) -> Runtime:
    """A runtime with cron, heartbeat and what they need, and nothing else."""
    plugins: list[Plugin] = [
        GivenSubagent(subagent) if subagent else SubagentPlugin(),
        GivenModel(llm) if llm else create_model("rules"),
        CronPlugin(),
        HeartbeatPlugin(),
    ]
    config |= {"cron": {"jobs": jobs}, "logging": {"level": "off"}}
    if workspace is not None:
        config["workspace"] = str(workspace)
    return Runtime(config, clock=clock, plugins=plugins)


async def started(clock: ManualClock, *jobs: Any, **told: Any) -> Runtime:
    runtime = made(list(jobs), clock, **told)
    await runtime.start()
    return runtime


def cron_of(runtime: Runtime) -> CronPlugin:
    cron = runtime.registry.get("cron")
    assert isinstance(cron, CronPlugin)
    return cron


def announced(runtime: Runtime, point: str) -> list[dict[str, Any]]:
    return [event["payload"] for event in runtime.events if event["type"] == point]


async def test_an_isolated_job_asks_a_subagent_each_time_it_is_due() -> None:
    clock, subagent = ManualClock(), ScriptedSubagent("all is well", repeat=True)
    runtime = await started(clock, {**JOB, "system_prompt": "Be brief."}, subagent=subagent)
    await runtime.tick()
    assert subagent.calls == []
    for _ in range(2):
        clock.advance(900)
        await runtime.tick()
        await runtime.tick()
    assert [(call.task, call.system_prompt) for call in subagent.calls] == [
        ("Report.", "Be brief.")
    ] * 2
    assert announced(runtime, "cron.before_job")[0] == {
        "job_name": "report",
        "mode": "isolated",
        "schedule": "15m",
    }
    assert announced(runtime, "cron.after_job")[0] == {
        "job_name": "report",
        "success": True,
        "output": "all is well",
        "error": None,
        "elapsed_seconds": 0.0,
    }
    await runtime.stop()


async def test_an_isolated_answer_goes_to_the_output_of_the_job() -> None:
    clock, subagent = ManualClock(), ScriptedSubagent("all is well")
    output = {"channel_type": "terminal", "channel_id": "main", "recipient": "alice"}
    runtime = await started(clock, {**JOB, "output": output}, subagent=subagent)
    clock.advance(900)
    await runtime.tick()
    (sent,) = runtime.sent
    assert (sent.channel_type, sent.channel_id, sent.content) == (
        "terminal",
        "main",
        "all is well",
    )
    assert sent.metadata["recipient"] == "alice"
    await runtime.stop()


async def test_a_job_in_the_main_session_is_a_message_of_the_runtime_itself() -> None:
    clock, llm = ManualClock(), ScriptedLLM("done")
    output = {"channel_type": "terminal", "channel_id": "main"}
    job = {**JOB, "mode": "main_session", "output": output}
    runtime = await started(clock, job, llm=llm)
    clock.advance(900)
    await runtime.tick()
    assert llm.calls[-1].messages[-1]["content"].endswith("Report.")
    assert [sent.content for sent in runtime.sent] == ["done"]
    assert announced(runtime, "cron.after_job")[0]["output"] == "done"
    await runtime.stop()


async def test_the_message_says_that_it_comes_from_cron() -> None:
    clock = ManualClock()
    registry = PluginRegistry(clock)
    cron = registry.register(CronPlugin())
    assert isinstance(cron, CronPlugin)
    registry.configure_all({"cron": {"jobs": [{**JOB, "mode": "main_session"}]}})
    await registry.start_all()
    assert await cron.poll() == []
    clock.advance(900)
    await registry.call_extension("runtime.tick", {"now": clock.now(), "monotonic": 900.0})
    clock.advance(900)
    await registry.call_extension("runtime.tick", {"now": clock.now(), "monotonic": 1800.0})
    (message,) = await cron.poll()
    assert (message.channel_type, message.sender_id, message.sender_name) == (
        "cron",
        "system",
        "Cron",
    )
    assert message.metadata == {"is_cron": True, "job_name": "report", "skip_persistence": True}
    assert message.is_internal
    assert message.timestamp.timestamp() == clock.now() - 900
    assert await cron.poll() == []
    clock.advance(900)
    await registry.call_extension("runtime.tick", {"now": clock.now(), "monotonic": 2700.0})
    (later,) = await cron.poll()
    assert later.event_id != message.event_id
    await registry.stop_all()


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("utc")
async def test_quiet_hours_leave_a_job_out() -> None:
    clock = ManualClock(1_700_000_000.0)  # 22:13:20
    subagent = ScriptedSubagent("fine", repeat=True)
    runtime = await started(
        clock, {**JOB, "schedule": "1h", "quiet_hours": "23:00-07:00"}, subagent=subagent
    )
    for _ in range(8):
        clock.advance(3600)
        await runtime.tick()
    assert subagent.calls == []
    clock.advance(3600)
    await runtime.tick()
    assert len(subagent.calls) == 1
    await runtime.stop()


async def test_a_clock_that_jumps_makes_no_burst_and_starves_nobody() -> None:
    clock, subagent = ManualClock(), ScriptedSubagent("fine", repeat=True)
    calendar = {**JOB, "name": "calendar", "schedule": "*/10 * * * *"}
    runtime = await started(clock, JOB, calendar, subagent=subagent)
    for jump in (10 * 365 * 86400.0, -20 * 365 * 86400.0):
        clock.jump(jump)
        before = len(subagent.calls)
        for _ in range(3):
            await runtime.tick()
        assert len(subagent.calls) - before <= 1
        before = len(subagent.calls)
        for _ in range(120):
            clock.advance(30)
            await runtime.tick()
        assert len(subagent.calls) - before in range(9, 12)
    await runtime.stop()


async def test_a_disabled_job_never_runs_and_a_failed_one_is_told_and_runs_again() -> None:
    clock, subagent = ManualClock(), ScriptedSubagent([RuntimeError("broken"), "fine"])
    off = {**JOB, "name": "off", "enabled": False}
    runtime = await started(clock, JOB, off, subagent=subagent)
    for _ in range(2):
        clock.advance(900)
        await runtime.tick()
    assert len(subagent.calls) == 2
    assert announced(runtime, "cron.after_job")[-1]["success"] is True
    assert any("Job report failed" in text for _, _, text in runtime.logs)
    await runtime.stop()


async def test_without_a_model_an_isolated_job_fails_with_a_sentence() -> None:
    clock = ManualClock()
    runtime = await started(clock, JOB)
    clock.advance(900)
    await runtime.tick()
    (ended,) = announced(runtime, "cron.after_job")
    assert (ended["success"], ended["error"]) == (False, "No LLM provider available")
    await runtime.stop()


async def test_a_question_may_stand_in_a_file_that_is_read_when_it_is_asked(tmp_path: Path) -> None:
    clock, subagent = ManualClock(), ScriptedSubagent("fine", repeat=True)
    job = {"name": "file", "schedule": "15m", "prompt_file": "question.md"}
    runtime = await started(clock, job, subagent=subagent, workspace=tmp_path)
    for text in (None, "first\n", "  \n", "second"):
        if text is not None:
            (tmp_path / "question.md").write_text(text)
        clock.advance(900)
        await runtime.tick()
    assert [call.task for call in subagent.calls] == ["first", "second"]
    await runtime.stop()


@pytest.mark.parametrize(
    ("jobs", "sentence"),
    [
        ("x", r"cron\.jobs must be a list"),
        ([5], r"cron\.jobs\[0\] must be a mapping"),
        ([{"name": "a"}], r"cron\.jobs\[0\] must have the keys schedule"),
        ([{**JOB, "schedule": "x"}], r"cron\.jobs\[0\]\.schedule must be an interval such as 15m"),
        ([{**JOB, "mode": "x"}], r"cron\.jobs\[0\]\.mode must be one of isolated, main_session"),
        ([{**JOB, "quiet_hours": "x"}], r"cron\.jobs\[0\]\.quiet_hours must be two different"),
        ([{**JOB, "prompt_file": "x"}], r"cron\.jobs\[0\]\.report must have a prompt or a"),
        ([{**JOB, "output": {"to": "x"}}], r"cron\.jobs\[0\]\.output must have only"),
        ([{**JOB, "output": {"channel_id": "x"}}], r"cron\.jobs\[0\]\.output must have channel_"),
        ([{**JOB, "colour": "x"}], r"cron\.jobs\[0\] must have only known keys, got"),
        ([{**JOB, "name": "a\nb"}], r"cron\.jobs\[0\]\.name must be 1 to 64 visible"),
        ([{**JOB, "name": "__x__"}], r"cron\.jobs\[0\]\.name must not contain '__'"),
        ([JOB, JOB], r"cron\.jobs\[1\]\.name must be another than those of the other jobs"),
    ],
)
async def test_a_job_that_cannot_work_is_refused_with_its_place(jobs: Any, sentence: str) -> None:
    with pytest.raises(PluginError, match=sentence):
        made(jobs, ManualClock())


async def test_jobs_of_the_agent_itself_are_out_of_reach() -> None:
    runtime = await started(ManualClock(), JOB, heartbeat={"enabled": True})
    cron = cron_of(runtime)
    assert [job.name for job in cron.jobs()] == ["report", NAME]
    for name in (NAME, "__other__"):
        with pytest.raises(ValueError, match="one of the agent's own jobs"):
            cron.remove(name)
    with pytest.raises(ValueError, match="only for the agent's own job"):
        cron.add(CronJob("__mine__", "15m", prompt="x"))
    with pytest.raises(ValueError, match="must be another than"):
        cron.add(CronJob("report", "15m", prompt="x"))
    with pytest.raises(ValueError, match="must be that of a job"):
        cron.remove("nothing")
    cron.remove("report")
    cron.add(CronJob("report", "1h", prompt="x"))
    assert [job.schedule for job in cron.jobs()] == ["15m", "1h"]
    await runtime.stop()


async def test_the_heartbeat_is_off_until_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_text("Look after the garden.")
    clock, llm = ManualClock(), ScriptedLLM("done", repeat=True)
    runtime = await started(clock, llm=llm, workspace=tmp_path)
    clock.advance(86400)
    await runtime.tick()
    assert llm.calls == []
    await runtime.stop()


async def test_the_heartbeat_asks_what_stands_in_the_file_every_quarter_of_an_hour(
    tmp_path: Path,
) -> None:
    clock, llm = ManualClock(), ScriptedLLM("done", repeat=True)
    runtime = await started(clock, llm=llm, workspace=tmp_path, heartbeat={"enabled": True})
    clock.advance(900)
    await runtime.tick()
    assert llm.calls == []
    (tmp_path / "HEARTBEAT.md").write_text("Look after the garden.")
    clock.advance(900)
    await runtime.tick()
    (call,) = llm.calls
    assert call.messages[-1]["content"].endswith("Look after the garden.")
    assert announced(runtime, "cron.before_job")[0]["job_name"] == NAME
    assert runtime.sent == []
    await runtime.stop()


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"enabled": "yes"}, "heartbeat.enabled must be true or false"),
        ({"schedule": "x"}, "heartbeat.schedule must be an interval"),
        ({"name": "x"}, "heartbeat must have only known keys, got"),
        (5, "heartbeat must be a mapping"),
    ],
)
def test_a_heartbeat_that_cannot_beat_is_refused(told: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        HeartbeatPlugin().configure({"heartbeat": told})


async def test_a_running_agent_looks_at_its_jobs_by_itself_each_once_at_a_time() -> None:
    clock = ManualClock()
    asked: list[str] = []

    class Slow:
        async def spawn(self, task: str, *_: Any) -> Any:
            asked.append(task)
            await asyncio.Event().wait()

    registry = PluginRegistry(clock, background=True)
    for plugin in (GivenSubagent(Slow()), CronPlugin()):
        registry.register(plugin)
    registry.configure_all({"cron": {"jobs": [JOB, {**JOB, "name": "b", "prompt": "B."}]}})
    await registry.start_all()
    for _ in range(3):
        for _ in range(20):
            await asyncio.sleep(0)
        clock.advance(900)
    assert asked == ["Report.", "B."]
    await registry.stop_all()
    assert len(asyncio.all_tasks()) == 1


async def test_an_internal_message_is_answered_without_a_model_too() -> None:
    clock = ManualClock()
    runtime = await started(clock, {**JOB, "mode": "main_session"})
    clock.advance(900)
    await runtime.tick()
    (ended,) = announced(runtime, "cron.after_job")
    assert ended["success"] is True
    assert runtime.sent == []
    await runtime.stop()
