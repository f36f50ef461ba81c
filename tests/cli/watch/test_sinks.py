"""The sinks of prefrontal.yml, in the shape that they ask for."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from prefrontal.cli.watch.sinks import configured_sinks
from prefrontal.decisions.document import document, document_v1
from prefrontal.errors import InputError
from prefrontal.settings import parse_settings

from ...pulse.test_http_sink import Server
from ...pulse.wakes import wake

TELL = "import os, sys; open(sys.argv[1], 'w').write(','.join(sorted(os.environ)))"


def delivered(settings: dict[str, Any], held: ExitStack) -> None:
    found = configured_sinks(parse_settings(settings), parse_settings(settings).sinks, held)
    assert not found.durable
    for _, sink in found.plain:
        assert sink.deliver(wake()).ok


@pytest.mark.parametrize(
    ("more", "shape"), [({}, document(wake())), ({"format": "v1"}, document_v1(wake()))]
)
def test_the_shape_of_the_settings_reaches_every_sink(
    tmp_path: Path, more: dict[str, str], shape: dict[str, Any]
) -> None:
    program, lines = tmp_path / "tell.py", tmp_path / "lines"
    program.write_text(TELL)
    with Server([200]) as server, ExitStack() as held:
        sinks = [
            {"lines": str(lines), **more},
            {"post": server.url, "durable": False, **more},
            {"exec": f"{sys.executable} {program} {tmp_path / 'names'}", **more},
        ]
        delivered({"sinks": sinks}, held)
    assert json.loads(lines.read_text()) == server.got[0][1] == shape
    names = (tmp_path / "names").read_text().split(",")
    assert ("PREFRONTAL_MODULE" in names) is bool(more)
    assert ("PREFRONTAL_SUBJECT" in names) is not bool(more)


def test_standard_output_has_a_shape_of_its_own() -> None:
    with ExitStack() as held:
        settings = parse_settings({"sinks": [{"lines": "-", "format": "v1"}]})
        assert configured_sinks(settings, settings.sinks, held).output == "v1"


def test_a_shape_that_nobody_knows_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"format must be one of 'v1' or 'v2', got 'v3'"):
        parse_settings({"sinks": [{"lines": "-", "format": "v3"}]})


def test_openclaw_needs_its_token_and_is_asked_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"openclaw": {"url": "http://127.0.0.1:1", "token_env": "CLAW_TOKEN"}}
    settings = parse_settings({"sinks": [{**entry, "durable": False}]})
    monkeypatch.delenv("CLAW_TOKEN", raising=False)
    with ExitStack() as held:
        with pytest.raises(InputError, match=r"^openclaw.token_env must name a variable that is s"):
            configured_sinks(settings, settings.sinks, held)
        monkeypatch.setenv("CLAW_TOKEN", "a-token")
        [(name, _)] = configured_sinks(settings, settings.sinks, held).plain
    assert name == "openclaw"
