from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
import torch

from prefrontal.executive.selector.features import RunningScale, projected


def test_the_order_of_names_and_names_at_zero_do_not_matter() -> None:
    one = projected("plan", [{"a": 1.0, "b": 2.0}], 16)
    assert torch.equal(one, projected("plan", [{"b": 2.0, "a": 1.0}], 16))
    assert torch.equal(one, projected("plan", [{"a": 1.0, "b": 2.0, "c": 0.0}], 16))
    assert torch.equal(projected("plan", [{}], 16), torch.zeros(1, 16))


def test_a_name_has_signs_of_its_own_times_asinh_of_the_value() -> None:
    a, twice, b = (projected("plan", [it], 64)[0] for it in ({"a": 1.0}, {"a": 2.0}, {"b": 1.0}))
    assert a.abs().tolist() == pytest.approx([math.asinh(1.0)] * 64)
    torch.testing.assert_close(twice, a * math.asinh(2.0) / math.asinh(1.0))
    assert abs(float(a @ b)) < 0.5 * float(a @ a)
    assert not torch.equal(a, projected("context", [{"a": 1.0}], 64)[0])


def test_the_signs_are_the_same_on_every_machine() -> None:
    signs = projected("context", [{"trust": 1.0}], 12)[0].sign().int().tolist()
    assert signs == [1, -1, -1, -1, -1, 1, -1, 1, 1, -1, 1, -1]


@pytest.mark.exhaustive
def test_the_bits_do_not_depend_on_how_a_process_orders_its_sets() -> None:
    code = (
        "from prefrontal.executive.selector.features import projected\n"
        "print(projected('plan', [{f'n{k}': 1.7 ** k for k in range(40)}], 4)[0].tolist())\n"
    )
    here = projected("plan", [{f"n{k}": 1.7**k for k in range(40)}], 4)[0].tolist()
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout == f"{here}\n"


def test_rows_may_have_different_names() -> None:
    both = projected("plan", [{"a": 1.0}, {"b": 3.0}], 16)
    torch.testing.assert_close(both[1:], projected("plan", [{"b": 3.0}], 16))


def test_a_scale_is_the_mean_and_spread_of_all_rows_however_they_came() -> None:
    rows = torch.randn(40, 3, generator=torch.Generator().manual_seed(0)) * 2 + 1
    for sizes in ([1] * 40, [40], [7, 3, 30]):
        scale = RunningScale(3)
        for part in rows.split(sizes):
            scale.observe(part, gate=0.3)
        torch.testing.assert_close(scale.mean, rows.mean(0))
        torch.testing.assert_close(scale.variance, rows.var(0, correction=0))
    expected = (rows - rows.mean(0)) / (rows.var(0, correction=0) + 0.05).sqrt()
    torch.testing.assert_close(scale(rows), expected.clamp(-4, 4))


def test_nothing_moves_through_a_shut_gate() -> None:
    scale = RunningScale(3)
    scale.observe(torch.ones(5, 3), gate=0.0)
    assert float(scale.seen) == 0.0
    assert torch.equal(scale.mean, torch.zeros(3))
