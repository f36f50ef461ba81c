"""What a sandbox costs: the start of a no-op at each level, and watching a second of work.

Beside them the same interpreter without a sandbox, and in bubblewrap (namespaces alone: no limits,
no filter of system calls, nobody watching) where it is installed. By the proxy: a no-op with a list
of hosts, with and without a credential, and requests to a server of this machine.

    python benchmarks/bench_sandbox.py [--smoke]
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import harness
from prefrontal.sandbox import Limits, Policy, probe, run
from prefrontal.sandbox.backends import Backend
from prefrontal.sandbox.backends.proxy_backend import ProxyBackend
from prefrontal.sandbox.ladder import rung
from prefrontal.sandbox.policy import readable_paths
from prefrontal.sandbox.proxy import Credential, Hosts

BARE = "no sandbox"
NO_OP = [sys.executable, "-I", "-S", "-c", "pass"]
ASKING = """
import sys, time, urllib.request
place, count = sys.argv[1], int(sys.argv[2])
for number in range(count + 1):
    if number == 1:
        started = time.perf_counter()
    urllib.request.urlopen(place).read()
print((time.perf_counter() - started) / count)
"""


def main() -> None:
    options = harness.options(__doc__ or "")
    print(f"{probe()}\n")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder).resolve()
        entries = {
            BARE: bare,
            **in_bubblewrap(scratch),
            **at_each_level(scratch),
            **by_proxy(scratch),
        }
        rows = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
        print(f"**`python -I -S -c pass`, start to end**\n\n{harness.table(rows, twin=BARE)}\n")
        proxied = {name: entries[name] for name in entries if name.startswith(("name", "proxy"))}
        print(processor_time(proxied, 2 if options.smoke else 30))
        print(watching(scratch, 0.2 if options.smoke else 2.0))
        if rung("namespace").works:
            print(asking(scratch, 3 if options.smoke else 200))


def bare() -> None:
    assert subprocess.run(NO_OP, check=False).returncode == 0


def at_each_level(scratch: Path) -> dict[str, Callable[[], object]]:
    """A no-op at each level that works here."""
    return {
        rung.level: lambda level=rung.level: confined(scratch, level)  # type: ignore[misc]
        for rung in probe().rungs
        if rung.works
    }


def confined(scratch: Path, level: str) -> None:
    result = run(NO_OP, Limits(), Policy(scratch, level=level))
    assert result.ok and result.level == level, result


def by_proxy(scratch: Path) -> dict[str, Callable[[], object]]:
    """A no-op with a list of hosts; the credential costs a certificate, which openssl makes."""
    if not rung("namespace").works:
        return {}
    hosts = Hosts(["example.org"])
    backends = {"proxy": ProxyBackend(hosts)}
    if shutil.which("openssl"):
        secret = Credential("TOKEN", "0123456789abcdef", ("example.org",))
        backends["proxy, one credential"] = ProxyBackend(hosts, [secret])
    return {
        name: lambda backend=backend: held(scratch, backend)  # type: ignore[misc]
        for name, backend in backends.items()
    }


def held(scratch: Path, backend: Backend) -> None:
    result = run(NO_OP, Limits(), Policy(scratch), backend=backend)
    assert result.ok and result.level == "proxy", result


def asking(scratch: Path, count: int) -> str:
    """A request by the proxy, and by the same program without a sandbox; a connection each."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * 1000)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_port}"
        words = [sys.executable, "-I", "-c", ASKING, f"http://{place}/", str(count)]
        plain = subprocess.run(words, check=True, capture_output=True).stdout
        backend = ProxyBackend(Hosts([place]))
        result = run(words, Limits(), Policy(scratch), backend=backend)
        server.shutdown()
    assert result.ok, result
    ours, bare_ones = 1000 * float(result.stdout), 1000 * float(plain)
    return f"a request takes {ours:.2f} ms by the proxy, {bare_ones:.2f} ms without a sandbox"


def in_bubblewrap(scratch: Path) -> dict[str, Callable[[], object]]:
    """The twin: the same folders, read-only, and the same namespaces; none where it cannot run."""
    program = shutil.which("bwrap")
    if program is None:
        return {}
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--clearenv", "--dev", "/dev"]
    for name in ("/bin", "/lib", "/lib64"):
        words += ["--symlink", str(Path(name).readlink()), name] if Path(name).is_symlink() else []
    for path in readable_paths(Policy(scratch)):
        words += [] if path.startswith(("/proc", "/sys")) else ["--ro-bind", path, path]
    words += ["--bind", str(scratch), str(scratch), "--chdir", str(scratch), *NO_OP]
    if subprocess.run(words, check=False, capture_output=True).returncode != 0:
        return {}
    return {"bubblewrap alone": lambda: subprocess.run(words, check=True)}


def processor_time(entries: dict[str, Callable[[], object]], rounds: int) -> str:
    """The median of each, of the command, the launcher and prefrontal itself."""
    spent: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(rounds):
        for name, entry in entries.items():
            before = spent_so_far()
            entry()
            spent[name].append(1000 * (spent_so_far() - before))
    cells = (f"{name} {statistics.median(each):.1f} ms" for name, each in spent.items())
    return f"processor time: {', '.join(cells)}"


def spent_so_far() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    every = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in every)


def watching(scratch: Path, seconds: float) -> str:
    """Processor time of the launcher while a command sleeps, as a share of the time."""
    command = [sys.executable, "-I", "-S", "-c", f"import time; time.sleep({seconds})"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run(command, Limits(), Policy(scratch))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.ok, result
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - result.cpu_s
    share = 100 * spent / result.duration_s
    return f"watching a sleeping command takes {share:.2f} % of one processor ({result.level})"


if __name__ == "__main__":
    main()
