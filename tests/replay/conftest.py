"""Headless Chromium for the tests that look at the report."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .report.report_on_screen import Page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def without_browser(reason: str) -> None:
    """Skips, or fails where a browser was promised."""
    if os.environ.get("PREFRONTAL_REQUIRE_BROWSER") == "1":
        pytest.fail(f"PREFRONTAL_REQUIRE_BROWSER=1, but {reason}")
    pytest.skip(f"{reason}; install Debian's chromium and chromium-driver and selenium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        without_browser("there is no chromium with a chromedriver here")
    try:
        from selenium import webdriver
    except ImportError:
        without_browser("selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=str(driver))
    started = webdriver.Chrome(options=options, service=service)
    started.get("about:blank")
    yield started
    started.quit()


@pytest.fixture
def page(browser: Chrome, tmp_path: Path) -> Page:
    return Page(browser, tmp_path)
