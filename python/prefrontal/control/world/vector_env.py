"""Many CausalGridWorldV2 in one: stepped in C++, into NumPy buffers, without Python's lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core.control import GridWorlds
from .grid_world_config import DONE_CAUSES, TRANSITIONS, GridWorldConfig, configured
from .gymnasium_parts import action_space, gymnasium, observation_space
from .reset_options import read_reset_options

Observation = dict[str, NDArray[np.float32]]
AutoresetMode = gymnasium.vector.AutoresetMode

_TRANSITIONS = np.array(TRANSITIONS, dtype=object)
_CAUSES = np.array(DONE_CAUSES, dtype=object)


class CausalGridWorldVecEnv(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], Any]):
    """The same results as gymnasium's SyncVectorEnv of CausalGridWorldV2, far faster.

    Observations are float32 [num_envs, 12 | 250 | 51 | 50]; rewards float64, terminations and
    truncations bool [num_envs]; infos hold transition_type, done_cause and steps, with their
    masks, and in SAME_STEP mode final_obs and final_info. Each world has a generator of its own.

    copy: hand out fresh arrays; False hands out the same arrays each time, written over by the
    next step. Not safe for threads: one call at a time.
    """

    def __init__(
        self,
        num_envs: int = 1,
        config: GridWorldConfig | str | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **changes: Any,
    ) -> None:
        """config, changes: as of CausalGridWorldV2. Raises ValueError and TypeError."""
        self.config = configured(config, changes)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.worlds = GridWorlds(num_envs, self.autoreset_mode.value, **self.config.core_options())
        self.num_envs = num_envs
        self.copy = copy
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observation_space(self.config)
        self.single_action_space = action_space()
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self._generators: list[np.random.Generator] = []
        self._observation, self._out = self._new_observation(), self._new_out()
        self._last = self._new_observation()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """All worlds, or those of options["reset_mask"] (bool [num_envs]), begin anew.

        seed: of world 0, the others count on from it; or one for each world; None leaves the
        generators as they are. options["harm_ema"]: as of CausalGridWorldV2.
        """
        rest = dict(options or {})
        mask = self._mask(rest.pop("reset_mask", None))
        choices = read_reset_options(rest)
        chosen = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        seeds = self._seeds(seed)
        self._seed(seeds, chosen)
        if choices.harm_ema is not None:
            harm_emas = dict.fromkeys(chosen, choices.harm_ema)
        else:
            harm_emas = {at: 0.0 for at in chosen if seeds[at] is not None}
        for at, value in harm_emas.items():
            self.worlds[at].set_harm_ema(value)
        self.worlds.reset(mask)
        observation = self._new_observation() if self.copy else self._observation
        self.worlds.observe(observation)
        where = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask.copy()
        nothing = np.zeros(self.num_envs, dtype=np.uint8)
        return observation, self._infos(nothing, nothing, nothing.astype(np.int64), where)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """actions: integers [num_envs], 0 to 4; that of a world that is being reset is ignored.

        Raises ValueError for another action or shape and, in DISABLED mode, for a world that has
        ended; then no world has moved. Raises gymnasium's ResetNeeded before the first reset.
        """
        if not self._generators:
            raise gymnasium.error.ResetNeeded("reset() must be called before step()")
        chosen = self._actions(actions)
        observation = self._new_observation() if self.copy else self._observation
        out = self._new_out() if self.copy else self._out
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.worlds.step(chosen, out, observation, self._last if same_step else None)
        ended = out["terminated"] | out["truncated"]
        if same_step and ended.any():
            infos = self._infos_after_ends(out, ended)
        else:
            everywhere = np.ones(self.num_envs, dtype=np.bool_)
            infos = self._infos(out["transitions"], out["causes"], out["steps"], everywhere)
        return observation, out["rewards"], out["terminated"], out["truncated"], infos

    # --- arguments --------------------------------------------------------------------------------

    def _actions(self, actions: Any) -> NDArray[np.int64]:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({self.num_envs},), "
                f"got {array.dtype} of shape {array.shape}"
            )
        return np.ascontiguousarray(array, dtype=np.int64)

    def _mask(self, mask: Any) -> NDArray[np.bool_] | None:
        if mask is None:
            return None
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ValueError(
                f"options['reset_mask'] must be bool of shape ({self.num_envs},) with one True "
                f"at least, got {mask!r}"
            )
        if not self._generators:
            raise ValueError("options['reset_mask'] must wait for a first reset of all, got one")
        return np.ascontiguousarray(mask)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + at for at in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must hold {self.num_envs} seeds, got {len(seed)}")
        return seed

    def _seed(self, seeds: Sequence[int | None], chosen: Sequence[int]) -> None:
        first = not self._generators
        anew = {
            at: np.random.default_rng(seeds[at]) for at in chosen if first or seeds[at] is not None
        }
        self._generators = self._generators or list(anew.values())
        for at, generator in anew.items():
            self._generators[at] = generator
            self.worlds.set_generator(at, generator)

    # --- what is handed out -----------------------------------------------------------------------

    def _new_observation(self) -> Observation:
        spaces = self.single_observation_space.spaces  # type: ignore[attr-defined]
        return {
            name: np.empty((self.num_envs, *space.shape), np.float32)
            for name, space in spaces.items()
        }

    def _new_out(self) -> dict[str, NDArray[Any]]:
        count = self.num_envs
        return {
            "rewards": np.empty(count, np.float64),
            "terminated": np.empty(count, np.bool_),
            "truncated": np.empty(count, np.bool_),
            "transitions": np.empty(count, np.uint8),
            "causes": np.empty(count, np.uint8),
            "steps": np.empty(count, np.int64),
        }

    def _infos(
        self,
        transitions: NDArray[Any],
        causes: NDArray[Any],
        steps: NDArray[Any],
        where: NDArray[np.bool_],
    ) -> dict[str, Any]:
        """Infos as SyncVectorEnv has them: None and 0 where there are none."""
        return {
            "transition_type": np.where(where, _TRANSITIONS[transitions], None),
            "_transition_type": where,
            "done_cause": _CAUSES[causes],
            "_done_cause": where.copy(),
            "steps": steps * where,
            "_steps": where.copy(),
        }

    def _infos_after_ends(
        self, out: dict[str, NDArray[Any]], ended: NDArray[np.bool_]
    ) -> dict[str, Any]:
        final = np.full(self.num_envs, None, dtype=object)
        for at in np.flatnonzero(ended):
            final[at] = {name: rows[at].copy() for name, rows in self._last.items()}
        went_on = ~ended
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        now = (out["transitions"] * went_on, out["causes"] * went_on, out["steps"] * went_on)
        return {
            "final_obs": final,
            "_final_obs": ended,
            "final_info": self._infos(out["transitions"], out["causes"], out["steps"], ended),
            "_final_info": ended.copy(),
            **self._infos(*now, everywhere),
        }
