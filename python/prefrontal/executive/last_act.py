"""What came of acting, kept before anything follows from it: a restart goes on from there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..decisions.payload_json import from_plain, to_plain
from ..decisions.payloads import ACT, ActPayload

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from .nouns import ActOutcome, Choice
    from .roles import Store

STATE = "executive:last act"
"""One for all, since one episode follows the other."""


def keep_act(store: Store, act: Decision) -> None:
    """Keep an act whose episode is not over, in place of the one before."""
    plain = {"id": act.id, "time": act.time, "text": act.question, "act": to_plain(act.payload)}
    store.save_state(STATE, json.dumps(plain).encode(), 0)


def act_before(store: Store, route: Decision, choice: Choice) -> tuple[ActOutcome, Decision] | None:
    """What came of this route before a restart; None when it was not acted on."""
    from .records import act_record, followed_id, outcome_from

    state = store.load_state(STATE)
    if state is None:
        return None
    plain = json.loads(state[0])
    if plain["id"] != followed_id(route.id, ACT):
        return None
    payload = from_plain(ACT, plain["act"], plain["time"])
    assert isinstance(payload, ActPayload)
    outcome = outcome_from(payload, plain["text"])
    return outcome, act_record(route, choice, outcome, plain["time"])
