"""From settings to a running watch: modules, sources, sinks and the gate between them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ...assembly.adopted_modules import adopted_modules
from ...assembly.shadow.adoption import mark_shadow, open_shadow
from ...decisions.log import DecisionLog
from ...errors import InputError, SourceError
from ...pulse.shells.watch import Watch
from ...pulse.sinks.outbox import Outbox
from ...storage.state_folder import StateFolder
from ..paths import check_utf8
from .built_in_modules import PROGRAMS, built_in_modules, everything
from .doors import WatchDoor, settings_name
from .module_files import given_modules
from .module_places import apart, remember
from .sinks import STANDARD_OUTPUT, ConfiguredSinks, configured_sinks
from .sources import configured_sources, unadopted
from .unfed_modules import unfed_modules

if TYPE_CHECKING:
    from ...protocols import Source, Standings
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...pulse.sinks import Sink
    from ...settings import Settings, SinkSettings

LEAST_STOP_S = 0.5
"""Left to the durable sinks, whatever the rest took."""
KEEP_REFUSALS_DAYS = 30
"""What woke and what was labelled is kept for ever; what slept, when it is logged, so long."""
SWITCH_S = 0.0005
"""A thread that computes lets another one go on after so long: a wake passes through several."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a gate stands on: the state folder, which is ours alone, and what lies around it.

    roots: the folders that are watched by themselves. modules: what is watched for. sinks: what a
    question goes to; outbox: the durable ones. untrained: repositories that nobody adopted. unfed:
    what modules declare and nothing tells of, in sentences.
    """

    state: StateFolder
    roots: tuple[Path, ...]
    modules: tuple[ModuleFingerprint, ...]
    sinks: ConfiguredSinks
    log: DecisionLog
    outbox: Outbox
    untrained: tuple[Path, ...] = ()
    unfed: tuple[str, ...] = ()

    def folders(self) -> list[Path]:
        """Every folder that is watched, for itself or for a module."""
        named = [each for module in self.modules for each in module.watch_directories()]
        return [*self.roots, *map(Path, named)]


class WatchSession:
    """A watch with everything around it; `start` begins, `stop` ends and saves.

    modules: what is watched for. sinks: (name for people, sink) that are told each question once.
    outbox: the durable ones. output: whether the settings ask for JSON lines on standard output.
    """

    def __init__(self, watch: Watch, ground: Ground, held: ExitStack) -> None:
        self.watch = watch
        self.ground = ground
        self.modules = ground.modules
        self.sinks = tuple(ground.sinks.plain)
        self.output = ground.sinks.output
        self.outbox = ground.outbox
        self.state = ground.state
        self.owed = 0
        self._held = held

    def start(self) -> None:
        """Deliver what was left over, and begin to watch."""
        self.outbox.start()
        self.watch.start()

    def stop(
        self, timeout_s: float = 10.0, finish: Callable[[float], bool] = lambda _: True
    ) -> bool:
        """Deliver what was decided, save, let go of the state folder; whether all was in time.

        What a durable sink does not take now it gets at the next start; `owed` tells how much.
        finish: called when the gate has ended, with the seconds left; whether it was in time.
        """
        end = monotonic() + timeout_s
        try:
            stopped = self.watch.stop(timeout_s)
            stopped = finish(max(LEAST_STOP_S, end - monotonic())) and stopped
            self.outbox.stop(max(LEAST_STOP_S, end - monotonic()))
            self.owed = self._still_owed()
            return stopped
        finally:
            self._held.close()

    def _still_owed(self) -> int:
        try:
            return self.outbox.owed()
        except SourceError:
            return 0


def build_watch(
    settings: Settings,
    folders: Sequence[str] = (),
    sinks: Sequence[SinkSettings] = (),
    standings: Standings | None = None,
    shadow: bool = False,
    durable: Sequence[tuple[str, Sink, float]] = (),
) -> WatchSession:
    """Bring the parts together; nothing runs yet. Arguments and errors: as of `lay_ground`."""
    with ExitStack() as held:
        ground = lay_ground(settings, folders, sinks, held, shadow=shadow, durable=durable)
        return WatchSession(watch_on(ground, settings, standings), ground, held.pop_all())


def lay_ground(
    settings: Settings,
    folders: Sequence[str],
    sinks: Sequence[SinkSettings],
    held: ExitStack,
    *,
    owes_wakes: bool = True,
    anything: bool = False,
    shadow: bool = False,
    asker: str | None = None,
    durable: Sequence[tuple[str, Sink, float]] = (),
) -> Ground:
    """Open what a gate stands on; `held` gives it back.

    folders, sinks: more of them than the settings hold; folders relative to where we are.
    owes_wakes: whether each wake is owed to the durable sinks, rather than what `Outbox.owe` is
    told. anything: without a module, ask about every event. shadow: in the folder of the shadow,
    without any sink. asker: who asks, and is owed each wake in the place of every sink. durable:
    more sinks, as of `ConfiguredSinks`. Raises InputError when there is nothing to watch or a part
    of the settings cannot be used, SourceError when the state folder is in use or not writable.
    """
    state = StateFolder(settings.state_folder())
    roots = _roots(settings)
    roots += [_folder(Path(each).absolute()) for each in folders]
    modules = _modules(settings, state, roots, anything)
    if not (modules or settings.adopted):
        raise InputError(f"prefrontal must be told what to watch: {_something(settings)}")
    wanted = () if shadow or asker else (*settings.sinks, *sinks)
    ready = configured_sinks(settings, wanted, held)
    ready.durable += durable
    state.make()
    if shadow:
        state.shadow.make()
        held.enter_context(state.shadow.watched())
        state = open_shadow(state)
    else:
        held.enter_context(state.watched(_beside(settings)))
    keys = [key for key, _, _ in ready.durable] if owes_wakes else []
    keys += [] if asker is None else [asker]
    log = held.enter_context(DecisionLog(state.decisions, owed_to=keys))
    log.own()
    if asker is None and not shadow:
        has_sinks = bool(ready.plain or ready.durable or ready.output or not owes_wakes)
        WatchDoor.open(log, has_sinks, settings_name(settings))
    log.prune(KEEP_REFUSALS_DAYS)
    modules = apart(log, modules)
    remember(log, modules)
    modules += adopted_modules(settings, log)
    if shadow:
        mark_shadow(log, settings.gate, modules, _words(settings, folders))
    outbox = Outbox(log, ready.durable)
    held.callback(outbox.close)
    untrained, unfed = tuple(unadopted(settings)), tuple(unfed_modules(settings, modules))
    return Ground(state, tuple(roots), tuple(modules), ready, log, outbox, untrained, unfed)


def _beside(settings: Settings) -> str:
    """What to do where another watch has the state folder."""
    if not settings.adopted:
        return "--state takes another folder"
    return (
        "one watch follows every history that its settings adopted: `prefrontal adopt --git PATH"
        " --config FILE` adds one to the file of the other watch"
    )


def _words(settings: Settings, folders: Sequence[str]) -> list[str]:
    """What follows `prefrontal watch` to watch the same; folders whole, since one may be
    elsewhere then."""
    words = [] if settings.file is None else ["--config", str(settings.file)]
    return words + [str(Path(each).absolute()) for each in folders]


def watch_on(
    ground: Ground,
    settings: Settings,
    standings: Standings | None = None,
    own_folders: Sequence[Path] = (),
    *,
    goes_on: bool = False,
) -> Watch:
    """The live gate with its sources.

    own_folders: of this process, besides the state folder and the files of sinks. goes_on: as of
    `Watch`.
    """
    sys.setswitchinterval(SWITCH_S)
    watch = Watch(
        settings.gate,
        ground.log,
        watch_dirs=ground.roots,
        sources=[*_histories(settings, ground.log), *configured_sources(settings, ground.state)],
        files_state=ground.state.seen_files,
        poll=settings.sources.polling,
        standings=standings,
        own_folders=[*own_folders, *_own_places(ground, settings)],
        goes_on=goes_on,
    )
    for module in ground.modules:
        watch.add(module)
    return watch


def _own_places(ground: Ground, settings: Settings) -> Iterator[Path]:
    """What a watch writes itself: were it a signal, each decision would lead to the next.

    Of a state folder that is watched for itself only the files of the watch.
    """
    state = StateFolder(settings.state_folder().resolve())
    roots = [each.resolve() for each in ground.folders()]
    if any(root.is_relative_to(state.path) for root in roots):
        yield from state.own_places()
    else:
        yield state.path
    for each in settings.sinks:
        if each.lines not in (None, STANDARD_OUTPUT):
            yield settings.path(each.lines).resolve()


def watched_modules(settings: Settings, state: StateFolder) -> list[ModuleFingerprint]:
    """The modules of a watch with these settings, but for those of adopted histories."""
    return _modules(settings, state, _roots(settings), anything=False)


def _something(settings: Settings) -> str:
    """How to name something to watch, from the settings that lie nearest."""
    others = "name a folder; a module (`prefrontal modules add FILE`) will do, too"
    if settings.file is not None:
        return f"{settings.file} names no source; add one to it, or {others}"
    return f"`prefrontal init` writes settings, or {others}"


def _roots(settings: Settings) -> list[Path]:
    return [_folder(settings.path(each)) for each in settings.sources.directories]


def _histories(settings: Settings, log: DecisionLog) -> Iterator[Source]:
    """The sources of adopted repositories."""
    if settings.adopted:
        from ...assembly.adopted_state import history_sources

        yield from history_sources(settings, log)


def _folder(path: Path) -> Path:
    if path.exists() and not path.is_dir():
        hint = "; --config names settings" if path.suffix in (".yml", ".yaml", ".json") else ""
        raise InputError(f"folder to watch must be a folder, got the file {str(path)!r}{hint}")
    real = path.resolve()
    check_utf8("folder to watch", real)
    return real


def _modules(
    settings: Settings, state: StateFolder, folders: Sequence[Path], anything: bool
) -> list[ModuleFingerprint]:
    """Those of the settings and the state folder, and one for each source left over."""
    own: dict[str, ModuleFingerprint] = {}
    for origin, module in given_modules(settings, state):
        if module.module_id in own:
            raise InputError(f"module_id must be given once, got {module.module_id!r} in {origin}")
        own[module.module_id] = module
    modules = [*own.values(), *built_in_modules(settings, folders, list(own.values()))]
    # What programs send may be called anything, and so may what an agent asks about.
    alone = [each.module_id for each in modules] == [PROGRAMS]
    if (alone and not own) or (anything and not own and not folders):
        return [everything()]
    return modules
