"""A command as an OCI bundle: a folder with config.json and an empty root."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..policy import readable_paths, variables

if TYPE_CHECKING:
    from ..limits import Limits
    from .backend import Job

_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_PERIOD_US = 100_000
_MEGABYTE = 1_048_576
_OWN_THREADS = 200  # of the runtime, which gVisor starts beside the command
# Parts of /proc and /sys that runtimes hide by custom; some would tell of the machine.
_HIDDEN = ("/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
           "/proc/sched_debug", "/proc/scsi", "/sys/firmware")  # fmt: skip
_FIXED = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


def write_bundle(job: Job, folder: Path) -> None:
    """Write config.json and the root with its mount points below the folder."""
    root = folder / "root"
    root.mkdir()
    for name in filter(os.path.islink, _LINKS):
        (root / name[1:]).symlink_to(Path(name).readlink())
    paths = [Path(name) for name in readable_paths(job.policy)]
    mounts = [path for path in paths if not str(path).startswith(("/proc/", "/sys/"))]
    for place in (*mounts, job.scratch, Path("/proc"), Path("/dev")):
        _mount_point(root, place)
    config = {
        "ociVersion": "1.0.2",
        "process": _process(job),
        "root": {"path": str(root), "readonly": True},
        "hostname": "sandbox",
        "mounts": [*_own_mounts(), *_bound(mounts), _scratch_mount(job.scratch)],
        "linux": _linux(job.limits),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def _mount_point(root: Path, place: Path) -> None:
    target = root / str(place)[1:]
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()


def _process(job: Job) -> dict[str, Any]:
    owner = job.scratch.stat()
    limits = job.limits
    bounds = {
        "RLIMIT_DATA": limits.max_mem_mb * _MEGABYTE,
        "RLIMIT_FSIZE": limits.max_file_mb * _MEGABYTE,
        "RLIMIT_NOFILE": limits.max_open_files,
        "RLIMIT_CPU": max(1, round(limits.max_seconds + 0.5)) * limits.cpus,
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
    }
    return {
        "terminal": False,
        "user": {"uid": owner.st_uid, "gid": owner.st_gid},
        "args": job.words,
        "env": [f"{name}={value}" for name, value in variables(job.policy, job.scratch).items()],
        "cwd": str(job.scratch),
        "capabilities": {kind: [] for kind in ("bounding", "effective", "permitted")},
        "rlimits": [{"type": kind, "soft": most, "hard": most} for kind, most in bounds.items()],
        "noNewPrivileges": True,
    }


def _own_mounts() -> list[dict[str, Any]]:
    return [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs",
         "options": ["nosuid", "noexec", "mode=755", "size=64k"]},
    ]  # fmt: skip


def _bound(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Outer folders before what lies in them, so that nothing is covered."""
    ordered = sorted(paths, key=lambda path: len(path.parts))
    options = ["rbind", "ro", "nosuid", "nodev"]
    return [
        {"destination": str(path), "type": "bind", "source": str(path.resolve()),
         "options": options}
        for path in ordered
    ]  # fmt: skip


def _scratch_mount(scratch: Path) -> dict[str, Any]:
    options = ["rbind", "rw", "nosuid", "nodev", "noexec"]
    return {
        "destination": str(scratch), "type": "bind", "source": str(scratch), "options": options,
    }  # fmt: skip


def _linux(limits: Limits) -> dict[str, Any]:
    kinds = ["pid", "network", "ipc", "uts", "mount"]
    linux: dict[str, Any] = {
        "resources": {
            "memory": {"limit": limits.max_mem_mb * _MEGABYTE},
            "pids": {"limit": limits.max_processes + _OWN_THREADS},
            "cpu": {"quota": limits.cpus * _PERIOD_US, "period": _PERIOD_US},
        },
        "maskedPaths": list(_HIDDEN),
        "readonlyPaths": list(_FIXED),
    }
    if os.geteuid() != 0:  # an ordinary user has no control groups, and needs a user namespace
        kinds.append("user")
        del linux["resources"]
        for name, number in (("uidMappings", os.geteuid()), ("gidMappings", os.getegid())):
            linux[name] = [{"containerID": number, "hostID": number, "size": 1}]
    return {"namespaces": [{"type": kind} for kind in kinds], **linux}
