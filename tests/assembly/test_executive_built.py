"""The executive with everything in it: gate, router, sandbox, ledger, cortex and log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.attendance import Attendance
from prefrontal.assembly.executive import (
    BuiltExecutive,
    build_executive,
    tools_folder,
)
from prefrontal.assembly.frozen_moments import FrozenMoments
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.errors import InputError
from prefrontal.executive import Episode, Status
from prefrontal.executive.again import KeptActor, KeptMoments, attend_again, episode_of
from prefrontal.executive.loop import OUTCOME
from prefrontal.executive.trust_standings import known_standings
from prefrontal.ledger import Ledger
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, Settings, parse_settings
from prefrontal.testing import ManualClock
from prefrontal.testing.executive import ScriptedWaker
from prefrontal.types import SignalEvent

from ..executive.desk_tools import tools_of, worker_of
from ..executive.executive_samples import NOW
from ..routing.routes import QuickRunner

CORTEX: dict[str, Any] = {"cortex": {"triggers": [{"interaction_count": 3}]}}
QUIET = GateSettings(audit_share=0.0)
MODULE = parse_fingerprint(
    {
        "module_id": "code",
        "cluster": "test",
        "version": "1",
        "question_template": "Check the syntax of {location}.",
        "default_threshold": 0.0,
        "signal_priors": {},
    }
)


class World:
    """A project with tools, a broken file, and an executive over it."""

    def __init__(self, folder: Path, held: ExitStack, **executive: Any) -> None:
        self.folder = folder
        self.layout = tools_of(folder)
        self.clock = ManualClock(NOW)
        self.moments = FrozenMoments(self.clock)
        self.asked: list[str] = []
        told = {"executive": {"tools": str(self.layout.root), **executive}}
        self.settings: Settings = parse_settings(told)
        self.log = held.enter_context(DecisionLog(clock=self.clock))
        trust = self.settings.executive.trust
        self.standings = known_standings(trust, CORTEX, folder / "agent")
        self.gate = held.enter_context(
            Stepper(self.log, [MODULE], QUIET, clock=self.clock, standings=self.standings)
        )
        self.built = build_executive(
            self.settings,
            store=self.log,
            moments=self.moments,
            waker=self.gate,
            ask=lambda _, question: self.asked.append(question),
            config=CORTEX,
            workspace=folder / "agent",
            roots=[folder],
            standings=self.standings,
            actor=worker_of(self.layout, QuickRunner(level="namespace"), self.ask, readable=[]),
        )
        held.callback(self.built.close)

    def ask(self, _: Decision, question: str) -> None:
        self.asked.append(question)

    def touch(self, name: str, actor: str = "ada", text: str = "def f(:\n") -> list[Episode]:
        return self.built.executive.sense(self._event(name, actor, text))

    def signal(self, name: str, actor: str, text: str) -> None:
        """Only the gate hears of it."""
        self.gate.wake(self._event(name, actor, text))

    def _event(self, name: str, actor: str, text: str) -> SignalEvent:
        self.clock.advance(60.0)
        (self.folder / name).write_text(text, encoding="utf-8")
        place = str(self.folder / name)
        told = {"actor": actor, "extension": Path(name).suffix}
        return SignalEvent("filesystem", place, "modified", 0.5, self.clock.now(), told)


class Silent:
    """Hears how it goes and says nothing."""

    def begun(self, wake: Decision) -> None: ...
    def ended(self, episode: Episode) -> None: ...
    def heard(self, about: Decision, label: float) -> None: ...
    def failed(self, wake: Decision, error: Exception) -> None:
        raise error


def distrusted(world: World) -> None:
    """Mallory broke its word before."""
    (world.folder / "agent").mkdir()
    with Ledger(world.folder / "agent" / "ledger.sqlite", clock=world.clock) as ledger:
        ledger.record_interaction("mallory", "in")
        ledger.record_assessment("mallory", -4, "broke its word")


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held


Make = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path, held: ExitStack) -> Make:
    return lambda **executive: World(tmp_path, held, **executive)


def test_a_signal_wakes_is_routed_acted_on_and_reflected_on_in_one_chain(make: Make) -> None:
    world = make()
    episodes = [world.touch(f"broken{number}.py")[0] for number in range(3)]
    last = episodes[-1]
    assert [each.outcome.status for each in episodes] == [Status.DONE] * 3
    assert "invalid syntax" in str(last.outcome.value)
    kinds = [each.kind for each in last.records]
    assert kinds[:3] == ["route", "act", "assessment"]
    kept = world.log.followed(last.wake.id)
    assert [each.id for each in kept] == [each.id for each in last.records]
    assert kept[0].cause == last.wake.id
    assert [each.cause for each in kept[1:]] == [kept[0].id, *[kept[1].id] * (len(kept) - 2)]
    assert world.standings.trust("ada") == to_plain(last.conclusions[0].payload)["trust"]


@pytest.mark.exhaustive
def test_what_came_of_acting_trains_gate_tools_and_ledger(make: Make) -> None:
    world = make()
    [episode] = world.touch("broken.py")
    world.gate.learn()
    [kept] = world.log.recent()
    assert (kept.id, kept.label) == (episode.wake.id, 1.0)
    assert list(world.layout.root.rglob("history.jsonl"))
    world.built.close()
    with Ledger(world.folder / "agent" / "ledger.sqlite", read_only=True) as ledger:
        assert [each.outcome for each in ledger.interactions() if each.direction == "in"] == [1.0]


def test_with_the_link_off_nothing_is_trained(make: Make) -> None:
    world = make(links={"outcomes": False})
    world.touch("broken.py")
    [kept] = world.log.recent()
    assert kept.label is None
    assert not list(world.layout.root.rglob("history.jsonl"))


@pytest.mark.exhaustive
def test_trust_reaches_the_gate_at_once_and_after_a_restart(make: Make) -> None:
    world = make()
    for number in range(3):
        world.touch(f"broken{number}.py")
    [later] = world.touch("broken9.py")
    trust = world.standings.trust("ada")
    assert trust
    assert to_plain(later.wake.payload)["trust"] == trust
    assert to_plain(later.wake.payload)["shift"] == pytest.approx(0.15 * trust)
    world.built.close()
    again = known_standings(world.settings.executive.trust, CORTEX, world.folder / "agent")
    assert again.trust("ada") == trust


def test_a_distrusted_peers_step_is_held_back_and_nothing_is_run(make: Make) -> None:
    world = make()
    distrusted(world)
    [episode] = world.touch("broken.py", actor="mallory")
    assert episode.outcome.status is Status.DEFERRED
    route = episode.records[0]
    assert (route.acted, route.reason) == (False, "deferred")
    assert to_plain(route.payload)["verdict"]["decision"] == "deny"
    assert world.asked == []


def test_with_the_link_off_nobody_is_consulted(make: Make) -> None:
    world = make(links={"consult": False})
    distrusted(world)
    [episode] = world.touch("broken.py", actor="mallory")
    assert episode.outcome.status is Status.DONE


def test_who_wants_no_tool_run_has_the_agent_asked(make: Make) -> None:
    world = make(act=False)
    [episode] = world.touch("broken.py")
    assert episode.outcome.status is Status.ASKED
    assert to_plain(episode.records[0].payload)["tool"]
    assert world.asked == [f"Check the syntax of {world.folder / 'broken.py'}."]


@pytest.mark.exhaustive
def test_a_persons_word_about_the_route_reaches_the_tools_history(make: Make) -> None:
    world = make()
    [episode] = world.touch("broken.py")
    route = episode.records[0]
    [history] = world.layout.root.rglob("history.jsonl")
    before = history.read_text()
    found = episode_of(route, world.log)
    assert found is not None
    world.built.executive.feedback(found, route.kind, 0.0, 7)
    assert history.read_text() != before
    [later] = world.touch("other.py")
    assert to_plain(later.records[0].payload)["taught"] == 7


@pytest.mark.exhaustive
def test_the_whole_chain_is_decided_again_to_the_bit(make: Make, held: ExitStack) -> None:
    world = make()
    actors = ("ada", "bob", "mallory")
    texts = ("def f(:\n", "x = 1\n", "")
    for number in range(24):
        world.touch(f"file{number}.py", actors[number % 3], texts[(number // 3) % 3])
    kept = sorted(world.log.recent(100), key=lambda wake: world.log.followed(wake.id)[0].time)
    kinds = {each.kind for wake in kept for each in world.log.followed(wake.id)}
    assert {"route", "act", "assessment"} <= kinds
    built, moments = again(world, held)
    assert list(attend_again(kept, (), world.log, built.executive, moments)) == []


def again(world: World, held: ExitStack, name: str = "again") -> tuple[BuiltExecutive, KeptMoments]:
    """An executive as it was at the start, in another folder, with what the log kept."""
    (world.folder / name).mkdir()
    fresh = tools_of(world.folder / name)
    moments = KeptMoments()
    settings = parse_settings({"executive": {"tools": str(fresh.root)}})
    built = build_executive(
        settings,
        store=held.enter_context(DecisionLog()),
        moments=moments,
        waker=ScriptedWaker(lambda _: ()),
        ask=lambda *_: None,
        config=CORTEX,
        workspace=world.folder / name / "agent",
        roots=[world.folder],
        actor=KeptActor(world.log),
        replaying=True,
    )
    held.callback(built.close)
    return built, moments


@pytest.mark.exhaustive
def test_a_log_with_what_persons_said_in_between_is_decided_again_to_the_bit(
    make: Make, held: ExitStack
) -> None:
    world = make()
    attendance = Attendance(
        world.log, world.built.executive, Silent(), run=world.gate.run, since=0.0
    )
    for number in range(20):
        world.signal(f"file{number}.py", f"peer {number % 2}", ("def f(:\n", "x\n")[number % 2])
        attendance.attend_all()
        if number % 4 == 3:
            [act] = world.log.recent(1, kind="act")
            [wake] = world.log.recent(1)
            world.log.add_label(act.id, 0.0, world.clock.now())
            world.log.add_label(wake.id, float(number % 8 == 3), world.clock.now())
    kept = world.log.recent(100)[::-1]
    labels = list(world.log.said_after(0, (OUTCOME,)))
    assert len(labels) == 10
    built, moments = again(world, held)
    assert list(attend_again(kept, labels, world.log, built.executive, moments)) == []
    deaf, moments = again(world, held, "deaf")
    assert list(attend_again(kept, (), world.log, deaf.executive, moments)) != []


def test_without_a_folder_of_tools_the_agent_is_asked(tmp_path: Path, held: ExitStack) -> None:
    asked: list[str] = []
    clock = ManualClock(NOW)
    log = held.enter_context(DecisionLog())
    gate = held.enter_context(Stepper(log, [MODULE], QUIET, clock=clock))
    built = build_executive(
        parse_settings({"executive": {"tools": str(tmp_path / "none")}}),
        store=log,
        moments=FrozenMoments(clock),
        waker=gate,
        ask=lambda _, question: asked.append(question),
    )
    held.callback(built.close)
    event = SignalEvent("filesystem", "/x.py", "modified", 0.5, NOW, {})
    [episode] = built.executive.sense(event)
    assert episode.outcome.status is Status.ASKED
    assert asked == ["Check the syntax of /x.py."]
    assert not (tmp_path / "none").exists()


def test_the_folder_of_tools_is_that_of_routing_unless_told() -> None:
    assert tools_folder(parse_settings({})).name == "workflows"
    told = parse_settings({"routing": {"workflows_root": "mine"}})
    assert tools_folder(told).name == "mine"


def test_the_control_agent_that_cannot_be_had_is_one_sentence(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prefrontal.executive.selector.plan_chooser", None)
    with pytest.raises(InputError, match=r"needs torch: pip install 'prefrontal\[control\]'"):
        make(links={"control": True})
