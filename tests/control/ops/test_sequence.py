"""The LSTM that feeds on its own predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from prefrontal.control.ops import available, lstm_rollout
from prefrontal.control.ops.sequence import plain_lstm_rollout

from ...exhaustive import first
from ..rollout_cases import lstm_arguments

needs_kernels = pytest.mark.skipif(not available(), reason="prefrontal._torch was not built here")
both = pytest.mark.parametrize("run", [lstm_rollout, plain_lstm_rollout])


def twin(arguments: tuple[Any, ...], steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """torch's own LSTM and Linear, fed back by hand."""
    first, h, c, lstm, output = arguments
    module = nn.LSTM(first.shape[1], h.shape[2], len(h), batch_first=True).to(first.dtype)
    head = nn.Sequential(
        nn.Linear(*output[0].T.shape), nn.ReLU(), nn.Linear(*output[2].T.shape)
    ).to(first.dtype)
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), lstm, strict=True):
            parameter.copy_(value)
        for parameter, value in zip(head.parameters(), output, strict=True):
            parameter.copy_(value)
        x, predictions = first, []
        for _ in range(steps):
            top, (h, c) = module(x[:, None], (h, c))
            x = head(top[:, 0])
            predictions.append(x)
    return torch.stack(predictions, 1), h, c


@both
@pytest.mark.parametrize("rows", first(2, [1, 2, 5, 18]))
def test_each_step_is_that_of_torchs_lstm_and_linear_layers(run: Any, rows: int) -> None:
    arguments = lstm_arguments(rows, seed=rows)
    for a, b in zip(run(*arguments, steps=6), twin(arguments, 6), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "sizes",
    [
        {"layers": 1},
        {"inputs": 16, "cells": 256, "hidden": 32},
        {"inputs": 10},
        {"cells": 24},
        {"hidden": 20},
        {"cells": 272},
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_other_sizes_and_double_precision_are_taken(
    sizes: dict[str, int], dtype: torch.dtype
) -> None:
    arguments = lstm_arguments(3, **sizes, dtype=dtype)
    for a, b in zip(lstm_rollout(*arguments, steps=3), twin(arguments, 3), strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


@both
def test_going_on_from_the_last_state_is_one_long_rollout(run: Any) -> None:
    first, h, c, lstm, output = lstm_arguments(2)
    whole = run(first, h, c, lstm, output, steps=8)
    start = run(first, h, c, lstm, output, steps=5)
    rest = run(start[0][:, -1], *start[1:], lstm, output, steps=3)
    assert torch.equal(torch.cat([start[0], rest[0]], 1), whole[0])
    assert torch.equal(rest[1], whole[1])
    assert torch.equal(rest[2], whole[2])


@needs_kernels
def test_a_row_does_not_depend_on_the_rows_around_it() -> None:
    first, h, c, lstm, output = lstm_arguments(21)
    together = lstm_rollout(first, h, c, lstm, output, steps=4)
    for start, stop in ((0, 1), (3, 5), (9, 20), (20, 21)):
        rows = slice(start, stop)
        apart = lstm_rollout(first[rows], h[:, rows], c[:, rows], lstm, output, steps=4)
        assert torch.equal(apart[0], together[0][rows])
        assert torch.equal(apart[1], together[1][:, rows])
        assert torch.equal(apart[2], together[2][:, rows])


@both
@pytest.mark.parametrize(("rows", "steps"), [(3, 0), (0, 4), (0, 0)])
def test_no_steps_or_no_rows_change_nothing(run: Any, rows: int, steps: int) -> None:
    first, h, c, lstm, output = lstm_arguments(rows)
    predictions, h_after, c_after = run(first, h, c, lstm, output, steps=steps)
    assert predictions.shape == (rows, steps, 64)
    assert torch.equal(h_after, h)
    assert torch.equal(c_after, c)


@both
def test_h_stays_between_minus_one_and_one_and_nan_in_its_row(run: Any) -> None:
    first, h, c, lstm, output = lstm_arguments(3)
    lstm = [100.0 * weight for weight in lstm]
    predictions, h_after, _ = run(first, h, c, lstm, output, steps=5)
    assert predictions.isfinite().all()
    assert h_after.abs().max() <= 1.0
    first[1, 0] = torch.nan
    spoiled = run(first, h, c, lstm, output, steps=5)[0]
    assert spoiled[1, -1].isnan().all()
    assert torch.equal(spoiled[[0, 2]], predictions[[0, 2]])


REFUSED: dict[str, tuple[int, Callable[[Any], Any], str]] = {
    "first": (0, lambda t: t[0], r"first must have shape \[any, any\], got \[64\]"),
    "h0": (1, lambda t: t[:, :1], r"h0 must have shape \[any, 2, any\], got \[3, 1, 128\]"),
    "no layer": (1, lambda t: t[:0], r"h0 must have a layer, got \[0, 2, 128\]"),
    "c0": (2, lambda t: t[:2], r"c0 must have shape \[3, 2, 128\], got \[2, 2, 128\]"),
    "dtype": (2, lambda t: t.double(), r"c0 must have dtype torch.float32, got torch.float64"),
    "lstm": (3, lambda t: t[:8], r"lstm must be w_ih, w_hh, b_ih, b_hh.*, got 8 tensors"),
    "w_ih": (3, lambda t: [t[0].T, *t[1:]], r"lstm's w_ih of layer 0 must have shape \[512, 64\]"),
    "b_hh": (3, lambda t: [*t[:7], t[7][1:], *t[8:]], r"lstm's b_hh of layer 1 must have shape"),
    "output": (4, lambda t: t[:2], r"output must be w1, b1, w2, b2, got 2 tensors"),
    "w2": (4, lambda t: [*t[:2], t[2][:9], t[3]], r"output's w2 must have shape \[64, 128\]"),
}


@both
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_name(run: Any, name: str) -> None:
    at, change, sentence = REFUSED[name]
    arguments = list(lstm_arguments(2))
    arguments[at] = change(arguments[at])
    with pytest.raises(ValueError, match=sentence):
        run(*arguments, steps=2)


@both
def test_a_negative_number_of_steps_is_refused(run: Any) -> None:
    with pytest.raises(ValueError, match=r"steps must be at least 0, got -1"):
        run(*lstm_arguments(2), steps=-1)
