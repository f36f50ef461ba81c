"""What of the machine, or of a path as somebody gave it, is no defect of ours."""

from __future__ import annotations

import errno
import os

from ..plain_text import visible

_DISK_FAULTS = frozenset(
    [
        errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EINTR, errno.ENOLCK,
        errno.EMFILE, errno.ENFILE, errno.EFBIG,
    ]
)  # fmt: skip
"""Of the machine, wherever they come from."""
_PATH_FAULTS = frozenset(
    [errno.EACCES, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR]
)
"""Of a path as somebody gave it."""
_LOOP = "Symlink loop from "
"""How `Path.resolve` tells of one, in a RuntimeError."""
_NO_TEMPORARY_FOLDER = "No usable temporary directory found"
"""How `tempfile` tells that it could write nowhere, in a FileNotFoundError."""


def path_fault(error: BaseException) -> str | None:
    """The sentence about a file or the output; None for everything else."""
    if isinstance(error, RuntimeError) and (text := str(error)).startswith(_LOOP):
        name = visible(text.removeprefix(_LOOP).strip("'"), 300)
        return f"{name} cannot be used: {os.strerror(errno.ELOOP)}"
    if not isinstance(error, OSError):
        return None
    if str(error.strerror).startswith(_NO_TEMPORARY_FOLDER):
        return "no folder for temporary files can be written: TMPDIR may name one"
    has_name = isinstance(error.filename, str | bytes)  # else it may be the number of a descriptor
    if error.errno not in _DISK_FAULTS and not (has_name and error.errno in _PATH_FAULTS):
        return None
    what = visible(os.fsdecode(error.filename), 300) if has_name else "a file or the output"
    return f"{what} cannot be used: {error.strerror}"
