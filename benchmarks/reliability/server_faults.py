"""A watch whose store is on a PostgreSQL server: killed, frozen, cut off, its server restarted.

    python benchmarks/reliability/server_faults.py --seconds 60 --rate 500
    python benchmarks/reliability/server_faults.py --act freeze --planted fence
    python benchmarks/reliability/server_faults.py --act kill --planted position

Each line of a followed log must be decided about once. `--planted` leaves out the fence of the
store, or keeps positions without some of their decisions: then a run must fail. Exit code 1 when
something was lost, doubled, or written by a watch that was replaced.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread

from own_folder import make_own_folder
from postgres_server import PostgresServer, programs, server_in
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from waiting import wait_until as wait
from watched import are_decided, lines_of, places, texts, write_settings

BACK_S = 5.0
"""Asked: how long a killed watch may be away."""
PATIENCE_S = 120.0
LOOK_S = 0.05
SETTLE_S = 2.0
PLANTED = {
    "fence": """
CREATE OR REPLACE FUNCTION begin_write(mine bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 0)); END $$""",
    "position": """
CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN IF NEW.seq % 50 = 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE TRIGGER lose BEFORE INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION lose()""",
}


class Watch:
    """`prefrontal watch` on one machine of several: a folder with settings and a state."""

    def __init__(self, folder: Path, server: PostgresServer, url: str, log: Path) -> None:
        (folder / "state").mkdir(parents=True)
        write_link(folder / "state" / "decisions.sqlite", PostgresUrl.parse(url))
        (folder / "app.log").symlink_to(log)
        write_settings(folder, logs=[str(log)])
        self.folder = folder
        self.output = folder / "output"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "prefrontal", "watch", "--json", *places(self.folder)]
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def tell(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code."""
        assert self.process is not None
        self.tell(number)
        return self.process.wait(PATIENCE_S)


class Lines:
    """Writes numbered lines to a log, so many a second, until it is stopped."""

    def __init__(self, path: Path, rate: float) -> None:
        self._path, self._rate = path, rate
        self._ended = Event()
        self.number = 0
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Lines:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.monotonic()
        while not self._ended.wait(LOOK_S):
            due = int((time.monotonic() - began) * self._rate)
            with self._path.open("a", encoding="ascii") as file:
                file.writelines(f"line {number}\n" for number in range(self.number, due))
            self.number = due


class Trial:
    """One store on the server, and the machines that may watch."""

    def __init__(self, scratch: Path, server: PostgresServer, rate: float, planted: str) -> None:
        self.server, self.rate, self.planted = server, rate, planted
        self.scratch = scratch
        self.log = scratch / "app.log"
        self.log.touch()
        self.url = server.url(tcp=True)
        self._machines: list[Watch] = []
        self.reader = DecisionLog(self.machine("reader").folder / "state" / "decisions.sqlite")

    def machine(self, name: str, url: str = "") -> Watch:
        watch = Watch(self.scratch / name, self.server, url or self.url, self.log)
        self._machines.append(watch)
        return watch

    def close(self) -> None:
        """End what still runs."""
        self.reader.close()
        for watch in self._machines:
            if watch.process is not None and watch.process.poll() is None:
                watch.end(signal.SIGKILL)

    def begin(self, watch: Watch) -> None:
        """A watch that has looked once, so that each line from now on is a signal."""
        from prefrontal.storage.postgres_database import PostgresDatabase

        if self.planted:
            database = self.reader._database
            assert isinstance(database, PostgresDatabase)
            database._connected().execute(PLANTED[self.planted].encode())
        watch.start()
        wait_until(lambda: bool(self.reader.load_states("place ")), "the first look")

    def decided(self) -> int:
        """The number of the last decision; 0 while the server cannot be reached."""
        try:
            return self.reader.ends()[0]
        except SourceError:
            return 0

    def settle(self, watch: Watch) -> list[str]:
        """What is wrong once all that can be decided is."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and not are_decided(watch.folder):
            time.sleep(SETTLE_S)
            if self.planted:
                end = min(end, time.monotonic() + 5 * SETTLE_S)
        decided, lines = sorted(texts(watch.folder)), lines_of(watch.folder)
        lost, twice = len(set(lines) - set(decided)), len(decided) - len(set(decided))
        print(f"  {len(lines)} lines: {lost} lost, {twice} decided twice", flush=True)
        return [f"{lost} lines lost"] * bool(lost) + [f"{twice} decided twice"] * bool(twice)


def kill(trial: Trial, seconds: float) -> list[str]:
    """Kill the watch once a second; it is back before the next."""
    watch = trial.machine("one")
    trial.begin(watch)
    away: list[float] = []
    end = time.monotonic() + seconds
    with Lines(trial.log, trial.rate):
        while time.monotonic() < end:
            time.sleep(1.0)
            watch.end(signal.SIGKILL)
            before, began = trial.decided(), time.monotonic()
            watch.start()
            wait_until(lambda: trial.decided() > before, "a killed watch")  # noqa: B023
            away.append(time.monotonic() - began)
    faults = trial.settle(watch)
    watch.end()
    away.sort()
    print(f"  {len(away)} kills: back within {away[len(away) // 2]:.1f} s in half of them,"
          f" {away[-1]:.1f} s in all (asked {BACK_S:g})")  # fmt: skip
    return faults


def freeze(trial: Trial, seconds: float) -> list[str]:
    """Freeze the watch; another machine takes over; then the frozen one goes on."""
    first, second = trial.machine("one"), trial.machine("two")
    trial.begin(first)
    with Lines(trial.log, trial.rate):
        wait_until(lambda: trial.decided() > trial.rate, "decisions")
        first.tell(signal.SIGSTOP)
        began = time.monotonic()
        second.start()
        before = trial.decided()
        wait_until(lambda: trial.decided() > before, "the other machine")
        print(f"  taken over after {time.monotonic() - began:.1f} s")
        time.sleep(max(0.0, seconds / 3 - (time.monotonic() - began)))
        first.tell(signal.SIGCONT)
        assert first.process is not None
        faults = []
        try:
            code = first.process.wait(PATIENCE_S if not trial.planted else 10)
            print(f"  the frozen one ended with {code}")
        except subprocess.TimeoutExpired:
            faults.append("the frozen watch went on")
            first.end(signal.SIGKILL)
    faults += written_late(second) + trial.settle(second)
    second.end()
    return faults


def restart(trial: Trial, seconds: float) -> list[str]:
    """Stop the server as a crash does, and start it after ten seconds."""
    watch = trial.machine("one")
    trial.begin(watch)
    with Lines(trial.log, trial.rate):
        wait_until(lambda: trial.decided() > trial.rate, "decisions")
        trial.server.stop()
        time.sleep(10.0)
        trial.server.start()
        time.sleep(seconds / 6)
    faults = trial.settle(watch)
    watch.end()
    return faults


def cut(trial: Trial, seconds: float) -> list[str]:
    """Let nothing through between watch and server for ten seconds."""
    proxy = subprocess.Popen([sys.executable, __file__, "--forward", str(trial.server.port)],
                             stdout=subprocess.PIPE)  # fmt: skip
    assert proxy.stdout is not None
    port = int(proxy.stdout.readline())
    watch = trial.machine("one", trial.url.replace(f":{trial.server.port}/", f":{port}/"))
    trial.begin(watch)
    with Lines(trial.log, trial.rate):
        wait_until(lambda: trial.decided() > trial.rate, "decisions")
        proxy.send_signal(signal.SIGSTOP)
        time.sleep(10.0)
        proxy.send_signal(signal.SIGCONT)
        time.sleep(seconds / 6)
    faults = trial.settle(trial.machine("two"))
    watch.end()
    proxy.kill()
    proxy.wait()
    proxy.stdout.close()
    return faults


def forward(port: int) -> None:
    """Pass bytes on to that port, from one that is printed, until it is killed."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        print(door.getsockname()[1], flush=True)
        while True:
            here, _ = door.accept()
            there = socket.create_connection(("127.0.0.1", port))
            for source, target in ((here, there), (there, here)):
                Thread(target=_pass, args=(source, target), daemon=True).start()


def _pass(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    finally:
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def written_late(watch: Watch) -> list[str]:
    """Decisions of an earlier start behind the first of the last one."""
    with DecisionLog(watch.folder / "state" / "decisions.sqlite") as log:
        runs = [each for each in log.wake_runs().runs() if each.run]
    last = runs[-1]
    late = [each for each in runs[:-1] if each.last > last.first]
    print(f"  {len(late)} replaced watches wrote after the last began")
    return [f"{each.run} wrote after {last.run} began" for each in late]


wait_until = partial(wait, patience_s=PATIENCE_S, look_s=LOOK_S)

ACTS = {"kill": kill, "freeze": freeze, "restart": restart, "cut": cut}


def main() -> int:
    """Each act on a store of its own; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--act", choices=ACTS, action="append", help="only these")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=500.0, help="lines a second")
    parser.add_argument("--planted", choices=PLANTED, default="", help="a fault to be found")
    parser.add_argument("--forward", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.forward:
        forward(options.forward)
    folder = programs()
    if folder is None:
        sys.exit("needs PostgreSQL's server (Debian: postgresql)")
    broken = 0
    with server_in(folder) as server:
        for name in options.act or ACTS:
            scratch = make_own_folder("server")
            print(f"{name}:", flush=True)
            try:
                with closing(Trial(scratch, server, options.rate, options.planted)) as trial:
                    faults = ACTS[name](trial, options.seconds)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
            for fault in faults:
                print(f"  broken: {fault}")
            broken += bool(faults)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
