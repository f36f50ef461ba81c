"""A proxy outside the sandbox: lets named hosts through, and puts credentials in on the way."""

from __future__ import annotations

from .credentials import Credential
from .hosts import Hosts
from .proxy import Proxy

__all__ = ["Credential", "Hosts", "Proxy"]
