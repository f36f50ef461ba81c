"""What `prefrontal watch` is told in prefrontal.yml, checked field by field."""

from .loading import load_settings, parse_settings
from .models import Endpoint, Policy, Settings, Sink, Sources

__all__ = [
    "Endpoint",
    "Policy",
    "Settings",
    "Sink",
    "Sources",
    "load_settings",
    "parse_settings",
]
