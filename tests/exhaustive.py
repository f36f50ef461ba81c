"""Cases of which `make test` takes the first, and `make test-exhaustive` the others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest


def first(number: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for `pytest.mark.parametrize`; all but the first `number` are marked exhaustive."""
    rest = iter(cases)
    begin = list(islice(rest, number))
    return begin + [pytest.param(case, marks=pytest.mark.exhaustive) for case in rest]
