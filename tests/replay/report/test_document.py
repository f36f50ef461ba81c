"""The JSON that is printed and kept has the verdict, the next commands, and words for features."""

from __future__ import annotations

import json

import pytest

from prefrontal.feature_words import feature_words
from prefrontal.replay.report.document import document
from prefrontal.replay.report.verdict import verdict
from prefrontal.replay.result import ReplayResult

from .. import made_histories
from ..sample_results import empty_result, hostile_result, sample_result

RESULTS = [made_histories.kept(), made_histories.missed(), made_histories.tiny(), sample_result(),
           hostile_result(), empty_result()]  # fmt: skip


@pytest.mark.parametrize("result", RESULTS)
def test_the_verdict_is_in_it_and_the_result_comes_back(result: ReplayResult) -> None:
    found = json.loads(json.dumps(document(result)))
    decided = verdict(result)
    assert found["verdict"] == {
        "kind": decided.kind, "title": decided.title, "sentence": decided.sentence
    }  # fmt: skip
    assert ReplayResult.from_dict(found) == result


def test_raw_names_stand_beside_their_words() -> None:
    found = document(made_histories.kept())
    (names, words) = ([name for name, _ in found["misses"][0]["why"]],
                      found["misses"][0]["why_words"])  # fmt: skip
    assert words == [feature_words(name) for name in names]
    assert any("=" in name for name in names)
    assert not any("=" in text for text in words)


def test_the_next_commands_are_in_it() -> None:
    kept = document(made_histories.kept(), "/src/it")["next"]
    assert kept[0] == "prefrontal adopt --git /src/it"
    assert document(made_histories.tiny())["next"][1] == "prefrontal replay --sample"
