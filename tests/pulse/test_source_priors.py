"""What a module may declare of git, log files, other programs, MCP, GitHub and pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.types import SignalEvent

from .sample_modules import FILES, file, fingerprint

PRIORS: dict[str, dict[str, Any]] = {
    "git": {"repositories": ["/src/gate"], "paths": ["*.py", "/doc"], "branches": ["main"]},
    "logs": {"files": ["/var/log/app.log", "app"], "contains": ["ERROR"]},
    "http": {"sources": ["ci"], "types": ["failed"], "locations": ["main"]},
    "mcp": {"servers": ["tickets"], "resources": ["ticket://*"]},
    "github": {"repositories": ["ada/gate"], "events": ["push"]},
    "network": {"endpoints": ["https://example.org/status"]},
    "calendar": {"calendars": ["team"], "events": ["begins"]},
    "mail": {"folders": ["INBOX"], "senders": ["*@Bank.example"]},
}


def declaring(name: str, raw: object) -> ModuleFingerprint:
    """A module with that prior alone."""
    given: dict[str, Any] = {name: raw}
    return fingerprint(**given)


@pytest.mark.parametrize("name", sorted(PRIORS))
def test_a_prior_comes_back_as_it_was_written_and_every_field_may_be_left_out(name: str) -> None:
    whole, empty = declaring(name, PRIORS[name]), declaring(name, {})
    pairs: list[tuple[ModuleFingerprint, dict[str, Any]]] = [(whole, PRIORS[name]), (empty, {})]
    for each, raw in pairs:
        document = each.to_dict()
        assert document["signal_priors"] == {name: raw}
        assert parse_fingerprint(document) == each
        assert not each.declares_nothing
    assert whole.digest() != empty.digest()


def test_paths_are_stored_absolute_and_a_bare_name_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    found = fingerprint(
        git={"repositories": ["~/link", "here"]}, logs={"files": ["~/a/../b.log", "link/x", "c"]}
    )
    assert found.git is not None
    assert found.logs is not None
    assert found.git.repositories == [str(tmp_path / "real"), str(tmp_path / "here")]
    assert found.logs.files == [str(tmp_path / "b.log"), str(tmp_path / "link/x"), "c"]


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        ("git", None, "signal_priors.git must be a dict, got None"),
        ("git", {"repos": []}, "signal_priors.git must have only known keys, got 'repos'"),
        ("git", {"branches": []},
         "signal_priors.git.branches must be a list with at least one item, got []"),
        ("git", {"branches": "main"}, "signal_priors.git.branches must be a list, got 'main'"),
        ("git", {"paths": ["a", " "]},
         "signal_priors.git.paths[1] must be a non-blank string, got ' '"),
        ("git", {"repositories": ["a\0b"]},
         "signal_priors.git.repositories[0] must be a path that can be resolved"),
        ("logs", {"files": [7]}, "signal_priors.logs.files[0] must be a non-blank string, got 7"),
        ("http", {"sources": ["ci", "git"]},
         "signal_priors.http.sources[1] must be a source without a prior of its own, got 'git'"),
        ("git", {"branches": ["a\ud800"]},
         "signal_priors.git.branches[0] must be text that UTF-8 can hold, got 'a"),
        ("mcp", {"servers": [None]}, "signal_priors.mcp.servers[0] must be a non-blank string"),
        ("github", {"repos": ["a/b"]}, "signal_priors.github must have only known keys"),
        ("network", [], "signal_priors.network must be a dict, got []"),
    ],
)  # fmt: skip
def test_a_slip_is_refused_by_its_dotted_path(name: str, raw: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        declaring(name, raw)
    assert str(caught.value).startswith(sentence)


SIGNALS = {
    "git": SignalEvent("git", "/src/gate/a.py", "modified", 1.0, 0.0, {"path": "a.py"}),
    "logs": SignalEvent("log", "/var/log/app.log", "line", 1.0, 0.0, {"text": "ERROR: full"}),
    "http": SignalEvent("ci", "main", "failed", 1.0, 0.0),
    "mcp": SignalEvent("mcp", "ticket://7", "modified", 1.0, 0.0, {"server": "tickets"}),
    "github": SignalEvent("github", "h", "push", 1.0, 0.0, {"repository": "Ada/gate"}),
    "network": SignalEvent("network", "https://example.org/status", "modified", 1.0, 0.0),
    "calendar": SignalEvent("calendar", "team", "begins", 1.0, 0.0),
    "mail": SignalEvent("mail", "ada/INBOX", "received", 1.0, 0.0, {"sender": "x@bank.example"}),
}


@pytest.mark.parametrize("name", sorted(PRIORS))
def test_what_was_declared_starts_as_relevant_and_a_file_does_not(name: str) -> None:
    limbic = LimbicLayer(commits=False)
    limbic.register("m", declaring(name, PRIORS[name]))
    assert limbic.score("m", [SIGNALS[name]]) == pytest.approx(0.77, abs=0.01)
    assert limbic.score("m", [file()]) < 0.1


@pytest.mark.parametrize("scorer", ["linear", "lstm"])
def test_a_module_for_a_folder_is_asked_about_no_other_source(scorer: str) -> None:
    limbic = LimbicLayer(scorer)
    limbic.register("inbox", fingerprint(filesystem=FILES))
    for signal in SIGNALS.values():
        assert limbic.score_routed([signal]) == {}


def test_a_name_alone_is_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    found = fingerprint(logs={"files": ["app.log"]})
    assert found.logs is not None
    assert os.sep not in found.logs.files[0]
