"""The operators of control for torch, `torch.ops.prefrontal.*`: registered by importing this.

Built with the option PREFRONTAL_TORCH against one version of torch; `prefrontal.control.ops` says
whether it is here, documents the operators, and serves without it.
"""

from torch import Tensor

__version__: str
torch_version: str
"""The version it was built against."""

def folded_cue_context_out(z: Tensor, folded: Tensor, action: Tensor, terrain: Tensor) -> None:
    """`torch.ops.prefrontal.folded_cue_context_out` without torch's dispatcher.

    z [B, 32], folded of `fold_cue`, action [B, 16], terrain [B, 2]: plain float32 tensors on the
    CPU, the last two contiguous. No autograd, no tracing. Raises TypeError for what is no tensor,
    ValueError for a fake or functorch tensor, another device, shape or dtype, or overlap.
    """
