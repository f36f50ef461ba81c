"""CuePathReader: the cue path of an E1 as it is now, read without a graph.

Where the sizes are those of the specification a compiled snapshot answers; elsewhere the module
itself does.
"""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from torch import Tensor

from ..._core.control import CueReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context_memory import ContextMemory
    from .e1_config import E1Config

    Floats = NDArray[np.float32]

SIZES = {"latent_dim": 64, "num_slots": 16}
"""Of the memory of a compiled snapshot; z_world has 32 numbers, an action object 16."""


class CueModule(Protocol):
    """What a reader needs of a module with a cue path: an E1DeepPredictor has it."""

    config: E1Config
    context_memory: ContextMemory

    @property
    def is_plain(self) -> bool: ...
    @property
    def has_plain_layers(self) -> bool: ...
    def cue_tensors(self) -> list[Tensor]: ...
    def cue_snapshot(self) -> CueReader: ...
    def cue_parameters(self) -> dict[str, Floats]: ...
    def extract_cue_context(self, z_world: Tensor) -> tuple[Tensor, Tensor]: ...
    def select_slots(self, z_world: Tensor) -> Tensor: ...


class CuePathReader:
    """Reads cues [.., world_dim] with the parameters of the module, NumPy in and out.

    Every answer is that of the parameters as they are: a training step, `load_state_dict`, a write
    to the memory and a replaced layer are noticed by the tensors' versions (a change through
    `.data` or a NumPy view is not; `refresh` reads those). Copied and pickled with its module.
    """

    def __init__(self, e1: CueModule) -> None:
        self._e1 = e1
        self._compiled: CueReader | None = None
        self._tensors: list[Tensor] = []
        self._versions: list[int] = []

    def __reduce__(self) -> tuple[type[CuePathReader], tuple[CueModule]]:
        return CuePathReader, (self._e1,)

    def read(self, z: Floats) -> tuple[Floats, Floats]:
        """(action_bias [.., action_object_dim], terrain_weight [.., 2]) of z [.., world_dim].

        Raises ValueError for another width.
        """
        rows = np.ascontiguousarray(z, dtype=np.float32)
        wide = self._e1.config.world_dim
        if rows.ndim == 0 or rows.shape[-1] != wide:
            raise ValueError(f"z must be of shape [.., {wide}], got {list(rows.shape)}")
        leading, flat = rows.shape[:-1], rows.reshape(-1, wide)
        compiled = self._snapshot()
        action, terrain = self._from_module(flat) if compiled is None else compiled.read(flat)
        return action.reshape(*leading, action.shape[1]), terrain.reshape(*leading, 2)

    def weights(self, z: Floats) -> Floats:
        """How much each slot is attended to, [.., num_slots]."""
        rows = torch.tensor(np.asarray(z), dtype=torch.float32)
        flat = rows.reshape(-1, rows.shape[-1]).to(self._e1.context_memory.memory)
        with torch.no_grad():
            chosen = self._e1.select_slots(flat).float().cpu().numpy()
        return chosen.reshape(*rows.shape[:-1], chosen.shape[1])

    def refresh(self) -> None:
        """Read the parameters anew at the next answer."""
        self._versions = []

    def _snapshot(self) -> CueReader | None:
        e1 = self._e1
        if not (_fits(e1) and e1.is_plain and e1.has_plain_layers):
            return None
        tensors = e1.cue_tensors()
        versions = [it._version for it in tensors]
        if self._compiled is None:
            self._compiled = e1.cue_snapshot()
        elif versions != self._versions or any(map(is_not, tensors, self._tensors)):
            self._compiled.refresh(e1.cue_parameters())
        self._tensors, self._versions = tensors, versions
        return self._compiled

    def _from_module(self, rows: Floats) -> tuple[Floats, Floats]:
        z = torch.from_numpy(rows).to(self._e1.context_memory.memory)
        with torch.no_grad():
            answers = self._e1.extract_cue_context(z)
        action, terrain = (it.float().cpu().numpy() for it in answers)
        return action, terrain


def _fits(e1: CueModule) -> bool:
    config = e1.config
    memory = {name: getattr(config.memory, name) for name in SIZES}
    return memory == SIZES and (config.world_dim, config.action_object_dim) == (32, 16)
