"""Names of a package that are loaded at first use, so that importing it costs next to nothing."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package's `__init__`.

    homes: name -> module it is in, relative to the package: ".models", "..plugin"; after a colon,
    the name it has there (".runner:SandboxRunner"), or nothing for the module itself (".replay:").
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        home, colon, there = homes[name].partition(":")
        value = import_module(home, package)
        if there or not colon:
            value = getattr(value, there or name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(homes)

    return load, names
