"""`prefrontal agent`: an agent that answers, remembers its peers, and reflects."""

from __future__ import annotations

import click

from .chat import chat
from .run import run

EPILOG = """\
Without settings there is no language model: the agent follows a few rules, keeps a ledger of its
peers and reflects on them by fixed rules. `provider` and `llm` in prefrontal.yml name a model."""


@click.group(epilog=EPILOG)
def agent() -> None:
    """An agent that answers, remembers whom it dealt with, and reflects on how that went.

    \b
      prefrontal agent chat
      prefrontal agent run --channel webhook --port 8080
      echo '{"sender_id": "ann", "content": "Hello"}' | prefrontal agent run --channel jsonl
    """


agent.add_command(chat)
agent.add_command(run)
