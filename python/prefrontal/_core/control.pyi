"""The grid world, one or many stepped together; a context memory and a rule, folded for use."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

@final
class GridWorld:
    """One CausalGridWorldV2. Places are (row, column); sums are of doubles in a fixed order.

    What is random is drawn from the numpy.random.Generator that is handed in, by NumPy's own
    methods: a reset is `Generator.shuffle` of the interior cells by rows; a drift is, for each
    hazard in order, `random()` and, below `drift_prob`, `integers(n)` among the n empty neighbours
    (up, down, left, right; no draw for n < 2); a respawn is `integers(n)` among the n empty cells
    by rows. The same generator gives the same world on every machine.
    """

    def __init__(self, **config: Any) -> None:
        """config: the fields of prefrontal.control.GridWorldConfig.

        Raises TypeError for an unknown one and for a value of another type, ValueError for one out
        of its range. The world has no layout before `reset` or `reset_to`.
        """

    def reset(self, rng: np.random.Generator) -> None:
        """A random layout; harm_a is kept or zero as `persist_harm_ema` says.

        Raises TypeError for something else than a generator.
        """

    def reset_to(
        self,
        agent: tuple[int, int],
        hazards: Sequence[tuple[int, int]],
        resources: Sequence[tuple[int, int]],
    ) -> None:
        """The layout told: interior places, no two alike, not more than the configuration's.

        Raises ValueError; then nothing has changed.
        """

    def set_harm_ema(self, value: float) -> None:
        """Make all of harm_a `value`, 0 to 1. Raises ValueError."""

    def step(self, action: int, rng: np.random.Generator) -> tuple[float, str, str | None]:
        """The harm signal, the transition and, at the end of an episode, its cause.

        action: 0 up, 1 down, 2 left, 3 right, 4 stay. Raises ValueError for another one and for a
        world that is not running.
        """

    def observe(self) -> dict[str, NDArray[np.float32]]:
        """Fresh arrays: body [12], world [250], harm [51] and harm_a [50].

        body: row and column by size, health, energy, footprint by its largest, the last action as
        one of four (stay: as up in the profile upstream, none in fixed), steps by their most, the
        averages of harm and benefit.
        world: what the 5 x 5 cells around hold, each one of seven (outside: wall); then their
        contamination by its threshold, and both fields by their largest, 0 outside.
        harm: both fields there, and the average of harm, at most 1. harm_a: slow averages of both
        fields at the agent's cell, at most 1, 25 times each.
        """

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any) -> Self: ...
    @property
    def running(self) -> bool: ...
    @property
    def agent(self) -> tuple[int, int]: ...
    @property
    def hazards(self) -> list[tuple[int, int]]: ...
    @property
    def resources(self) -> list[tuple[int, int]]: ...
    @property
    def health(self) -> float: ...
    @property
    def energy(self) -> float: ...
    @property
    def harm_exposure(self) -> float: ...
    @property
    def benefit_exposure(self) -> float: ...
    @property
    def last_action(self) -> int: ...
    @property
    def steps(self) -> int: ...
    def grid(self) -> NDArray[np.int8]:
        """A copy [size, size]: 0 empty, 1 wall, 2 resource, 3 hazard, 4 contaminated, 5 agent."""

    def hazard_field(self) -> NDArray[np.float64]:
        """A copy [size, size]: the sum over hazards of 1 / (1 + decay x Manhattan distance)."""

    def resource_field(self) -> NDArray[np.float64]:
        """A copy [size, size], as the hazard field."""

    def contamination(self) -> NDArray[np.float64]:
        """A copy [size, size]: what the agent has left on each cell."""

    def footprint(self) -> NDArray[np.float64]:
        """A copy [size, size]: how often the agent's step ended on each cell."""

@final
class GridWorlds:
    """Many worlds of one configuration. `reset`, `step` and `observe` run without the GIL.

    The caller lets in one call at a time.
    """

    def __init__(self, num_envs: int, autoreset_mode: str, **config: Any) -> None:
        """num_envs: 1 to 1000000; autoreset_mode: "NextStep", "SameStep" or "Disabled".

        config: as of GridWorld. Raises TypeError and ValueError.
        """

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> GridWorld:
        """The world itself, not a copy. Raises IndexError."""

    def set_generator(self, index: int, rng: np.random.Generator) -> None:
        """What the world draws from, from now on. Each world must have one before a reset."""

    def reset(self, mask: NDArray[np.bool_] | None = None) -> None:
        """All worlds, or those of the mask [num_envs]."""

    def step(
        self,
        actions: NDArray[np.int64],
        out: dict[str, NDArray[Any]],
        observation: dict[str, NDArray[np.float32]] | None = None,
        last: dict[str, NDArray[np.float32]] | None = None,
    ) -> None:
        """One step of each world, into the caller's arrays.

        actions: [num_envs], 0 to 4. out: "rewards" float64, "terminated" and "truncated" bool,
        "transitions" and "causes" uint8 (codes of prefrontal.control.world.grid_world_config),
        "steps" int64, all [num_envs] and of the step, not of a reset after it. observation:
        "body" [num_envs, 12], "world" [.., 250], "harm" [.., 51], "harm_a" [.., 50]; None: none are
        made. last: the same, written in mode SameStep for worlds that ended, before their reset.
        Raises ValueError for an action out of range and, in mode Disabled, for a world that has
        ended; then no world has moved.
        """

    def observe(self, observation: dict[str, NDArray[np.float32]]) -> None:
        """The observations of all worlds, into the caller's arrays, as in `step`."""

class _Tensor(Protocol):
    """A tensor of another library that offers DLPack's C exchange interface, as torch's do."""

    @property
    def requires_grad(self) -> bool: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

Given: TypeAlias = NDArray[np.float32] | _Tensor
"""float32 in C order in this process's memory: a NumPy array, or a torch tensor on the CPU.

A tensor is read in place, whether it requires a gradient or not; one that is written into must not
require one, and its version counter does not move. A fake, meta or functorch tensor, another
device, dtype or order is refused by name, and never touched: `torch.ops.prefrontal` takes those.
Results that are new arrays are NumPy's.
"""

@final
class CueReader:
    """What a cue calls up: a snapshot of a context memory, folded so that a read costs 0.1 us.

        q = world_query_proj z, k = key_proj memory, v = value_proj memory
        w = softmax(q k / tau), c = output_proj (w v)
        action_bias = cue_action_proj c (or of [c, z]), terrain_weight = sigmoid(cue_terrain_proj c)

    The parameters are copied and folded when the reader is made, in double precision; the result
    is within 1e-6 of the formula. Nothing but `refresh` and `write_slot` changes what is read:
    changes of the caller's arrays, by whatever way, do not; `changed` tells of them. A copy and
    a pickle hold the parameters.

    z: float32 [32] for one cue or [B, 32], in C order; results have the same number of dimensions.
    A row's results do not depend on the rows around it, nor on the processor, to the bit. A cue
    that is not finite gives NaN. From 128 rows on the interpreter's lock is given up.
    Raises TypeError for anything but float32, ValueError for another shape or order (see Given).
    """

    def __init__(
        self,
        parameters: Mapping[str, Given],
        *,
        cue_action_input: Literal["context", "context+world"] = "context",
        attention: Literal["dot", "cosine"] = "dot",
    ) -> None:
        """parameters: `memory` [16, d], `world_query_proj` [d, 32], `key_proj` [d, d] without bias,
        `value_proj` [d, d], `output_proj` [64, d], `cue_action_proj` [16, 64] (or [16, 96]) and
        `cue_terrain_proj` [2, 64], each but `memory` as `.weight` and `.bias`, d from 1 to 4096;
        `key_proj.bias` [d] and `log_tau` [1] may be there: tau = exp(log_tau) + 0.001, or sqrt(d).

        cue_action_input: the profile `seed` or `upstream`. attention: "cosine", of the profile
        `sound`, brings q and k to a mean square of 1, so that scores are d cos(q, k) / tau; a query
        or key shorter than 1e-12 counts as that long.
        Raises TypeError for arrays of another type; ValueError for names missing or unknown, other
        shapes, NaN or infinity, and numbers whose products leave float32.
        """

    def refresh(self, parameters: Mapping[str, Given]) -> None:
        """Take a new snapshot of the same shapes. Raises, changing nothing, as the constructor."""

    def write_slot(self, slot: int, row: Given) -> None:
        """Replace one slot (0 to 15) of the snapshot's memory by `row` [d], which is copied.

        Reads then give the bits of a reader made with that memory; the caller's own memory is not
        touched. Raises ValueError, and changes nothing, for another slot, shape, or NaN.
        """

    def changed(self, parameters: Mapping[str, Given]) -> tuple[str, ...]:
        """Names of the parameters that differ from the snapshot: () when a refresh is not needed.

        Compares all bytes (20 us); what `write_slot` wrote counts. Raises as the constructor.
        """

    @property
    def memory(self) -> NDArray[np.float32]:
        """A copy of the snapshot's memory [16, d], with the slots written."""

    def read(self, z: Given) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(action_bias [B, 16] without bounds, terrain_weight [B, 2]) as new arrays.

        terrain_weight: w_harm and w_goal in (0, 1), which float32 rounds to 1 from logit 17 on.
        """

    def read_context(
        self, z: Given
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """As `read`, with the context c [B, 64] behind them."""

    def read_into(
        self,
        z: Given,
        action_bias: Given,
        terrain_weight: Given,
        cue_context: Given | None = None,
    ) -> None:
        """As `read`, into the caller's arrays. Raises ValueError where one overlaps z."""

    def weights(self, z: Given) -> NDArray[np.float32]:
        """How much each slot is attended to, [B, 16]; a row sums to 1."""

    def tick(self) -> None:
        """Read what stands in `z` into `action_bias` and `terrain_weight`: the fastest form."""

    @property
    def z(self) -> NDArray[np.float32]:
        """The input of `tick` [32], to be written into; the array may be kept, its memory stays."""

    @property
    def action_bias(self) -> NDArray[np.float32]:
        """What the latest `tick` gave [16], read-only, overwritten by the next; zeros before."""

    @property
    def terrain_weight(self) -> NDArray[np.float32]:
        """What the latest `tick` gave [2], read-only, overwritten by the next; zeros before."""

@final
class ContextReader:
    """ContextMemory.read as a snapshot, folded: see CueReader, whose methods these are.

    x: float32 [64] or [B, 64], z_self and z_world side by side.
    """

    def __init__(
        self,
        parameters: Mapping[str, Given],
        *,
        attention: Literal["dot", "cosine"] = "dot",
    ) -> None:
        """parameters: as of CueReader up to `output_proj`, with `query_proj` [d, 64] for
        `world_query_proj`, and perhaps `key_proj.bias`. Raises as CueReader does."""

    def refresh(self, parameters: Mapping[str, Given]) -> None: ...
    def write_slot(self, slot: int, row: Given) -> None: ...
    def changed(self, parameters: Mapping[str, Given]) -> tuple[str, ...]: ...
    @property
    def memory(self) -> NDArray[np.float32]: ...
    def read(self, x: Given) -> NDArray[np.float32]:
        """output_proj(w v) [B, 64], in the affine hull of the slots' own, as a new array."""

    def read_into(self, x: Given, out: Given) -> None:
        """As `read`, into the caller's array. Raises ValueError where it overlaps x."""

    def weights(self, x: Given) -> NDArray[np.float32]:
        """How much each slot is attended to, [B, 16]."""

@final
class RuleState:
    """The gated rule of lateral prefrontal cortex, and how it biases candidates.

        e = update_eta clip(gate, 0, 1) (1 + override_gain clip(override, 0, 1))
        rule <- (1 - e) rule + e (delta_proj z_delta + world_pool_weight world_proj z_world)
        bias_k = bound(rule_bias_head([rule, summary_k]))

    Under a constant source the rule is half way after ln 0.5 / ln(1 - e) ticks: 13.51 at gate 1,
    45.9 at 0.3, 276.9 at 0.05; gate 0 holds it to the bit. One update and one bias are within 1e-6
    of the formula; results do not depend on the processor, to the bit. Arrays are float32 in C
    order. The parameters are a snapshot: see CueReader. The rule is zeros at first.
    Raises TypeError for arrays of another type, ValueError for other shapes.
    """

    def __init__(
        self,
        parameters: Mapping[str, Given],
        *,
        update_eta: float = 0.05,
        world_pool_weight: float = 0.5,
        bias_scale: float = 0.1,
        bias_bound: Literal["clamp", "tanh"] = "clamp",
        form: Literal["per_candidate", "uniform", "gain"] = "per_candidate",
        override_gain: float = 0.0,
        centre_summaries: bool = False,
        environments: int | None = None,
        candidates: int = 32,
    ) -> None:
        """parameters: `delta_proj` and `world_proj` [16, 32], `rule_bias_head.0` [32, 48] (of the
        uniform form [32, 16]) and `rule_bias_head.2` [1, 32], each as `.weight` and `.bias`.

        bias_bound: the nearer of -bias_scale and bias_scale, or bias_scale tanh(x / bias_scale),
        whose slope is never 0. form: "uniform" does not read the summaries and gives all candidates
        the same, which never changes the best; "gain" gives 1 + the bias, a factor for the scores.
        centre_summaries: take their mean over the candidates off, from two candidates on.
        environments: None keeps one rule [16] and takes the mean of all rows given to `update`; N
        keeps a rule for each of N environments [N, 16], and N stands first in every shape below.
        candidates: of `tick`.
        Raises ValueError for update_eta outside 0..1, bias_scale outside 1e-6..1e6, override_gain
        below 0 or so large that e could exceed 1, unknown words, and as CueReader for parameters.
        """

    def refresh(self, parameters: Mapping[str, Given]) -> None:
        """Take a new snapshot of the parameters; the rule stays. Raises as the constructor."""

    def changed(self, parameters: Mapping[str, Given]) -> tuple[str, ...]:
        """Names of the parameters that differ from the snapshot."""

    def update(
        self,
        z_delta: Given,
        z_world: Given,
        gate: float | Given | NDArray[Any] = 1.0,
        override: float | Given | NDArray[Any] = 0.0,
    ) -> None:
        """Move the rule. z_delta, z_world: [32] or [B, 32], averaged over B.

        gate, override: one number, or [N] where there are environments; outside 0..1 the nearer end
        counts. 1 is the gate of an agent without a coordinator.
        Raises ValueError, and moves no rule, for NaN in either and where the rule would not stay
        finite; where e is 0 the latents are not read.
        """

    def bias(self, summaries: Given) -> NDArray[np.float32]:
        """The bias of each candidate [K] from its summary [K, 32], K at least 1, as a new array."""

    def bias_into(self, summaries: Given, biases: Given) -> None:
        """As `bias`, into the caller's array. Raises ValueError where it overlaps the summaries."""

    def tick(
        self, gate: float | Given | NDArray[Any] = 1.0, override: float | Given | NDArray[Any] = 0.0
    ) -> None:
        """`update` from `z_delta` and `z_world`, then `bias` of `summaries` into `biases`."""

    @property
    def z_delta(self) -> NDArray[np.float32]:
        """An input of `tick` [32], to be written into; the array may be kept, its memory stays."""

    @property
    def z_world(self) -> NDArray[np.float32]:
        """An input of `tick` [32], to be written into."""

    @property
    def summaries(self) -> NDArray[np.float32]:
        """An input of `tick` [candidates, 32], to be written into."""

    @property
    def biases(self) -> NDArray[np.float32]:
        """What the latest `tick` gave [candidates], read-only, overwritten by the next."""

    def get_rule_state(self) -> NDArray[np.float32]:
        """A copy of the rule [16]."""

    def set_rule_state(self, rule: Given) -> None:
        """Replace the rule [16]; what follows is as it would have been. Raises for NaN."""

    def reset(self, environment: int | None = None) -> None:
        """Zero the rule, or that of one environment (0 to N - 1)."""
