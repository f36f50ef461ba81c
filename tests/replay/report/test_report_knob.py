"""The recall knob in headless Chromium: whatever turns it, the read-out is the curve's."""

from __future__ import annotations

import pytest

from prefrontal.replay.result import ReplayResult

from ..sample_results import sample_result, straight_result
from .report_on_screen import Page, words_of

pytestmark = pytest.mark.exhaustive  # make test looks at the page in fewer ways


@pytest.mark.parametrize("result", [sample_result(), straight_result()], ids=["full", "straight"])
def test_the_knob_starts_at_the_asked_recall_with_the_curves_figures(
    page: Page, result: ReplayResult
) -> None:
    written = {
        each.get_attribute("data-out"): each.text for each in page.show([result]).all("[data-out]")
    }
    assert len(written) == 7
    assert page.knob_recall() == pytest.approx(0.9)
    assert page.readout() == words_of(result, 0.9)


def test_arrow_keys_turn_the_knob_and_the_read_out_follows_the_curve(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    result = sample_result()
    page.show([result])
    page.script("arguments[0].focus()", page.find("g.knob"))
    steps = [(Keys.ARROW_LEFT, 0.895), (Keys.ARROW_DOWN, 0.89), (Keys.PAGE_DOWN, 0.84),
             (Keys.ARROW_UP, 0.845), (Keys.HOME, 0.05), (Keys.END, 1.0)]  # fmt: skip
    for key, recall in steps:
        page.press(key)
        assert page.knob_recall() == pytest.approx(recall)
        assert page.readout() == words_of(result, recall)
    spoken = page.find("g.knob").get_attribute("aria-valuetext") or ""
    assert spoken.replace("\u00a0", " ").startswith("catch 100 %: ")


def test_dragging_moves_the_knob_along_the_curve(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    result = sample_result()
    page.show([result])
    ring = page.find("g.knob .ring")
    page.script("arguments[0].scrollIntoView({block: 'center'})", ring)
    before = page.readout()
    start = ring.rect
    ActionChains(page.browser).click_and_hold(ring).move_by_offset(-60, 90).perform()
    midway = page.knob_recall()
    ActionChains(page.browser).move_by_offset(-40, 60).release().perform()
    recall = page.knob_recall()
    assert 0.2 < recall < midway < 0.9
    assert page.readout() == words_of(result, recall) != before
    assert ring.rect["x"] < start["x"]
    ActionChains(page.browser).move_by_offset(80, -80).perform()
    assert page.knob_recall() == recall


def test_the_range_input_and_the_knob_are_one(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    result = sample_result()
    page.show([result])
    slider = page.find("input[data-knob]")
    slider.send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert page.knob_recall() == pytest.approx(0.89)
    assert page.readout() == words_of(result, 0.89)
    page.script("arguments[0].focus()", page.find("g.knob"))
    page.press(Keys.ARROW_RIGHT)
    assert slider.get_attribute("value") == "89.5"
    assert slider.accessible_name == "Catch this much of what matters"


def test_the_page_words_every_reading_as_python_does(page: Page) -> None:
    for result in (sample_result(), straight_result(), sample_result(3, 900, 0.8, 0.3)):
        page.show([result])
        recalls = [half / 200 for half in range(10, 201)]
        found = page.script(
            "return arguments[0].map((recall) => readingWords(readCurve(replays[0], recall)))",
            recalls,
        )
        for recall, words in zip(recalls, found, strict=True):
            plain = {key: text.replace("\u00a0", " ") for key, text in words.items()}
            assert plain == words_of(result, recall)


@pytest.mark.parametrize("result", [sample_result(), straight_result()])
def test_the_ring_lies_on_the_drawn_curve(page: Page, result: ReplayResult) -> None:
    from selenium.webdriver.common.keys import Keys

    page.show([result])
    page.script("arguments[0].focus()", page.find("g.knob"))
    for _ in range(6):
        page.press(Keys.PAGE_DOWN)
        away = page.script(
            """const path = document.querySelector("path.curve");
            const place = document.querySelector("g.knob g").getAttribute("transform");
            const [x, y] = place.match(/[\\d.]+/g).map(Number);
            let best = Infinity;
            for (let at = 0; at < path.getTotalLength(); at += 0.5) {
              const point = path.getPointAtLength(at);
              best = Math.min(best, Math.hypot(point.x - x, point.y - y));
            }
            return best;"""
        )
        assert away < 1
