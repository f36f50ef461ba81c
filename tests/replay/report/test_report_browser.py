"""The report in headless Chromium: it loads alone, fits, follows the scheme, and is deaf."""

from __future__ import annotations

import json

import pytest

from ..sample_results import hostile_result, sample_result
from .report_on_screen import SETS, Page

pytestmark = pytest.mark.exhaustive  # make test looks at the page in fewer ways


@pytest.mark.parametrize("name", SETS)
def test_the_page_loads_from_disk_without_complaint_or_request(page: Page, name: str) -> None:
    page.browser.get_log("browser")  # type: ignore[no-untyped-call]
    page.browser.get_log("performance")  # type: ignore[no-untyped-call]
    page.show(SETS[name])
    assert page.browser.get_log("browser") == []  # type: ignore[no-untyped-call]
    log = page.browser.get_log("performance")  # type: ignore[no-untyped-call]
    events = [json.loads(each["message"])["message"] for each in log]
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert asked == {page.file.as_uri()}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("width", [320, 390, 860, 1280])
def test_no_window_is_too_narrow_for_the_page(page: Page, name: str, width: int) -> None:
    page.show(SETS[name], width=width)
    assert page.script("return document.documentElement.scrollWidth") <= width
    for tab in page.all("[role=tab]"):
        tab.click()
        assert page.script("return document.documentElement.scrollWidth") <= width


def test_a_narrow_window_breaks_the_strip_into_rows(page: Page) -> None:
    page.show([sample_result()], width=390)
    rows = {round(each.rect["y"]) for each in page.all(".strip .hit")}
    assert len(rows) == 3
    page.show([sample_result()], width=1280)
    assert len({round(each.rect["y"]) for each in page.all(".strip .hit")}) == 1


def test_words_that_stand_off_their_point_are_tied_to_it(page: Page) -> None:
    page.show([sample_result()])
    gaps = page.script("""
      const svg = [...document.querySelectorAll("svg")].find((each) => each.querySelector(".lead"));
      const leads = [...svg.querySelectorAll(".lead")].map((each) =>
        ["x1", "y1", "x2", "y2"].map((name) => each[name].baseVal.value));
      const away = (box, x, y) => Math.hypot(
        Math.max(box.x - x, 0, x - box.x - box.width),
        Math.max(box.y - y, 0, y - box.y - box.height));
      return [...svg.querySelectorAll("text.label")].map((label) => {
        const mark = svg.querySelector(`.mark.${label.classList[1]}`);
        const [x, y] = ["x", "y"].map((name, index) =>
          mark[name].baseVal.value + mark[["width", "height"][index]].baseVal.value / 2);
        const box = label.getBBox();
        const isTied = leads.some(([x1, y1, x2, y2]) =>
          Math.hypot(x1 - x, y1 - y) < 12 && away(box, x2, y2) < 5);
        return [label.textContent, away(box, x, y), isTied];
      });
    """)
    assert len(gaps) == 6
    assert [words for words, gap, is_tied in gaps if gap > 17 and not is_tied] == []
    assert any(gap > 17 for _, gap, _ in gaps)


def test_the_dark_scheme_is_followed(page: Page) -> None:
    def brightness(scheme: str) -> float:
        page.show([sample_result()], scheme=scheme)
        colour = page.script("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[4:-1].split(","))

    assert brightness("light") > 600
    assert brightness("dark") < 150


def test_hostile_text_shows_as_text_and_runs_nothing(page: Page) -> None:
    from selenium.webdriver.common.by import By

    page.show([hostile_result()])
    assert page.all("img, main b b, main script") == []
    assert page.script("return document.scripts.length") == 2
    shown = page.browser.find_element(By.TAG_NAME, "main").text
    assert "</script><img src=x onerror=alert(1)>gnp.exe[31m <b>&amp;" in shown
    page.script("arguments[0].focus()", page.find(".bar"))
    assert "<img src=x onerror=alert(1)>" in page.find("#tip").text
    page.script(
        """const intruder = document.createElement("script");
        intruder.textContent = "window.intruded = true";
        document.body.append(intruder);"""
    )
    assert page.script("return window.intruded") is None
    page.browser.get_log("browser")  # type: ignore[no-untyped-call]


def test_the_strip_is_one_stop_walked_with_arrows_and_tells_each_window(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    result = sample_result()
    page.show([result])
    assert len(page.all(".bar")) == 120
    (stop,) = page.all(".bar[tabindex='0']")
    page.script("arguments[0].focus()", stop)
    page.press(Keys.ARROW_LEFT)
    tip = page.find("#tip")
    window = result.strip[-2]
    assert tip.is_displayed()
    assert window.text[:40] in tip.text
    assert window.paths[0] in tip.text
    assert f"score {window.score:.2f}, threshold {window.threshold:.2f}" in tip.text
    label = page.browser.switch_to.active_element.get_attribute("aria-label") or ""
    assert window.text[:40] in label
    page.press(Keys.ESCAPE)
    assert not tip.is_displayed()
    page.press(Keys.HOME)
    assert result.strip[0].text[:40] in tip.text
    assert len(page.all(".bar[tabindex='0']")) == 1


def test_a_pointer_on_a_bar_or_a_point_brings_its_words(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page.show([sample_result()])
    heartbeat = ".point[aria-label^='Heartbeat']"
    for selector, words in ((".bar.missed", "Missed"), (heartbeat, "wake-ups: 48 a day")):
        node = page.find(selector)
        page.script("arguments[0].scrollIntoView({block: 'center'})", node)
        ActionChains(page.browser).move_to_element(node).perform()
        assert words in page.find("#tip").text


def test_bars_differ_by_shape_as_well_as_by_colour(page: Page) -> None:
    page.show([sample_result()])
    found = {
        (each.get_attribute("class"), each.get_attribute("href"))
        for each in page.all(".strip .canvas use")
    }
    assert found == {(f"mark {kind}", f"#mark-{kind}") for kind in
                     ("caught", "wasted", "slept", "missed")}  # fmt: skip


def test_tabs_and_rows_lead_to_one_history_at_a_time(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.show(SETS["several"])

    def visible() -> list[str]:
        return [each.get_attribute("id") or "" for each in page.all("section.replay")
                if each.is_displayed()]  # fmt: skip

    assert visible() == ["replay-0"]
    page.find("#tab-0").send_keys(Keys.ARROW_RIGHT)
    assert visible() == ["replay-1"]
    assert page.find("#tab-1").get_attribute("aria-selected") == "true"
    page.find("a[href='#replay-2']").click()
    page.until(lambda: visible() == ["replay-2"])
    page.find("#tab-0").click()
    wide = page.find("#replay-0 .chart svg").rect["width"]
    assert wide > 600


def test_print_shows_every_history_and_no_knob(page: Page) -> None:
    page.show(SETS["several"], scheme="dark", media="print")
    assert all(each.is_displayed() for each in page.all("section.replay"))
    assert not any(each.is_displayed() for each in page.all("g.knob, .tabs, [data-knob]"))
    assert page.script("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
