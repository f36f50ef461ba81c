"""The first screen of the report: its size, its colours and its headings, in headless Chromium."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from prefrontal.replay.result import ReplayResult

from ...exhaustive import first
from .. import made_histories
from ..sample_results import sample_result
from .report_on_screen import SETS, Page

SCREEN = 900
NARROW = 420
HISTORIES: dict[str, Callable[[], ReplayResult]] = {
    "kept": made_histories.kept,
    "missed": made_histories.missed,
    "by lot": made_histories.by_lot,
    "without labels": made_histories.without_labels,
    "tiny": made_histories.tiny,
    "sample": sample_result,
}

CONTRASTS = """
const parts = (text) => text.match(/[\\d.]+/g).map(Number);
const over = (top, below) => {
  const alpha = top[3] ?? 1;
  return top.slice(0, 3).map((each, index) => each * alpha + below[index] * (1 - alpha));
};
const behind = (node) => {
  const layers = [];
  for (let at = node; at; at = at.parentElement) {
    layers.push(parts(getComputedStyle(at).backgroundColor));
  }
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
};
const light = (colour) => colour.map((each) => each / 255)
  .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
  .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
const found = [];
const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !node.checkVisibility()) continue;
  const ground = behind(node);
  const style = getComputedStyle(node);
  const ink = over(parts(node.closest("svg") ? style.fill : style.color), ground);
  const [high, low] = [light(ink), light(ground)].sort((a, b) => b - a);
  found.push([(high + 0.05) / (low + 0.05), walker.currentNode.textContent.trim().slice(0, 40)]);
}
return found;
"""


@pytest.mark.parametrize("name", HISTORIES)
def test_a_phone_scrolls_at_most_five_screens(page: Page, name: str) -> None:
    page.show([HISTORIES[name]()], width=NARROW)
    assert page.script("return document.documentElement.scrollWidth") <= NARROW
    assert page.script("return document.documentElement.scrollHeight") <= 5 * SCREEN


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("width", first(1, [NARROW, 1400]))
def test_the_verdict_and_its_figures_are_on_the_first_screen(
    page: Page, name: str, width: int
) -> None:
    page.show([HISTORIES[name]()], width=width)
    card = page.find(".verdict").rect
    assert card["y"] + card["height"] < 0.55 * SCREEN
    if page.all(".next"):
        assert HISTORIES[name]().relevant < 9 or page.find(".next").rect["y"] > SCREEN / 2


@pytest.mark.parametrize("name", first(2, HISTORIES))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(page: Page, name: str, scheme: str) -> None:
    page.show([HISTORIES[name]()], width=1400, scheme=scheme)
    contrasts = page.script(CONTRASTS)
    assert len(contrasts) > 20
    assert [each for each in contrasts if each[0] < 4.5] == []


def colour(page: Page, selector: str) -> list[int]:
    text = page.script(
        "return getComputedStyle(document.querySelector(arguments[0])).color", selector
    )
    return [int(each) for each in text[4:-1].split(",")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("result", "green"), [(made_histories.kept(), True), (made_histories.missed(), False)]
)
def test_only_a_kept_promise_is_green(
    page: Page, result: ReplayResult, green: bool, scheme: str
) -> None:
    page.show([result], scheme=scheme)
    for selector in (".headline", ".chart .mark.prefrontal", ".figures .ours .mark"):
        red, leaf, _ = colour(page, selector)
        assert (leaf > red) == green


@pytest.mark.parametrize("name", SETS)
def test_headings_skip_no_level_and_tables_have_heads(page: Page, name: str) -> None:
    page.show(SETS[name])
    levels = [int(each.tag_name[1]) for each in page.all("h1, h2, h3, h4")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for table in page.all("table.figures"):
        assert table.find_elements("css selector", "thead th[scope=col]")
        assert table.find_elements("css selector", "tbody th[scope=row]")
        assert table.get_property("tHead") is not None


def test_a_folded_list_opens_without_a_script(page: Page) -> None:
    page.show([sample_result()], width=NARROW)
    hidden = page.all(".missed details li")
    assert len(hidden) == 84
    assert not hidden[0].is_displayed()
    page.find(".missed summary").click()
    assert hidden[0].is_displayed()
