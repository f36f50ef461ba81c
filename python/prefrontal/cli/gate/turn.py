"""One turn of the gate: its sources are read, it decides, and each question is told once."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ...decisions.deliveries import DONE, GATE_CALLER, GIVEN_UP, DamagedRowError
from ...decisions.document import document
from ...decisions.log import DecisionLog
from ...storage.state_folder import StateFolder
from ..watch.doors import CALLED, settings_name
from .beside import left_out
from .faults import GateFaults
from .formats import LOST, GateVerdict, report_of
from .look_settings import LookSettings
from .plan import GatePlan, is_held

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from .call import GateCall
    from .caller import GateCaller

FIRST = "First call: what is there now is known, and what comes from now on counts."
MOST_QUESTIONS = 500
"""That one answer tells; the next call tells the others."""


def take_turn(call: GateCall, caller: GateCaller) -> None:
    """Look, decide and have the answer printed; what was printed is told to nobody again.

    Raises PrefrontalError.
    """
    caller.go_on()
    settings = LookSettings.read(call)
    state = StateFolder(settings.settings.state_folder())
    plan = GatePlan(call.key())
    is_known = plan.state_before() == str(state.path)
    plan.forget()
    state.make()
    with ExitStack() as held:
        held.enter_context(state.called(call.limit_s / 2))
        caller.go_on()
        due, faults, unreached = 0.0, list[str](), None
        was_read = state.decisions.exists()
        is_watched = is_held(str(state.path))
        if not is_watched:
            from .look import GateLook  # beside a watch nothing of it is needed

            look = GateLook(call, settings, state, plan)
            due = look.take(caller)
            faults, unreached = look.faults, look.unreached
        log = held.enter_context(DecisionLog(state.decisions))
        if is_watched:
            file = settings_name(settings.settings)
            plan.look([], [], str(state.path), file)
            faults += left_out(state, log, file)
        note, is_first = _note(log, None if is_watched else settings.left_to_watch, was_read)
        if is_first and is_known:
            faults.append(f"{state.decisions} {LOST}")
        if _is_told(call, log, caller, faults, unreached, note) and (due or is_watched):
            plan.keep(due)


def _note(log: DecisionLog, left_to_watch: str | None, was_read: bool) -> tuple[str, bool]:
    """What is said once, and whether this is the first call.

    left_to_watch: what the call does not look at; None while a watch does. was_read: whether a
    watch or `adopt` was here before, so that this call goes on where that ended.
    """
    before = log.load_state(CALLED)
    names = (left_to_watch or "").encode()
    if before is not None and (left_to_watch is None or before[0] == names):
        return "", False
    log.save_state(CALLED, names, 0)
    notes = [FIRST] if before is None and not was_read else []
    if left_to_watch:
        notes.append(f"Only `prefrontal watch` hears {left_to_watch}: a call does not look there.")
    return "\n".join(notes), before is None


def _is_told(
    call: GateCall,
    log: DecisionLog,
    caller: GateCaller,
    faults: list[str],
    unreached: list[str] | None,
    note: str,
) -> bool:
    """Tell what is owed to who asks, and note that it was told."""
    deliveries = log.deliveries()
    try:
        owed: list[tuple[int, Decision]] = []
        damaged: list[int] = []
        after, now = 0, time.time() + 1.0
        while len(owed) < MOST_QUESTIONS:
            try:
                first = deliveries.first(GATE_CALLER, now, 0.0, after)
            except DamagedRowError as error:
                faults.append(f"the question {error.id} of the log cannot be read")
                damaged.append(error.seq)
                after = error.seq
                continue
            if first is None:
                break
            owed.append((first.seq, first.record))
            after = first.seq
        known = GateFaults(call.key())
        wake = known.wakes("; ".join(faults), None if unreached is None else "; ".join(unreached))
        all_faults = "; ".join([*faults, *(unreached or ())])
        verdict = _verdict(call, [record for _, record in owed], all_faults, wake, note)
        if not caller.print(report_of(call, verdict, waits=True)):
            return False
        known.told()
        for seq, _ in owed:
            deliveries.settle(GATE_CALLER, seq, DONE, 0.0, "told to who called the gate")
        for seq in damaged:
            deliveries.settle(GATE_CALLER, seq, GIVEN_UP, 0.0, "it cannot be read")
        return not faults
    finally:
        deliveries.close()


def _verdict(
    call: GateCall,
    records: list[Decision],
    fault: str,
    wake: bool,
    note: str,
) -> GateVerdict:
    return GateVerdict(
        [(each.id, each.question or "") for each in records],
        [document(each) for each in records] if call.form == "json" else (),
        fault=fault,
        wake=wake,
        note=note,
    )
