from __future__ import annotations

import copy
import pickle
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import torch

from plan_stream import played, stream
from prefrontal.errors import SourceError
from prefrontal.executive.selector.selection import PlanSelectionConfig, PlanSelector, load, save


@lru_cache
def lessons(length: int) -> PlanSelector:
    selector = PlanSelector(seed=2)
    played(stream("hidden", 2, length), selector)
    return selector


def taught(length: int = 40) -> PlanSelector:
    return copy.deepcopy(lessons(length))


def goes_on(selector: PlanSelector) -> list[Any]:
    found = []
    for it in stream("hidden", 7, 15):
        found.append(selector.select(it.context, it.plans))
        selector.learn(it.context, it.plans[0], *it.outcome(0))
    return found


@pytest.mark.exhaustive
def test_a_loaded_selector_goes_on_as_the_saved_one_to_the_bit() -> None:
    selector, other = taught(), PlanSelector(seed=9)
    other.load_state_dict(selector.state_dict())
    other.enter(selector.mode)
    assert goes_on(other) == goes_on(selector)
    writes = "cue.context_memory.slot_write_counts"
    mine, theirs = (it.state_dict()["network"][writes] for it in (other, selector))
    assert torch.equal(mine, theirs)


@pytest.mark.exhaustive
def test_a_state_does_not_follow_what_is_learned_later() -> None:
    selector = taught()
    state = selector.state_dict()
    kept = {name: it.clone() for name, it in state["network"].items()}
    goes_on(selector)
    assert all(torch.equal(state["network"][name], it) for name, it in kept.items())
    fresh = PlanSelector()
    fresh.load_state_dict(state)
    goes_on(fresh)
    assert all(torch.equal(state["network"][name], it) for name, it in kept.items())


@pytest.mark.exhaustive
def test_a_file_gives_the_selector_back(tmp_path: Path) -> None:
    selector = taught()
    save(selector, tmp_path / "plans.pt")
    other = load(tmp_path / "plans.pt")
    assert other.mode == "external_task"
    other.enter(selector.mode)
    assert goes_on(other) == goes_on(selector)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": 2}, "state must be of format 1, got 2"),
        ({"config": {}}, "state must be of the configuration .*, got {}"),
        ({"network": {}}, "state must be that of a PlanSelector, got "),
        ({"optimizers": []}, "state must be that of a PlanSelector, got "),
        ({"generator": torch.zeros(3)}, "state must be that of a PlanSelector, got "),
        ({"slot_writes": None}, "state must be that of a PlanSelector, got "),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(change: Any, sentence: str) -> None:
    selector, twin = taught(), taught()
    with pytest.raises(ValueError, match=sentence):
        selector.load_state_dict(taught(20).state_dict() | change)
    assert goes_on(selector) == goes_on(twin)


def test_a_state_of_another_configuration_is_refused() -> None:
    other = PlanSelector(PlanSelectionConfig(leaving=0.1))
    with pytest.raises(ValueError, match=r"configuration .*'leaving': 0.35.*'leaving': 0.1"):
        PlanSelector().load_state_dict(other.state_dict())


class _Bomb:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("something in the file was run",))


@pytest.mark.parametrize(
    "content",
    [b"", b"nothing of the kind", pickle.dumps({"config": {}}, 2), pickle.dumps(_Bomb(), 2)],
)
def test_a_file_that_holds_no_selector_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plans.pt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"path must hold a PlanSelector, got '.*plans.pt'"):
        load(path)


def test_where_there_is_no_file_or_folder_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "plans.pt")
    with pytest.raises(SourceError, match="nowhere"):
        save(PlanSelector(), tmp_path / "nowhere" / "plans.pt")
