"""The threat model names a control and a test for each risk of the list, and the tests exist."""

from __future__ import annotations

import re

import pytest

from .pages import REPOSITORY, read

TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")
RISK = re.compile(r"\| (ASI\d\d) [^|]+\| (?P<control>[^|]+) \| (?P<tests>[^|]+) \|")
RISKS = [match.group(0) for match in RISK.finditer(read("docs/security.md"))]


def test_all_ten_risks_have_a_row() -> None:
    assert [row[2:7] for row in RISKS] == [f"ASI{number:02}" for number in range(1, 11)]


@pytest.mark.parametrize("row", RISKS, ids=lambda row: row[2:7])
def test_a_risk_has_a_control_and_tests(row: str) -> None:
    match = RISK.fullmatch(row)
    assert match is not None
    assert len(match["control"]) > 60
    assert TEST.search(match["tests"])


def test_every_test_that_is_named_exists() -> None:
    names = TEST.findall(read("docs/security.md"))
    assert len(names) >= 25
    for file, test in names:
        text = (REPOSITORY / file).read_text(encoding="utf-8")
        assert f"def {test}(" in text if test else "def test_" in text, f"{file}::{test}"
