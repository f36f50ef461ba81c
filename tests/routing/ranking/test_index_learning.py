from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from prefrontal._core import instruction_sets
from prefrontal.routing.ranking.index import ToolIndex

from ...exhaustive import first

DAY = 86400.0
TOOLS: list[dict[str, Any]] = [
    {"name": "weather", "doc": "Forecast for a city."},
    {"name": "trains", "doc": "Departures of a station."},
    {"name": "notes", "doc": "Write something down."},
]


def build() -> ToolIndex:
    return ToolIndex.build(TOOLS)


def score(index: ToolIndex, prompt: str, name: str) -> float:
    return {tool.name: tool.score for tool in index.rank(prompt)}[name]


def history(index: ToolIndex, name: str, now: float | None = None) -> float:
    ranked = {tool.name: tool for tool in index.rank("x", now=now)}
    return ranked[name].features["history_success"]


def test_an_accepted_prompt_finds_its_tool_again() -> None:
    index = build()
    assert score(index, "do I need an umbrella tomorrow", "weather") < 0.2
    index.accept("do I need an umbrella", "weather")
    assert index.rank("do I need an umbrella tomorrow", 1)[0].name == "weather"
    assert score(index, "do I need an umbrella tomorrow", "weather") > 0.6


def test_a_rejected_prompt_keeps_the_tool_away() -> None:
    index = build()
    index.accept("do I need an umbrella", "weather")
    before = score(index, "do I need an umbrella", "weather")
    index.reject("do I need an umbrella", "weather")
    assert score(index, "do I need an umbrella", "weather") < 0.2 < before
    index.accept("do I need an umbrella", "weather")
    assert score(index, "do I need an umbrella", "weather") > 0.6


def test_a_rejection_of_other_words_changes_little() -> None:
    index = build()
    index.accept("umbrella", "weather")
    before = score(index, "umbrella", "weather")
    index.reject("book a hotel", "weather")
    assert score(index, "umbrella", "weather") > before - 0.2


def test_history_is_the_share_of_successes_with_a_prior() -> None:
    index = build()
    assert history(index, "weather") == 0.5
    index.accept("a", "weather")
    assert history(index, "weather") == pytest.approx(2 / 3, abs=1e-6)
    index.reject("b", "weather")
    assert history(index, "weather") == 0.5
    index.reject("c", "weather")
    assert history(index, "weather") == 0.4


def test_an_event_counts_half_after_each_half_life() -> None:
    index = build()
    index.accept("a", "weather", now=100 * DAY)
    assert history(index, "weather", 100 * DAY) == pytest.approx(2 / 3, abs=1e-6)
    assert history(index, "weather", 130 * DAY) == pytest.approx(1.5 / 2.5, abs=1e-6)
    assert history(index, "weather", 160 * DAY) == pytest.approx(1.25 / 2.25, abs=1e-6)
    assert history(index, "weather", 50 * DAY) == pytest.approx(2 / 3, abs=1e-6)
    assert history(index, "weather") == pytest.approx(2 / 3, abs=1e-6)
    index.reject("b", "weather", now=130 * DAY)
    assert history(index, "weather", 130 * DAY) == pytest.approx(1.5 / 3.5, abs=1e-6)


def test_a_given_history_stands_for_the_counted_one() -> None:
    index = ToolIndex.build([{**TOOLS[0], "history": 0.9}])
    index.reject("x", "weather")
    assert history(index, "weather") == 0.9


def test_the_same_words_are_kept_once_and_the_newest_thousand_of_a_tool() -> None:
    index = build()
    for _ in range(3):
        index.accept("umbrella today", "weather")
        index.accept("today umbrella!", "weather")
    explanation = index.rank("umbrella", 1, explain=True)[0].explanation
    assert explanation is not None
    assert explanation["learned"] == 1 / 4 and explanation["nearest"] == "today umbrella!"
    for n in range(1005):
        index.accept(f"unique{n}", "notes")
    explanation = index.rank("unique3", 1, explain=True)[0].explanation
    assert explanation is not None and explanation["learned"] == 1001 / 1004
    assert explanation["phrasing"] == 0.0
    assert index.rank("unique1004", 1)[0].name == "notes"


def test_what_was_learned_stays_when_a_tool_changes_and_goes_with_it() -> None:
    index = build()
    index.accept("do I need an umbrella", "weather")
    index.update([{"name": "weather", "doc": "other"}, {"name": "aaa", "doc": "before all others"}])
    assert index.rank("do I need an umbrella", 1)[0].name == "weather"
    index.remove("weather")
    assert index.rank("do I need an umbrella", 1)[0].score < 0.2
    index.update([TOOLS[0]])
    assert score(index, "do I need an umbrella", "weather") < 0.2


def test_intents_are_phrasings_and_count_once() -> None:
    given = [{**TOOLS[0], "intents": ["umbrella?", "how warm is it"]}, *TOOLS[1:]]
    index = ToolIndex.build(given)
    assert index.rank("will it be warm", 1)[0].name == "weather"
    before = index.rank("umbrella", explain=True)
    index.update(given)
    assert index.rank("umbrella", explain=True) == before


SCRIPT = """
import locale, sys
from prefrontal.routing.ranking.index import ToolIndex
try:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
except locale.Error:
    pass
names = {f"{verb}_{noun}" for verb in ("plot", "read", "sum", "İç", "straße")
         for noun in ("matrix", "file", "weather")}
index = ToolIndex.build([{"name": name, "doc": name * 2, "intents": [name + " now"]}
                         for name in names])
for name in sorted(names):
    index.accept("please " + name + " quickly", name, now=5.0)
    index.reject("never " + name, name, now=9e6)
print([index.rank(prompt, now=2e7, explain=True)
       for prompt in ("plot the matrix", "read weather files", "never mind", "STRASSE")])
sys.stdout.flush()
sys.stdout.buffer.write(index._index.save().hex().encode())
"""


@pytest.mark.parametrize("isa", first(1, instruction_sets()))
def test_hash_seed_locale_and_processor_change_no_byte(isa: str) -> None:
    outputs = set()
    for seed, name in (("0", "C"), ("7", "C.UTF-8"), ("99", "tr_TR.UTF-8")):
        told = {"PYTHONHASHSEED": seed, "PREFRONTAL_ISA": isa, "LANG": name}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, name],
            env={**os.environ, **told, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_learning_counts_for_more_where_a_tool_is_a_bare_name() -> None:
    """A name is the weaker, the more the phrasings say."""
    intents = {"find": ["where is my purse", "locate my keys"], "lend": ["give him my book"]}
    terse = ToolIndex.build({"name": name, "intents": own} for name, own in intents.items())
    long = "Anything with a very long description of its many uses, causes, rules, limits, files,"
    long += " colours, shapes, people, weeks, cities, prices, sounds, letters, plants and machines."
    full = ToolIndex.build(
        {"name": name, "doc": long, "intents": own} for name, own in intents.items()
    )

    def learned_part(index: ToolIndex) -> float:
        """Of the doc's feature, from its parts."""
        best = index.rank("find purse", 1, explain=True, word_vectors=False)[0]
        told = best.explanation
        assert told is not None
        doc = best.features["doc_keywords"]
        learned = 0.7 * min(1.0, told["margin"]) + 0.3 * told["linear"] ** 0.5
        return float((doc - told["description"]) / (learned - told["description"]))

    assert learned_part(terse) / 0.6 == pytest.approx(0.9, abs=1e-4)
    assert learned_part(full) / 0.6 == pytest.approx(0.7, abs=1e-4)
