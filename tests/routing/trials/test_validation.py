from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.records import read_records
from prefrontal.routing.trials import static_checks
from prefrontal.routing.types import ValidationReport
from prefrontal.settings.routing import Routing

from ..plain_runner import PlainRunner
from ..project import layout_of, write
from ..tools_on_trial import BODY, GOOD, states, tool_path, tried


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def log(report: ValidationReport, number: int) -> str:
    return report.artifacts[number].read_text(encoding="utf-8")


def test_style_is_a_finding_in_generated_code_alone(layout: Layout) -> None:
    source = BODY + "\n\ndef two() -> int:\n    l = 2; return l\n"
    assert states(tried(layout, source))[0] == "ok"
    assert states(tried(layout, source, generated=True))[0] == "failed"


def test_what_is_superfluous_is_a_remark_on_a_persons_tool(layout: Layout) -> None:
    source = "import os\nimport sys\n" + GOOD
    report = tried(layout, source)
    assert report.ok and states(report)[0] == "ok", report.steps
    said = "ruff: ok: add_up.py:1:8: F401 [*] `os` imported but unused (and 1 more); mend it when"
    assert said in report.summary
    assert states(tried(layout, source, generated=True))[0] == "failed"
    report = tried(layout, "import os\n" + GOOD + "\n\ndef two() -> int:\n    return three\n")
    assert not report.ok and "F821" in report.steps[0] and "more" not in report.steps[0]


@pytest.mark.exhaustive
def test_a_good_tool_passes_all_four_steps_with_a_log_each(layout: Layout) -> None:
    report = tried(layout, GOOD, example={"numbers": [1, 2, 3]})
    assert report.ok, report.summary
    names = [step.split(":")[0] for step in report.steps]
    assert names == ["ruff", "mypy", "import", "dry-run"]
    assert states(report) == ["ok"] * 4 and all(", plain)" in step for step in report.steps)
    assert [path.name for path in report.artifacts] == [
        "route-001-1-ruff.log",
        "route-001-2-mypy.log",
        "route-001-3-import.log",
        "route-001-4-dry-run.log",
    ]
    assert report.artifacts[0].parent == layout.logs / "validation" / "2025-10-31"
    assert '"returned": "dict", "keys": ["total"], "shown": "{\'total\': 6}"' in log(report, 3)
    assert report.summary.startswith("OK (ruff, mypy, import, dry-run: ")


def test_every_step_is_an_event_of_the_trace(layout: Layout) -> None:
    tried(layout, GOOD)
    events = read_records(layout.run_log("run-20251031-1200-abc")).rows
    assert [event["detail"]["step"] for event in events] == ["ruff", "mypy", "import", "dry-run"]
    assert {event["phase"] for event in events} == {"validate"}
    assert {event["detail"]["sha256"] for event in events} == {sha256(GOOD.encode()).hexdigest()}
    assert events[1]["artifacts"] == ["logs/validation/2025-10-31/route-001-2-mypy.log"]


@pytest.mark.exhaustive
def test_the_next_module_of_a_route_has_logs_of_its_own(layout: Layout) -> None:
    tried(layout, GOOD)
    report = tried(layout, GOOD)
    assert report.artifacts[0].name == "route-001-5-ruff.log"
    other = tried(layout, GOOD, route_id="route-0")
    assert other.artifacts[0].name == "route-0-1-ruff.log"


TWICE = "import os\nimport os\n"
BOTH = TWICE + GOOD + "x: int = ''\n"
NONE = "import nothing\n    return int(nothing.x)"
STEPS = {
    "F811": (TWICE + GOOD, "failed ok skipped skipped"),
    "add_up.py:2:8": (BOTH, "failed failed skipped skipped"),
    "add_up.py:12: error:": (GOOD + "x: int = ''\n", "ok failed skipped skipped"),
    "add_up.py:1:9": ("def run(:\n", "failed failed skipped skipped"),
    "division by zero (line 8)": (BODY + "\n1 / 0\n", "ok ok failed skipped"),
    "has a docstring": ("def run() -> int:\n    return 1\n", "ok ok failed skipped"),
    "neither run() nor main()": ('"""No function."""\n', "ok ok failed skipped"),
    "must not be async": (BODY.replace("def", "async def"), "ok ok failed skipped"),
    "'nothing' (line 1)": ("import nothing\n" + BODY + "nothing\n", "ok ok failed skipped"),
    "'nothing' (line 6)": (BODY.replace("return 1", NONE), "ok ok ok failed"),
    "[Errno 5] gone": (BODY.replace("return 1", "raise OSError(5, 'gone')"), "ok ok ok failed"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("said", STEPS)
def test_a_step_that_fails_stops_what_comes_after_it(layout: Layout, said: str) -> None:
    source, expected = STEPS[said]
    report = tried(layout, source)
    assert (states(report), report.ok) == (expected.split(), False), report.steps
    assert any(said in step for step in report.steps), report.steps
    assert (
        report.summary.startswith("FAILED: ")
        and "see logs/validation/2025-10-31/" in report.summary
    )


def test_what_cannot_be_read_is_skipped_with_the_reason(layout: Layout, tmp_path: Path) -> None:
    report = tried(layout, None)
    assert states(report) == ["skipped"] * 4 and not report.ok
    assert "No such file" in report.summary
    report = tried(layout, b"#" * (1 << 20) + b"\n")
    assert "more than 1048576 bytes" in report.summary
    path = tool_path(layout)
    path.unlink()
    path.symlink_to(write(tmp_path / "outside.py", GOOD))
    report = tried(layout, None)
    assert "lies outside" in report.summary and states(report) == ["skipped"] * 4


def test_another_content_than_was_found_is_refused(layout: Layout) -> None:
    found = sha256(GOOD.encode()).hexdigest()
    assert tried(layout, GOOD, expected_sha256=found).ok
    report = tried(layout, GOOD + "\n", expected_sha256=found)
    assert not report.ok and "has changed since it was found" in report.summary


@pytest.mark.exhaustive
def test_all_steps_try_the_same_bytes_whatever_the_file_holds_by_then(layout: Layout) -> None:
    path = tool_path(layout)

    class Changing(PlainRunner):
        def run(self, argv: Any, **options: Any) -> Any:
            path.write_text("raise SystemExit\n", encoding="utf-8")
            return super().run(argv, **options)

    assert tried(layout, GOOD, Changing()).ok


@pytest.mark.exhaustive
def test_a_weak_sandbox_executes_nothing_unless_it_is_allowed(layout: Layout) -> None:
    runner = PlainRunner(enforced=False, level="seccomp")
    report = tried(layout, GOOD, runner)
    assert states(report) == ["ok", "ok", "failed", "skipped"]
    assert "'seccomp' confines too little" in report.summary and len(runner.asked) == 2
    assert tried(layout, GOOD, runner, allow_weak_sandbox=True).ok


def test_a_broken_sandbox_fails_every_step_that_needs_it(layout: Layout) -> None:
    report = tried(layout, GOOD, PlainRunner(broken=True))
    assert states(report) == ["failed", "failed", "skipped", "skipped"]
    assert "could not be started: no sandbox here" in report.summary

    class Raising(PlainRunner):
        def run(self, argv: Any, **options: Any) -> Any:
            raise OSError("no pipes left")

    report = tried(layout, GOOD, Raising())
    assert not report.ok and "no pipes left" in report.summary


@pytest.mark.parametrize(("allowed", "ok"), [(False, False), (True, True)])
def test_a_check_that_is_not_installed_is_missing_never_silent(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, allowed: bool, ok: bool
) -> None:
    monkeypatch.setattr(static_checks, "_ruff", lambda: None)
    monkeypatch.setattr(static_checks, "find_spec", lambda name: None)
    settings = Routing.model_validate({"validators": {"allow_missing": allowed}})
    report = tried(layout, GOOD, settings=settings)
    assert states(report)[:2] == ["missing", "missing"] and report.ok is ok
    assert "ruff is not installed" in report.steps[0] and "not installed" in report.summary
    assert report.lacks_check is not ok


@pytest.mark.exhaustive
def test_configuration_beside_the_tool_changes_nothing(layout: Layout) -> None:
    folder = layout.action("analysis", "sum")
    write(folder / "ruff.toml", "lint.ignore = ['F811']\n")
    write(
        folder / "pyproject.toml",
        "[tool.ruff]\nlint.ignore = ['F811']\n[tool.mypy]\nignore_errors = true\n",
    )
    write(folder / "mypy.ini", "[mypy]\nignore_errors = True\nplugins = evil.py\n")
    write(folder / "evil.py", f"open({str(layout.root / 'escaped')!r}, 'w')\n")
    write(folder / "typing.py", "raise SystemExit\n")
    write(folder / "sitecustomize.py", f"open({str(layout.root / 'escaped')!r}, 'w')\n")
    write(layout.tmp / ".mypy" / "json.py", "raise SystemExit\n")
    report = tried(layout, BOTH)
    assert states(report)[:2] == ["failed", "failed"]
    assert tried(layout, GOOD).ok
    assert not (layout.root / "escaped").exists()


@pytest.mark.exhaustive
def test_the_settings_may_name_another_configuration(layout: Layout) -> None:
    write(layout.root.parent / "ruff.toml", "[lint]\nselect = ['E']\n")
    write(layout.root.parent / "mypy.ini", "[mypy]\nignore_errors = True\n")
    names = {"ruff_config": "ruff.toml", "mypy_config": "mypy.ini"}
    settings = Routing.model_validate({"validators": names})
    report = tried(layout, "import os\n" + GOOD + "x: int = ''\n", settings=settings)
    assert report.ok, report.steps


@pytest.mark.exhaustive
def test_a_comment_does_not_excuse_generated_code(layout: Layout) -> None:
    source = "import os  # noqa: F401\n" + GOOD
    assert tried(layout, source).ok
    assert states(tried(layout, source, generated=True))[0] == "failed"


@pytest.mark.exhaustive
def test_a_cache_that_makes_mypy_crash_is_thrown_away(layout: Layout) -> None:
    cache = layout.tmp / ".mypy" / "cache"
    write(cache / "3.11", "a file where a folder should be")
    for version in range(10, 20):
        write(cache / f"3.{version}", "a file where a folder should be")
    report = tried(layout, GOOD)
    assert report.ok, report.steps
