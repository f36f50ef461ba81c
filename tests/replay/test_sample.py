"""The recorded history that ships with the package: whole, with its notice, and without names."""

from __future__ import annotations

import gzip
import json
import re
from hashlib import blake2b

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import InputError
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.sample import FACTS, FOLDER, WINDOWS, read_sample
from prefrontal.replay.session import Request, replay_sample


def test_the_facts_beside_the_windows_are_those_of_the_windows() -> None:
    facts = json.loads((FOLDER / FACTS).read_bytes())
    packed = (FOLDER / WINDOWS).read_bytes()
    data = gzip.decompress(packed)
    assert len(packed) < 150_000
    assert facts["digest"] == blake2b(data, digest_size=16).hexdigest()
    windows = list(read_windows(FOLDER / WINDOWS))
    assert facts["windows"] == len(windows) <= facts["total"]
    assert facts["relevant"] == sum(each.relevant is True for each in windows)
    assert 1_900 <= len(windows) <= 6_000


def test_its_notice_says_whose_it_is_and_under_which_licence() -> None:
    notice = (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    sample = read_sample()
    for words in (sample.repository, sample.first[:8], sample.last[:8], sample.until):
        assert words in notice
    assert f'--licence "{sample.licence}"' in notice
    assert "Copyright Contributors to the Trio project" in notice
    assert "Permission is hereby granted, free of charge" in notice
    assert sample.repository in sample.origin
    assert sample.licence in sample.origin


def test_no_names_and_addresses_are_in_it() -> None:
    text = gzip.decompress((FOLDER / WINDOWS).read_bytes()).decode()
    assert re.findall(r"[\w.+-]+@[\w-]+\.[a-z]+", text) == []
    for window in read_windows(FOLDER / WINDOWS):
        assert re.fullmatch("[a-z]{6}", window.actor)
        if request := re.match(r"Merge pull request #\d+ from ([\w-]+)/", window.text):
            assert re.fullmatch("[a-z]{6}|python-trio", request[1]), window.text


@pytest.mark.exhaustive
def test_it_is_replayed_with_what_relevant_meant_when_it_was_recorded() -> None:
    result = replay_sample(Request(), PulseGate())
    sample = read_sample()
    assert (result.source, result.preset) == (sample.name, sample.preset)
    assert result.warmup == round(sample.total / 5)
    assert result.notes == (*sample.notes, sample.origin)
    late = replay_sample(Request(since="2024-01-01", until="2025-12-31"), PulseGate())
    assert 0 < late.windows < result.windows
    assert replay_sample(Request(limit=500), PulseGate()).windows == 400


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (Request(relevant="followup"), "relevant must not be given for the sample, .*'followup'"),
        (Request(all_commits=True), "all-commits must come with a repository"),
    ],
)
def test_what_the_sample_cannot_answer_is_refused(asked: Request, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        replay_sample(asked, PulseGate())
