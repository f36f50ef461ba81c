"""PlanSelector: learns which of several ranked plans to follow in a situation.

The cost of a plan (weighing.py): what E3 foresees after it, weighed by the precision that the
context's cue calls up, the cue's action bias, the bias of the rule, and what it costs to leave the
order of the router. Until E3's errors are clearly below those of guessing, that order stands.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ...control.choice.salience import SalienceCoordinator
from ...control.choice.salience_config import MODES
from ...control.threads import one_thread
from ...storage.files import write_atomic
from .config import PlanPick, PlanSelectionConfig
from .experience import PlanExperience, PlanOutcomes
from .features import projected
from .learning import PlanLearning, worth_of
from .parts import PlanNetwork
from .weighing import Numbers, WeighedPlans, drawn, expects_harm, weighed

__all__ = ["PlanPick", "PlanSelectionConfig", "PlanSelector", "load", "save"]

RULE, POLICY, SENSES = "sd_033a", "e3_policy", "sensory_buffer"
"""Whose gates of writing are asked."""
ACTING, PLANNING, REPLAY, OFFLINE = MODES
AWAKE = (ACTING, PLANNING)
FORMAT = 1
"""Of the state."""
_MISFITS = (ValueError, TypeError, LookupError, AttributeError, RuntimeError)
"""What a state of another form makes its parts raise."""
_UNREADABLE = (*_MISFITS, pickle.UnpicklingError, struct.error, EOFError, ArithmeticError)


class PlanSelector:
    """Learns in which situations the router's first plan is not the one to follow.

    What is written, and how far its gate is open, by mode:

    | | external_task | internal_planning | internal_replay | offline_consolidation |
    |---|---|---|---|---|
    | `select`: rule | 1 | 1 | 0.05 | 0.3 |
    | `select`: scale of what is seen | 0.3 | 0.3 | - | - |
    | `learn`: rates of all that is trained | 1 | 0.5 | 0.05 | 0.3 |
    | `learn`: experience, errors, what went well lately | 1 | - | - | 1, 1, 0.3 |
    | `learn`: slot of the context memory | 1 | - | - | - |
    | `enter`: goes over what is remembered | - | - | - | 0.3 |

    The same seed and the same calls give the same bits, however many threads torch has. Calls from
    several threads must not overlap.
    """

    def __init__(self, config: PlanSelectionConfig | None = None, seed: int = 0) -> None:
        """Begins in external_task. seed: of parameters and draws; torch's own is left alone."""
        self.config = config = config or PlanSelectionConfig()
        self.seed = seed
        self.network = PlanNetwork(config, seed)
        self.experience = PlanExperience(config, self.network.lateral_pfc.config.rule_dim)
        self.learning = PlanLearning(self.network, config)
        self.generator = torch.Generator().manual_seed(seed)
        self.coordinator = SalienceCoordinator()
        self.consolidated = 0

    @property
    def mode(self) -> str:
        """The mode of the agent: a name of salience_config.MODES."""
        return self.coordinator.mode

    @one_thread()
    def enter(self, mode: str) -> None:
        """Set the mode. Raises ValueError for an unknown one.

        offline_consolidation replays the experience if there is something new.
        """
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
        self.coordinator.force_mode({mode: 1.0})
        total = int(self.experience.taken)
        if mode == OFFLINE and total > self.consolidated:
            self.consolidated = total
            self._learn(self.config.consolidation_steps)

    @one_thread()
    @torch.no_grad()
    def select(self, context: Numbers, plans: Sequence[Numbers]) -> PlanPick:
        """The plan to follow in this situation.

        context: any finite numbers by name; plans: the features of each, best first by the router.
        Of these "score" (0..1) counts for the order and "side_effect" for what may be tried; 0
        where one is missing. Raises ValueError for no plan, NaN and infinity, TypeError for what
        is no number; nothing has changed then.
        """
        if not plans:
            raise ValueError("plans must hold at least one plan, got none")
        network = self.network
        seen = projected("context", [context], self.config.context_dim)
        kinds = projected("plan", plans, self.config.plan_dim)
        if self.mode in AWAKE:
            network.contexts.observe(seen, self._gate(SENSES))
            network.plans.observe(kinds, self._gate(SENSES))
            network.selections += 1
        z_world, z_plan = network.contexts(seen), network.plans(kinds)
        now = network.worlds(z_world, z_plan[:1])[:, 0]
        network.lateral_pfc.update(network.lately, now, self._gate(RULE))
        return self._pick(weighed(network, self.config, z_world, z_plan, plans), plans)

    @one_thread()
    def learn(self, context: Numbers, plan: Numbers, harm: float, goal: float) -> None:
        """Learn from the outcome of a plan.

        harm: 0..1, it failed, was rejected or did damage; goal: 0..1, it was of use. What is
        written depends on the mode: see the class. Raises ValueError and TypeError as `select`.
        """
        results = torch.tensor([[_share("harm", harm), _share("goal", goal)]])
        seen = projected("context", [context], self.config.context_dim)
        kind = projected("plan", [plan], self.config.plan_dim)
        if self.mode in (ACTING, OFFLINE):
            rule = self.network.lateral_pfc.get_rule_state()
            self._remember(PlanOutcomes(seen, kind, rule, results))
        self._learn(self.config.steps)

    def state_dict(self) -> dict[str, Any]:
        """The learned state as tensors, numbers and text, with a format version."""
        learning = self.learning
        state: dict[str, Any] = _copied(
            {
                "format": FORMAT,
                "config": dataclasses.asdict(self.config),
                "seed": self.seed,
                "network": dict(self.network.state_dict()),
                "experience": dict(self.experience.state_dict()),
                "optimizers": [
                    learning.optimizer.state_dict(),
                    learning.rule.optimizer.state_dict(),
                ],
                "generator": self.generator.get_state(),
                "consolidated": self.consolidated,
            }
        )
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore a `state_dict`; the mode stays.

        Raises ValueError for another form, another configuration and what does not fit; nothing
        has changed then.
        """
        form = state.get("format") if isinstance(state, Mapping) else type(state).__name__
        if form != FORMAT:
            raise ValueError(f"state must be of format {FORMAT}, got {form!r}")
        own, other = dataclasses.asdict(self.config), state.get("config")
        if other != own:
            raise ValueError(f"state must be of the configuration {own!r}, got {other!r}")
        fresh = PlanSelector(self.config, self.seed)
        try:
            fresh._fill(_copied(state))
        except _MISFITS as error:
            raise ValueError(f"state must be that of a PlanSelector, got {error}") from error
        fresh.coordinator = self.coordinator
        self.__dict__.update(fresh.__dict__)

    def _fill(self, state: Mapping[str, Any]) -> None:
        learning = self.learning
        self.network.load_state_dict(state["network"])
        self.experience.load_state_dict(state["experience"])
        optimizer, rule_optimizer = state["optimizers"]
        learning.optimizer.load_state_dict(optimizer)
        learning.rule.optimizer.load_state_dict(rule_optimizer)
        self.generator.set_state(state["generator"])
        if "slot_writes" in state:  # of a version whose state_dict had no write history
            self.network.cue.context_memory.restore_writes(*state["slot_writes"])
        self.seed, self.consolidated = int(state["seed"]), int(state["consolidated"])

    def _pick(self, candidates: WeighedPlans, plans: Sequence[Numbers]) -> PlanPick:
        network, committed = self.network, bool(self.network.trusted)
        index = best = int(candidates.scores.argmin()) if committed else 0
        if committed and self._may_probe() and expects_harm(network, candidates, best):
            index = drawn(network, candidates, plans, best, self.generator)
            network.probes += int(index != best)
        harm, goal = candidates.precision.tolist()
        rule = tuple(network.lateral_pfc.rule_state[0].tolist())
        scores, why = tuple(candidates.scores.tolist()), candidates.why(index)
        return PlanPick(index, scores, why, harm, goal, rule, committed, index != best)

    def _may_probe(self) -> bool:
        made, selections = int(self.network.probes), int(self.network.selections)
        return self.mode in AWAKE and made < self.config.probing * math.sqrt(selections)

    @torch.no_grad()
    def _remember(self, outcome: PlanOutcomes) -> None:
        """Compare the outcome with its prediction, then store it."""
        network = self.network
        self.learning.judge(outcome)
        z_world, z_plan = network.contexts(outcome.contexts), network.plans(outcome.plans)
        well: Tensor = worth_of(outcome.results) * z_plan
        network.lately.lerp_(well, self._gate(RULE) * self.config.recency)
        self.experience.put(outcome)
        if self.mode == ACTING:
            network.cue.context_memory.write(torch.cat([z_plan, z_world], dim=1))

    def _learn(self, steps: int) -> None:
        for _ in range(steps):
            self.learning.step(self.experience, self._gate(POLICY), self.generator)

    def _gate(self, target: str) -> float:
        return self.coordinator.write_gate(target)


def save(selector: PlanSelector, path: str | PathLike[str]) -> None:
    """Save the state atomically. Raises SourceError when that fails."""
    content = BytesIO()
    torch.save(selector.state_dict(), content)
    write_atomic(path, content.getvalue())


def load(path: str | PathLike[str]) -> PlanSelector:
    """The selector of a file, in external_task.

    Raises ValueError for a file that holds none, FileNotFoundError where there is none.
    """
    try:
        state = torch.load(Path(path), weights_only=True, map_location="cpu")
        selector = PlanSelector(PlanSelectionConfig(**state["config"]), state["seed"])
    except _UNREADABLE as error:
        raise ValueError(f"path must hold a PlanSelector, got {str(path)!r}") from error
    selector.load_state_dict(state)
    return selector


def _share(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return float(value)


def _copied(state: Any) -> Any:
    if isinstance(state, Tensor):
        return state.detach().clone()
    if isinstance(state, Mapping):
        return {key: _copied(value) for key, value in state.items()}
    return [_copied(value) for value in state] if isinstance(state, list) else state
