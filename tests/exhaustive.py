"""Cases of which `make test` takes the first, and `make test-exhaustive` the others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest


def first(number: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for `pytest.mark.parametrize`; all but the first `number` are marked exhaustive.

    A case is a value, or a tuple with one for each name.
    """
    rest = iter(cases)
    begin = list(islice(rest, number))
    return begin + [pytest.param(*_values(case), marks=pytest.mark.exhaustive) for case in rest]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
