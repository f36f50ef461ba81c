"""X1 to X4 judge what they measure: trained paths, untrained ones, and labels that say nothing."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import torch

from prefrontal.control.experiments import anticipation, attribution, cue_only, lead_time
from prefrontal.control.experiments.bootstrap import auc
from prefrontal.control.experiments.contact_prediction import (
    FirstContacts,
    episode_draws,
    first_contacts,
    scores_before,
    weighted_auc,
)
from prefrontal.control.experiments.corridor import DISTANCE, STEPS, corridors
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.experiments.trained_cue import (
    CueSizes,
    held_out,
    trained_cue,
    world_config,
)
from prefrontal.control.experiments.walks import Walks

from ...exhaustive import first

SMALL = CueSizes(
    worlds=16,
    steps=100,
    encoder_batches=120,
    cue_batches=120,
    held_out_worlds=16,
    held_out_steps=80,
)
UNTAUGHT = replace(SMALL, cue_batches=0)
EXPERIMENTS = (anticipation, lead_time, cue_only, attribution)


def values(record: ExperimentRecord) -> dict[str, float]:
    return {it.name: it.value for it in record.seeds[0].measurements}


@pytest.mark.exhaustive
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_small_run_is_judged_deterministic_and_drawn_from_its_json(
    experiment: ModuleType,
) -> None:
    told: list[str] = []
    fewer = {anticipation: {"draws": 30}, lead_time: {"runs": 30}, attribution: {"banks": 3}}
    options = fewer.get(experiment, {})
    record = experiment.run([3], report=told.append, sizes=SMALL, **options)
    assert all(it.startswith("seed 3: ") for it in told) and told
    (seed,) = record.seeds
    assert seed.verdict == ("pass" if all(it.passed for it in seed.measurements) else "fail")
    assert record.verdict == seed.verdict
    trained_cue.cache_clear()
    again = experiment.run([3], sizes=SMALL, **options)
    assert again.to_json() == record.to_json()
    read = ExperimentRecord.from_json(record.to_json())
    assert render_png(read, experiment.draw).startswith(b"\x89PNG")


@pytest.mark.parametrize("experiment", first(3, [anticipation, cue_only, attribution, lead_time]))
def test_labels_that_hardly_change_make_a_run_void(experiment: ModuleType) -> None:
    record = experiment.run([3], profile="seed", sizes=UNTAUGHT)
    assert record.verdict == "void"
    assert record.seeds[0].reason == "labels out of balance: safe on 0% of the steps"


@pytest.mark.exhaustive
def test_teaching_is_what_raises_depth_and_lead() -> None:
    taught, untaught = (anticipation.run([3], sizes=it, draws=20) for it in (SMALL, UNTAUGHT))
    assert untaught.verdict == "fail"
    assert values(taught)["depth"] > 0.2 > 0.05 > abs(values(untaught)["depth"])
    assert values(taught)["AUC of danger"] > 0.8
    assert untaught.raw["seeds"][0]["curve"][0] == pytest.approx((0, 0), abs=0.05)
    late = lead_time.run([3], sizes=UNTAUGHT, runs=30)
    assert late.verdict == "fail" and values(late)["false alarms"] > 0.5
    found = lead_time.run([3], sizes=SMALL, runs=30)
    assert values(found)["mean lead"] > 3
    assert values(found)["longest lead, lesion"] < 0


def test_the_weaknesses_of_the_seed_profile_are_measured() -> None:
    found = {it.name: it for it in anticipation.seed_profile_measurements(3, SMALL)}
    assert 0.999 <= found["seed: first entropy"].value < 1
    assert found["seed: danger in the default world"].value == 1
    assert all(it.passed for it in found.values())


@pytest.mark.exhaustive
def test_slots_are_exchanged_for_a_while_only() -> None:
    cue = trained_cue(3, "sound", SMALL)
    slots = cue.e1.context_memory.memory.clone()
    with torch.no_grad(), attribution.bank(cue, slots * 0):
        assert not bool(cue.e1.context_memory.memory.any())
    assert torch.equal(cue.e1.context_memory.memory, slots)
    z, dangerous = torch.randn(50, 32), torch.arange(50) < 25
    measured, more = attribution.exchanged(cue, z, dangerous, 0, banks=3)
    found = {it.name: it.value for it in measured}
    assert found["AUC, zeros"] == found["AUC, mean slot"] == 0.5
    assert found["change by another order"] <= 1e-6
    assert len(more["random_depths"]) == 3 and len(set(more["random_depths"])) == 3
    assert torch.equal(cue.e1.context_memory.memory, slots)


@pytest.mark.exhaustive
def test_a_path_that_reads_the_body_would_be_found_out() -> None:
    cue = trained_cue(3, "sound", SMALL)
    z = torch.randn(4, 32)
    assert cue_only.bodies_change(cue, z, seed=0) == 0

    class Leaky:
        config = cue.e1.config
        body = 0.0

        def __call__(self, state: torch.Tensor, steps: int) -> None:
            self.body = float(state[0, 0])

        def extract_cue_context(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return z + 1e-3 * self.body, z[:, :2]

        def reset_hidden_state(self) -> None:
            pass

    leaky = replace(cue, e1=Leaky())  # type: ignore[arg-type]
    assert cue_only.bodies_change(leaky, z, seed=0) > 1e-3


@pytest.mark.exhaustive
def test_a_frozen_bank_stays_and_the_rest_learns() -> None:
    around, free = (
        trained_cue(3, "sound", SMALL, frozen_bank=frozen).e1.context_memory
        for frozen in (True, False)
    )
    drawn = trained_cue(3, "sound", UNTAUGHT).e1.context_memory
    assert torch.equal(around.memory, drawn.memory) and not torch.equal(free.memory, drawn.memory)
    assert not torch.equal(around.key_proj.weight, drawn.key_proj.weight)


def test_the_lead_counts_from_the_first_step_above_a_half() -> None:
    stream = torch.zeros(4, STEPS + 1)
    stream[:, DISTANCE:] = torch.linspace(0, 1, STEPS + 1 - DISTANCE)  # half of its peak: step 13
    half = int((stream[0] > 0.5).int().argmax())
    w_harm = torch.full((4, STEPS + 1), 0.2)
    w_harm[0, 3:] = 0.6
    w_harm[1, 3] = w_harm[1, 9:] = 0.6
    w_harm[2] = 0.5
    w_harm[3, half + 2 :] = 0.9
    assert lead_time.leads(w_harm, stream).tolist() == [half - 3, half - 3, half - STEPS, -2]


def test_corridors_lead_to_the_hazard_and_stay_beside_it() -> None:
    config = world_config("sound")
    found = corridors(5, 12, config)
    assert found.world.shape == (12, STEPS + 1, 250)
    hazards = found.world[:, :, 200:225]  # as seen around the agent, which is at place 12
    distances = (2 / hazards[:, :, 12] - 2).round()  # 1 / (1 + d / 2)
    wanted = [*range(DISTANCE, -1, -1), 1, 1]
    assert (distances[:, : len(wanted)] == torch.tensor(wanted)).all()
    assert (found.harm_stream[:, 0] == 0).all()
    assert (found.harm_stream[:, DISTANCE] > found.harm_stream[:, DISTANCE - 1]).all()
    assert torch.equal(found.world, corridors(5, 12, config).world)
    assert not torch.equal(found.world, corridors(6, 12, config).world)


def walks(signals: list[list[float]], running: list[list[bool]]) -> Walks:
    empty = torch.zeros(0)
    return Walks(
        *(empty, empty, empty, empty, empty),
        signals=torch.tensor(signals),
        running=torch.tensor(running),
    )


def test_first_contacts_are_found_within_their_episodes() -> None:
    contact = -0.55
    one = [0.0, -0.1, 0.0, 0.0, contact, 0.0, contact, 0.0, 0.0, contact]
    ran = [True] * 7 + [False] + [True] * 2
    found = first_contacts(walks([[it] for it in one], [[it] for it in ran]))
    yes = [at for at in range(10) if found.before[at, 0]]
    assert yes == [0, 1, 2, 3, 4, 8, 9]
    assert [at for at in yes if found.soon[at, 0]] == [2, 3, 4, 8, 9]
    assert len({int(found.episode[at, 0]) for at in range(7)}) == 1
    assert found.episode[8, 0] != found.episode[6, 0]
    two = first_contacts(walks([[0.0]] * 3 + [[contact]], [[True], [True], [False], [True]]))
    assert two.before[:, 0].tolist() == [True, True, False, True]
    assert two.soon[[0, 1, 3], 0].tolist() == [False, False, True]  # not that of the next episode


def test_real_walks_give_episodes_without_the_steps_after_a_contact() -> None:
    walked = held_out(1, "sound", CueSizes(held_out_worlds=30, held_out_steps=150))
    found = first_contacts(walked)
    struck = (walked.signals.numpy() <= -0.5) & walked.running.numpy()
    for episode in np.unique(found.episode):
        rows = (found.episode == episode) & walked.running.numpy()
        steps = np.argwhere(rows)
        hits = [at for at, (t, w) in enumerate(steps) if struck[t, w]]
        kept = [bool(found.before[t, w]) for t, w in steps]
        last = hits[0] if hits else len(steps)
        assert kept == [at <= last for at in range(len(steps))]
    assert struck.any() and (~walked.running).any()


def test_weighted_auc_is_the_auc_of_the_rows_so_often() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 6, 40).astype(float), rng.random(40) < 0.4
    times = rng.integers(0, 4, (5, 40))
    for weight, value in zip(times, weighted_auc(scores, labels, times.astype(float)), strict=True):
        assert value == pytest.approx(auc(np.repeat(scores, weight), np.repeat(labels, weight)))
    assert np.isnan(weighted_auc(scores, labels, np.zeros((1, 40)))[0])


def test_draws_take_whole_episodes() -> None:
    episodes = np.repeat([7, 9, 11], [2, 3, 4])
    drawn = episode_draws(episodes, 50)
    for rows in (slice(0, 2), slice(2, 5), slice(5, 9)):
        assert (drawn[:, rows] == drawn[:, rows][:, :1]).all()
    assert (drawn[:, [0, 2, 5]].sum(axis=1) == 3).all() and np.unique(drawn).size > 2


def test_scores_are_laid_back_over_the_steps_that_ran() -> None:
    walked = walks([[0.0, 0.0], [0.0, 0.0]], [[True, False], [True, True]])
    before = np.array([[True, False], [False, True]])
    contacts = FirstContacts(before, before, before.astype(np.int64))
    assert scores_before(walked, contacts, torch.tensor([5.0, 6.0, 7.0])).tolist() == [5.0, 7.0]
