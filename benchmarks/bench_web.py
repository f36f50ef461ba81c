"""The live page with 100,000 decisions stored: how soon it is there, how soon it shows an event.

    python benchmarks/bench_web.py [--smoke]

`prefrontal dash` runs in a process of its own, the log is written from this one, and headless
Chromium holds ten pages open. The twin of the first paint is a text of the same server, which shows
what the browser alone takes. An update is timed from when the decision is handed to the log (so the
disk is in it) until each page has changed, and until the one in front has painted that. Needs the
extra `web`, selenium and Debian's chromium with its driver; without them it says so and ends.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import harness
from prefrontal.decisions.log import Decision, DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.types import SignalEvent

PAINT_MS, UPDATE_MS = 300.0, 50.0
PAGES = 10
DAYS = 30
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync",
)  # fmt: skip
WATCH = """\
window.seen = {};
new MutationObserver(() => {
  const last = document.querySelector('#strip > :last-child').id;
  if (last in window.seen) return;
  const told = window.seen[last] = { changed: Date.now() };
  requestAnimationFrame(() => setTimeout(() => { told.painted = Date.now(); }));
}).observe(document.getElementById('strip'), { childList: true });
return document.querySelector('#strip > :last-child').id;
"""


def main() -> None:
    options = harness.options(__doc__ or "")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print("there is no chromium with a chromedriver here: nothing was measured")
        return
    stored, loads, events = (2_000, 3, 5) if options.smoke else (100_000, 30, 60)
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "state")
        state.mkdir()
        with DecisionLog(state / "decisions.sqlite") as log:
            fill(log, stored)
            with served(folder) as (server, address, started_s), browser() as chrome:
                print(
                    f"{stored:,} decisions stored, read in {started_s:.2f} s before the first page"
                )
                first_paint(chrome, address, loads)
                updates(chrome, address, log, events)
                idle = idle_share(server, 1 if options.smoke else 10)
                print(f"CPU of the server, {PAGES} pages open, nothing new: {idle:.1%} of a core")


def first_paint(chrome: Any, address: str, loads: int) -> None:
    figures: dict[str, list[float]] = {"the page": [], "a text of the same server (twin)": []}
    addresses = (address, f"{address}static/LICENSE-uPlot.txt")
    for _ in range(loads):
        for name, place in zip(figures, addresses, strict=True):
            chrome.get("about:blank")
            chrome.get(place)
            figures[name].append(painted_ms(chrome))
    for name, times in figures.items():
        print(f"first paint, {name}: {told(times)}")
    print(f"target: at most {PAINT_MS:.0f} ms")


def painted_ms(chrome: Any) -> float:
    """Milliseconds from the navigation to the first paint with content."""
    script = (
        "return performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0]"
    )
    for _ in range(500):
        if found := chrome.execute_script(script):
            return float(found)
        time.sleep(0.01)
    raise RuntimeError("nothing was painted")


def updates(chrome: Any, address: str, log: DecisionLog, events: int) -> None:
    """Ten pages, one decision after the other; what each page and the one in front took."""
    chrome.get(address)
    for _ in range(PAGES - 1):
        chrome.switch_to.new_window("tab")
        chrome.get(address)
    for handle in chrome.window_handles:
        chrome.switch_to.window(handle)
        until_live(chrome)
        last = chrome.execute_script(WATCH)
    handed = {}
    draw = Random(1)
    number = int(last.removeprefix("e-"))
    for _ in range(events):
        number += 1
        handed[f"e-{number}"] = time.time() * 1e3
        log.append(record(draw, time.time(), "woke"))
        time.sleep(0.25 + draw.random() / 10)
    changed, painted = [], []
    for handle in reversed(chrome.window_handles):  # the one in front is the last
        chrome.switch_to.window(handle)
        seen = chrome.execute_script("return window.seen")
        assert set(handed) <= set(seen), "a page missed an event"
        changed.append([seen[each]["changed"] - at for each, at in handed.items()])
        if handle == chrome.window_handles[-1]:
            painted = [seen[each]["painted"] - at for each, at in handed.items()]
    every = [ms for page in changed for ms in page]
    print(f"update, in front, until painted: {told(painted)}")
    print(f"update, each of {PAGES} pages, until changed: {told(every)}")
    print(f"target: at most {UPDATE_MS:.0f} ms")


def until_live(chrome: Any) -> None:
    script = "return document.getElementById('live-words').textContent"
    while chrome.execute_script(script) != "live":
        time.sleep(0.02)


def told(times: list[float]) -> str:
    ranked = sorted(times)
    late = ranked[min(len(ranked) - 1, math.ceil(len(ranked) * 0.95) - 1)]
    return (
        f"median {statistics.median(ranked):.0f} ms, p95 {late:.0f} ms, worst {ranked[-1]:.0f} ms"
        f" of {len(ranked)}"
    )


def fill(log: DecisionLog, count: int) -> None:
    """Decisions of the last days, most of them refusals, most questions answered."""
    draw, now = Random(0), time.time()
    kept: list[Decision] = []
    for number in range(count):
        moment = now - 60 - DAYS * 86_400 * (1 - (number + 1) / count)
        reason = draw.choices(("below_threshold", "woke", "audit"), (78, 20, 2))[0]
        kept.append(record(draw, moment, reason))
        if len(kept) == 5000 or number == count - 1:
            log.append_many(kept)
            kept = []


def record(draw: Random, moment: float, reason: str) -> Decision:
    path = f"/home/me/in/{draw.randrange(10**6)}.pdf"
    acted = reason != "below_threshold"
    labelled = acted and draw.random() < 0.9 and moment < time.time() - 30
    return Decision(
        id=new_id(),
        time=moment,
        payload=WakePayload(),
        subject=f"m{draw.randrange(10)}",
        acted=acted,
        reason=reason,
        score=draw.uniform(0.6, 1.0) if reason == "woke" else draw.uniform(0.0, 0.6),
        threshold=0.6,
        question=f"{path}: an invoice to file?" if acted else None,
        propensity=0.02 if reason == "audit" else 1.0,
        window=(SignalEvent("filesystem", path, "created", 1.0, moment),),
        why=(("extension .pdf", 1.25),),
        label=float(draw.random() < 0.4) if labelled else None,
    )


@contextmanager
def served(folder: str) -> Iterator[tuple[int, str, float]]:
    """The command in a process of its own: its id, its address, the seconds until it told it."""
    env = {name: value for name, value in os.environ.items() if "PREFRONTAL" not in name}
    begun = time.perf_counter()
    words = ["dash", "--no-token", "--port", "0"]
    words += ["--state", f"{folder}/state", "--workspace", f"{folder}/agent"]
    process = subprocess.Popen(
        [sys.executable, "-m", "prefrontal", *words],
        stderr=subprocess.PIPE, text=True, cwd=folder, env={**env, "HOME": folder},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found, process.stderr.read()
        yield process.pid, found[0], time.perf_counter() - begun
    finally:
        process.terminate()
        process.communicate()


def idle_share(process: int, seconds: float) -> float:
    """CPU seconds a second of the process."""
    begun = cpu_s(process)
    time.sleep(seconds)
    return (cpu_s(process) - begun) / seconds


def cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def browser() -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in FLAGS:
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=str(shutil.which("chromedriver")))
    chrome = webdriver.Chrome(options=options, service=service)
    try:
        yield chrome
    finally:
        chrome.quit()


if __name__ == "__main__":
    main()
