"""A report as the browser shows it, and as Python would have worded it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefrontal.replay.reading import read_curve
from prefrontal.replay.report.plain_figures import how_often, usd
from prefrontal.replay.report.report import render_html
from prefrontal.replay.report.wording import level, percent, than_heartbeat, than_on_change, tokens
from prefrontal.replay.result import ReplayResult

from ..sample_results import (
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

SETS = {
    "full": [sample_result()],
    "hostile": [hostile_result()],
    "none": [nothing_relevant()],
    "tiny": [tiny_result()],
    "empty": [empty_result()],
    "several": [sample_result(), tiny_result(), nothing_relevant()],
}


class Page:
    """One report on the screen."""

    def __init__(self, browser: Chrome, folder: Path) -> None:
        self.browser = browser
        self.file = folder / "report.html"

    def show(self, results: Sequence[ReplayResult], width: int = 1280, scheme: str = "light",
             media: str = "") -> Page:  # fmt: skip
        self.file.write_text(render_html(results), encoding="utf-8")
        self.cdp("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                 mobile=False)  # fmt: skip
        self.browser.get(self.file.as_uri())
        self.settle()
        return self

    def settle(self) -> None:
        """Charts are drawn when a size is first observed: not before the first frame."""
        self.browser.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));"
        )

    def until(self, holds: Callable[[], bool]) -> None:
        """A link within the page is followed after the click has returned."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.browser, 60, poll_frequency=0.02).until(lambda _: holds())

    def cdp(self, command: str, **arguments: object) -> None:
        self.browser.execute_cdp_cmd(command, arguments)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements("css selector", selector)

    def script(self, text: str, *arguments: object) -> Any:
        return self.browser.execute_script(text, *arguments)

    def press(self, *keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(*keys)

    def readout(self) -> dict[str, str]:
        return {
            each.get_attribute("data-out") or "": each.text.replace("\u00a0", " ")
            for each in self.all("[data-out]")
        }

    def knob_recall(self) -> float:
        return float(self.find("g.knob").get_attribute("aria-valuenow") or "nan") / 100


def words_of(result: ReplayResult, recall: float) -> dict[str, str]:
    """The read-out as Python words it."""
    reading = read_curve(result, recall)
    assert reading is not None
    return {
        "recall": level(recall),
        "wakes": how_often(reading.wakes_per_day),
        "share": percent(reading.share_woken, 1),
        "useful": tokens(reading.tokens_per_useful_wake),
        "month": usd(reading.tokens_per_day * 30 * result.usd_per_million_tokens / 1e6),
        "heartbeat": than_heartbeat(reading.times_fewer),
        "change": than_on_change(reading.share_fewer),
    }
