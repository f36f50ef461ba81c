"""Draw the pictures of the documentation anew: the replay of the sample, and the live page.

    python scripts/make_pictures.py [FOLDER]

Written are replay.png, dash-light.png, dash-dark.png, dash-narrow.png and dash-facts.png, into
docs/images unless a folder is named. The page shows ten days that are drawn from a seed and decided
by a real gate, and what a few messages state.
Needed: matplotlib, selenium, and Debian's chromium with chromium-driver.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.replay.report.picture import render_png
from prefrontal.replay.session import Request, replay_sample
from prefrontal.runtime.conversation.models import NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore, conversations_path
from prefrontal.settings import GateSettings
from prefrontal.storage.state_folder import StateFolder
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
DAYS, EVENTS, ANSWERED = 10, 900, 0.9
PATIENCE_S = 20.0
EVENING = 22


def module(name: str, question: str, threshold: float, folder: str, *wanted: str) -> dict[str, Any]:
    watched = {"watch_directories": [folder], "relevant_extensions": list(wanted)}
    return {
        "module_id": name, "cluster": "pictures", "version": "1", "question_template": question,
        "default_threshold": threshold, "signal_priors": {"filesystem": watched},
    }  # fmt: skip


MODULES = (
    module("homework", "New homework at {location}. Should I review it?", 0.55,
           "/home/me/School", ".pdf"),
    module("invoices", "{location}: an invoice to file?", 0.6, "/home/me/Downloads", ".pdf"),
    module("website", "{location} changed on the server. Is it meant?", 0.65, "/srv/www", ".html"),
)  # fmt: skip
FILES = {
    "/home/me/School": ("physics-lab-{}.pdf", "notes-{}.txt", "essay-{}.docx", "timetable.png"),
    "/home/me/Downloads": ("bill-{}.pdf", "menu-{}.pdf", "photo-{}.jpg", "song-{}.mp3"),
    "/srv/www": ("index.html", "assets/app.js", "cache/{}.tmp", "news/{}.html"),
}
MATTERS = ("physics", "essay", "bill", "index")
SAID = (
    (300, "ann", "I live in Lisbon."),
    (40, "ann", "I moved to Porto."),
    (35, "bob", "The deadline of Apollo is June 3."),
    (3, "ann", "My dog is called Rex and my allergy is penicillin."),
)
"""How many days ago, by whom, and what."""


def live_days(state: StateFolder, now: float) -> None:
    """Let the gate decide about ten days up to now; questions of the last hours stay open."""
    draw, clock = Random(7), ManualClock(now - DAYS * 86_400)
    settings = GateSettings(log_refusals=True, audit_share=0.04)
    modules = [parse_fingerprint(each) for each in MODULES]
    state.make()
    with DecisionLog(state.decisions) as log, Stepper(log, modules, settings, clock=clock) as gate:
        for _ in range(EVENTS):
            clock.advance(DAYS * 86_400 / EVENTS)
            folder = draw.choice(list(FILES))
            name = draw.choice(FILES[folder]).format(draw.randrange(60))
            kind = draw.choice(("created", "modified"))
            event = SignalEvent("filesystem", f"{folder}/{name}", kind, 1.0, clock.now())
            for wake in gate.wake(event):
                if clock.now() < now - 6 * 3600 and draw.random() < ANSWERED:
                    log.add_label(wake.id, float(name.startswith(MATTERS)), clock.now())


def conversations(workspace: Path, now: float) -> None:
    """Let peers state what the page then shows as facts."""
    workspace.mkdir()
    with ConversationStore(conversations_path(workspace)) as store:
        for days, peer, text in SAID:
            viewer = Viewer(peer, "chat", peer)
            store.submit(NewMessage(viewer, "in", text, now - days * 86_400)).result()


@contextmanager
def page_of(folder: Path) -> Iterator[str]:
    """The address of the live page over the state folder in there, while it is served."""
    settings = folder / "prefrontal.yml"
    settings.write_text(json.dumps({"state": "state", "modules": list(MODULES)}))
    command = [sys.executable, "-m", "prefrontal", "dash", "--config", str(settings), "--port", "0"]
    command += ["--no-token", "--workspace", str(folder / "workspace")]
    hours = (EVENING - time.gmtime().tm_hour) % 24
    local = os.environ | {"TZ": f"UTC-{hours}"}  # where the day has nearly passed
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=folder, env=local
    ) as served:
        assert served.stderr is not None
        try:
            yield served.stderr.readline().split()[-1]
        finally:
            served.terminate()


@contextmanager
def browser() -> Iterator[Chrome]:
    from selenium import webdriver

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:  # selenium would download one
        sys.exit("chromium and chromedriver must be on the PATH: apt install chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    started = webdriver.Chrome(options, webdriver.ChromeService(executable_path=driver))
    try:
        yield started
    finally:
        started.quit()


def shoot(
    chrome: Chrome,
    url: str,
    target: Path,
    width: int,
    height: int,
    scheme: str,
    part: str | None = None,
) -> None:
    """The page at that size, or a part of it; in the dark one a threshold is being moved."""
    from selenium.webdriver.support.wait import WebDriverWait

    media = [{"name": "prefers-color-scheme", "value": scheme}]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chrome.get(url)
    wait = WebDriverWait(chrome, PATIENCE_S)
    wait.until(lambda _: chrome.execute_script(
        "return document.querySelector('#live-words').textContent === 'live'"
    ))  # fmt: skip
    if scheme == "dark":
        chrome.execute_script(
            "const knob = document.querySelector('.knob input[type=range]'); knob.value = 0.7;"
            "knob.dispatchEvent(new Event('input', {bubbles: true}));"
            "document.querySelector('.columns').scrollIntoView()"
        )
        wait.until(lambda _: chrome.execute_script(
            "return document.querySelector('.preview').textContent"
        ))  # fmt: skip
    time.sleep(1.0)  # for the curves to be drawn
    if part is None:
        chrome.save_screenshot(str(target))
        return
    place = chrome.execute_script(
        f"const box = document.querySelector('{part}').getBoundingClientRect();"
        "return {x: box.x - 16 + scrollX, y: box.y - 16 + scrollY, width: box.width + 32,"
        " height: box.height + 32, scale: 1}"
    )
    shot = {"clip": place, "captureBeyondViewport": True}
    taken = chrome.execute_cdp_cmd("Page.captureScreenshot", shot)
    target.write_bytes(b64decode(taken["data"]))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    sample = replay_sample(Request(), PulseGate())
    (folder / "replay.png").write_bytes(render_png(sample))
    with TemporaryDirectory() as scratch, browser() as chrome:
        live_days(StateFolder(Path(scratch) / "state"), time.time())
        conversations(Path(scratch) / "workspace", time.time())
        with page_of(Path(scratch)) as url:
            shoot(chrome, url, folder / "dash-light.png", 1280, 1120, "light")
            shoot(chrome, url, folder / "dash-dark.png", 1280, 1000, "dark")
            shoot(chrome, url, folder / "dash-narrow.png", 390, 1100, "light")
            shoot(chrome, url, folder / "dash-facts.png", 640, 1000, "light", "#facts-section")


if __name__ == "__main__":
    main()
