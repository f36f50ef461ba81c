"""X9: a head trained in phases turns a rule that is held into choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..rule.lateral_pfc import LateralPFCAnalog, LateralPFCConfig
from ..rule.rule_training import RuleTraining
from ..threads import one_thread
from .bootstrap import bootstrap_interval
from .figure import AMBER, BLUE, GREEN, RED, band, frame, legend, panels, seed_dots, target_line
from .record import ExperimentRecord, SeedResult, measure, seed_result, summarise
from .rule_subjects import RuleSubjects, learn_to_see, made_module, made_subjects, train
from .rule_task import RuleTask

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "rule-head"
TITLE = "X9 A trained rule head"
CRITERION = (
    "Told by a cue 20 ticks and 20 distractors ago which of two kinds to approach, the trained "
    "head chooses right in 0.85 or more of trials, also in the first after a reversal; in 0.75 "
    "with novel stimuli; in 0.60 or fewer with the rule zeroed or with summaries t0. A uniform "
    "bias, though not 0, changes no choice, a frozen zero head no bit."
)
BLOCK, TRIALS = 4, 12


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    subjects: int = 64,
    warm_up: int = 200,
    steps: int = 200,
) -> ExperimentRecord:
    """subjects: trials side by side; warm_up: steps of the encoders (P0), steps: of the head."""
    results, raw = [], []
    with one_thread():
        for seed in seeds:
            task = RuleTask(torch.Generator().manual_seed(seed))
            report(f"seed {seed}: P0, encoders")
            made = made_subjects(seed, profile, subjects)
            training = RuleTraining(made.module, (made.world, made.delta), learning_rate=1e-2)
            learn_to_see(made, task, warm_up)
            report(f"seed {seed}: P1, the head")
            curve = train(made, training, task, steps)
            report(f"seed {seed}: P2, choices")
            training.advance()
            result, numbers = _one_seed(seed, profile, made, task)
            results.append(result)
            report(f"seed {seed}: P1 again, by reward alone")
            rewarded = _by_reward(seed, profile, made, task, 2 * steps)
            raw.append({"losses": curve, **numbers, "by_reward_alone": rewarded})
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


def _by_reward(seed: int, profile: str, made: RuleSubjects, task: RuleTask, steps: int) -> float:
    """Accuracy of a new head that learns by reward, with the same encoders."""
    rules, generator = len(made.module.rule_state), torch.Generator().manual_seed(3000 + seed)
    module = made_module(profile, rules, generator, head="trained")
    mind = RuleSubjects(made.world, made.delta, module, made.salience)
    training = RuleTraining(module, (made.world, made.delta), learning_rate=1e-2)
    train(mind, training, task, steps, by_reward=True)
    with torch.no_grad():
        return float(_session(mind, task, module.config.candidate_summary).mean())


@torch.no_grad()
def _one_seed(
    seed: int, profile: str, made: RuleSubjects, task: RuleTask
) -> tuple[SeedResult, dict[str, Any]]:
    source = made.module.config.candidate_summary
    arms = {name: _session(it, task, source, delay=delay) for name, it, delay in _arms(made)}
    known = arms["delay 20"]
    novel = _session(made, task, source, novel=True)
    zeroed = _session(made, task, source, zeroed=True)
    blind = _session(made, task, "t0")
    reversed_to = known[:, BLOCK::BLOCK]
    subjects = len(made.module.rule_state)
    generator = torch.Generator().manual_seed(2000 + seed)
    uniform = made_module(profile, subjects, generator, bias_form="uniform", head="frozen_random")
    frozen = made_module(profile, subjects, generator, head="frozen_zero")
    measurements = [
        measure("accuracy", known.mean(), "at least", 0.85, _by_subject(known)),
        measure("after a reversal", reversed_to.mean(), "at least", 0.85, _by_subject(reversed_to)),
        measure("novel stimuli", novel.mean(), "at least", 0.75, _by_subject(novel)),
        measure("rule zeroed", zeroed.mean(), "at most", 0.60, _by_subject(zeroed)),
        measure("summaries t0", blind.mean(), "at most", 0.60, _by_subject(blind)),
        measure("choices changed, uniform", _changed(made, uniform, task), "equal to", 0),
        measure("least uniform bias", _least(uniform), "above", 1e-4),
        measure("bits changed, frozen zero", _bits_changed(made, frozen, task), "equal to", 0),
    ]
    by_trial = {name: right.mean(axis=0) for name, right in arms.items()}
    return seed_result(seed, measurements), {"by_trial": by_trial}


def _arms(made: RuleSubjects) -> list[tuple[str, RuleSubjects, int]]:
    """What is shown beside the verdict: longer delays, the gate open in them, a cue too faint."""
    opened = replace(made, delay_mode="external_task")
    return [
        ("delay 20", made, 20),
        ("delay 100", made, 100),
        ("delay 100, gate open", opened, 100),
        ("delay 20, no override", replace(made, override=0.0), 20),
    ]


def _by_subject(right: np.ndarray[Any, Any]) -> tuple[float, float]:
    return bootstrap_interval(right.mean(axis=1))


def _session(
    made: RuleSubjects,
    task: RuleTask,
    source: str,
    *,
    novel: bool = False,
    zeroed: bool = False,
    delay: int = 20,
) -> np.ndarray[Any, Any]:
    """Whether each choice was right [N, 12]. The rule turns around every 4 trials, and nothing is
    reset in between: a new cue has to write over the old rule. zeroed: just before the choice."""
    made.module.reset()
    rules, hits = task.any_kinds(len(made.module.rule_state)), []
    for at in range(TRIALS):
        rules = 1 - rules if at and at % BLOCK == 0 else rules
        trial = task.trial(rules, novel=novel, delay=delay)
        made.hold(trial)
        if zeroed:
            made.module.reset()
        scores = made.module.biased(trial.scores, made.summaries(trial, source))
        hits.append(scores.argmin(dim=1) == trial.right)
    return torch.stack(hits, dim=1).double().numpy()


def _changed(made: RuleSubjects, uniform: LateralPFCAnalog, task: RuleTask) -> float:
    """Share of choices that a uniform bias changes, and the largest change of their odds."""
    mind = RuleSubjects(made.world, made.delta, uniform, made.salience)
    changed = 0.0
    for _ in range(TRIALS):
        trial = task.trial(task.any_kinds(len(uniform.rule_state)))
        mind.hold(trial)
        scores = uniform.biased(trial.scores, mind.summaries(trial, "t1"))
        changed += (scores.argmin(dim=1) != trial.scores.argmin(dim=1)).double().mean().item()
        odds = [torch.softmax(-it / 0.02, dim=1) for it in (scores, trial.scores)]
        changed += float((odds[0] - odds[1]).abs().max() > 1e-4)
    return changed / TRIALS


def _least(uniform: LateralPFCAnalog) -> float:
    """The size of the smallest bias for the rules held last: of 0, no choice would tell."""
    summaries = torch.zeros(len(uniform.rule_state), 2, uniform.config.world_dim)
    return float(uniform.compute_bias(summaries).abs().min())


def _bits_changed(made: RuleSubjects, frozen: LateralPFCAnalog, task: RuleTask) -> float:
    """Scores of a session with a frozen zero head that are not those with the module off."""
    off = LateralPFCAnalog(LateralPFCConfig())
    mind, changed = RuleSubjects(made.world, made.delta, frozen, made.salience), 0
    for _ in range(TRIALS):
        trial = task.trial(task.any_kinds(len(frozen.rule_state)))
        mind.hold(trial)
        seen = mind.summaries(trial, "t1")
        scores = [it.biased(trial.scores, seen).numpy().view(np.int32) for it in (frozen, off)]
        changed += int(np.count_nonzero(scores[0] != scores[1]))
    return float(changed)


def _means(losses: Sequence[float], width: int) -> list[float]:
    """Of each run of `width` losses."""
    starts = range(0, len(losses) - width + 1, width)
    return [sum(losses[k : k + width]) / width for k in starts]


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Learning, choices by trial with their reversals, and all accuracies."""
    left, middle, right = panels(figure, 3)
    seeds = record.raw["seeds"]
    width = max(1, len(seeds[0]["losses"]) // 40)
    smooth = [_means(it["losses"], width) for it in seeds]
    band(left, [k * width for k in range(len(smooth[0]))], smooth, BLUE)
    frame(left, "P1: the head learns", "step", "loss")
    trials = range(1, TRIALS + 1)
    for name, colour in zip(seeds[0]["by_trial"], (BLUE, GREEN, RED, AMBER), strict=True):
        band(middle, trials, [it["by_trial"][name] for it in seeds], colour, name)
    for at in range(BLOCK, TRIALS, BLOCK):
        middle.axvline(at + 0.5, 0, 1 / 1.65, color="0.7", linewidth=1)
    middle.set_ylim(0, 1.65)
    middle.set_yticks([0, 0.25, 0.5, 0.75, 1])
    middle.set_xticks([1, 5, 9, 12])
    target_line(middle, 0.5)
    frame(middle, "P2: right choices, with reversals", "trial")
    legend(middle, "upper left")
    names = ["accuracy", "after a reversal", "novel stimuli", "rule zeroed", "summaries t0"]
    seed_dots(right, record, names, ["known", "turned", "novel", "zeroed", "t0"])
    right.tick_params(axis="x", labelsize=6.5)
    right.set_ylim(0, 1.05)
    frame(right, "Right choices, and target", "")
