"""The reference's saved weights in an agent of ours.

`reference_weights.txt` holds the names and shapes of its agent's state_dict.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from prefrontal.control import ContextMemory, ResidueField
from prefrontal.control.agent.reference import import_reference
from prefrontal.control.choice.e3 import TerrainOnWorldWarning

from ..agent_cases import walk

NAMES = Path(__file__).with_name("reference_weights.txt")
HIDDEN = ("w_chan", "_trace", "W_lat", "M_cross", "total_residue", "num_harm", "valence", "gain")
WITHOUT_USE = (
    *("reality_scorer", "harm_cost_fallback", "discriminator", "_predictor.", "visitation"),
    *("active_mask", *HIDDEN),
)


def reference(*, places: int = 3) -> dict[str, Tensor]:
    """Numbers in the reference's form; parts that it shares are the same, as in its files."""
    generator = torch.Generator().manual_seed(0)
    weights: dict[str, Tensor] = {}
    for line in NAMES.read_text().splitlines():
        name, *shape = line.split()
        weights[name] = torch.randn([int(it) for it in shape], generator=generator) * 0.1
    for name, own in list(weights.items()):
        weights[name] = weights.get(name.removeprefix("hippocampal.").removeprefix("e3."), own)
    for part in ("", "e3.", "hippocampal."):
        field = f"{part}residue_field.rbf_field."
        weights[f"{field}next_center_idx"] = torch.tensor(places % 32)
        weights[f"{field}active_mask"] = torch.arange(32) < places
    return weights


def saved(path: Path, content: object) -> Path:
    torch.save(content, path)
    return path


def test_an_agent_of_the_reference_is_taken_over_by_name(tmp_path: Path) -> None:
    weights = reference()
    found = import_reference(saved(tmp_path / "agent.pt", {"state_dict": weights, "step": 3}))
    agent = found.agent
    assert all(any(part in name for part in WITHOUT_USE) for name in found.left_out)
    assert not any(part in name for name in found.taken for part in WITHOUT_USE)
    assert set(found.taken) | set(found.left_out) == set(weights)
    assert set(found.drawn) == {
        *("e3.running_variance", "e3.benefit_samples"),
        *("e1.context_memory.slot_write_counts", "e1.context_memory.recent_slots"),
    }
    assert agent.config.profile == "upstream" and agent.lateral_pfc is not None
    for mine, theirs in {
        "world_obs_encoder.linear.weight": "world_obs_encoder.0.weight",
        "latent_stack.self_encoder.precision_logit": "latent_stack.split_encoder.self_precision_"
        "logit",
        "latent_stack.world_encoder.network.2.bias": "latent_stack.split_encoder.world_encoder.2."
        "bias",
        "latent_stack.theta_encoder.topdown.weight": "latent_stack.theta_encoder.topdown_proj."
        "weight",
        "e1.context_memory.write_gate.weight": "e1.context_memory.write_gate.0.weight",
        "e3.residue_field.network.4.bias": "residue_field.neural_field.4.bias",
        "e3.residue_field.centres": "residue_field.rbf_field.centers",
        "hippocampal.terrain_prior.2.weight": "hippocampal.terrain_prior.2.weight",
    }.items():
        assert torch.equal(agent.state_dict()[mine], weights[theirs])
    assert int(agent.e3.residue_field.accumulated) == 3
    assert not bool(agent.e3.residue_field.weights[3:].any())
    with pytest.warns(TerrainOnWorldWarning):
        assert len(walk(agent, 2)) == 2


def test_a_full_residue_field_goes_on_where_its_ring_was(tmp_path: Path) -> None:
    weights = {
        name.removeprefix("residue_field."): it
        for name, it in reference(places=32 + 5).items()
        if name.startswith("residue_field.")
    }
    field = import_reference(saved(tmp_path / "field.pt", weights)).agent.e3.residue_field
    assert isinstance(field, ResidueField) and int(field.accumulated) == 32 + 5
    assert torch.equal(field.weights, weights["rbf_field.weights"])


@pytest.mark.parametrize(
    ("part", "taken"),
    [
        ("e1.context_memory.", 10),
        ("e1.", 36),
        ("e2.", 18),
        ("hippocampal.", 35),
        ("lateral_pfc.", 8),
    ],
)
def test_a_part_alone_finds_its_place(tmp_path: Path, part: str, taken: int) -> None:
    weights = {
        name.removeprefix(part): it for name, it in reference().items() if name.startswith(part)
    }
    found = import_reference(saved(tmp_path / "part.pt", weights))
    assert len(found.taken) == taken
    state = found.agent.state_dict()
    if part == "e2.":
        name = "world_transition.2.weight"
        assert torch.equal(state[f"e2.{name}"], weights[name])
        assert torch.equal(state[f"hippocampal.e2.{name}"], weights[name])
    if part == "e1.context_memory.":
        memory, x = ContextMemory(), torch.randn(3, 64)
        own = {name.replace("write_gate.0", "write_gate"): it for name, it in weights.items()}
        memory.load_state_dict(own)
        assert torch.equal(found.agent.e1.context_memory.read(x), memory.read(x))


def test_other_files_are_refused_by_name(tmp_path: Path) -> None:
    weights = reference()
    path = tmp_path / "it.pt"
    with pytest.raises(ValueError, match="path must hold weights of the reference, got none in "):
        import_reference(saved(path, {"layer.weight": torch.zeros(3)}))
    with pytest.raises(ValueError, match="path must hold a state_dict, got list in "):
        import_reference(saved(path, [1]))
    path.write_bytes(b"no file of torch")
    with pytest.raises(ValueError, match="path must hold saved weights, got "):
        import_reference(path)
    weights["e1.output_proj.0.weight"] = torch.zeros(5, 5)
    with pytest.raises(ValueError, match=r"e1.output_proj.0.weight must be of shape \[128, 128\]"):
        import_reference(saved(path, weights))
