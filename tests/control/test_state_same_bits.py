"""The readers and the rule state give the same bits whatever the processor offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..instruction_sets import check_same_bits

PROGRAM = """
import itertools, sys
from hashlib import sha256
import numpy as np
from prefrontal import _core
from prefrontal._core.control import ContextReader, CueReader, RuleState

sys.path.insert(0, sys.argv[1])
import state_twins as twins

rng, bits = np.random.default_rng(11), sha256()
draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
for world, attention in itertools.product((False, True), ("dot", "cosine")):
    for scale in (0.01, 1.0, 30.0):
        parameters = twins.cue_parameters(3, world=world, scale=scale)
        inputs = "context+world" if world else "context"
        cue = CueReader(parameters, cue_action_input=inputs, attention=attention)
        for rows in (1, 2, 5, 8, 21, 200):
            z = draw(rows, 32)
            for out in (*cue.read_context(z), cue.weights(z), *cue.read(z[0])):
                bits.update(out.tobytes())
            cue.write_slot(rows % 16, draw(128))
for attention in ("dot", "cosine"):
    memory = ContextReader(twins.context_parameters(4), attention=attention)
    for rows in (1, 3, 8, 300):
        bits.update(memory.read(draw(rows, 64)).tobytes())
for form, bound in itertools.product(("per_candidate", "uniform", "gain"), ("clamp", "tanh")):
    parameters = twins.rule_parameters(5, uniform=form == "uniform")
    for environments in (None, 3):
        rule = RuleState(parameters, form=form, bias_bound=bound, environments=environments,
                         centre_summaries=bound == "tanh", override_gain=1.0, bias_scale=0.3)
        n = () if environments is None else (environments,)
        for k in (1, 2, 7, 8, 33, 300):
            rule.update(draw(*n, 32), draw(*n, 32), rng.random(), rng.random())
            bits.update(rule.get_rule_state().tobytes())
            bits.update(rule.bias(draw(*n, k, 32)).tobytes())
print(_core.instruction_set(), bits.hexdigest())
"""


@pytest.mark.exhaustive
def test_every_instruction_set_gives_the_same_reads_and_rules_to_the_last_bit() -> None:
    check_same_bits(PROGRAM, str(Path(__file__).parent))
