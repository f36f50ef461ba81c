"""E1 predicts from its own predictions, remembers, learns, and writes only where it may."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.e1 import E1Config, E1DeepPredictor
from prefrontal.control.memory.e1_experience import E1Experience
from prefrontal.control.memory.recurrent import RecurrentLayers


def made(seed: int = 0, **options: Any) -> E1DeepPredictor:
    torch.manual_seed(seed)
    return E1DeepPredictor(**options)


def states(n: int, seed: int = 1) -> Tensor:
    return torch.randn(n, 64, generator=torch.Generator().manual_seed(seed))


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def fed_back(e1: E1DeepPredictor, state: Tensor, steps: int) -> Tensor:
    """The specification in torch's own LSTM: [0, prior] first, then its own predictions."""
    config = e1.config
    lstm = torch.nn.LSTM(config.latent_dim, config.hidden_dim, config.num_layers, batch_first=True)
    lstm.load_state_dict(e1.transition_rnn.state_dict())
    prior = e1.prior_generator(torch.cat([state, e1.context_memory.read(state)], dim=1))
    x, hidden, found = torch.cat([torch.zeros(len(state), 32), prior], dim=1), None, []
    for _ in range(steps):
        out, hidden = lstm(x[:, None], hidden)
        x = e1.output_proj(out[:, 0])
        found.append(x)
    return torch.stack(found, dim=1)


def test_it_has_the_parameters_of_the_specification() -> None:
    e1 = made()
    assert sum(each.numel() for each in e1.parameters()) == 468_768
    parts = {name.partition(".")[0] for name in e1.state_dict()}
    assert parts == {"context_memory", "transition_rnn", "output_proj", "prior_generator"}
    cued = made(sd016_enabled=True)
    assert sum(each.numel() for each in cued.parameters()) == 468_768 + 5_394
    wide = made(sd016_enabled=True, cue_action_input="context+world")
    assert sum(each.numel() for each in wide.parameters()) == 468_768 + 5_906


def test_without_cues_there_is_no_trace_of_them() -> None:
    plain, after_plain = made(), torch.rand(1)
    cued = made(sd016_enabled=True)
    assert not hasattr(plain, "world_query_proj") and hasattr(cued, "world_query_proj")
    shared = cued.state_dict()
    assert all(torch.equal(shared[name], value) for name, value in plain.state_dict().items())
    torch.manual_seed(0)
    E1DeepPredictor(E1Config(lambda_terrain=0.7, sd016_writepath_mode="both", divergence_weight=1))
    assert torch.equal(torch.rand(1), after_plain)
    x = states(3)
    assert torch.equal(plain.eval()(x)[0], cued.eval()(x)[0])


@pytest.mark.parametrize("n", [1, 4])
def test_a_prediction_feeds_on_itself_from_the_prior(n: int) -> None:
    e1, x = made().eval(), states(n)
    wanted = fed_back(e1, x, 20)
    predictions, prior = e1(x)
    assert predictions.shape == (n, 20, 64) and prior.shape == (n, 32)
    assert torch.allclose(predictions, wanted, atol=1e-5)
    assert torch.equal(prior, e1.generate_prior(x))
    assert e1.predict_long_horizon(x, 3).shape == (n, 3, 64)
    with pytest.raises(ValueError, match="steps must be at least 1, got 0"):
        e1(x, 0)


def test_the_hidden_state_goes_on_detached_and_is_begun_anew_when_it_must_be() -> None:
    e1, x = made().eval(), states(2)
    first = e1.predict_long_horizon(x)
    second = e1.predict_long_horizon(x)
    assert not torch.allclose(first, second, atol=1e-4)
    second.sum().backward()  # not through the first: its graph may be gone
    e1.reset_hidden_state()
    assert torch.equal(e1.predict_long_horizon(x), first)
    assert e1.predict_long_horizon(states(3)).shape[0] == 3
    assert torch.equal(e1.predict_long_horizon(x), first)
    assert e1.double().predict_long_horizon(x.double()).dtype == torch.float64


def test_generating_a_prior_leaves_the_hidden_state() -> None:
    e1, x = made().eval(), states(1)
    e1(x)
    twin = copy.deepcopy(e1)
    e1.generate_prior(x)
    assert torch.equal(e1(x)[0], twin(x)[0])


def test_dropout_is_active_in_training_only() -> None:
    e1, x = made(), states(1)

    def predicted() -> Tensor:
        e1.reset_hidden_state()
        return e1.predict_long_horizon(x)

    assert not torch.equal(predicted(), predicted())
    e1.eval()
    assert torch.equal(predicted(), predicted())
    sure = made(dropout=0.0)
    assert torch.allclose(sure.predict_long_horizon(x), fed_back(sure, x, 20), atol=1e-5)


def test_the_layers_begin_as_torchs_own() -> None:
    torch.manual_seed(5)
    lstm = torch.nn.LSTM(7, 9, 3, dropout=0.4)
    torch.manual_seed(5)
    layers = RecurrentLayers(7, 9, 3, dropout=0.4)
    mine, theirs = layers.state_dict(), lstm.state_dict()
    assert list(mine) == list(theirs)
    assert all(torch.equal(mine[name], value) for name, value in theirs.items())
    masks = layers.masks(torch.randn(4, 7), 50)
    assert masks.shape == (50, 2, 4, 9)  # nothing is dropped before the first layer
    assert masks.unique().tolist() == pytest.approx([0, 1 / 0.6])
    assert float((masks == 0).float().mean()) == pytest.approx(0.4, abs=0.05)


@pytest.mark.exhaustive
@pytest.mark.parametrize("training", [False, True])
def test_a_prediction_compiles_to_one_graph(training: bool) -> None:
    e1, x = made(num_layers=2, prediction_horizon=2).train(training), states(2)
    compiled = torch.compile(e1, fullgraph=True, backend="aot_eager")
    torch.manual_seed(1)
    wanted = e1(x)[0]
    e1.reset_hidden_state()
    torch.manual_seed(1)
    found = compiled(x)[0]
    assert torch.allclose(found, wanted, atol=1e-5) or training
    assert found.shape == (2, 2, 64)


def test_copies_pickles_and_loaded_ones_predict_the_same() -> None:
    e1, x = made(sd016_enabled=True).eval(), states(2)
    loaded = made(1, sd016_enabled=True).eval()
    loaded.load_state_dict(e1.state_dict())
    wanted = e1(x)[0]
    for other in (loaded, copy.deepcopy(e1), pickle.loads(pickle.dumps(e1))):
        other.reset_hidden_state()
        assert torch.equal(other(x)[0], wanted)


def filled(e1: E1DeepPredictor, n: int = 40) -> E1DeepPredictor:
    for state in states(n):
        e1.remember(state[None])
    return e1


def test_the_prediction_loss_is_of_what_followed_and_leaves_acting_alone() -> None:
    e1, x = filled(made().eval()), states(1, 9)
    e1(x)
    twin = copy.deepcopy(e1)
    loss = e1.prediction_loss(drawn(3))
    stretch = e1.experience.sample(20, drawn(3))
    assert stretch is not None and stretch.following.shape == (1, 20, 64)
    wanted = (fed_back(e1, stretch.first, 20) - stretch.following).square().mean()
    assert torch.allclose(loss, wanted, atol=1e-6)
    loss.backward()
    assert all(
        parameter.grad is not None
        for name, parameter in e1.named_parameters()
        if "write_gate" not in name
    )
    assert torch.equal(e1(x)[0], twin(x)[0])
    assert made().prediction_loss().item() == 0


@pytest.mark.exhaustive
def test_learning_lowers_the_prediction_loss() -> None:
    e1 = made(dropout=0.0, prediction_horizon=5)
    for i in range(30):
        e1.remember(states(2)[i % 2 : i % 2 + 1])
    optimiser = torch.optim.Adam(e1.parameters(), lr=1e-3)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = e1.prediction_loss(drawn())
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_experience_is_bounded_detached_and_drawn_evenly() -> None:
    experience = E1Experience(5)
    assert experience.sample(3) is None
    for i in range(8):
        experience.append(torch.full((1, 2), float(i), requires_grad=True))
    assert len(experience) == 5
    starts = set()
    for i in range(60):
        stretch = experience.sample(3, drawn(i))
        assert stretch is not None and not stretch.first.requires_grad
        begin = int(stretch.first[0, 0])
        assert stretch.following[0, :, 0].tolist() == [begin + 1, begin + 2, begin + 3]
        starts.add(begin)
    assert starts == {3, 4}
    longest = experience.sample(99)
    assert longest is not None and longest.following.shape == (1, 4, 2)
    with pytest.raises(ValueError, match="state must have 2 numbers as those before, got 3"):
        experience.append(torch.zeros(3))
    with pytest.raises(ValueError, match=r"state must be of shape \[D\] or \[1, D\], got \[2, 2\]"):
        experience.append(torch.zeros(2, 2))


@pytest.mark.parametrize(
    ("mode", "on_sense", "in_training"),
    [
        ("off", False, False),
        ("train_only", False, True),
        ("sense_only", True, False),
        ("both", True, True),
    ],
)
@pytest.mark.parametrize("offline", [False, True])
def test_the_memory_is_written_where_the_mode_says_and_never_offline(
    mode: Any, on_sense: bool, in_training: bool, offline: bool
) -> None:
    e1 = filled(made(sd016_writepath_mode=mode))
    e1.offline_mode = offline
    written = e1.write_on_sense(states(1))
    assert (written is not None) == (on_sense and not offline)
    writes = int(e1.context_memory.slot_write_counts.sum())
    e1.prediction_loss(drawn()).backward()
    more = int(e1.context_memory.slot_write_counts.sum()) - writes
    assert more == int(in_training and not offline)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_dim": 64}, r"memory.memory_dim must equal hidden_dim \(64\), got 128"),
        ({"world_dim": 16}, r"memory.latent_dim must equal self_dim \+ world_dim \(48\), got 64"),
        ({"dropout": 2.0}, "dropout must be between 0 and 1, got 2.0"),
        ({"sd016_writepath_mode": "on"}, "sd016_writepath_mode must be one of off, train_only"),
        ({"cue_action_input": "x"}, r"cue_action_input must be one of context, context\+world"),
        ({"num_layers": 0}, "num_layers must be at least 1, got 0"),
    ],
)
def test_a_wrong_field_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        E1Config(**changes)


def test_other_sizes_are_predicted() -> None:
    memory = ContextMemoryConfig(latent_dim=12, memory_dim=20)
    e1 = made(self_dim=4, world_dim=8, hidden_dim=20, num_layers=1, memory=memory)
    assert e1(torch.zeros(3, 12), 2)[0].shape == (3, 2, 12)
