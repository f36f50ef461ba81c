"""Ways to hold a command: the launcher of this package, with a proxy beside it, an OCI runtime."""

from __future__ import annotations

from .backend import Backend, Job
from .launcher_backend import LauncherBackend

__all__ = ["Backend", "Job", "LauncherBackend"]
