"""Whether the SDK of the Model Context Protocol is installed."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import SourceError


def require_mcp_sdk(what: str) -> None:
    """Raise SourceError where it is not. what: needs it, as the sentence names it."""
    if find_spec("mcp") is None:
        sentence = f"{what} needs the SDK of the protocol: pip install 'prefrontal[mcp]'"
        raise SourceError(sentence)
