"""The decks, the people and the simulated people of the Iowa Gambling Task are what they claim."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from prefrontal.control.experiments import gambling_subjects as subjects
from prefrontal.control.experiments import gambling_task as task

PARAMETERS = subjects.GamblingParameters()
FEW = 5


def someone(arm: subjects.Arm = "intact", profile: str = "sound") -> subjects.GamblingSubjects:
    return subjects.GamblingSubjects(FEW, 3, arm, profile, torch.Generator().manual_seed(3))


def learn(
    people: subjects.GamblingSubjects, deck: int, gain: float, loss: float, rate: float = 0.1
) -> None:
    """Everybody draws the same card."""
    people.learn(torch.full((FEW,), deck), torch.full((FEW,), gain), torch.full((FEW,), loss), rate)


def test_ten_cards_of_a_bad_deck_lose_250_and_of_a_good_one_win_250() -> None:
    losses = task.loss_schedule().unflatten(1, (4, 10)).sum(2)
    net = 10 * torch.tensor(task.GAINS)[:, None] - losses
    assert net.tolist() == [[-250.0] * 4, [-250.0] * 4, [250.0] * 4, [250.0] * 4]


def test_two_decks_lose_often_and_two_seldom() -> None:
    lost = (task.loss_schedule() > 0).sum(1)
    assert lost.tolist() == [20, 4, 20, 4]


def test_the_people_are_the_weighted_mean_of_their_studies() -> None:
    studies = task.STUDIES.values()
    assert sum(it.n for it in studies) == task.HEALTHY.n
    for block, wanted in enumerate(task.HEALTHY.blocks):
        mean = sum(it.n * it.blocks[block] for it in studies) / task.HEALTHY.n
        assert mean == pytest.approx(wanted, abs=0.011)


def test_net_counts_good_less_bad_cards_of_each_block() -> None:
    choices = torch.zeros(2, task.CARDS, dtype=torch.int64)
    choices[0, :20], choices[0, 20:25], choices[1] = 3, 2, 1
    assert task.block_nets(choices).tolist() == [[20, -10, -20, -20, -20], [-20] * 5]
    assert task.deck_shares(choices).tolist() == pytest.approx([0.375, 0.5, 0.025, 0.1])


@pytest.mark.parametrize("profile", ["seed", "upstream", "sound"])
def test_everybody_reads_his_cues_as_e1_does(profile: str) -> None:
    people = someone(profile=profile)
    for deck in (0, 1, 3, 2, 0, 0):
        learn(people, deck, 100.0, 150.0 * deck)
    e1, _ = subjects.networks(3, profile)
    named = dict(e1.named_parameters())
    for person in range(FEW):
        plastic = iter(people.cue_path.plastic)
        for name in people.cue_path.NAMES:
            if name.startswith(people.cue_path.PLASTIC):
                named[name].data.copy_(next(plastic)[person])
        wanted = e1.extract_cue_context(people.cues[person])[1]
        torch.testing.assert_close(people.terrain()[person], wanted, rtol=0, atol=1e-6)


def test_the_profile_reaches_the_networks() -> None:
    banks = {it: subjects.networks(0, it)[0].config.memory for it in ("seed", "upstream", "sound")}
    assert [banks[it].attention for it in banks] == ["dot", "dot", "cosine"]
    assert [banks[it].slot_init for it in banks] == ["normal", "normal", "orthogonal"]
    seed, sound = (
        subjects.play(PARAMETERS, 4, 0, profile=it, cards=30) for it in ("seed", "sound")
    )
    assert not torch.equal(seed.terrain, sound.terrain)


def test_a_deck_is_scored_as_e3_scores_a_state_of_its_cue() -> None:
    people = someone()
    learn(people, 1, 100.0, 0.0)
    _, e3 = subjects.networks(3, "sound")
    terrain = people.terrain()
    found = people.score(terrain, PARAMETERS)
    for person in range(FEW):
        for name in ("harm", "benefit"):
            head = getattr(people, f"{name}_head")
            layers = getattr(e3, f"{name}_eval_head").parameters()
            for own, theirs in zip(head, layers, strict=True):
                theirs.data.copy_(own[person])
        harm, benefit = e3.harm_eval(people.cues[person]), e3.benefit_eval(people.cues[person])
        w_harm, w_goal = terrain[person].unbind(1)
        wanted = PARAMETERS.harm_weight * w_harm * harm - w_goal * benefit
        torch.testing.assert_close(found[person], wanted, rtol=0, atol=1e-6)


def test_a_card_teaches_the_heads_about_its_deck_by_one_step_of_gradient_descent() -> None:
    people = someone()
    _, e3 = subjects.networks(3, "sound")
    optimizer = torch.optim.SGD(e3.harm_eval_head.parameters(), lr=0.2)
    cue = people.cues[1, 2]
    logit = e3.harm_eval_head(cue)
    torch.nn.functional.binary_cross_entropy_with_logits(logit, torch.tensor([0.4])).backward()
    optimizer.step()
    learn(people, 2, 50.0, 50.0, rate=0.2)
    for own, wanted in zip(people.harm_head, e3.harm_eval_head.parameters(), strict=True):
        torch.testing.assert_close(own[1], wanted, rtol=0, atol=1e-6)


def test_the_terrain_loss_is_that_of_the_decks_met_and_of_what_they_came_to_mean() -> None:
    people = someone()
    for deck, loss in ((0, 1250.0), (2, 0.0)):
        learn(people, deck, 50.0, loss)
    harm, goal = people.terrain().unbind(2)
    wanted = (harm[:, 0] - 0.8) ** 2 + (goal[:, 0] - 0.3) ** 2
    wanted = (wanted + (harm[:, 2] - 0.2) ** 2 + (goal[:, 2] - 0.8) ** 2) / 2
    torch.testing.assert_close(people.terrain_losses(), wanted, rtol=1e-5, atol=1e-7)


def test_the_same_seed_gives_the_same_play_and_leaves_torchs_generator_alone() -> None:
    state = torch.random.get_rng_state()
    first, second = (subjects.play(PARAMETERS, FEW, 1, cards=12) for _ in range(2))
    assert torch.equal(first.choices, second.choices)
    assert torch.equal(first.terrain, second.terrain)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not torch.equal(subjects.play(PARAMETERS, FEW, 2, cards=12).choices, first.choices)


def test_without_terrain_all_weights_are_a_half_and_with_equal_slots_all_decks_are_alike() -> None:
    lesion = subjects.play(PARAMETERS, FEW, 1, arm="lesion", cards=12)
    assert bool((lesion.terrain == 0.5).all())
    equal = subjects.play(PARAMETERS, FEW, 1, arm="equal slots", cards=12)
    assert float(equal.anticipation().abs().max()) < 1e-6
    moved: Tensor = equal.terrain[:, -1] - equal.terrain[:, 0]
    assert float(moved.abs().min()) > 0.01, "its terrain head goes on learning"


def test_one_slot_reads_as_sixteen_that_are_alike() -> None:
    e1, _ = subjects.networks(3, "sound")
    path = subjects.CuePathOfMany(e1, 1, one_slot=True)
    cues = torch.randn(4, 32, generator=torch.Generator().manual_seed(1))
    memory = e1.context_memory.memory.data
    memory.copy_(memory.mean(0).expand_as(memory))
    wanted = e1.extract_cue_context(cues)[1]
    torch.testing.assert_close(path(cues[None])[0], wanted, rtol=0, atol=1e-6)
