"""`prefrontal agent chat`: talk to the agent in this terminal."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from ..watch.modules import plain
from ..workspace import home_options

if TYPE_CHECKING:
    from ...settings.home import Home

NO_MODEL = """\
There is no language model yet: a few fixed rules answer. With a server on this
machine that speaks OpenAI's protocol (llama.cpp, Ollama) write prefrontal.yml:
  provider: openai-compatible
  llm: {base_url: "http://127.0.0.1:8080/v1", model: local}
With a key: provider: anthropic, llm: {model: NAME, api_key_env: VARIABLE}.
"""
PACKAGES = {
    "openai": "The first needs: pip install 'prefrontal[llm]'\n",
    "anthropic": "The second needs: pip install 'pydantic-ai-slim[anthropic]'\n",
}
"""Module -> what is said where it is missing."""
ON_PURPOSE = "`provider: rules` keeps the rules, without these lines."


@click.command(short_help="Talk to the agent in this terminal.")
@click.option("--log", metavar="LEVEL", help="Show the agent's log: debug, info, warn or error.")
@home_options("identity", "provider")
def chat(log: str | None, home: Home) -> None:
    """Talk to the agent here, a line a message; /help lists commands, /quit ends.

    What the agent says of its own accord (a holding reply, a follow-up that a reflection asked
    for) stands on lines of its own. Nothing is kept but what every agent keeps: its ledger, its
    memory and its reflections, in the workspace.
    """
    from ...runtime.channels.terminal import TerminalChannel
    from .building import AgentOptions, build, end

    identity = home.config.get("identity") or {}
    name = plain(str(identity.get("name") or "agent"))
    channel = TerminalChannel(agent=name, prompt="> " if sys.stdin and sys.stdin.isatty() else "")
    runtime = build(AgentOptions(home, log, usual_log="warn"), [channel])
    click.echo(f"Talking to {name}. /help lists commands, /quit ends.", err=True)
    model = runtime.registry.get_by_capability("llm")
    if home.config.get("provider") is None and getattr(model, "name", None) == "rules":
        click.echo(no_model(), err=True)
    end(runtime)


def no_model() -> str:
    """Why the answers are so short, and how to get better ones."""
    needs = "".join(text for name, text in PACKAGES.items() if find_spec(name) is None)
    return f"{NO_MODEL}{needs}{ON_PURPOSE}"
