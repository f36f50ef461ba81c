from __future__ import annotations

import pytest
import torch

from prefrontal.executive.selector.config import PlanSelectionConfig
from prefrontal.executive.selector.experience import PlanExperience, PlanOutcomes
from prefrontal.executive.selector.learning import PlanLearning, worth_of
from prefrontal.executive.selector.parts import PlanNetwork

CONFIG = PlanSelectionConfig(context_dim=6, plan_dim=3, experience=8, batch=4)


def outcomes(harm: list[float], *, goal: float = 0.0) -> PlanOutcomes:
    """One outcome for each harm, in contexts and with plans that are all different."""
    rows = len(harm)
    generator = torch.Generator().manual_seed(5)
    results = torch.tensor([[it, goal] for it in harm])
    contexts, plans, rules = (torch.randn(rows, it, generator=generator) for it in (6, 3, 16))
    return PlanOutcomes(contexts, plans, rules, results)


def single(found: PlanOutcomes, row: int) -> PlanOutcomes:
    return PlanOutcomes(*(it[row : row + 1] for it in found))


def test_the_hazard_in_view_is_foreseen_or_was_felt() -> None:
    learning = PlanLearning(PlanNetwork(CONFIG, 0), CONFIG)
    found = outcomes([0.0, 1.0, 0.7])
    view = learning._hazards(found.contexts, found.plans, found.results)
    assert view.shape == (3, 25)
    assert view.amax(dim=1).tolist() == [0.5, 1.0, torch.tensor(0.7).item()]


def test_a_plan_in_view_is_foreseen_in_every_context_of_the_batch() -> None:
    network = PlanNetwork(CONFIG, 0)
    head = network.e3.harm_eval_head
    torch.nn.init.normal_(head.get_parameter("2.weight"))
    found = outcomes([0.0, 0.0])
    view = PlanLearning(network, CONFIG)._hazards(found.contexts, found.plans, found.results)
    for context in range(2):
        for plan in range(2):
            after = torch.cat([found.contexts[context], found.plans[plan]])[None]
            expected = network.e3.harm_eval(after)
            torch.testing.assert_close(
                view[context, plan::2][1:], expected.expand(12 - plan).detach()
            )


def test_experience_forgets_the_oldest_and_always_draws_the_newest() -> None:
    experience, found = PlanExperience(CONFIG, 16), outcomes([0.1 * k for k in range(10)])
    generator = torch.Generator().manual_seed(0)
    for row in range(10):
        experience.put(single(found, row))
        assert len(experience) == min(row + 1, 8)
        drawn = experience.draw(4, generator)
        assert torch.equal(drawn.contexts[0], found.contexts[row])
    seen = torch.cat([experience.draw(4, generator).results[:, 0] for _ in range(200)])
    assert {round(it, 1) for it in seen.tolist()} == {round(0.1 * k, 1) for k in range(2, 10)}


def test_a_shut_gate_and_no_experience_are_no_step() -> None:
    network, experience = PlanNetwork(CONFIG, 0), PlanExperience(CONFIG, 16)
    learning, generator = PlanLearning(network, CONFIG), torch.Generator().manual_seed(0)
    before = {name: it.clone() for name, it in network.state_dict().items()}
    learning.step(experience, 1.0, generator)
    experience.put(single(outcomes([1.0]), 0))
    learning.step(experience, 0.0, generator)
    assert all(torch.equal(before[name], it) for name, it in network.state_dict().items())
    learning.step(experience, 1.0, generator)
    assert not all(torch.equal(before[name], it) for name, it in network.state_dict().items())


@pytest.mark.exhaustive
def test_what_is_learned_is_foreseen_and_weighs_as_it_should() -> None:
    network, experience = PlanNetwork(CONFIG, 0), PlanExperience(CONFIG, 16)
    learning, generator = PlanLearning(network, CONFIG), torch.Generator().manual_seed(0)
    found = outcomes([1.0, 0.0])
    found.results[1, 1] = 1.0
    for row in (0, 1):
        experience.put(single(found, row))
    with torch.no_grad():
        network.contexts.observe(found.contexts, 1.0)
        network.plans.observe(found.plans, 1.0)
    for _ in range(300):
        learning.step(experience, 1.0, generator)
    foreseen = learning.foreseen_worth(found)
    assert foreseen[0] < -0.6 and foreseen[1] > 0.6
    assert worth_of(found.results).tolist() == [-1.0, 1.0]


@pytest.mark.exhaustive
def test_the_rule_learns_what_the_present_does_not_explain() -> None:
    network, experience = PlanNetwork(CONFIG, 0), PlanExperience(CONFIG, 16)
    learning, generator = PlanLearning(network, CONFIG), torch.Generator().manual_seed(0)
    found = outcomes([1.0, 0.0])
    found.results[1, 1] = 1.0
    found.contexts[1], found.plans[1] = found.contexts[0], found.plans[0]  # the rules alone differ
    for row in (0, 1):
        experience.put(single(found, row))
    for _ in range(300):
        learning.step(experience, 1.0, generator)
    after = network.worlds(network.contexts(found.contexts), network.plans(found.plans))[:, 1]
    bias = network.rule_biases(found.rules, after)
    assert bias[0] > 0.15 and bias[1] < -0.15
    assert float(bias.detach().abs().max()) <= CONFIG.bias_scale
