"""YAML of a page: settings, a sweep or a fingerprint, checked by those who read them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from prefrontal.pulse import parse_fingerprint
from prefrontal.settings import parse_settings
from prefrontal.settings.agent_file import read_agent_config
from prefrontal.settings.cortex import parse_cortex
from prefrontal.settings.sweeps import HistorySweep, TrustSweep, read_sweep
from prefrontal.storage.documents import read_document

SWEEPS = {"histories", "streams"}
"""Keys that settings have not, and sweeps have."""


def check_yaml(text: str) -> None:
    """Raises what the reader of such a file raises."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prefrontal.yml"
        file.write_text(text, encoding="utf-8")
        document = read_document(file)
        assert isinstance(document, dict), document
        if "module_id" in document:
            parse_fingerprint(document)
        elif sweep := SWEEPS & document.keys():
            read_sweep(file, TrustSweep if "streams" in sweep else HistorySweep)
        else:
            _check_settings(document)
            read_agent_config(file, environ=_Anything())


def _check_settings(document: dict[str, Any]) -> None:
    settings = parse_settings(document)
    for module in settings.modules:
        if isinstance(module, dict):
            parse_fingerprint(module)
    _, warnings = parse_cortex(settings.cortex)
    assert not warnings


class _Anything(dict[str, str]):
    """An environment in which every variable is set."""

    def get(self, key: str, default: Any = None) -> Any:
        return "1"
