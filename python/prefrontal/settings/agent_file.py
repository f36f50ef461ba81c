"""What the agent is told: its configuration as plain values, and its workspace.

Plugins check their own part. This module only finds the files, so that a command that reads a few
files of the workspace does not pay for checking all settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, SourceError
from ..home_folder import expanded, known_home
from ..nearest import did_you_mean, unknown_key
from ..storage.documents import read_document

FILE_NAME = "prefrontal.yml"
AGENT_KEYS = (
    *("identity", "provider", "llm", "polling", "plugins", "workspace", "channels", "ledger"),
    *("cortex", "memory", "soul", "subagent", "cron", "heartbeat", "observability", "logging"),
    "tools",
)
GATE_KEYS = (
    *("modules", "sources", "adopted", "policy", "sinks", "state", "threshold", "recall"),
    *("audit_share", "log_refusals", "slept_mb", "scorer", "seed", "gate", "routing", "telemetry"),
    *("executive", "storage"),
)
CHANNELS = ("jsonl", "terminal", "webhook")
"""Those that come along; a plugin may bring others."""
_BELOW = {
    "identity": ("name",),
    "polling": ("interval_seconds",),
    "logging": ("level",),
    "soul": ("path",),
    "cron": ("jobs",),
    "plugins": (
        *("folders", "external", "enabled", "disabled", "settings"),
        *("hook_timeout_seconds", "timeouts"),
    ),
    "tools": ("timeout_seconds", "timeouts"),
    "subagent": ("max_concurrent", "max_timeout_seconds"),
    "observability": ("capacity", "events", "file"),
}
"""Section -> its keys, of those whose plugin does not check them itself."""
_TEXTS = ("provider", "workspace")
_PATHS = (("workspace",), ("observability", "file"), ("plugins", "folders"))
"""Keys whose relative paths lie beside the file. Other paths of the agent lie in its workspace."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def agent_files(
    path: str | os.PathLike[str] | None = None, here: Path | None = None
) -> tuple[Path, ...]:
    """The files that are read, the one that counts most last: the named one alone, or those of
    ~/.prefrontal and of the folder `here` (the current one) that exist.
    """
    if path is not None:
        return (Path(path),)
    usual = (own_file(), (here or _current()) / FILE_NAME)
    return tuple(dict.fromkeys(each for each in usual if each is not None and each.exists()))


def own_file() -> Path | None:
    """~/.prefrontal/prefrontal.yml, whether it exists or not; None for who has no home."""
    home = known_home()
    return home and home / ".prefrontal" / FILE_NAME


def settings_file(path: str | os.PathLike[str] | None = None) -> Path | None:
    """The one of `agent_files` that counts most; None where there is none."""
    return next(reversed(agent_files(path)), None)


def folder_of(file: str | os.PathLike[str]) -> Path:
    """The folder of a settings file, the same from wherever the file is named."""
    folder = Path(file).absolute().parent
    return folder.resolve() if ".." in folder.parts else folder


def whole_path(file: str | os.PathLike[str]) -> Path:
    """The absolute path without `..`; links in the file's own name stay."""
    return folder_of(file) / Path(file).name


def _current() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was removed under us: there is nothing in it
        return Path()


def read_settings_file(path: str | os.PathLike[str]) -> object:
    """What the file holds. Raises as `read_document`; for no file it says how to get one."""
    try:
        return read_document(path)
    except SourceError as error:
        if os.path.lexists(path):
            raise
        raise SourceError(f"{error}; `prefrontal init` writes one") from None


def read_agent_config(
    path: str | os.PathLike[str] | None = None,
    *,
    keys: Collection[str] = AGENT_KEYS,
    environ: Mapping[str, str] = os.environ,
    here: Path | None = None,
) -> dict[str, Any]:
    """The agent's configuration: `agent_files`, key by key the later one in front of the earlier.

    keys: the root keys that are wanted. In their texts ${NAME} and ${NAME:-default} are taken from
    the environment; where nothing else stands beside one, "8" is a number. Relative folders and
    files become those beside the file (`_PATHS`). Raises SourceError when a file cannot be read;
    InputError, naming the file, for a root key that nobody knows, a value of the wrong kind or a
    variable that is not set.
    """
    config: dict[str, Any] = {}
    for file in agent_files(path, here):
        try:
            sections = {key: value for key, value in _roots(file).items() if key in keys}
            filled = {key: _filled(each, environ) for key, each in sections.items()}
            config = _merged(config, _placed(filled, file))
        except InputError as error:
            name = os.fspath(file)
            raise InputError(str(error) if name in str(error) else f"{name}: {error}") from None
    return config


def workspace_folder(
    folder: str | os.PathLike[str] | None = None,
    config: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """The agent's folder: as told, else PREFRONTAL_HOME, else the key `workspace`, else
    ~/.prefrontal/workspace. It need not exist. Raises InputError for `~somebody`.
    """
    named = folder or environ.get("PREFRONTAL_HOME") or (config or {}).get("workspace")
    try:
        return expanded(named or "~/.prefrontal/workspace")
    except InputError as error:
        raise InputError(f"workspace must be a folder, got {named!r} ({error})") from None


def _roots(file: Path) -> dict[str, Any]:
    document = read_settings_file(file)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise InputError(f"settings must be a mapping, got {document!r:.80}")
    known = (*AGENT_KEYS, *GATE_KEYS)
    for key in document:
        if key not in known:
            raise InputError(unknown_key("settings", key, sorted(known), f"{key!r:.80}"))
    return {key: _checked(key, value) for key, value in document.items()}


def _checked(key: str, value: object) -> object:
    if key in _TEXTS:
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise InputError(f"{key} must be a non-blank string, got {value!r:.80}")
    elif key in AGENT_KEYS:
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise InputError(f"{key} must be a mapping, got {value!r:.80}")
        check_section(key, value)
    return value


def check_section(key: str, section: Mapping[str, object]) -> None:
    """The keys of a section that no plugin checks. Raises InputError for one that nobody knows,
    or a channel misspelt.
    """
    known = _BELOW.get(key)
    for name in section:
        if known is not None and name not in known:
            raise InputError(unknown_key(key, name, known))
        hint = did_you_mean(name, CHANNELS, 0.8)
        if key == "channels" and name not in CHANNELS and hint:
            raise InputError(f"channels must name channels, got {name!r}{hint}")


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = _merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def _placed(config: dict[str, Any], file: Path) -> dict[str, Any]:
    """The configuration with its relative paths as those beside the file."""
    for *sections, key in _PATHS:
        section = config
        for name in sections:
            section = section.get(name) or {}
        if isinstance(section, dict) and section.get(key):
            section[key] = _beside(file, section[key])
    return config


def _beside(file: Path, value: Any) -> Any:
    if isinstance(value, list):
        return [_beside(file, each) for each in value]
    if not isinstance(value, str) or not value.strip() or value.startswith("~"):
        return value
    return str(folder_of(file) / value)


def _filled(value: Any, environ: Mapping[str, str]) -> Any:
    """The value with its variables filled in, however deep they stand."""
    if isinstance(value, str):
        text = _VARIABLE.sub(lambda match: _looked_up(match, environ), value)
        return _scalar(text) if _VARIABLE.fullmatch(value) else text
    if isinstance(value, dict):
        return {key: _filled(each, environ) for key, each in value.items()}
    return [_filled(each, environ) for each in value] if isinstance(value, list) else value


def _scalar(text: str) -> str | int | float | bool:
    """What YAML would make of a number or a switch: `port: ${PORT}` is a number, too."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,14})?", text):
        return float(text) if "." in text else int(text)
    return text


def _looked_up(match: re.Match[str], environ: Mapping[str, str]) -> str:
    name, default = match.groups()
    value = environ.get(name) or default
    if value is None:
        raise InputError(f"the variable {name} must be set, or have a default as ${{{name}:-...}}")
    return value
