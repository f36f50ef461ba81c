"""Shared by all tests: what a worker costs, examples of properties, and `--record` of what ran."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# No clock and no chance: a run fails as the last one did. PREFRONTAL_NEW_EXAMPLES=1 looks further.
steady = "PREFRONTAL_NEW_EXAMPLES" not in os.environ
settings.register_profile("steady", deadline=None, derandomize=steady)
settings.load_profile("steady")
QUICK_SHARE = 8
"""`make test` tries a property with one of so many examples, `make test-exhaustive` with all."""
FEWEST_EXAMPLES = 10
if "PYTEST_XDIST_WORKER" in os.environ:  # each core has a worker of its own
    os.environ.setdefault("OMP_NUM_THREADS", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script
    signal.signal(signal.SIGINT, signal.default_int_handler)


MOSTLY_WAITING = ("kill", "stream", "with_watch", "harnesses", "hostile", "browser")
"""Words in the names of files with few tests that take long, since they wait for processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record",
        metavar="FILE",
        type=Path,
        help="write as JSON which tests were collected and which ran; "
        "scripts/check_test_runs.py compares such files",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """What is collected stays: no garbage is looked for meanwhile, nor among it later."""
    gc.disable()
    try:
        worker = getattr(session.config, "workerinput", None)
        if worker is not None and not session.config.option.file_or_dir:
            import_share(session.config.rootpath, worker)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        let_torch_propagate()


def let_torch_propagate() -> None:
    """Pytest catches what loggers say six times a test: at the root, and at each that does not
    propagate. Torch has 50 of these; what they say reaches the root instead.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger) and name.partition(".")[0] == "torch":
            logger.propagate = True


def import_share(root: Path, worker: dict[str, Any]) -> None:
    """Import a share of the tests before the rest: the other workers compile the rest meanwhile.

    Pytest rewrites each file with asserts at its first import, seconds of work that all workers
    would do side by side in the same order.
    """
    files = sorted((root / "tests").rglob("test_*.py"))
    for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        with suppress(Exception, pytest.skip.Exception):  # the collection will meet and tell it
            import_module(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits, then the files with most tests, lest one worker end long after all."""
    number = Counter(item.path for item in items)
    waits = {path: any(word in path.name for word in MOSTLY_WAITING) for path in number}
    items.sort(key=lambda item: (not waits[item.path], -number[item.path], item.path))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    quick = metafunc.definition.get_closest_marker("exhaustive") is None
    if quick and getattr(metafunc.function, "is_hypothesis_test", False):
        every = pytest.param("all", marks=pytest.mark.exhaustive)
        metafunc.fixturenames.append("examples_tried")
        metafunc.parametrize("examples_tried", ["some", every])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """A property is tried with all examples, or with some of them."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return (yield)
    if item.callspec.params.get("examples_tried") != "some":
        return (yield)
    name = "_hypothesis_internal_use_settings"  # Hypothesis's own plugin changes them by it, too
    before: settings = getattr(item.obj, name)
    number = min(before.max_examples, max(FEWEST_EXAMPLES, before.max_examples // QUICK_SHARE))
    setattr(item.obj, name, settings(parent=before, max_examples=number))
    try:
        return (yield)
    finally:
        setattr(item.obj, name, before)


def pytest_configure(config: pytest.Config) -> None:
    if (output := getattr(config, "workeroutput", None)) is not None:
        config.pluginmanager.register(Collection(output))
        config.pluginmanager.register(Encodable())
    elif (path := config.getoption("--record")) is not None:
        record = Record(path)
        config.pluginmanager.register(record)
        config.pluginmanager.register(Collection(record.content))
        if config.pluginmanager.hasplugin("xdist"):
            config.pluginmanager.register(FromWorkers(record))


class Collection:
    """Notes the tests that were collected, those that were then deselected among them."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self._deselected: list[str] = []

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._deselected += [item.nodeid for item in items]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._content["collected"] = [item.nodeid for item in session.items] + self._deselected


class Encodable:
    """Lets a worker send what a test printed or logged, halves of surrogate pairs included."""

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self) -> Generator[None, Any, Any]:
        return _encodable((yield))


def _encodable(content: Any) -> Any:
    if isinstance(content, str):
        return content.encode(errors="backslashreplace").decode()
    if isinstance(content, dict):
        return {key: _encodable(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return type(content)(map(_encodable, content))
    return content


class Record:
    """Notes the tests that ran, and writes the file at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content: dict[str, Any] = {"collected": [], "ran": []}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup":
            self.content["ran"].append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.content, indent=0) + "\n", encoding="utf-8")


class FromWorkers:
    """Takes over what the workers collected; each of them collects everything."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        if "collected" in output:
            self._record.content["collected"] = output["collected"]
