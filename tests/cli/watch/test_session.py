from __future__ import annotations

import sys
from pathlib import Path

from prefrontal.cli.watch.session import SWITCH_S, build_watch
from prefrontal.settings import load_settings


def test_threads_of_a_watch_take_turns_quickly(tmp_path: Path) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text("sources: {directories: [.]}\nstate: state\n")
    before = sys.getswitchinterval()
    sys.setswitchinterval(2 * SWITCH_S)
    try:
        session = build_watch(load_settings(file))
        assert sys.getswitchinterval() == SWITCH_S
        assert session.stop()
    finally:
        sys.setswitchinterval(before)
