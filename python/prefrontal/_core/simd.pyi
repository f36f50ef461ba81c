"""Single kernels, for the tests: `isa` names the instruction set, None the one in use.

Every function raises TypeError for anything but a float32 array, and ValueError for another
shape than one dimension, for an array that is not contiguous and for an unknown `isa`.
"""

import numpy as np
from numpy.typing import NDArray

def sigmoid(x: NDArray[np.float32], isa: str | None = None) -> NDArray[np.float32]:
    """1 / (1 + exp(-x)) of each number, within 3 ulp, as a new array.

    |x| > 87 counts as 87, so the result is never 0 nor subnormal; NaN stays NaN.
    """

def tanh(x: NDArray[np.float32], isa: str | None = None) -> NDArray[np.float32]:
    """The hyperbolic tangent of each number, within 3 ulp, as a new array; NaN stays NaN."""

def add(x: NDArray[np.float32], y: NDArray[np.float32], isa: str | None = None) -> None:
    """y += x in place. Raises ValueError when the lengths differ or `y` is read-only."""
