"""The operators of control for torch, `torch.ops.prefrontal.*`: registered by importing this.

Built with the option PREFRONTAL_TORCH against one version of torch; `prefrontal.control.ops` says
whether it is here, documents the operators, and serves without it.
"""

__version__: str
torch_version: str
"""The version it was built against."""
