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
from prefrontal.replay.report.report import render_html
from prefrontal.replay.result import ReplayResult

from ...exhaustive import first
from .. import made_histories
from ..sample_results import (
    HOSTILE,
    empty_result,
    hostile_result,
    nothing_relevant,
    perfect_result,
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


@pytest.mark.parametrize("name", first(2, RESULTS))
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


@pytest.mark.parametrize("name", first(2, RESULTS))
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


def test_verdict_figures_policies_misses_and_limits_read_without_a_script() -> None:
    text = read(render_html([sample_result()])).text
    for words in (
        "Worth it The gate caught 89.2 % of what mattered, within 2 points of the 90 % asked, "
        "and spared nearly half the wake-ups.",
        "48 % fewer one every 1.5 days, not 1.1 a day",
        "84× fewer asks at once, not 15 min later",
        "a month at $3.00 a million tokens $5.20 not $10.04 (heartbeat: $435, cheap: $13.91)",
        "Asked to catch 90 %, caught 89.2 % (90 % interval 87.1 % to 91.1 %).",
        "Best one-line rule path src/**/*.py or text ^(Fix|Deprecate)",
        "The last 120 windows",
        "Missed: 87 windows that mattered",
        "Woke for nothing: 719 windows",
        "The 100 worst are listed.",
        "How this was computed",
        "What it cannot tell",
        "3 windows had no files and were left out.",
    ):
        assert words in text.replace("\xa0", " ")


def test_misses_come_before_wasted_wake_ups_and_each_says_why() -> None:
    result = sample_result()
    page = render_html([result])
    assert page.index("Missed: 87") < page.index("Woke for nothing: 719")
    assert page.count('<table class="why"') == len(result.misses) + len(result.wasted)
    assert f"<code>{result.misses[0].key[:10]}</code>" in page
    name, push = result.misses[0].why[0]
    assert name in page
    assert f"{push:+.1f}".replace("-", "−") in page


def test_three_windows_of_a_kind_are_open_and_the_others_folded() -> None:
    page = render_html([sample_result()])
    missed = page.split('<div class="outcomes missed">')[1].split('<div class="outcomes')[0]
    before, after = missed.split("<details><summary>84 more</summary>")
    assert before.count("<li>") == 3
    assert after.split("</details>")[0].count("<li>") == 84


def test_reasons_are_words_and_the_base_rate_is_no_rule() -> None:
    page = render_html([made_histories.by_lot()])
    main = page.split("<main>")[1].split("</main>")[0]
    assert "one file only" in main
    assert not re.search(r"(count|word|words|actor|bias)=", main)
    assert "No one-line rule beats chance here." in main
    assert "<bdi>**</bdi>" not in main
    assert '"rule"' not in page.split('id="replay-data">')[1].split("</script>")[0]


@pytest.mark.parametrize(
    ("result", "tone", "title", "steps"),
    [
        (made_histories.kept(), "good", "Worth it", 1),
        (made_histories.missed(), "bad", "Promise not kept", 1),
        (made_histories.by_lot(), "weak", "Not worth it", 2),
        (made_histories.without_labels(), "open", "Nothing to measure", 2),
        (made_histories.tiny(), "open", "Too early to tell", 2),
    ],
    ids=["kept", "missed", "by lot", "without labels", "tiny"],
)
def test_the_verdict_is_the_first_heading_and_its_tone_colours_the_section(
    result: ReplayResult, tone: str, title: str, steps: int
) -> None:
    page = render_html([result])
    outline = read(page)
    section = next(at for tag, at in outline.tags if tag == "section")
    assert section["class"] == f"replay {tone}"
    first = next(tag for tag, _ in outline.tags if re.fullmatch(r"h\d", tag))
    assert first == "h1"
    assert f"</svg>{title}</h1>" in page
    assert page.count("<code>prefrontal ") == steps


def test_what_to_try_next_has_the_meaning_that_was_asked_for_and_no_place() -> None:
    page = render_html([replace(made_histories.kept(), origin="git")], "path:news/**")
    assert "<code>prefrontal adopt --relevant &#x27;path:news/**&#x27;</code>" in page
    assert "--report" not in page.split("<main>")[1].split("</main>")[0]


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
            "None of 90 windows mattered (a window matters when it touched changelog/*.rst).",
            "data-knob disabled",
        ),
        (replace(sample_result(), days=0.0), "the windows span no time", "data-knob disabled"),
        (empty_result(), "No window was left after the warm-up.", "The policies side by side"),
        (perfect_result(), "Nothing that mattered was missed", '<table class="why"'),
        (perfect_result(), "No wake-up was wasted", '<table class="why"'),
        (tiny_result(), "Too early to tell", '<table class="why"'),
        (replace(empty_result(), windows=3, days=0.1), "None of 3 windows mattered", "A month"),
        (tiny_result(), "All 5 windows", "The last 120 windows"),
        (replace(tiny_result(), strip=tiny_result().strip[-1:]), "The last window", "1 windows"),
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


def test_one_result_has_no_tabs_one_first_heading_and_skips_no_level() -> None:
    tags = [tag for tag, _ in read(render_html([sample_result()])).tags]
    assert tags.count("h1") == 1
    assert "h2" in tags
    assert "h3" not in tags


def test_a_report_about_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"^results must hold at least one replay, got none$"):
        render_html([])


def test_the_hostile_sample_is_hostile() -> None:
    assert all(part in HOSTILE for part in ("</script>", "\u202e", "\x1b", "\u2028", "&amp;", "["))
