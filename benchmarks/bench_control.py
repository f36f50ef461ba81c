"""The operators of control and the whole agent, each beside its plain torch form in the same run.

One thread. Results are compared with the twin's before anything is timed. Without
`prefrontal._torch` the operators are their plain forms, and no target of theirs is met.

    python benchmarks/bench_control.py [--smoke] [--only WORD]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import torch

import control_agent_sections
import control_cue_sections
import control_plan_sections
import control_rollout_sections
import control_score_sections
from control_sections import Section, measured
from prefrontal._core import instruction_set
from prefrontal.control.ops import available

PARTS: dict[str, Callable[[], list[Section]]] = {
    "cue": control_cue_sections.sections,
    "scores": control_score_sections.sections,
    "rollout": control_rollout_sections.sections,
    "agent": control_agent_sections.sections,
    "plans": control_plan_sections.sections,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--rounds", type=int, default=60, help="bursts of each entry")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="`torch.jit", category=DeprecationWarning)
    compiled = "compiled" if available() else "plain: prefrontal._torch was not built"
    print(f"torch {torch.__version__}, operators {compiled}, kernels {instruction_set()}\n")
    for name, sections in PARTS.items():
        if options.only in (None, name):
            for section in sections():
                print(measured(section, rounds=options.rounds, smoke=options.smoke) + "\n")


if __name__ == "__main__":
    main()
