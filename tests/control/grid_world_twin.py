"""CausalGridWorldV2 in plain Python, written from the specification: slow, and easy to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

EMPTY, WALL, RESOURCE, HAZARD, CONTAMINATED, AGENT = range(6)
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))
STAY = 4

Place = tuple[int, int]


class PlainGridWorld:
    """`config` as GridWorldConfig has it; `rng` is NumPy's own generator."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.c, self.rng = config, rng
        self.fixed = config.profile == "fixed"
        keep = config.persist_harm_ema
        self.keeps_harm_ema = (not self.fixed) if keep is None else keep
        self.harm_ema, self.benefit_ema = 0.0, 0.0

    # --- layouts ----------------------------------------------------------------------------------

    def reset(self) -> None:
        inside = range(1, self.c.size - 1)
        cells = [(i, j) for i in inside for j in inside]
        self.rng.shuffle(cells)
        agent = cells.pop()
        hazards = [cells.pop() for _ in range(self.c.num_hazards)]
        self.reset_to(agent, hazards, [cells.pop() for _ in range(self.c.num_resources)])

    def reset_to(self, agent: Place, hazards: Iterable[Place], resources: Iterable[Place]) -> None:
        size = self.c.size
        self.agent, self.hazards, self.resources = agent, list(hazards), list(resources)
        edge = (0, size - 1)
        self.grid = {
            (i, j): WALL if i in edge or j in edge else EMPTY
            for i in range(size)
            for j in range(size)
        }
        self.grid[agent] = AGENT
        self.grid.update(dict.fromkeys(self.hazards, HAZARD))
        self.grid.update(dict.fromkeys(self.resources, RESOURCE))
        self.contamination = dict.fromkeys(self.grid, 0.0)
        self.footprint = dict.fromkeys(self.grid, 0.0)
        self.health = self.energy = 1.0
        self.harm_exposure = self.benefit_exposure = 0.0
        if not self.keeps_harm_ema:
            self.harm_ema = self.benefit_ema = 0.0
        self.last_action, self.steps = STAY, 0
        self.recompute_fields()

    def recompute_fields(self) -> None:
        self.hazard_field = {cell: self.field(self.hazards, cell) for cell in self.grid}
        self.resource_field = {cell: self.field(self.resources, cell) for cell in self.grid}

    def field(self, sources: list[Place], cell: Place) -> float:
        near = (abs(i - cell[0]) + abs(j - cell[1]) for i, j in sources)
        return sum((1.0 / (1.0 + self.c.decay * distance) for distance in near), 0.0)

    # --- a step -----------------------------------------------------------------------------------

    def step(self, action: int) -> tuple[float, str, str | None]:
        self.last_action = action
        signal, transition = 0.0, "none"
        target = self.neighbour(self.agent, action)
        if self.grid[target] != WALL:
            self.grid[self.agent] = self.vacated(self.agent)
            signal, transition = self.effect(target)
            arrived = target != self.agent
            self.agent = target
            self.grid[target] = AGENT
            self.footprint[target] += 1
            if arrived or not self.fixed:
                self.contamination[target] += self.c.contamination_spread
        self.energy = max(0.0, self.energy - self.c.energy_decay)
        self.average(signal)
        if self.steps and self.steps % self.c.drift_interval == 0:
            self.drift()
        self.steps += 1
        cause = "steps" if self.steps >= self.c.max_steps else None
        return signal, transition, "health" if self.health <= 0 else cause

    @staticmethod
    def neighbour(cell: Place, action: int) -> Place:
        return cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]

    def vacated(self, cell: Place) -> int:
        if self.fixed and cell in self.hazards:
            return HAZARD
        full = self.contamination[cell] >= self.c.contamination_threshold
        return CONTAMINATED if full else EMPTY

    def effect(self, target: Place) -> tuple[float, str]:
        kind = self.grid[target]
        hazard, resource = self.hazard_field[target], self.resource_field[target]
        if kind == RESOURCE:
            self.consume(target)
            signal = self.c.resource_benefit + self.c.benefit_scale * resource
            return signal, "resource"
        if kind == HAZARD:
            harm = self.c.hazard_harm + self.c.harm_scale * hazard
            name = "env_caused_hazard"
        elif kind == CONTAMINATED:
            harm, name = self.c.contaminated_harm, "agent_caused_hazard"
        elif hazard >= self.c.approach_threshold:
            harm, name = self.c.harm_scale * hazard, "hazard_approach"
        elif resource >= self.c.approach_threshold:
            return self.c.benefit_scale * resource, "benefit_approach"
        else:
            return 0.0, "none"
        self.health = max(0.0, self.health - harm)
        return -harm, name

    def consume(self, target: Place) -> None:
        restored = self.c.resource_benefit * self.c.restoration
        self.health = min(1.0, self.health + restored)
        self.energy = min(1.0, self.energy + restored)
        self.resources.remove(target)
        empty = [cell for cell, kind in self.grid.items() if kind == EMPTY]
        if self.c.resource_respawn_on_consume and empty:
            place = empty[self.rng.integers(len(empty))]
            self.grid[place] = RESOURCE
            self.resources.append(place)
        self.recompute_fields()

    def average(self, signal: float) -> None:
        a, b = self.c.exposure_alpha, self.c.harm_ema_alpha
        self.harm_exposure = (1.0 - a) * self.harm_exposure + a * max(0.0, -signal)
        self.benefit_exposure = (1.0 - a) * self.benefit_exposure + a * max(0.0, signal)
        hazard, resource = self.hazard_field[self.agent], self.resource_field[self.agent]
        self.harm_ema = (1.0 - b) * self.harm_ema + b * min(1.0, hazard)
        self.benefit_ema = (1.0 - b) * self.benefit_ema + b * min(1.0, resource)

    def drift(self) -> None:
        for number, cell in enumerate(self.hazards):
            if self.rng.random() >= self.c.drift_prob:
                continue
            around = [self.neighbour(cell, action) for action in range(STAY)]
            empty = [each for each in around if self.grid[each] == EMPTY]
            if not empty:
                continue
            self.hazards[number] = empty[self.rng.integers(len(empty))]
            if self.grid[cell] == HAZARD:
                self.grid[cell] = self.vacated(cell) if self.fixed else EMPTY
            self.grid[self.hazards[number]] = HAZARD
        self.recompute_fields()

    # --- observations -----------------------------------------------------------------------------

    def observe(self) -> dict[str, NDArray[np.float32]]:
        world = self.world()
        hazards, resources = world[200:225], world[225:250]
        told = {
            "body": self.body(),
            "world": world,
            "harm": [
                *(self.view(self.hazard_field, 0.0) if self.fixed else hazards),
                *(self.view(self.resource_field, 0.0) if self.fixed else resources),
                min(1.0, self.harm_exposure),
            ],
            "harm_a": [self.harm_ema] * 25 + [self.benefit_ema] * 25,
        }
        return {name: np.array(values, dtype=np.float32) for name, values in told.items()}

    def body(self) -> list[float]:
        shown = 0 if self.last_action == STAY and not self.fixed else self.last_action
        return [
            self.agent[0] / self.c.size,
            self.agent[1] / self.c.size,
            self.health,
            self.energy,
            self.footprint[self.agent] / max(1.0, *self.footprint.values()),
            *(float(shown == action) for action in range(STAY)),
            self.steps / self.c.max_steps,
            self.harm_exposure,
            self.benefit_exposure,
        ]

    def world(self) -> list[float]:
        kinds = [float(kind == each) for kind in self.view(self.grid, WALL) for each in range(7)]
        full = self.c.contamination_threshold + 1e-6
        hazards, resources = self.hazard_field, self.resource_field
        return [
            *kinds,
            *(trace / full for trace in self.view(self.contamination, 0.0)),
            *(near / (max(hazards.values()) + 1e-6) for near in self.view(hazards, 0.0)),
            *(near / (max(resources.values()) + 1e-6) for near in self.view(resources, 0.0)),
        ]

    def view(self, table: dict[Place, Any], outside: Any) -> list[Any]:
        row, column = self.agent
        around = range(-2, 3)
        return [table.get((row + i, column + j), outside) for i in around for j in around]
