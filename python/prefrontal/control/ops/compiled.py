"""Loads the compiled operators, if they were built."""

from __future__ import annotations

import functools
import warnings
from importlib import import_module

import torch

__all__ = ["available", "module_path"]


def available() -> bool:
    """True once `prefrontal._torch` is loaded and its operators are registered.

    False where it was not built (`PREFRONTAL_TORCH=0`), and, with a warning, where it was built
    against another version of torch; then the plain forms serve, with the same results.
    """
    return _loaded() is not None


# So that torch.compile does not trace it: what torch.compiler.assume_constant_result does, without
# the compiler, which that would import: half of the time that prefrontal.control takes.
available._dynamo_marked_constant = True  # type: ignore[attr-defined]


def module_path() -> str | None:
    """The file of the compiled operators, or None where the plain forms serve."""
    return _loaded()


@functools.cache
def _loaded() -> str | None:
    try:
        module = import_module("prefrontal._torch")
    except ModuleNotFoundError:
        return None
    except ImportError as error:
        _warn(f"cannot be loaded: {error}")
        return None
    return str(module.__file__) if _same_version(module.torch_version) else None


def _same_version(built: str) -> bool:
    here = torch.__version__.partition("+")[0]
    if here == built.partition("+")[0]:
        return True
    _warn(f"was built against torch {built}, and this is {torch.__version__}")
    return False


def _warn(why: str) -> None:
    text = f"prefrontal._torch {why}; the plain torch forms are used, which are slower"
    warnings.warn(text, RuntimeWarning, stacklevel=4)
