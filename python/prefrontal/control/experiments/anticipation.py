"""X1: the precision weight of harm rises where a hazard is in view, before any harm is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..memory.terrain_loss import hazard_in_view
from ..threads import one_thread
from ..world.grid_world_config import GridWorldConfig
from .bootstrap import p_value
from .contact_prediction import episode_draws, first_contacts, scores_before, weighted_auc
from .figure import AMBER, BLUE, RED, band, frame, legend, panels, target_line
from .record import ExperimentRecord, Measurement, measure, seed_result, summarise
from .trained_cue import CueSizes, TrainedCue, depth, held_out, separation, trained_cue
from .walks import Walks, random_walks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "anticipation"
TITLE = "X1 Anticipatory precision"
CRITERION = (
    "In held-out walks w_harm is at least 0.45 higher in danger than in safety and tells them "
    "apart with AUC 0.98; taught grades of danger, it foresees the first contact within 3 steps "
    "with AUC 0.90, and 0.03 better than the slow harm stream (p < 0.01, by episodes)."
)
_DRAWS = 400
_CONTACT_SCORES = ("w_harm", "harm stream", "hazard in view")


def run(
    seeds: Sequence[int],
    *,
    profile: str = "sound",
    report: Callable[[str], None] = lambda text: None,
    sizes: CueSizes | None = None,
    draws: int = _DRAWS,
) -> ExperimentRecord:
    """sizes, draws: of the training and of the bootstrap; smaller ones are for tests."""
    chosen = sizes or CueSizes()
    results, raw = [], []
    for seed in seeds:
        report(f"seed {seed}: training the cue path")
        cue = trained_cue(seed, profile, chosen)
        graded = trained_cue(seed, profile, chosen, grading="rank")
        report(f"seed {seed}: measuring on held-out walks")
        with one_thread():
            walks = held_out(seed, profile, chosen)
            terrain, more = terrain_measurements(cue, walks)
            contact, other = contact_measurements(graded, walks, draws)
            weakness = seed_profile_measurements(seed, chosen)
        results.append(seed_result(seed, [*terrain, *contact, *weakness], void=cue.void()))
        raw.append({"curve": cue.curve, "balance": cue.targets.balance(), **more, **other})
    return summarise(NAME, TITLE, profile, CRITERION, results, raw={"seeds": raw})


def terrain_measurements(cue: TrainedCue, walks: Walks) -> tuple[list[Measurement], dict[str, Any]]:
    """Depth and separation of w_harm, and its mean for each hazard in view."""
    harm = walks.before("harm")
    w_harm, dangerous = cue.weights(walks.before("world"))[:, 0], cue.dangerous(harm)
    hazard = hazard_in_view(harm)
    values = hazard.round(decimals=3).unique()
    means = [float(w_harm[hazard.round(decimals=3) == it].mean()) for it in values]
    measurements = [
        measure("depth", depth(w_harm, dangerous), "at least", 0.45),
        measure("AUC of danger", separation(w_harm, dangerous), "at least", 0.98),
    ]
    return measurements, {"hazard": values, "w_harm": means, "threshold": cue.targets.limits[0]}


def contact_measurements(
    cue: TrainedCue, walks: Walks, draws: int
) -> tuple[list[Measurement], dict[str, Any]]:
    """How well w_harm, the slow harm stream and the proxy foresee the first contact."""
    contacts = first_contacts(walks)
    soon = contacts.soon[contacts.before]
    episodes = contacts.episode[contacts.before]
    columns = (
        cue.weights(walks.before("world"))[:, 0],
        walks.before("harm_a")[:, 0],
        hazard_in_view(walks.before("harm")),
    )
    once, resampled = np.ones((1, len(soon))), episode_draws(episodes, draws)
    whole, drawn = {}, {}
    for name, scores in zip(_CONTACT_SCORES, columns, strict=True):
        rows = scores_before(walks, contacts, scores)
        whole[name] = float(weighted_auc(rows, soon, once)[0])
        drawn[name] = weighted_auc(rows, soon, resampled)
    better = drawn["w_harm"] - drawn["harm stream"]
    gain = whole["w_harm"] - whole["harm stream"]
    measurements = [
        measure("AUC of contact", whole["w_harm"], "at least", 0.90, _middle(drawn["w_harm"])),
        measure("gain over the harm stream", gain, "at least", 0.03, _middle(better)),
        measure("p of the gain", p_value(better), "below", 0.01),
    ]
    counts = {"steps": len(soon), "soon": int(soon.sum()), "episodes": len(np.unique(episodes))}
    return measurements, {"contact_auc": whole, "contacts": counts}


def seed_profile_measurements(seed: int, sizes: CueSizes) -> list[Measurement]:
    """Two known weaknesses: slots that hardly attend at first, labels that never change."""
    first = trained_cue(seed, "seed", CueSizes(2, 60, 20, 0)).first_entropy
    harm = random_walks(seed, 8, min(sizes.steps, 200), GridWorldConfig()).before("harm")
    constant = float((hazard_in_view(harm) > 0.3).double().mean())
    return [
        measure("seed: first entropy", first / math.log(16), "at least", 0.999),
        measure("seed: danger in the default world", constant, "at least", 0.99),
    ]


def _middle(draws: np.ndarray[Any, Any]) -> tuple[float, float]:
    numbers = draws[~np.isnan(draws)]
    if len(numbers) == 0:
        return math.nan, math.nan
    return float(np.quantile(numbers, 0.025)), float(np.quantile(numbers, 0.975))


def draw(record: ExperimentRecord, figure: Figure) -> None:
    """Weights against the hazard, the learning curve, and who foresees contact."""
    left, middle, right = panels(figure, 3)
    seeds = record.raw["seeds"]
    frame(left, "What w_harm makes of the hazard", "largest hazard field in view", "w_harm")
    for i, it in enumerate(seeds):
        left.plot(it["hazard"], it["w_harm"], color=BLUE, alpha=0.6, label=None if i else "a seed")
    if seeds:
        left.axvline(seeds[0]["threshold"], color=AMBER, linewidth=1, label="label's threshold")
        legend(left, "lower right")
    frame(middle, "Learning", "batches of 256", "depth on training rows")
    if seeds:
        places = [point[0] for point in seeds[0]["curve"]]
        band(middle, places, [[point[1] for point in it["curve"]] for it in seeds], BLUE)
    target_line(middle, 0.45, "target")
    frame(right, "First contact within 3 steps", "", "AUC")
    for column, (name, colour) in enumerate(zip(_CONTACT_SCORES, (BLUE, RED, AMBER), strict=True)):
        values = [it["contact_auc"][name] for it in seeds]
        right.plot([column] * len(values), values, "o", color=colour, markersize=5)
    right.set_xticks(range(3), ["w_harm", "harm\nstream", "hazard\nin view"])
    right.set_xlim(-0.6, 2.6)
    target_line(right, 0.90, "target")
