"""The page in headless Chromium, used as a person uses it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from prefrontal.cortex.models import Belief
from prefrontal.decisions.threshold_wishes import read_thresholds
from prefrontal.types import SignalEvent
from prefrontal.web.part_questions import SHOWN

from ..exhaustive import first
from .dash_on_screen import Screen
from .dash_samples import (
    HOSTILE,
    INVOICES,
    NOON,
    Served,
    decision,
    remember,
    served,
    shown_in,
    wake,
)

EXTREMES = {(320, "light"), (1280, "dark")}
KNOB = ".module input[type=range]"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Served]:
    """Three open questions, thirty decisions of the last days, one belief."""
    remember(tmp_path, Belief("house-rule", "Ask first.", "It went wrong.", 3, created_at=NOON))
    with shown_in(tmp_path, INVOICES) as context:
        for number in range(30):
            score = number / 30
            context.log.append(
                wake(NOON - 86_400 * (30 - number) / 10, score=score,
                     reason="woke" if score >= 0.6 else "below_threshold",
                     label=float(number % 3 == 0) if score >= 0.6 else None)
            )  # fmt: skip
        for number in (1, 2, 3):
            context.log.append(wake(NOON + number, id=f"open{number}", question=f"Is it {number}?"))
        with served(context) as found:
            yield found


def label(page: Served, decision_id: str) -> float | None:
    record = page.context.log.get(decision_id)
    assert record is not None
    return record.label


def test_the_page_loads_without_complaint_and_asks_nobody_else(
    screen: Screen, page: Served
) -> None:
    screen.requests()
    screen.open(page.url)
    screen.until(lambda: screen.all(".chart canvas"))
    asked = screen.requests()
    assert any("/static/curve.js" in each for each in asked)
    assert {each for each in asked if not each.startswith((page.url, "data:"))} == set()
    page.context.log.append(wake(NOON + 9))
    screen.until(lambda: len(screen.all(".bar.woke")) == 4)
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_a_wake_appears_without_a_reload(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    assert [each.text for each in screen.all(".question .text")] == [
        "Is it 3?", "Is it 2?", "Is it 1?"
    ]  # fmt: skip
    page.context.log.append(wake(NOON + 5, question="Is it new?"))
    screen.until(lambda: screen.find(".question .text").text == "Is it new?")
    screen.until(lambda: screen.find("#figure-questions dd").text == "4")
    assert len(screen.all(".bar.woke")) == 4
    screen.until(lambda: screen.said() == "A new question waits.")
    assert screen.script("return document.title") == "(4) Prefrontal"


@pytest.mark.parametrize(("answer", "expected"), first(1, [("accept", 1.0), ("ignore", 0.0)]))
def test_an_answer_is_kept_and_the_question_goes(
    screen: Screen, page: Served, answer: str, expected: float
) -> None:
    screen.open(page.url)
    screen.click(f"#questions > li:nth-child(2) button[value={answer}]")
    screen.until(lambda: len(screen.all(".question")) == 2)
    assert label(page, "open2") == expected
    assert "Is it 2?" in screen.said()
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_all_questions_about_a_file_are_ignored_and_that_is_undone(
    screen: Screen, page: Served
) -> None:
    screen.open(page.url)
    for number in range(3):
        window = (SignalEvent("filesystem", "/in/menu.pdf", "modified", 1.0, NOON + 50 + number),)
        page.context.log.append(wake(NOON + 50 + number, window=window))
    screen.until(lambda: len(screen.all("[id$='-alike']")) == 1)
    asked = len(screen.all(".question"))
    screen.click("[id$='-alike']")
    screen.until(lambda: "Ignoring 3 questions about menu.pdf" in screen.said())
    screen.until(lambda: len(screen.all(".question")) == asked - 1)
    screen.click(".later button")
    screen.until(lambda: "Not ignored" in screen.said())
    screen.until(lambda: len(screen.all(".question")) == asked)
    assert not [each for each in page.context.log.labels_after(0) if each.source == "dash"]


@pytest.mark.exhaustive
def test_an_edited_question_is_kept_with_its_words(screen: Screen, page: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    screen.open(page.url)
    first = "#questions > li:first-child"
    screen.click(f"{first} [data-edit]")
    area = screen.find(f"{first} textarea")
    assert area == screen.browser.switch_to.active_element
    assert area.get_property("value") == "Is it 3?"
    area.send_keys(Keys.CONTROL, "a")
    screen.press("Is it three?")
    page.context.log.append(wake(NOON + 7, question="Meanwhile?"))  # it must not take the text away
    screen.until(lambda: len(screen.all(".question")) == 4)
    assert area.get_property("value") == "Is it three?"
    assert area == screen.browser.switch_to.active_element
    screen.click("#questions > li:nth-child(2) .editor button")
    screen.until(lambda: len(screen.all(".question")) == 3)
    assert label(page, "open3") == 1.0
    [kept] = page.context.log.followed("open3")
    assert kept.question == "Is it three?"


@pytest.mark.exhaustive
def test_a_threshold_is_told_with_a_count_until_there_is_time_enough_for_a_rate(
    screen: Screen, tmp_path: Path
) -> None:
    with shown_in(tmp_path, INVOICES) as context:
        for number in range(3):
            context.log.append(wake(NOON - 60 * number, score=0.9))
        with served(context) as found:
            screen.open(found.url)
            screen.until(lambda: "wake-up" in screen.find(".reading").text)
            assert screen.find(".reading").text.startswith("3 wake-ups so far; nothing that")


@pytest.mark.exhaustive
def test_a_dragged_threshold_shows_its_curve_its_preview_and_is_saved(
    screen: Screen, page: Served
) -> None:
    screen.open(page.url)
    screen.until(lambda: screen.all(".chart canvas"))
    before = screen.find(".reading").text
    assert "wake-ups a day, catches" in before
    screen.drag(KNOB, 0.9)
    moved = float(screen.find(KNOB).get_attribute("value") or 0)
    assert 0.85 <= moved <= 0.95
    assert screen.find(".slide output").text == f"{moved:.2f}"
    assert screen.find(".reading").text != before
    assert f"{moved:.2f}:" in (screen.find(KNOB).get_attribute("aria-valuetext") or "")
    screen.until(lambda: "it would have woken" in screen.find(".preview").text)
    assert read_thresholds(page.context.log) == {}
    screen.click(".knob button")
    screen.until(lambda: read_thresholds(page.context.log) == {"invoices": moved})
    screen.until(lambda: f"Yours: {moved:.2f}" in screen.find(".module .head").text)
    assert screen.complaints() == []
    screen.open(page.url)
    screen.until(lambda: screen.all(".chart canvas"))
    assert float(screen.find(KNOB).get_attribute("value") or 0) == moved
    screen.click(".knob [name=threshold][value='']")
    screen.until(lambda: read_thresholds(page.context.log) == {})


@pytest.mark.exhaustive
def test_a_moved_thumb_is_undone_and_stays_under_the_hand(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    screen.until(lambda: screen.all(".chart canvas"))
    before = screen.find(".module .head").text
    screen.drag(KNOB, 0.3)
    moved = screen.find(KNOB).get_attribute("value")
    page.context.log.append(wake(NOON + 4))
    screen.until(lambda: screen.find(".module .head").text != before)
    assert screen.find(KNOB).get_attribute("value") == moved
    assert screen.all(".chart canvas")
    screen.click("[data-reset]")
    assert screen.find(KNOB).get_attribute("value") == "0.6"
    assert not screen.find(".knob button").is_enabled()


@pytest.mark.exhaustive
def test_a_belief_is_pinned_and_forgotten(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    screen.click(".belief button[value=pin]")
    screen.until(lambda: screen.all(".belief .tag.pinned"))
    [(belief, status)] = page.context.records.beliefs()
    assert (belief.key, status) == ("house-rule", "pinned")
    screen.click(".belief button[value=forget]")
    screen.until(lambda: not screen.all(".belief"))
    assert page.context.records.beliefs() == []
    assert screen.find("#beliefs-section .empty").is_displayed()
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_a_slip_is_told_and_the_page_goes_on(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    screen.script("document.querySelector('[name=decision]').value = 'nothing'")
    screen.click(".question button[value=accept]")
    screen.until(lambda: "decision must be a wake" in screen.find("#trouble").text)
    screen.click("#questions > li:nth-child(2) button[value=accept]")
    screen.until(lambda: not screen.find("#trouble").is_displayed())


@pytest.mark.exhaustive
def test_the_keyboard_alone_is_enough(screen: Screen, page: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    screen.open(page.url)
    screen.press(Keys.TAB)
    skip = screen.browser.switch_to.active_element.get_property("textContent")
    assert skip == "Skip to the questions"
    screen.press(Keys.ENTER, Keys.TAB)
    assert screen.focused() == "q-33-accept"
    screen.press(Keys.ENTER)
    screen.until(lambda: screen.focused() == "q-32-accept")
    assert label(page, "open3") == 1.0
    screen.press(Keys.TAB)
    assert screen.focused() == "q-32-edit"
    screen.press(Keys.ENTER)
    assert screen.focused() == "q-32-edited"
    screen.press(Keys.ESCAPE)
    assert screen.focused() == "q-32-edit"
    screen.press(Keys.TAB, Keys.ENTER)
    screen.until(lambda: screen.focused() == "q-31-accept")
    assert label(page, "open2") == 0.0
    for _ in range(6):
        screen.press(Keys.TAB)
        if screen.focused().endswith("-knob"):
            break
    before = read_thresholds(page.context.log)
    screen.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.TAB)
    assert screen.focused().endswith("-save")
    screen.press(Keys.ENTER)
    screen.until(lambda: read_thresholds(page.context.log) != before)
    assert read_thresholds(page.context.log) == {"invoices": 0.62}
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert screen.script(outline) == "solid" or screen.focused() == "body"


@pytest.mark.exhaustive
def test_the_strip_is_one_stop_that_arrows_walk_along(screen: Screen, page: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    screen.open(page.url)
    [stop] = screen.all(".bar[tabindex='0']")
    screen.script("arguments[0].focus()", stop)
    assert screen.find("#tip").is_displayed()
    assert "woke, not answered yet" in screen.find("#tip").text
    screen.press(Keys.ARROW_LEFT)
    assert screen.focused() == "e-32"
    page.context.log.append(wake(NOON + 8))
    screen.until(lambda: len(screen.all(".bar.woke")) == 4)
    assert screen.focused() == "e-32"
    screen.press(Keys.END)
    assert screen.focused() == "e-34"
    screen.press(Keys.ESCAPE)
    assert not screen.find("#tip").is_displayed()


@pytest.mark.exhaustive
def test_ten_pages_share_one_line_and_all_are_told(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    for _ in range(9):
        screen.browser.switch_to.new_window("tab")
        screen.open(page.url)
    assert page.dash.stream.listeners == 1
    page.context.log.append(wake(NOON + 6, question="To all?"))
    for handle in screen.browser.window_handles:
        screen.browser.switch_to.window(handle)
        screen.until(lambda: screen.find(".question .text").text == "To all?")
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_without_a_shared_worker_a_page_has_a_line_of_its_own(screen: Screen, page: Served) -> None:
    source = {"source": "delete window.SharedWorker"}
    script = screen.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    screen.open(page.url)
    assert screen.script("return typeof SharedWorker") == "undefined"
    page.context.log.append(wake(NOON + 6, question="All the same?"))
    screen.until(lambda: screen.find(".question .text").text == "All the same?")
    screen.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_a_page_that_missed_a_change_asks_for_everything(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    screen.script("shown.number -= 1; document.querySelector('.bar').remove()")
    before = len(screen.all(".bar"))
    page.context.log.append(wake(NOON + 6))
    screen.until(lambda: len(screen.all(".bar")) == before + 2)
    screen.until(lambda: screen.script("return shown.number") == page.dash.follower.state[0])
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_many_events_at_once_are_all_counted(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    for number in range(60):
        page.context.log.append_many(wake(NOON + number) for _ in range(10))
    screen.until(lambda: screen.find("#figure-questions dd").text == "603")
    assert len(screen.all(".bar")) == 120
    assert len(screen.all(".question")) == SHOWN
    assert "563 more wait" in screen.find("#q-more").text


@pytest.mark.exhaustive
def test_a_busy_hour_is_six_screens_of_a_telephone(screen: Screen, tmp_path: Path) -> None:
    beliefs = [
        Belief(f"rule-{n}", "Ask before paying.", "It failed.", n, created_at=NOON)
        for n in range(6)
    ]
    remember(tmp_path, *beliefs)
    names = ("parser.py", "README.md", "bill.pdf", "test_parser.py", "app.log")
    modules = [{**INVOICES, "module_id": each} for each in ("invoices", "code", "server-log")]
    with shown_in(tmp_path, *modules) as context:
        for number in range(240):
            name, score = names[number % 5], (number * 7 % 10) / 10
            window = (SignalEvent("filesystem", f"/home/me/src/project/{name}", "modified", 1.0,
                                  NOON - 3600 + 15 * number),)  # fmt: skip
            woke = wake(
                NOON - 3600 + 15 * number,
                modules[number % 3]["module_id"],
                score,
                "woke" if score >= 0.6 else "below_threshold",
                window=window,
                question=f"/home/me/src/project/{name} changed. Does it need a review?"
                if score >= 0.6
                else None,
                label=1.0 if number % 2 else None,
            )
            context.log.append(woke)
            if woke.acted:
                context.log.append(decision("route", f"tool{number % 4}", woke.time, cause=woke.id))
                context.log.append(decision("belief", f"rule-{number % 6}", woke.time))
        with served(context) as page:
            screen.open(page.url, width=420)
            for chart in screen.all(".chart"):  # it is drawn when it comes into sight
                screen.script("arguments[0].scrollIntoView({behavior: 'instant'})", chart)
                screen.until(partial(chart.find_elements, "css selector", "canvas"))
            tall = screen.script("return document.documentElement.scrollHeight")
            assert tall <= 6 * 850
            assert len(screen.all(".route.folded")) == 4


@pytest.mark.exhaustive
def test_what_strangers_wrote_shows_as_text_and_runs_nothing(screen: Screen, page: Served) -> None:
    screen.open(page.url)
    page.context.log.append(wake(NOON + 6, subject=HOSTILE, question=HOSTILE))
    page.context.log.append(decision("route", HOSTILE, question=HOSTILE, reason=HOSTILE))
    screen.until(lambda: "<img src=x onerror=alert(1)>gnp.exe" in screen.find(".question").text)
    screen.until(lambda: screen.all(".route"))
    assert screen.all("main img, main script, main i") == []
    screen.script(
        """const intruder = document.createElement("script");
        intruder.textContent = "window.intruded = true";
        document.body.append(intruder);"""
    )
    assert screen.script("return window.intruded") is None
    screen.complaints()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("width", "scheme"),
    sorted(
        product((320, 390, 860, 1280), ("light", "dark")),
        key=EXTREMES.__contains__,
        reverse=True,
    ),
)
def test_no_window_is_too_narrow_and_the_scheme_is_followed(
    screen: Screen, page: Served, width: int, scheme: str
) -> None:
    page.context.log.append(wake(NOON + 9, "m" * 300, question="/very" * 80))
    screen.open(page.url, width, scheme)
    screen.script("document.getElementById('modules').scrollIntoView({behavior: 'instant'})")
    screen.until(lambda: screen.all(".chart canvas"))
    assert screen.script("return document.documentElement.scrollWidth") <= width
    colour = screen.script("return getComputedStyle(document.body).backgroundColor")
    bright = sum(int(part) for part in colour[4:-1].split(","))
    assert bright > 600 if scheme == "light" else bright < 150


@pytest.mark.exhaustive
def test_a_fresh_install_is_readable(screen: Screen, tmp_path: Path) -> None:
    with shown_in(tmp_path) as context, served(context) as fresh:
        screen.open(fresh.url)
        shown_hints = [each for each in screen.all(".empty") if each.is_displayed()]
        assert len(shown_hints) == 9
        context.log.append(wake())
        screen.until(lambda: screen.all(".bar"))
        screen.until(lambda: len([e for e in screen.all(".empty") if e.is_displayed()]) == 6)
        assert screen.complaints() == []


@pytest.mark.exhaustive
def test_a_link_with_the_token_opens_the_page(screen: Screen, tmp_path: Path) -> None:
    with (
        shown_in(tmp_path) as context,
        served(context, token="a token that is long enough") as fresh,
    ):
        screen.browser.get(fresh.url.partition("?")[0])
        assert "needs a token" in screen.find("body").text
        screen.complaints()
        screen.browser.get(fresh.url)
        screen.until(lambda: screen.line() == "live")
        assert "token" not in screen.browser.current_url
        assert screen.complaints() == []
    screen.browser.delete_all_cookies()
