from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import (
    FilesystemPrior,
    MemoryPrior,
    ModuleFingerprint,
    TimePrior,
    parse_fingerprint,
)

DOCUMENT: dict[str, Any] = {
    "module_id": "homework_watcher",
    "cluster": "homework",
    "version": "1.0.0",
    "question_template": "New file at {location}. Review it?",
    "default_threshold": 0.7,
    "signal_priors": {
        "filesystem": {
            "watch_directories": ["/data/homework", "~/Homework"],
            "relevant_extensions": [".pdf", ".docx"],
            "irrelevant_extensions": [".tmp"],
        },
        "memory": {"watch_namespaces": ["tasks"], "high_relevance_keys": ["due"]},
        "time": {
            "active_hours": [17, 21],
            "active_days": [0, 1, 2, 3, 4],
            "typical_interval_hours": 12,
        },
    },
}


KNOWN = "filesystem, memory, time, history, git, logs, http, mcp, github, network, mail, calendar"


def document(path: str, value: object) -> dict[str, Any]:
    """A valid document with the value at a dotted path replaced."""
    raw = copy.deepcopy(DOCUMENT)
    *parents, last = path.split(".")
    target = raw
    for parent in parents:
        target = target[parent]
    target[last] = value
    return raw


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in DOCUMENT.items() if key not in keys}


def refusal(raw: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        parse_fingerprint(raw)
    return str(caught.value)


def test_a_full_document_becomes_a_fingerprint_with_three_priors() -> None:
    fingerprint = parse_fingerprint(DOCUMENT)
    home = str((Path.home() / "Homework").resolve())
    assert fingerprint == ModuleFingerprint(
        module_id="homework_watcher",
        cluster="homework",
        version="1.0.0",
        question_template="New file at {location}. Review it?",
        default_threshold=0.7,
        filesystem=FilesystemPrior(["/data/homework", home], [".pdf", ".docx"], [".tmp"]),
        memory=MemoryPrior(["tasks"], ["due"]),
        time=TimePrior((17, 21), [0, 1, 2, 3, 4], 12.0),
    )
    assert fingerprint.watch_directories() == ["/data/homework", home]
    assert fingerprint.watch_namespaces() == ["tasks"]


def test_what_a_fingerprint_hands_out_is_a_copy() -> None:
    fingerprint = parse_fingerprint(DOCUMENT)
    fingerprint.watch_directories().clear()
    fingerprint.watch_namespaces().clear()
    assert len(fingerprint.watch_directories()) == 2
    assert fingerprint.watch_namespaces() == ["tasks"]


def test_parsing_leaves_the_document_as_it_was() -> None:
    raw = copy.deepcopy(DOCUMENT)
    parse_fingerprint(raw)
    assert raw == DOCUMENT


def test_priors_may_be_left_out() -> None:
    fingerprint = parse_fingerprint(without("signal_priors"))
    assert (fingerprint.filesystem, fingerprint.memory, fingerprint.time) == (None, None, None)
    assert fingerprint.watch_directories() == []
    assert fingerprint.watch_namespaces() == []
    assert fingerprint.relevant_extension_hashes() == []
    assert fingerprint.irrelevant_extension_hashes() == []
    assert fingerprint.active_hour_range_encoded() is None


def test_optional_keys_of_priors_have_defaults() -> None:
    raw = document(
        "signal_priors",
        {
            "filesystem": {"watch_directories": ["/data"]},
            "memory": {"watch_namespaces": ["tasks"]},
            "time": {"active_hours": [9, 17]},
        },
    )
    fingerprint = parse_fingerprint(raw)
    assert fingerprint.filesystem == FilesystemPrior(["/data"], [], [])
    assert fingerprint.memory == MemoryPrior(["tasks"], [])
    assert fingerprint.time == TimePrior((9, 17), [0, 1, 2, 3, 4, 5, 6], 24.0)


def test_strings_are_stored_stripped() -> None:
    raw = DOCUMENT | {"module_id": "  m\n", "question_template": " {location} \t"}
    fingerprint = parse_fingerprint(raw)
    assert fingerprint.module_id == "m"
    assert fingerprint.question_template == "{location}"


@pytest.mark.parametrize("threshold", [0, 1, 0.0, 1.0, 0.65])
def test_every_threshold_from_0_to_1_is_accepted(threshold: float) -> None:
    fingerprint = parse_fingerprint(DOCUMENT | {"default_threshold": threshold})
    assert fingerprint.default_threshold == threshold
    assert type(fingerprint.default_threshold) is float


@pytest.mark.parametrize("raw", [None, [], "text", 3, [("module_id", "m")]])
def test_a_document_that_is_no_dict_is_refused(raw: Any) -> None:
    with pytest.raises(InputError, match=r"^fingerprint must be a dict, got "):
        parse_fingerprint(raw)


def test_missing_keys_are_all_named_with_the_misspelling_beside_them() -> None:
    text = refusal(without("cluster", "version") | {"verison": "1"})
    assert text.startswith("fingerprint must have the keys cluster, version, got [")
    assert text.endswith("(did you mean 'version'?)")


def test_checks_run_in_a_fixed_order_keys_strings_threshold_priors_template() -> None:
    raw: dict[str, Any] = {
        "module_id": "",
        "default_threshold": 7,
        "signal_priors": 7,
        "question_template": "nowhere",
        "cluster": "c",
    }
    assert refusal(raw).startswith("fingerprint must have the keys version")
    raw["version"] = "1"
    assert refusal(raw).startswith("module_id must")
    raw["module_id"] = "m"
    assert refusal(raw).startswith("default_threshold must")
    raw["default_threshold"] = 0.5
    assert refusal(raw).startswith("signal_priors must")
    raw["signal_priors"] = {}
    assert refusal(raw) == "question_template must contain {location}, got 'nowhere'"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("module_id", ""),
        ("module_id", " \n"),
        ("cluster", None),
        ("version", 1.0),
        ("question_template", ["{location}"]),
        ("default_threshold", 1.01),
        ("default_threshold", -0.01),
        ("default_threshold", math.nan),
        ("default_threshold", math.inf),
        ("default_threshold", True),
        ("default_threshold", "0.5"),
        ("default_threshold", 10**400),
        pytest.param("default_threshold", 10**5000, id="an int without a repr"),
        ("signal_priors", None),
        ("signal_priors", []),
        ("signal_priors.filesystem", None),
        ("signal_priors.memory", None),
        ("signal_priors.time", None),
    ],
)
def test_a_broken_value_is_refused_by_its_dotted_path(path: str, value: object) -> None:
    text = refusal(document(path, value))
    assert text.startswith(f"{path} must ")
    assert ", got " in text


@pytest.mark.parametrize(
    ("path", "key", "meant"),
    [
        ("signal_priors", "filesytem", "filesystem"),
        ("signal_priors", "Memory", "memory"),
    ],
)
def test_a_misspelt_prior_key_is_refused_with_the_key_that_was_meant(
    path: str, key: str, meant: str
) -> None:
    text = refusal(document(f"{path}.{key}", []))
    assert text.startswith(f"{path} must have only known keys, got {key!r} (did you mean {meant!r}")
    assert text.endswith(f"; known are {KNOWN}")


@pytest.mark.parametrize("key", ["weather", 7, None])
def test_an_unknown_prior_key_is_refused_without_a_guess(key: object) -> None:
    raw = copy.deepcopy(DOCUMENT)
    raw["signal_priors"][key] = {}
    assert refusal(raw).endswith(f"keys, got {key!r}; known are {KNOWN}")


def test_own_metadata_at_the_top_level_is_ignored() -> None:
    raw: dict[Any, Any] = DOCUMENT | {"description": "for maths", "owner": "me", 7: 7}
    assert parse_fingerprint(raw) == parse_fingerprint(DOCUMENT)


@pytest.mark.parametrize("key", ["signal_prior", "signals_priors", "Signal_Priors", "priors"])
def test_misspelt_signal_priors_are_refused_rather_than_ignored(key: str) -> None:
    raw = without("signal_priors") | {key: DOCUMENT["signal_priors"]}
    assert refusal(raw) == (
        f"fingerprint must spell its optional key signal_priors, got {key!r} "
        "(did you mean 'signal_priors'?)"
    )


@pytest.mark.parametrize(
    "template",
    ["no place", "{{location}}", "{path} and {location}", "{location.name}", "{location", "{}"],
)
def test_a_template_that_could_never_ask_is_refused_at_registration(template: str) -> None:
    text = refusal(DOCUMENT | {"question_template": template})
    assert text.startswith("question_template must ")
    assert repr(template) in text


def test_the_digest_tells_two_fingerprints_apart_and_ignores_key_order() -> None:
    first = parse_fingerprint(DOCUMENT)
    turned = parse_fingerprint(dict(reversed(DOCUMENT.items())))
    other = parse_fingerprint(document("signal_priors.time.active_hours", [17, 22]))
    assert first.digest() == turned.digest()
    assert first.digest() != other.digest()
    assert len(bytes.fromhex(first.digest())) == 32


def test_the_digest_of_a_document_never_changes_from_release_to_release() -> None:
    raw = document("signal_priors.filesystem.watch_directories", ["/data"])
    assert parse_fingerprint(raw).digest() == (
        "40ea538679e6e7ed8e8eaa1325d2cbd8567f2ba996470ab865d784dd7cac000c"
    )


def test_minus_zero_is_the_same_threshold_as_zero() -> None:
    minus, zero = (parse_fingerprint(DOCUMENT | {"default_threshold": t}) for t in (-0.0, 0.0))
    assert minus.digest() == zero.digest()
