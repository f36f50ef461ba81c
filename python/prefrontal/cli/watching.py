"""From settings to a running watch: modules, sources, sinks and the registry between them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..pulse.fingerprint import ModuleFingerprint, parse_fingerprint
from ..pulse.policy import PolicySettings
from ..pulse.registry import PulseRegistry
from ..pulse.sinks import CommandSink, HttpSink, LinesSink, Sink
from ..settings import Settings
from ..settings.secrets import environment_secret
from ..storage.decisions import DecisionLog
from ..storage.state_folder import StateFolder
from .module_files import kept_modules, read_fingerprint
from .watched_sources import configured_sources

if TYPE_CHECKING:
    from ..settings import Sink as SinkSettings

QUESTION = "Something changed at {location}. Does it matter?"
STANDARD_ERROR = 2
KEEP_REFUSALS_DAYS = 30
"""What woke and what was labelled is kept for ever; what slept, when it is logged, so long."""


class Watch:
    """A registry with everything around it; `start` begins, `stop` ends and saves.

    sinks: (name for people, sink), of the settings. modules: what is watched for.
    """

    def __init__(
        self,
        registry: PulseRegistry,
        modules: Sequence[ModuleFingerprint],
        sinks: Sequence[tuple[str, Sink]],
        state: StateFolder,
        held: ExitStack,
    ) -> None:
        self.registry = registry
        self.modules = tuple(modules)
        self.sinks = tuple(sinks)
        self.state = state
        self._held = held

    def start(self) -> None:
        """Begin to watch."""
        self.registry.start()

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Deliver what was decided, save, let go of the state folder; whether all was in time."""
        try:
            return self.registry.stop(timeout_s)
        finally:
            self._held.close()


def build_watch(
    settings: Settings, folders: Sequence[str] = (), sinks: Sequence[SinkSettings] = ()
) -> Watch:
    """Bring the parts together; nothing runs yet.

    folders, sinks: more of them than the settings hold; folders relative to where we are.
    Raises InputError when there is nothing to watch or a part of the settings cannot be used,
    SourceError when the state folder is in use or cannot be written. Nothing stays open then.
    """
    state = StateFolder(settings.state_folder())
    roots = [_folder(settings.path(each)) for each in settings.sources.directories]
    roots += [_folder(Path(each).absolute()) for each in folders]
    modules = _modules(settings, state, roots)
    with ExitStack() as held:
        named = [_sink(settings, each, held) for each in (*settings.sinks, *sinks)]
        state.make()
        held.enter_context(state.watched())
        log = held.enter_context(DecisionLog(state.decisions))
        log.prune(KEEP_REFUSALS_DAYS)
        registry = PulseRegistry(
            roots,
            threshold=0.0 if settings.threshold is None else settings.threshold,
            log=log,
            policy=PolicySettings(**settings.policy.model_dump()),
            scorer=settings.scorer,
            seed=settings.seed,
            recall=settings.recall,
            audit_share=settings.audit_share,
            sources=list(configured_sources(settings, state)),
            log_refusals=settings.log_refusals,
            files_state=state.seen_files,
            poll=settings.sources.polling,
        )
        for module in modules:
            registry.register_module(module.module_id, module)
        return Watch(registry, modules, named, state, held.pop_all())


def folder_module(folder: Path) -> ModuleFingerprint:
    """The module for a folder that no other module watches: every file is worth a question."""
    return parse_fingerprint(
        _described(folder.name or str(folder), {"filesystem": {"watch_directories": [str(folder)]}})
    )


def _described(module_id: str, priors: dict[str, Any]) -> dict[str, Any]:
    return {
        "module_id": module_id,
        "cluster": "built-in",
        "version": "1",
        "question_template": QUESTION,
        "default_threshold": 0.5,
        "signal_priors": priors,
    }


def _folder(path: Path) -> Path:
    if path.exists() and not path.is_dir():
        raise InputError(f"folder to watch must be a folder, got the file {str(path)!r}")
    return path.resolve()


def _modules(
    settings: Settings, state: StateFolder, folders: Sequence[Path]
) -> list[ModuleFingerprint]:
    """Those of the settings and the state folder, and one for each folder left over."""
    found: dict[str, ModuleFingerprint] = {}
    for origin, module in _given_modules(settings, state):
        if module.module_id in found:
            raise InputError(f"module_id must be given once, got {module.module_id!r} in {origin}")
        found[module.module_id] = module
    for folder in folders:
        if not any(_covers(module, folder) for module in found.values()):
            module = folder_module(folder)
            if module.module_id in found:  # a folder of the same name elsewhere
                module.module_id = str(folder)
            found[module.module_id] = module
    told = settings.sources
    others = (told.git, told.network, told.http, told.logs, told.socket, told.stdin)
    if not found and any(others):
        found["everything"] = parse_fingerprint(_described("everything", {}))
    if not found:
        raise InputError(
            "watch must be told what to watch: a folder, a module (prefrontal modules add FILE)"
            " or --config FILE"
        )
    return list(found.values())


def _given_modules(
    settings: Settings, state: StateFolder
) -> Iterator[tuple[str, ModuleFingerprint]]:
    for kept in kept_modules(state):
        if kept.fingerprint is None:
            raise InputError(kept.error)
        yield str(kept.path), kept.fingerprint
    for index, given in enumerate(settings.modules):
        if isinstance(given, str):
            path = settings.path(given)
            yield str(path), read_fingerprint(path)
            continue
        try:
            yield f"modules[{index}]", parse_fingerprint(given)
        except InputError as error:
            raise InputError(f"modules[{index}]: {error}") from None


def _covers(module: ModuleFingerprint, folder: Path) -> bool:
    """Whether what happens in the folder reaches the module."""
    if not (module.filesystem or module.memory or module.time):
        return True
    return any(
        folder.is_relative_to(watched) or Path(watched).is_relative_to(folder)
        for watched in module.watch_directories()
    )


def _sink(settings: Settings, given: SinkSettings, held: ExitStack) -> tuple[str, Sink]:
    sink: Sink
    if given.exec is not None:
        # Its output goes where ours does not: standard output may carry JSON lines.
        name, sink = "command", CommandSink(given.exec, given.timeout_s, output=STANDARD_ERROR)
    elif given.post is not None:
        secret = environment_secret("secret_env", given.secret_env)
        sink = HttpSink(given.post, given.timeout_s, given.retries, given.headers, secret)
        name = "post"
    else:
        assert given.lines is not None
        path = settings.path(given.lines)
        try:
            stream = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None
        name, sink = os.fspath(path), LinesSink(stream, close=True)
    held.callback(sink.close)
    return name, sink
