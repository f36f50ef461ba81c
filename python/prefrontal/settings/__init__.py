"""What prefrontal is told in prefrontal.yml, checked field by field.

The names are loaded at first use: a command without settings does not pay for reading them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .gate import GateSettings, PolicySettings
    from .loading import load_settings, parse_settings
    from .models import Endpoint, Settings, SinkSettings, Sources
    from .routing import Routing

_HOMES = {
    "Endpoint": ".models",
    "GateSettings": ".gate",
    "PolicySettings": ".gate",
    "Routing": ".routing",
    "Settings": ".models",
    "SinkSettings": ".models",
    "Sources": ".models",
    "load_settings": ".loading",
    "parse_settings": ".loading",
}

__all__ = [
    "Endpoint",
    "GateSettings",
    "PolicySettings",
    "Routing",
    "Settings",
    "SinkSettings",
    "Sources",
    "load_settings",
    "parse_settings",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
