"""Headless Chromium for the tests that use the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ..replay.conftest import browser
from .dash_on_screen import Screen

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

__all__ = ["browser"]


@pytest.fixture
def screen(browser: Chrome) -> Iterator[Screen]:
    found = Screen(browser)
    yield found
    found.leave()
