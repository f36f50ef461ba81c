"""What was acknowledged is there after `kill -9`, whole, found, and once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.runtime.conversation.models import MessageQuery
from prefrontal.runtime.conversation.store import ConversationStore

KILLS = 8
RECORDER = """
import sys
from prefrontal.runtime.conversation.models import NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore

store, run = ConversationStore(sys.argv[1]), sys.argv[2]
ann = Viewer("ann", "test", "chat-ann")
number = 0
while True:
    waiting = []
    for _ in range(7):
        text = f"r{run}n{number} I live in city{number}. " + "word " * 50
        waiting.append((number, store.submit(NewMessage(ann, "in", text, 1.7e9))))
        number += 1
    for each, future in waiting:
        print(each, future.result(), flush=True)
"""


@pytest.mark.exhaustive
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    acknowledged: dict[int, str] = {}
    for run in range(KILLS):
        command = [sys.executable, "-c", RECORDER, str(path), str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
            assert recorder.stdout is not None
            for _ in range(40 + 13 * run):
                number, message = map(int, recorder.stdout.readline().split())
                acknowledged[message] = f"r{run}n{number}"
            recorder.kill()
            recorder.communicate(timeout=60)
    with ConversationStore(path) as store:
        for message, word in acknowledged.items():
            [hit] = store.search(MessageQuery(word))
            assert hit.message.id == message
            assert hit.message.content.startswith(f"{word} I live in")
            assert hit.message.content.endswith("word ")
        facts = {fact.source for fact in store.facts(ended=True)}
        assert len(store.facts()) == 1
        assert max(facts) >= max(acknowledged)
        assert len(store.around(1, 0, 100_000)) >= len(acknowledged)
