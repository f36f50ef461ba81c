"""Fingerprints in files: those a person wrote, and those `prefrontal modules add` keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, PrefrontalError, SourceError, shown
from ...nearest import did_you_mean
from ...plain_text import visible
from ...pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from ...storage.documents import read_document
from ...storage.files import write_atomic

if TYPE_CHECKING:
    from ...settings import Settings
    from ...storage.state_folder import StateFolder

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class KeptModule:
    """One file of the modules folder: its fingerprint, or what is wrong with it."""

    path: Path
    fingerprint: ModuleFingerprint | None
    error: str = ""


def read_fingerprint(path: Path) -> ModuleFingerprint:
    """The fingerprint in a JSON or YAML file. Raises InputError or SourceError, naming the file."""
    raw = read_document(path)
    if not isinstance(raw, dict):
        raise InputError(f"{path}: fingerprint must be a mapping, got {shown(raw)}")
    try:
        fingerprint = parse_fingerprint(raw)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    try:
        fingerprint.module_id.encode()
    except UnicodeEncodeError:
        rule = "be text that UTF-8 can hold"
        raise InputError(
            f"{path}: module_id must {rule}, got {shown(fingerprint.module_id)}"
        ) from None
    return fingerprint


def kept_modules(folder: StateFolder) -> list[KeptModule]:
    """Every kept module, by file name. Raises SourceError when the folder cannot be read."""
    try:
        paths = sorted(folder.modules.glob("*.json"))
    except OSError as error:
        raise SourceError(f"{folder.modules} cannot be read: {error.strerror}") from None
    modules = []
    for path in paths:
        try:
            modules.append(KeptModule(path, read_fingerprint(path)))
        except PrefrontalError as error:
            modules.append(KeptModule(path, None, str(error)))
    return modules


def keep(folder: StateFolder, fingerprint: ModuleFingerprint) -> bool:
    """Write the module's file, whole or not at all; whether one was replaced."""
    path = folder.module_file(fingerprint.module_id)
    folder.make()
    replaced = path.exists()
    write_atomic(path, json.dumps(fingerprint.to_dict(), indent=2) + "\n")
    return replaced


def drop(folder: StateFolder, module_id: str) -> None:
    """Delete the module's file. Raises InputError for a module that is not kept."""
    try:
        folder.module_file(module_id).unlink()
    except FileNotFoundError:
        names = [m.fingerprint.module_id for m in kept_modules(folder) if m.fingerprint]
        near = did_you_mean(module_id, names)
        sentence = f"module must be one that is kept ({_listed(names)}), got {module_id!r}{near}"
        raise InputError(sentence) from None
    except OSError as error:
        raise SourceError(f"module {module_id!r} cannot be removed: {error.strerror}") from None


def _listed(names: Sequence[str]) -> str:
    parts = [visible(each, 80) for each in names[:_MOST_NAMED]]
    if (more := len(names) - len(parts)) > 0:
        parts.append(f"and {more} more")
    return ", ".join(parts) or "none is kept"


def given_modules(
    settings: Settings, state: StateFolder
) -> Iterator[tuple[str, ModuleFingerprint]]:
    """(where it is from, module) of the state folder, then of the settings.

    Raises InputError for one that cannot be used.
    """
    for module_file in kept_modules(state):
        if module_file.fingerprint is None:
            raise InputError(module_file.error)
        yield str(module_file.path), module_file.fingerprint
    for index, entry in enumerate(settings.modules):
        if isinstance(entry, str):
            path = settings.path(entry)
            yield str(path), read_fingerprint(path)
            continue
        try:
            yield f"modules[{index}]", parse_fingerprint(entry)
        except InputError as error:
            raise InputError(f"modules[{index}]: {error}") from None
