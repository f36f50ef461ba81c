"""A replay that keeps what the gate learned, so that the live gate can go on from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..decisions.decision import new_id
from ..errors import InputError
from ..pulse.followed import Follow
from ..replay.backtest import Question, replayed
from ..replay.histories.git_history import Commit
from ..replay.report.verdict import NOT_WORTH_IT, NOTHING_TO_MEASURE, verdict
from ..replay.session import Replayer
from ..types import Reason
from .history_source import HistoryPlace

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..protocols import TrialGate
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..replay.presets.presets import Preset
    from ..replay.result import ReplayResult
    from ..types import Window
    from .replay_gate import PulseGate, ReplayJudge

_NOTHING_LEARNED = (NOTHING_TO_MEASURE, NOT_WORTH_IT)


@dataclass(slots=True)
class Adopter(Replayer):
    """Replays once, with a gate of its own, and keeps what is left at the end.

    branch: which is followed from then on, where the history is that of a repository, whose folder
    `repository` is. place: where it goes on; None for any other history. late: decisions whose
    label is still to come, by the key of their window.
    """

    gate: PulseGate
    branch: str = "HEAD"
    repository: str = ""
    place: HistoryPlace | None = None
    late: dict[str, Decision] = field(default_factory=dict)

    def label(self, preset: Preset, history: Iterable[Window]) -> Iterable[Window]:
        """As in any replay, and beside it as they will be labelled from then on."""
        self.place = HistoryPlace.before(self.branch, preset, self.repository)
        return preset.apply(_along(self.place, history))

    def replay(
        self, windows: Iterable[Window], gate: TrialGate, question: Question
    ) -> ReplayResult:
        """Raises InputError where nothing was learned."""
        result, learner = replayed(windows, gate, question)
        decided = verdict(result)
        if decided.kind in _NOTHING_LEARNED:
            raise InputError(
                f"history must teach the gate something to be adopted, got {result.source!r}: "
                f"{decided.reason}"
            )
        for window, judgement in learner.waiting():
            decision = self.judge.decision(window, judgement)
            self.late[window.key] = replace(
                decision, id=new_id(), acted=False, reason=Reason.REPLAYED
            )
        return result

    @property
    def judge(self) -> ReplayJudge:
        """The gate as it is at the end of the replay."""
        return self.gate.judges[0]

    @property
    def module(self) -> ModuleFingerprint:
        return self.judge.module.fingerprint

    def follow(self) -> Follow | None:
        """Where the live gate goes on; None when nothing follows the history."""
        if self.place is None:
            return None
        ids = {key: decision.id for key, decision in self.late.items()}
        return Follow(self.place.to_dict(), ids)


def _along(place: HistoryPlace, history: Iterable[Window]) -> Iterator[Window]:
    for window in history:
        assert isinstance(window, Commit)
        place.labeller.take(window)
        place.move(window)
        yield window
