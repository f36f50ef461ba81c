from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.routing.identity import Identities
from prefrontal.routing.layout import Layout
from prefrontal.routing.records import append_record

from .project import EAST, a_byte, layout_of, noon, write

ROOT = Path(__file__).parents[2]
DAY = 86_400.0


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def identities(layout: Layout) -> Identities:
    return Identities(layout, noon(), a_byte, EAST)


def test_names_have_the_written_forms_and_count_from_one(layout: Layout) -> None:
    names = identities(layout)
    assert names.run_id() == "run-20251031-1200-000"
    assert [names.route_id(), names.route_id()] == ["route-001", "route-002"]
    assert [names.revision(), names.revision()] == ["rev-20251031-001", "rev-20251031-002"]


def test_a_run_has_its_folder_and_its_name_is_not_given_twice(layout: Layout) -> None:
    given = [identities(layout).run_id() for _ in range(38)]
    assert given[:2] == ["run-20251031-1200-000", "run-20251031-1200-001"]
    assert given[36:] == ["run-20251031-1200-010", "run-20251031-1200-011"]
    assert all(layout.run_log(run_id).parent.is_dir() for run_id in given)


def test_the_suffix_follows_the_random_bytes(layout: Layout) -> None:
    bytes_of = itertools.count(46_655)
    names = Identities(layout, noon(), lambda length: next(bytes_of).to_bytes(length, "big"), EAST)
    assert [names.run_id()[-3:] for _ in range(2)] == ["zzz", "000"]


def test_the_next_day_counts_from_one_again(layout: Layout) -> None:
    clock = noon()
    names = Identities(layout, clock, a_byte, EAST)
    assert names.revision() == "rev-20251031-001"
    clock.advance(DAY)
    assert [names.revision(), names.route_id()] == ["rev-20251101-001", "route-001"]
    clock.advance(-DAY)
    assert names.revision() == "rev-20251031-002"


def test_a_number_whose_folder_is_still_kept_is_passed_over(layout: Layout) -> None:
    layout.route_tmp("route-001").mkdir(parents=True)
    layout.route_tmp("route-003").mkdir()
    assert [identities(layout).route_id() for _ in range(2)] == ["route-002", "route-004"]


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"route": {"20251031": "x"}}', "7"])
def test_lost_counters_go_on_after_what_records_and_logs_show(
    layout: Layout, content: str | None
) -> None:
    names = identities(layout)
    for _ in range(3):
        names.route_id(), names.revision()
    action = layout.action("analysis", "plot")
    append_record(action / "metadata.jsonl", {"id": "rev-20251031-007"})
    append_record(action / "metadata.jsonl", {"id": "rev-20251030-900"})
    append_record(action / "metadata.jsonl", {"name": "no id"})
    write(layout.validation_logs("2025-10-31") / "route-004-1-ruff.log", "ok")
    counters = layout.tmp / ".counters.json"
    counters.unlink() if content is None else counters.write_text(content, encoding="utf-8")
    assert (names.route_id(), names.revision()) == ("route-005", "rev-20251031-008")


def test_names_past_999_grow_by_a_digit(layout: Layout) -> None:
    write(layout.tmp / ".counters.json", '{"revision": {"20251031": 999}}')
    assert identities(layout).revision() == "rev-20251031-1000"


def test_days_long_past_are_forgotten(layout: Layout) -> None:
    clock = noon()
    names = Identities(layout, clock, a_byte, EAST)
    for _ in range(40):
        names.revision()
        clock.advance(DAY)
    text = (layout.tmp / ".counters.json").read_text(encoding="utf-8")
    assert len(re.findall(r"20\d{6}", text)) == 31


def test_a_place_that_cannot_be_written_is_a_sentence(layout: Layout) -> None:
    write(layout.tmp, "a file")
    write(layout.logs, "another")
    with pytest.raises(SourceError, match="cannot be (written|opened)"):
        identities(layout).route_id()
    with pytest.raises(SourceError, match="logs"):
        identities(layout).run_id()


COUNT = """
import secrets, sys
from pathlib import Path
from prefrontal.clock import SystemClock
from prefrontal.routing.identity import Identities
from prefrontal.routing.layout import Layout

names = Identities(Layout.of(Path(sys.argv[1])), SystemClock(), secrets.token_bytes)
print(*[names.revision() for _ in range(20)], *[names.run_id() for _ in range(5)])
"""


@pytest.mark.exhaustive
def test_several_processes_never_get_the_same_name(layout: Layout) -> None:
    words = [sys.executable, "-c", COUNT, str(layout.root)]
    children = [
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    given = [name for child in children for name in child.communicate()[0].split()]
    assert len(given) == len(set(given)) == 75
