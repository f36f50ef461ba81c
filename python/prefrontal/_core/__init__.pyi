"""The compiled core: kernels and state objects, without torch.

Importing it does not load NumPy; the first array does. This folder holds documentation and types
only; at run time the name belongs to the compiled module beside it.
"""

from . import control as control
from . import cortex as cortex
from . import pulse as pulse
from . import routing as routing
from . import simd as simd

__version__: str
"""Version of the package this was built from."""

def instruction_set() -> str:
    """Name of the instruction set in use: "scalar", "base" (SSE2), "v3" (AVX2) or "v4" (AVX-512).

    The widest one that this processor supports, or the one that the environment variable
    PREFRONTAL_ISA names; chosen once, at the first use. All of them give the same bits.
    Raises ValueError when PREFRONTAL_ISA names none that this processor supports.
    """

def instruction_sets() -> list[str]:
    """Names of the instruction sets that this processor supports, narrowest first."""
