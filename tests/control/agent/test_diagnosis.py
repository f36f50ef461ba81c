"""diagnose: each silent failure is found where it is, and not where it is not."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from prefrontal.control import E1DeepPredictor, LateralPFCAnalog, LateralPFCConfig, diagnose
from prefrontal.control.agent.checkpoint import save
from prefrontal.control.agent.control_config import ALL_FEATURES
from prefrontal.control.agent.diagnosis import Diagnosis
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig

from ..agent_cases import same_state, small_agent


def found(diagnosis: Diagnosis) -> dict[str, Any]:
    return {it.name: it for it in diagnosis.symptoms}


def e1(**changes: Any) -> E1DeepPredictor:
    torch.manual_seed(0)
    return E1DeepPredictor(sd016_enabled=True, **changes)


def harm(*hazards: float) -> torch.Tensor:
    return torch.tensor(hazards)[:, None].expand(-1, 51).contiguous()


@pytest.mark.exhaustive
def test_the_profile_seed_shows_its_weaknesses() -> None:
    diagnosis = diagnose(small_agent(**ALL_FEATURES), steps=60)
    told = found(diagnosis)
    assert told["attention entropy"].value == pytest.approx(2.7726, abs=1e-4)
    for name in ("attention entropy", "slots in use", "label safe", "modulation depth"):
        assert told[name].wrong, name
    assert told["spread of the rule's bias"].wrong
    assert not told["likeness of slots"].wrong
    assert not diagnosis.healthy
    assert "WRONG  attention entropy 2.773: ln 16 = 2.7726 would be none" in str(diagnosis)


@pytest.mark.exhaustive
def test_in_the_default_world_every_step_is_labelled_dangerous() -> None:
    told = found(diagnose(small_agent(sd016_enabled=True), steps=60, world="default"))
    assert (told["label dangerous"].value, told["label safe"].value) == (1.0, 0.0)
    assert told["label dangerous"].wrong


@pytest.mark.exhaustive
def test_the_profile_sound_has_balanced_labels_and_attends() -> None:
    told = found(diagnose(small_agent("sound", **ALL_FEATURES), steps=200))
    for name in ("attention entropy", "likeness of slots", "label dangerous", "label safe"):
        assert not told[name].wrong, name


def test_a_single_iteration_makes_the_action_bias_inert() -> None:
    for iterations, wrong in ((1, True), (2, False)):
        agent = small_agent(sd016_enabled=True, hippocampal={"num_cem_iterations": iterations})
        told = found(diagnose(agent, steps=4))["reach of the action bias"]
        assert told.wrong is wrong
        assert (told.value == 0.0) is wrong
        assert ("with a single iteration there is none" in told.meaning) is wrong


def test_harm_read_off_the_world_is_told_and_nothing_is_warned_of() -> None:
    for features, wrong in (({}, True), ({"use_harm": True, "use_harm_forward": True}, False)):
        agent = small_agent(sd016_enabled=True, e3={"warn_world_harm": True}, **features)
        assert found(diagnose(agent, steps=2))["harm that the terrain weighs"].wrong is wrong


@pytest.mark.parametrize(
    ("changes", "wrong", "why"),
    [
        ({"head": "frozen_zero", "candidate_summary": "t1"}, True, "the head is frozen at zero"),
        ({"head": "frozen_random", "candidate_summary": "t0"}, True, "the summary t0 is the pres"),
        ({"head": "frozen_random", "candidate_summary": "t1"}, False, "largest less smallest"),
        ({"head": "frozen_random", "bias_form": "uniform"}, True, "the uniform form is the same"),
    ],
)
def test_a_rule_that_cannot_rank_is_told_with_its_reason(
    changes: dict[str, Any], wrong: bool, why: str
) -> None:
    agent = small_agent(use_lateral_pfc_analog=True, lateral_pfc=changes)
    told = found(diagnose(agent, steps=4))["spread of the rule's bias"]
    assert (told.wrong, why in told.meaning) == (wrong, True)


def test_slots_that_have_grown_alike_are_told() -> None:
    module = e1()
    with torch.no_grad():
        module.context_memory.memory.copy_(torch.ones(16, 128))
    assert found(diagnose(module))["likeness of slots"].value == pytest.approx(1.0)
    assert found(diagnose(module))["likeness of slots"].wrong


def test_a_trained_cue_is_well() -> None:
    memory = ContextMemoryConfig(attention="cosine", slot_init="orthogonal", beta=4.0)
    module = e1(memory=memory)
    optimizer = torch.optim.Adam(module.parameters(), lr=5e-3)
    generator = torch.Generator().manual_seed(0)
    cues = torch.randn(200, 32, generator=generator)
    hazard = (cues[:, 0] > 0).float()
    target = torch.stack([0.2 + 0.6 * hazard, 0.8 - 0.5 * hazard], dim=1)
    for _ in range(60):
        loss = (module.extract_cue_context(cues)[1] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    told = found(diagnose(module, z_world=cues, harm_obs=harm(*(0.4 * hazard).tolist())))
    assert told["modulation depth"].value > 0.3
    assert not told["modulation depth"].wrong


@pytest.mark.exhaustive
def test_an_agent_that_does_one_thing_only_is_told() -> None:
    agent = small_agent()
    last = agent.hippocampal.action_object_decoder[-1]
    with torch.no_grad():
        last.weight.zero_()
        last.bias.copy_(torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0]))
    told = found(diagnose(agent, steps=100))["one action"]
    assert told.wrong and told.value == 1
    with torch.no_grad():
        last.weight.normal_(generator=torch.Generator().manual_seed(0)).mul_(20)
    assert not found(diagnose(agent, steps=100))["one action"].wrong
    assert "one action" not in found(diagnose(agent, steps=6))  # too few choices to tell


def test_a_module_may_be_looked_at_alone() -> None:
    assert set(found(diagnose(e1()))) == {"attention entropy", "slots in use", "likeness of slots"}
    config = LateralPFCConfig(use_lateral_pfc_analog=True, head="frozen_random")
    pfc = LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0))
    assert diagnose(pfc).healthy
    assert "nothing to look at" in str(diagnose(LateralPFCAnalog()))


def test_the_subject_is_left_as_it_is() -> None:
    agent = small_agent("sound", **ALL_FEATURES)
    before, random = copy.deepcopy(agent.state_dict()), torch.get_rng_state()
    assert str(diagnose(agent, steps=5)) == str(diagnose(agent, steps=5))
    assert same_state(before, agent.state_dict())
    assert agent.latent is None
    assert torch.equal(random, torch.get_rng_state())


def test_a_checkpoint_is_looked_at_by_its_path(tmp_path: Path) -> None:
    agent = small_agent("upstream", **ALL_FEATURES)
    save(agent, tmp_path / "agent.pt")
    told = diagnose(tmp_path / "agent.pt", steps=5)
    assert told.to_json() == diagnose(agent, steps=5).to_json()
    assert told.to_json()["profile"] == "upstream"
    assert told.to_json()["healthy"] is False


def test_what_cannot_be_looked_at_is_refused() -> None:
    with pytest.raises(ValueError, match="subject must be an agent, .*, got Linear"):
        diagnose(torch.nn.Linear(1, 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="steps must be at least 2, got 1"):
        diagnose(small_agent(), steps=1)
