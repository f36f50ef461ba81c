"""The three variants of the modules, and every field in which they differ.

seed: literally as the two source documents say, and the default of every configuration.
upstream: comparable with the reference. sound: with what is known to fail repaired.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

Profile = Literal["seed", "upstream", "sound"]
PROFILE_NAMES: tuple[Profile, ...] = get_args(Profile)

PROFILES: dict[tuple[str, str], tuple[Any, Any, Any]] = {
    ("memory", "attention"): ("dot", "dot", "cosine"),
    ("memory", "slot_init"): ("normal", "normal", "orthogonal"),
    ("memory", "write_rule"): ("matched", "argmin", "matched"),
    ("memory", "write_content"): ("query", "gate", "query"),
    ("e1", "cue_action_input"): ("context", "context+world", "context"),
    ("terrain", "goal_below"): (0.1, 0.33, 0.1),
    ("terrain", "goal_low"): (0.3, 0.2, 0.3),
    ("terrain", "reduction"): ("sum", "mean", "sum"),
    ("terrain", "thresholds"): ("fixed", "fixed", "balanced"),
    ("lateral_pfc", "candidate_summary"): ("t0", "t0", "t1"),
    ("lateral_pfc", "bias_bound"): ("clamp", "clamp", "tanh"),
    ("lateral_pfc", "centre_summaries"): (False, False, True),
    ("agent", "double_residue"): (False, True, False),
    ("world", "profile"): ("upstream", "upstream", "fixed"),
}
"""(part, field) -> its value in each profile, in the order of PROFILE_NAMES."""


def check_profile(name: str) -> Profile:
    """The name. Raises ValueError for a profile that does not exist."""
    for it in PROFILE_NAMES:
        if it == name:
            return it
    raise ValueError(f"profile must be one of {', '.join(PROFILE_NAMES)}, got {name!r}")


def profile_values(name: str, part: str) -> dict[str, Any]:
    """Field -> value of one part ("memory", "lateral_pfc", ...) in a profile.

    Raises ValueError for an unknown profile or part.
    """
    column = PROFILE_NAMES.index(check_profile(name))
    parts = {it for it, _ in PROFILES}
    if part not in parts:
        raise ValueError(f"part must be one of {', '.join(sorted(parts))}, got {part!r}")
    return {field: row[column] for (it, field), row in PROFILES.items() if it == part}
