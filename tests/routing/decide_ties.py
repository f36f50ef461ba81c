"""Who goes before whom: domain tools before shared ones, and the rules for ties."""

from __future__ import annotations

from dataclasses import replace

from .decide_cases import SHARED_A, SHARED_B, TWO, A, B, Border, C
from .sample_tools import candidate, harm

TIES = [
    Border(
        "a tool that is called by its whole name goes before a better one",
        [candidate(A, 0.99), replace(candidate(B, 0.61), by_name=True)],
        "select",
        [B],
    ),
    Border(
        "a domain tool shadows the shared one whatever the scores",
        [candidate(SHARED_A, 0.99), candidate(A, 0.61)],
        "select",
        [A],
        says=f"{SHARED_A} is shadowed by {A}",
    ),
    Border(
        "also when the domain tool is not good enough",
        [candidate(SHARED_A, 0.99), candidate(A, 0.59)],
        "generate",
        says="is shadowed by",
    ),
    Border(
        "at the floor it is worth a word",
        [candidate(B, 0.9), candidate(SHARED_A, 0.2), candidate(A, 0.55)],
        "select",
        [B],
        says=f"{SHARED_A} is shadowed by {A}",
    ),
    Border(
        "where neither may serve the prompt nothing is said of them",
        [candidate(B, 0.9), candidate(SHARED_A, 0.5499), candidate(A, 0.2)],
        "select",
        [B],
        says="at least tau 0.60.",
    ),
    Border(
        "a shared tool of another name may win",
        [candidate(SHARED_B, 0.62), candidate(A, 0.61)],
        "select",
        [SHARED_B],
    ),
    Border(
        "a tool that cannot be run shadows nothing",
        [candidate(SHARED_A, 0.7), candidate(A, 0.61, runnable=False)],
        "select",
        [SHARED_A],
    ),
    Border(
        "a shadowed tool may be a step",
        [candidate(SHARED_A, 0.58, (0.7, 0.1)), candidate(A, 0.57, (0.1, 0.7))],
        "compose",
        [SHARED_A, A],
        TWO,
    ),
    Border(
        "a shadowed tool is not better at a clause than the one that shadows it",
        [candidate(SHARED_A, 0.58, (0.9, 0.9)), candidate(A, 0.6, (0.6, 0.6))],
        "select",
        [A],
        TWO,
    ),
    Border(
        "a tool that cannot be run is no step",
        [candidate(A, 0.58, (0.7, 0.1)), candidate(B, 0.57, (0.1, 0.7), runnable=False)],
        "generate",
        (),
        TWO,
    ),
    Border(
        "one that cannot be run is selected, and says so",
        [candidate(A, 0.7, runnable=False)],
        "select",
        [A],
        says="cannot be run here",
    ),
    Border(
        "tie: domain over shared",
        [candidate(SHARED_A, 0.7, history=0.9), candidate(B, 0.7)],
        "select",
        [B],
    ),
    Border(
        "tie: more history",
        [candidate(A, 0.7, history=0.5), candidate(B, 0.7, history=0.500001)],
        "select",
        [B],
    ),
    Border(
        "tie: the shallower path",
        [candidate("domains/d/x/y/a.py", 0.7), candidate(B, 0.7)],
        "select",
        [B],
    ),
    Border(
        "tie: the less harmful tool",
        [candidate(A, 0.7, manifest=harm("delete")), candidate(B, 0.7, manifest=harm("write"))],
        "select",
        [B],
    ),
    Border(
        "tie: a tool that says nothing is taken for one that writes",
        [candidate(A, 0.7), candidate(B, 0.7, manifest=harm("none"))],
        "select",
        [B],
    ),
    Border(
        "tie: silence is better than deleting",
        [candidate(A, 0.7, manifest=harm("delete")), candidate(B, 0.7)],
        "select",
        [B],
    ),
    Border(
        "tie: harm may be left out",
        [candidate(A, 0.7, manifest=harm("delete")), candidate(B, 0.7, manifest=harm("none"))],
        "select",
        [A],
        (),
        {"harmless_first": False},
    ),
    Border(
        "tie: the file name",
        [candidate("domains/d/y/a.py", 0.7), candidate("domains/d/x/b.py", 0.7)],
        "select",
        ["domains/d/y/a.py"],
    ),
    Border(
        "tie: the path at last",
        [candidate("domains/d/y/a.py", 0.7), candidate("domains/d/x/a.py", 0.7)],
        "select",
        ["domains/d/x/a.py"],
    ),
    Border(
        "half a millionth is no difference",
        [candidate(B, 0.7000004), candidate(A, 0.7)],
        "select",
        [A],
    ),
    Border(
        "one millionth is",
        [candidate(B, 0.700001), candidate(A, 0.7)],
        "select",
        [B],
    ),
    Border(
        "tie for a clause: domain over shared, though its whole score is lower",
        [
            candidate(SHARED_B, 0.59, (0.1, 0.7)),
            candidate(C, 0.57, (0.1, 0.7)),
            candidate(A, 0.58, (0.7, 0.1)),
        ],
        "compose",
        [A, C],
        TWO,
    ),
]
