"""Episodes of partitions: killed at each step boundary, or frozen before the act and replaced.

    python benchmarks/reliability/partition_episodes.py --rounds 5
    python benchmarks/reliability/partition_episodes.py --planted act
    python benchmarks/reliability/partition_episodes.py --planted owner

Two processes share two partitions on a PostgreSQL server, as those of `prefrontal run --partitions
auto` do, with their own ledgers. At each boundary the process whose episode it is ends, once; who
holds the partition next goes on. The act is a line in a file, synced before anything is kept of it.
A process that holds both partitions ends for one while the other's episode is not within its act.
`--planted` keeps no act, or acts without asking who owns the partition. Exit code 1 when an episode
acted more than once, but for one killed within the act, or was not ended.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Event, Lock, get_ident, local
from typing import Any

from own_folder import make_own_folder
from partition_nodes import Server
from postgres_server import PostgresServer, programs, server_in
from prefrontal.cli.run import partition_episodes
from prefrontal.cli.watch.partitions.intake import PartitionIntake
from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.cli.watch.partitions.worker import hold_share
from prefrontal.cli.watch.screen import Screen
from prefrontal.clock import SystemClock
from prefrontal.decisions.log import DecisionLog
from prefrontal.executive import loop
from prefrontal.executive.actor.worker import SandboxedActor
from prefrontal.executive.chooser.desk import RoutedChooser
from prefrontal.executive.loop import Executive
from prefrontal.executive.reviewer.reflection import AgentReviewer
from prefrontal.pulse.modules.partition_of import partition_of
from prefrontal.storage.partitions.partition_inbox import PartitionInbox
from prefrontal.storage.partitions.schema import open_shared, partition_url
from prefrontal.types import SignalEvent
from waiting import wait_until as wait

PARTITIONS = 2
BOUNDARIES = ("routed", "acted", "act kept", "reflecting", "reflected", "over")
FROZEN = "frozen"
PLANTED = ("act", "owner")
PATIENCE_S = 60.0
wait_until = partial(wait, patience_s=PATIENCE_S, look_s=0.05)


def agents() -> list[str]:
    """A module for each partition, in their order."""
    names = [f"agent-{number}/inbox" for number in range(100)]
    return [
        next(name for name in names if partition_of(name, PARTITIONS) == number)
        for number in range(PARTITIONS)
    ]


class Boundaries:
    """Where a process of the trial ends itself: at the boundary that the episode's text names."""

    def __init__(self, folder: Path, planted: str) -> None:
        self._folder = folder
        self._planted = planted
        self._now = local()
        self._within_act = Lock()  # a kill for another episode would hit between act and its entry
        self._effects = os.open(folder / "effects", os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def at(self, boundary: str, text: str, number: signal.Signals = signal.SIGKILL) -> None:
        """End here if the text asks for it and nobody did."""
        if text.partition(" ")[0] != boundary.replace(" ", "-"):
            return
        with suppress(FileExistsError):
            mark = self._folder / f"{text.replace(' ', '_')}.ended"
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            (self._folder / "frozen").write_text(str(os.getpid()))
            with nullcontext() if self._acts() else self._within_act:
                signal.pthread_kill(get_ident(), number)  # to another thread, this one would go on

    def set(self) -> None:
        """Put them between the steps of this process."""
        parts: list[tuple[Any, str, Any]] = [
            (SandboxedActor, "act", self._acting),
            (RoutedChooser, "learn", self._learning),
            (AgentReviewer, "reflect", self._reflecting),
            (Executive, "attend", self._attending),
            (Executive, "_act", self._before_act),
        ]
        for owner, name, wrapped in parts:
            setattr(owner, name, wrapped(getattr(owner, name)))
        if self._planted == "act":
            loop.keep_act = lambda *_: None  # type: ignore[attr-defined]
        check = DecisionLog.check_owner

        def checked(store: DecisionLog) -> None:
            self.at(FROZEN, self._now.text, signal.SIGSTOP)
            if self._planted != "owner":
                check(store)

        DecisionLog.check_owner = checked  # type: ignore[assignment,method-assign]

    def _acting(self, act: Any) -> Any:
        def acting(self_: Any, wake: Any, choice: Any) -> Any:
            self._within_act.acquire()
            self._now.acts = True
            os.write(self._effects, f"{text_of(wake)}\n".encode())
            os.fsync(self._effects)
            self.at("acted", text_of(wake))
            return act(self_, wake, choice)

        return acting

    def _before_act(self, act: Any) -> Any:
        def before(self_: Any, wake: Any, choice: Any, route: Any) -> Any:
            self.at("routed", text_of(wake))
            self._now.text = text_of(wake)
            return act(self_, wake, choice, route)

        return before

    def _learning(self, learn: Any) -> Any:
        def learning(self_: Any, wake: Any, choice: Any, outcome: Any) -> None:
            self._kept()
            self.at("act kept", text_of(wake))
            learn(self_, wake, choice, outcome)

        return learning

    def _reflecting(self, reflect: Any) -> Any:
        def reflecting(self_: Any, wake: Any, *rest: Any) -> Any:
            self.at("reflecting", text_of(wake))
            concluded = reflect(self_, wake, *rest)
            self.at("reflected", text_of(wake))
            return concluded

        return reflecting

    def _attending(self, attend: Any) -> Any:
        def attending(self_: Any, wake: Any) -> Any:
            try:
                episode = attend(self_, wake)
            finally:
                self._kept()
            self.at("over", text_of(wake))
            return episode

        return attending

    def _acts(self) -> bool:
        return bool(getattr(self._now, "acts", False))

    def _kept(self) -> None:
        if self._acts():
            self._now.acts = False
            self._within_act.release()


def text_of(wake: Any) -> str:
    """What the signal said: the boundary and a number."""
    return str(wake.window[-1].features["text"])


class Trial:
    """Two processes that hold two partitions between them, and begin again where they end."""

    def __init__(self, folder: Path, server: PostgresServer, planted: str = "") -> None:
        self.folder, self._planted = folder, planted
        self._number = 0
        url = server.url(tcp=True)
        document = {
            "modules": [module(name) for name in agents()],
            "audit_share": 0,
            "policy": {"group_s": 0, "hold_s": 0},
            "storage": {"url": url, "partitions": PARTITIONS},
            "state": "state",
        }
        (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
        self.plan = NodePlan("auto", 2, str(folder / "prefrontal.yml"), {},
                             home=partition_episodes.EpisodeHome)  # fmt: skip
        open_shared(self.plan.url, PARTITIONS).close()
        self.server = Server(url, PARTITIONS)
        self._processes = [self._begun(number) for number in range(2)]

    def send(self, boundary: str, names: Sequence[str] = ()) -> list[str]:
        """A signal to each of these agents, or to all, that names the boundary; the texts."""
        self._number += 1
        texts = []
        with closing(open_shared(self.plan.url, PARTITIONS)) as database:
            inbox = PartitionInbox(database)
            intake = PartitionIntake(inbox, self.plan.modules, PARTITIONS, SystemClock())
            for name in names or agents():
                texts.append(
                    f"{boundary.replace(' ', '-')} {self._number} {name.partition('/')[0]}"
                )
                event = SignalEvent(
                    source="http", location=name, delta_type="said", magnitude=1.0,
                    timestamp=time.time(),
                    features={"text": texts[-1], "actor": "ada"},
                )  # fmt: skip
                assert intake(event)
            inbox.end()
        return texts

    def await_end(self, texts: list[str]) -> None:
        """Wait until an act is in the log for each, begin again what ended meanwhile."""
        wait_until(lambda: self._look() and set(texts) <= set(self.ended()), f"{texts} to end")

    def ended(self) -> list[str]:
        """Texts of wakes that an act follows, as often as there are acts."""
        return [text for number in range(PARTITIONS) for text in self._acts(number)]

    def acts(self) -> Counter[str]:
        """How often each text was acted on."""
        return Counter((self.folder / "effects").read_text().splitlines())

    def heard(self) -> int:
        """Messages of peers that the ledgers hold."""
        ledgers = [partition_url(self.plan.url, n, "ledger").schema for n in range(PARTITIONS)]
        count = "SELECT count(*) FROM {}.interactions WHERE direction = 'in'"
        return sum(int(self.server.execute(count.format(each))[0][0]) for each in ledgers)

    def freeze(self) -> tuple[int, list[str]]:
        """Have a process stop itself before it acts; its id, and the text of the episode."""
        mark = self.folder / "frozen"
        mark.unlink(missing_ok=True)
        texts = self.send(FROZEN, agents()[:1])
        wait_until(lambda: self._look() and self._stopped(mark), "a process to freeze")
        return int(mark.read_text()), texts

    def close(self) -> None:
        for process in self._processes:
            for number in (signal.SIGCONT, signal.SIGTERM):
                with suppress(ProcessLookupError):
                    os.kill(process, number)
        for process in self._processes:
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
        self.server.close()

    def _stopped(self, mark: Path) -> bool:
        if not mark.exists() or not (text := mark.read_text()):
            return False
        return Path(f"/proc/{text}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    def _acts(self, number: int) -> list[str]:
        schema = partition_url(self.plan.url, number).schema
        with suppress(Exception):  # no store yet
            rows = self.server.execute(
                f"SELECT w.events FROM {schema}.decisions a JOIN {schema}.decisions r"
                f" ON r.id = a.cause JOIN {schema}.decisions w ON w.id = r.cause"
                " WHERE a.kind = 'act'"
            )
            return [json.loads(events)[-1][5]["text"] for (events,) in rows]
        return []

    def _look(self) -> bool:
        for place, process in enumerate(self._processes):
            if os.waitpid(process, os.WNOHANG)[0]:
                self._processes[place] = self._begun(place)
        return True

    def _begun(self, number: int) -> int:
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            try:
                ended = Event()
                signal.signal(signal.SIGTERM, lambda *_: ended.set())
                output = os.open(self.folder / "output", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
                os.dup2(output, 1), os.dup2(output, 2)
                Boundaries(self.folder, self._planted).set()
                hold_share(self.plan, number, Screen(None, ended.set), ended, {})
            finally:
                os._exit(0)
        return process


def module(name: str) -> dict[str, Any]:
    return {
        "module_id": name,
        "cluster": "test",
        "version": "1",
        "question_template": "{location} says: {text}",
        "default_threshold": 0.0,
        "signal_priors": {"http": {"sources": ["http"], "locations": [name]}},
    }


def killed(trial: Trial, rounds: int = 1) -> dict[str, Counter[int]]:
    """Boundary -> how many episodes that were killed there acted so often."""
    counts: dict[str, Counter[int]] = {each: Counter() for each in BOUNDARIES}
    for _ in range(rounds):
        for boundary in BOUNDARIES:
            texts = trial.send(boundary)
            trial.await_end(texts)
            acts = trial.acts()
            counts[boundary].update(acts[text] for text in texts)
    return counts


def frozen(trial: Trial) -> Counter[int]:
    """How often an episode acted whose process was frozen before the act, replaced, and went on."""
    process, texts = trial.freeze()
    trial.await_end(texts)
    os.kill(process, signal.SIGCONT)
    later = trial.send("later")
    trial.await_end(later)
    time.sleep(1.0)  # what the frozen one would still do
    acts = trial.acts()
    return Counter(acts[text] for text in texts)


def main() -> int:
    """Print how often episodes acted; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=3, help="kills at each boundary and partition"
    )
    parser.add_argument("--planted", choices=PLANTED, default="", help="a fault to be found")
    options = parser.parse_args()
    found = programs()
    if found is None:
        sys.exit("needs PostgreSQL's server (Debian: postgresql)")
    folder = make_own_folder("episodes")
    with server_in(found) as server, closing(Trial(folder, server, options.planted)) as trial:
        counts = killed(trial, options.rounds)
        counts[FROZEN] = frozen(trial)
        heard, sent = trial.heard(), len(set(trial.ended()))
        twice = len(trial.ended()) - sent
    shutil.rmtree(folder, ignore_errors=True)
    for boundary, acts in counts.items():
        print(f"{boundary}: acts {dict(acts)}")
    print(f"{sent} episodes ended, {twice} twice; {heard} messages in the ledgers")
    wrong = [each for each, acts in counts.items() if set(acts) != {2 if each == "acted" else 1}]
    return 1 if wrong or twice or heard != sent else 0


if __name__ == "__main__":
    sys.exit(main())
