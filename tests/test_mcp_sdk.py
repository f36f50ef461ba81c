"""What needs the SDK of the protocol says so where it is missing."""

from __future__ import annotations

import pytest

from prefrontal import mcp_sdk
from prefrontal.errors import SourceError
from prefrontal.mcp_sdk import require_mcp_sdk


def test_what_is_missing_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    require_mcp_sdk("--command")
    monkeypatch.setattr(mcp_sdk, "find_spec", lambda _: None)
    with pytest.raises(SourceError, match=r"^--command needs the SDK .*pip install"):
        require_mcp_sdk("--command")
