"""The page on the screen of a browser, with real clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.remote.webelement import WebElement

PATIENCE_S = 60.0


class Screen:
    """What a person sees and does."""

    def __init__(self, browser: Chrome) -> None:
        self.browser = browser
        self.home = browser.current_window_handle
        self.complaints()

    def open(self, url: str, width: int = 1280, scheme: str = "light") -> None:
        """Load the page and wait until its line to the server stands."""
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=1000,
                 deviceScaleFactor=1, mobile=False)  # fmt: skip
        self.browser.get(url)
        self.until(lambda: self.line() == "live")

    def line(self) -> str:
        """What the page says of its line to the server."""
        return self.find("#live-words").text

    def said(self) -> str:
        """What was said last to those who listen."""
        return self.find("#said").text

    def until(self, holds: Callable[[], object]) -> None:
        from selenium.common.exceptions import (
            NoSuchElementException,
            StaleElementReferenceException,
        )
        from selenium.webdriver.support.wait import WebDriverWait

        passing = [NoSuchElementException, StaleElementReferenceException]
        wait = WebDriverWait(self.browser, PATIENCE_S, 0.02, ignored_exceptions=passing)
        wait.until(lambda _: holds())

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements("css selector", selector)

    def hand(self) -> ActionChains:
        """Pointer and keyboard."""
        from selenium.webdriver.common.action_chains import ActionChains

        return ActionChains(self.browser)

    def click(self, selector: str) -> None:
        """A real click, where the element is on the screen and moves no more."""
        node = self.find(selector)
        self.script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", node)
        self.until(lambda: self._rests(node))
        self.hand().move_to_element(node).click().perform()

    def _rests(self, node: WebElement) -> bool:
        """Whether it is where it was two frames ago: charts that come late push others down."""
        before = node.rect
        self.script("return new Promise(then => requestAnimationFrame(() => "
                    "requestAnimationFrame(then)))")  # fmt: skip
        return bool(node.rect == before)

    def drag(self, selector: str, share: float) -> None:
        """Take the thumb of a slider and draw it to that share of its width."""
        node = self.find(selector)
        self.script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", node)
        now = float(node.get_attribute("value") or 0)
        wide = node.rect["width"] - 16
        start, end = (round((each - 0.5) * wide) for each in (now, share))
        actions = self.hand().move_to_element_with_offset(node, start, 0)
        actions.click_and_hold().move_by_offset((end - start) // 2, 0)
        actions.move_by_offset(end - start - (end - start) // 2, 0).release().perform()

    def press(self, *keys: str) -> None:
        """Keys, at whatever has the focus."""
        self.hand().send_keys(*keys).perform()

    def focused(self) -> str:
        """The id of what has the focus, or its tag."""
        active = self.browser.switch_to.active_element
        return active.get_attribute("id") or active.tag_name

    def script(self, text: str, *arguments: object) -> Any:
        return self.browser.execute_script(text, *arguments)

    def cdp(self, command: str, **arguments: object) -> None:
        self.browser.execute_cdp_cmd(command, arguments)

    def complaints(self) -> list[str]:
        """What the browser's console said since the last call."""
        log = self.browser.get_log("browser")  # type: ignore[no-untyped-call]
        return [each["message"] for each in log]

    def requests(self) -> set[str]:
        """The addresses that were asked for since the last call."""
        log = self.browser.get_log("performance")  # type: ignore[no-untyped-call]
        events = [json.loads(each["message"])["message"] for each in log]
        return {
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        }

    def leave(self) -> None:
        """Close what was opened, so that nothing of this page is left for the next."""
        for handle in self.browser.window_handles:
            if handle != self.home:
                self.browser.switch_to.window(handle)
                self.browser.close()
        self.browser.switch_to.window(self.home)
        self.browser.get("about:blank")
        self.complaints()
