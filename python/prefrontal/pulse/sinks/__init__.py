"""Where a question goes: a command, an address, an OpenClaw gateway, or a stream of JSON lines.

A sink takes an escalation, hands it over, and tells what came of it; it never raises for the
world's sake. Sinks are called from the registry's handler threads, several at a time.
"""

from .command import CommandSink
from .http import HttpSink
from .lines import LinesFileSink, LinesSink
from .openclaw import OpenClawSink
from .outcome import DeliveryOutcome, Shape, Sink, as_line
from .signing import Signer

__all__ = [
    "CommandSink",
    "DeliveryOutcome",
    "HttpSink",
    "LinesFileSink",
    "LinesSink",
    "OpenClawSink",
    "Shape",
    "Signer",
    "Sink",
    "as_line",
]
