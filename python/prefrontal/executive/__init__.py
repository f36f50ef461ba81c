"""The loop that joins the parts: sense -> wake -> route -> act -> reflect.

It is written over roles and knows no domain; `prefrontal.assembly` fills the roles. The names are
loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..decisions.payloads import Consent
    from .loop import Executive, Links
    from .nouns import ActOutcome, Choice, Conclusion, Episode, HeardBelief, Option, Status
    from .roles import Actor, Chooser, Moments, Reviewer, Selector, Store, Waker
else:
    from ..lazy_names import lazy_names

    _NOUNS = ("ActOutcome", "Choice", "Conclusion", "Episode", "HeardBelief")
    _ROLES = ("Actor", "Chooser", "Moments", "Reviewer", "Selector", "Store", "Waker")
    __getattr__, __dir__ = lazy_names(
        __name__,
        dict.fromkeys((*_NOUNS, "Option", "Status"), ".nouns")
        | dict.fromkeys(_ROLES, ".roles")
        | {"Consent": "..decisions.payloads", "Executive": ".loop", "Links": ".loop"},
    )

__all__ = [
    "ActOutcome",
    "Actor",
    "Choice",
    "Chooser",
    "Conclusion",
    "Consent",
    "Episode",
    "Executive",
    "HeardBelief",
    "Links",
    "Moments",
    "Option",
    "Reviewer",
    "Selector",
    "Status",
    "Store",
    "Waker",
]
