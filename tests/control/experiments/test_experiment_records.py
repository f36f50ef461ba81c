"""Records, verdicts, bootstrap and figures of the experiments, and their registry; no torch."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from prefrontal.control.experiments import EXPERIMENTS, load_experiment
from prefrontal.control.experiments.bootstrap import (
    auc,
    bootstrap_interval,
    p_value,
)
from prefrontal.control.experiments.record import (
    ExperimentRecord,
    Verdict,
    measure,
    overall,
    seed_result,
    summarise,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def sample(values: tuple[float, ...] = (0.5, 0.6, 0.4)) -> ExperimentRecord:
    seeds = [seed_result(n, [measure("depth", v, "at least", 0.45)]) for n, v in enumerate(values)]
    return summarise("anticipation", "X1 Anticipation", "sound", "Depth is 0.45.", seeds)


@pytest.mark.parametrize(
    ("direction", "below", "same", "above"),
    [
        ("at least", False, True, True),
        ("at most", True, True, False),
        ("above", False, False, True),
        ("below", True, False, False),
        ("equal to", False, True, False),
    ],
)
def test_a_measurement_passes_on_the_right_side_of_its_target(
    direction: str, below: bool, same: bool, above: bool
) -> None:
    for value, passed in ((1.0, below), (2.0, same), (3.0, above), (math.nan, False)):
        assert measure("it", value, direction, 2.0).passed is passed  # type: ignore[arg-type]


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(ValueError, match=r"direction must be one of at least, .*, got 'near'"):
        measure("it", 1.0, "near", 2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ("ppppf", "pass"),
        ("pppff", "fail"),
        ("pppvf", "void"),
        ("ppppv", "pass"),
        ("pvvff", "fail"),
        ("vvvvv", "void"),
        ("p", "pass"),
        ("f", "fail"),
        ("pf", "fail"),
        ("", "void"),
        ("pppppppppf" * 2, "pass"),
    ],
)
def test_four_fifths_of_the_seeds_decide(verdicts: str, together: Verdict) -> None:
    words: dict[str, Verdict] = {"p": "pass", "f": "fail", "v": "void"}
    assert overall([words[it] for it in verdicts]) == together


def test_a_seed_without_a_measurement_does_not_pass() -> None:
    assert seed_result(0, []).verdict == "fail"
    assert seed_result(0, [measure("it", 1.0, "above", 0.0)], void="no labels").verdict == "void"


def test_void_seeds_are_left_out_of_the_means() -> None:
    good = seed_result(0, [measure("depth", 0.5, "at least", 0.45, (0.4, 0.6))])
    void = seed_result(1, [measure("depth", 9.0, "at least", 0.45)], void="labels: 99 % above")
    record = summarise("x", "X", "sound", "c", [good, void])
    assert record.measured == {"depth": 0.5}
    assert record.interval == {"depth": (0.4, 0.6)}


def test_a_record_survives_its_json_with_numbers_of_numpy_and_without_nan() -> None:
    seeds = [seed_result(3, [measure("depth", math.nan, "at least", 0.45, (math.nan, 1.0))])]
    raw = {"curve": np.arange(3.0), "of": {1: np.float32(0.5)}, "bad": [math.inf]}
    record = summarise("x", "X", "seed", "c", seeds, raw=raw, extra={"blocks_intact": [1.0, 2.0]})
    text = record.to_json()
    fields = json.loads(text)
    assert fields["raw"] == {"curve": [0.0, 1.0, 2.0], "of": {"1": 0.5}, "bad": [None]}
    assert fields["blocks_intact"] == [1.0, 2.0]
    again = ExperimentRecord.from_json(text)
    assert again.to_json() == text
    assert math.isnan(again.measured["depth"])
    assert again.extra == {"blocks_intact": [1.0, 2.0]}
    assert again.seeds[0].seed == 3


def test_an_extra_key_may_not_hide_a_field() -> None:
    record = summarise("x", "X", "seed", "c", [], extra={"verdict": "pass"})
    with pytest.raises(ValueError, match=r"extra must not name a field .*, got \['verdict'\]"):
        record.to_json()


def test_the_interval_of_a_mean_covers_it_nine_times_in_ten_and_more() -> None:
    generator = np.random.default_rng(1)
    covered = 0
    for seed in range(200):
        low, high = bootstrap_interval(generator.normal(2.0, 1.0, 60), draws=400, seed=seed)
        covered += low <= 2.0 <= high
    assert 180 <= covered <= 199
    assert all(math.isnan(it) for it in bootstrap_interval([]))
    assert bootstrap_interval([3.0]) == (3.0, 3.0)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_level_is_the_share_of_the_draws_inside(level: float) -> None:
    values = np.random.default_rng(3).normal(size=40)
    low, high = bootstrap_interval(values, level=level)
    rows = np.random.default_rng(0).integers(40, size=(2000, 40))
    means = values[rows].mean(axis=1)
    assert np.mean((low <= means) & (means <= high)) == pytest.approx(level, abs=0.002)
    assert np.mean(means < low) == pytest.approx((1 - level) / 2, abs=0.001)


def test_an_interval_is_the_same_each_time_and_takes_any_statistic() -> None:
    values = np.arange(20.0)
    first = bootstrap_interval(values, lambda it: float(np.median(it)))
    assert first == bootstrap_interval(values, lambda it: float(np.median(it)))
    assert first[0] < 9.5 < first[1]
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 95"):
        bootstrap_interval(values, level=95)


def test_the_p_value_is_the_share_of_draws_against() -> None:
    assert p_value([1.0] * 99) == pytest.approx(0.01)
    assert p_value([-1.0, 0.0, 1.0, math.nan]) == pytest.approx(0.75)


def test_the_auc_is_the_chance_that_a_positive_scores_higher() -> None:
    generator = np.random.default_rng(2)
    scores, labels = generator.integers(0, 6, 80), generator.random(80) < 0.4
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[labels] for b in scores[~labels]]
    assert auc(scores, labels) == pytest.approx(np.mean(pairs))
    assert math.isnan(auc([1.0, 2.0], [True, True]))


def test_a_figure_is_drawn_from_the_json_alone() -> None:
    pytest.importorskip("matplotlib")
    from prefrontal.control.experiments import figure as look

    def draw(record: ExperimentRecord, figure: Figure) -> None:
        left, right = look.panels(figure, 2)
        look.frame(left, "learning", "step", "depth")
        look.band(left, [0, 1], [[0.0, 1.0], [1.0, math.nan]], look.BLUE, "w_harm")
        look.target_line(left, 0.45, "wanted")
        look.legend(left)
        look.seed_dots(right, record, ["depth"])

    png = look.render_png(ExperimentRecord.from_json(sample().to_json()), draw)
    assert png.startswith(b"\x89PNG")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (1350, 780)


def test_the_registry_names_eleven_experiments_in_order() -> None:
    assert [it[1] for it in EXPERIMENTS.values()] == [f"X{n}" for n in range(1, 12)]
    with pytest.raises(ValueError, match=r"name must be one of anticipation, .*, got 'x1'"):
        load_experiment("x1")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_says_what_it_is(name: str) -> None:
    pytest.importorskip("torch")
    module = load_experiment(name)
    assert name == module.NAME
    assert module.TITLE.startswith(f"{EXPERIMENTS[name][1]} ")
    assert module.CRITERION.endswith(".")
    assert callable(module.run)
    assert callable(module.draw)


def test_names_and_records_are_known_without_torch() -> None:
    code = (
        "import sys; import prefrontal.control.experiments.record,"
        " prefrontal.control.experiments.figure, prefrontal.cli.control;"
        " assert not {'torch', 'matplotlib', 'gymnasium'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
