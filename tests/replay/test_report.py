"""The report is one closed page: complete without its script, and deaf to hostile text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.report import render_html
from prefrontal.replay.result import ReplayResult

from .sample_results import (
    HOSTILE,
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)

VOID = {"meta", "link", "input", "br", "img"}


class Outline(HTMLParser):
    """Elements in order, checked to close in turn, and the text outside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words)).replace("\u2011", "-")


def read(page: str) -> Outline:
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    return outline


def scripts(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


RESULTS = {
    "full": [sample_result()],
    "hostile": [hostile_result()],
    "none": [nothing_relevant()],
    "tiny": [tiny_result()],
    "empty": [empty_result()],
    "several": [sample_result(), tiny_result(), nothing_relevant()],
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_report_is_well_formed_and_fetches_nothing(name: str) -> None:
    page = render_html(RESULTS[name])
    outline = read(page)
    tags = [tag for tag, _ in outline.tags]
    assert tags.count("script") == 2
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(tags)
    links = [value for _, at in outline.tags for key, value in at.items() if key in {"href", "src"}]
    assert all(link and link.startswith(("#", "data:,")) for link in links)
    assert "@import" not in page
    assert "url(" not in page.replace("url(#${clip})", "")


@pytest.mark.parametrize("name", RESULTS)
def test_no_element_carries_a_style_or_a_handler_that_the_policy_would_refuse(name: str) -> None:
    names = {key for _, at in read(render_html(RESULTS[name])).tags for key in at}
    assert not {key for key in names if key == "style" or key.startswith("on")}


def test_the_policy_lets_only_the_pages_own_style_and_script_run() -> None:
    page = render_html([sample_result()])
    policy = next(
        at["content"] or "" for tag, at in read(page).tags if at.get("http-equiv") is not None
    )
    (script,) = scripts(page)
    style = page.split("<style>")[1].split("</style>")[0]
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_headline_promise_policies_misses_and_limits_read_without_a_script() -> None:
    text = read(render_html([sample_result()])).text
    for words in (
        "0.57 wake-ups a day caught 89 % of what mattered.",
        "84× fewer than a 30-minute heartbeat, 48 % fewer than waking on every change.",
        "every change. 202,000 tokens per useful wake-up.",
        "Asked to catch 0.90, got 0.892 (90 % interval 0.871 to 0.911).",
        "Best one-line rule path src/**/*.py or text ^(Fix|Deprecate)",
        "The last 120 windows",
        "Missed: 87 windows that mattered and were slept through",
        "Woke for nothing: 719 windows that did not matter and were woken for",
        "The 100 worst are listed.",
        "How this was computed",
        "What it cannot tell",
        "3 windows had no files and were left out.",
    ):
        assert words in text


def test_misses_come_before_wasted_wake_ups_and_each_says_why() -> None:
    result = sample_result()
    page = render_html([result])
    assert page.index("Missed: 87") < page.index("Woke for nothing: 719")
    assert page.count('<table class="why"') == len(result.misses) + len(result.wasted)
    assert f"<code>{result.misses[0].key[:10]}</code>" in page
    name, push = result.misses[0].why[0]
    assert name in page
    assert f"{push:+.2f}".replace("-", "−") in page


def test_bars_to_the_left_and_right_start_at_the_middle() -> None:
    page = render_html([sample_result()])
    bars = re.findall(r'class="(up|down)" x="([\d.]+)" y="1" width="([\d.]+)"', page)
    assert {kind for kind, _, _ in bars} == {"up", "down"}
    for kind, left, width in bars:
        edge = float(left) if kind == "up" else float(left) + float(width)
        assert edge == pytest.approx(50, abs=0.011)
        assert 0 <= float(left) <= float(left) + float(width) <= 100.02


def test_hostile_text_is_shown_as_text() -> None:
    page = render_html([hostile_result()])
    assert "</script><img" not in page
    assert "onerror=alert(1)&gt;" in page
    assert not set(page) & {"\u202e", "\u2028", "\x1b", "\ud800"}
    assert "</script><img src=x onerror=alert(1)>" in read(page).text
    page.encode("utf-8")


@settings(max_examples=30, deadline=None)
@given(text=st.text())
def test_any_text_leaves_the_page_whole_and_its_data_readable(text: str) -> None:
    base = tiny_result()
    strip = tuple(replace(each, text=text, paths=(text,)) for each in base.strip)
    result = replace(base, source=text, preset=text, notes=(text,), strip=strip, misses=strip,
                     missed=len(strip))  # fmt: skip
    page = render_html([result])
    assert [tag for tag, _ in read(page).tags].count("script") == 2
    block = page.split('id="replay-data">')[1].split("</script>")[0]
    assert not set(block) & set("<>&\u2028\u2029")
    assert len(json.loads(block)[0]["strip"]) == 5
    page.encode("utf-8")


def test_no_path_of_the_machine_it_was_made_on_is_told() -> None:
    assert "someone" not in render_html([sample_result(source="/home/someone/src/pytest")])


@pytest.mark.parametrize(
    ("result", "words", "absent"),
    [
        (
            nothing_relevant(),
            "There is no curve to draw: no window mattered.",
            "data-knob disabled",
        ),
        (replace(tiny_result(), days=0.0), "the windows span no time", "data-knob disabled"),
        (empty_result(), "No windows were left after the warm-up", "The policies side by side"),
        (tiny_result(), "Nothing that mattered was missed", '<table class="why"'),
        (tiny_result(), "No wake-up was wasted", "AUC"),
        (tiny_result(), "All 5 windows", "The last 120 windows"),
    ],
)
def test_a_result_that_lacks_something_says_so(
    result: ReplayResult, words: str, absent: str
) -> None:
    page = render_html([result])
    assert words in read(page).text
    assert absent not in page.split("<main>")[1].split("</main>")[0]


def test_several_results_have_a_row_a_tab_and_a_section_each() -> None:
    page = render_html(RESULTS["several"])
    outline = read(page)
    roles = [at.get("role") for _, at in outline.tags]
    assert roles.count("tab") == 3
    sections = [at["id"] for tag, at in outline.tags if tag == "section"]
    assert sections == ["replay-0", "replay-1", "replay-2"]
    assert "Wake-ups replayed on 3 histories" in outline.text
    assert 'href="#replay-2">pytest (3)</a>' in page
    ids = [at["id"] for _, at in outline.tags if "id" in at]
    assert len(ids) == len(set(ids))


def test_one_result_has_no_tabs_and_one_first_heading() -> None:
    tags = [tag for tag, _ in read(render_html([sample_result()])).tags]
    assert tags.count("h1") == 1
    assert "h2" not in tags


def test_a_report_about_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"^results must hold at least one replay, got none$"):
        render_html([])


def test_the_hostile_sample_is_hostile() -> None:
    assert all(part in HOSTILE for part in ("</script>", "\u202e", "\x1b", "\u2028", "&amp;", "["))
