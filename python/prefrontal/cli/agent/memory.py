"""`prefrontal memory`: the texts that the agent keeps by key, and what was said."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plural import many
from ...standard_input import input_bytes
from ..answers import answer, json_option
from ..candidates import memory_keys
from ..watch.modules import plain
from ..workspace import home_options
from .memory_embedding import embed
from .memory_facts import fact, facts
from .memory_messages import delete_message, search, show
from .memory_owners import owner_of
from .memory_repair import repair

if TYPE_CHECKING:
    from ...settings.home import Home
    from ...storage.text_memory import TextMemory


_TITLES = {
    "session": "Kept by the agent, where each peer wrote last:",
    "cortex": "Kept by the cortex (`prefrontal cortex status`):",
}


@click.group()
def memory() -> None:
    """What the agent remembers: texts by key, one file each, and every conversation.

    \b
      prefrontal memory list
      prefrontal memory store shopping "Flour, two eggs"
      prefrontal memory search eggs
      prefrontal memory search "the boat" --peer ann --since 2026-03-01
      prefrontal memory show 1204
    """


@memory.command("list", short_help="Every key, and how its text begins.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@home_options()
def list_keys(as_json: bool, home: Home) -> None:
    """Every key, when it was written last, and how its text begins; the agent's own apart."""
    files = home.memory()
    keys = files.keys()
    if as_json:
        for key in keys:
            size = len(files.retrieve(key) or "")
            facts = {"key": key, "modified": files.modified(key), "characters": size}
            click.echo(json.dumps({**facts, "owner": owner_of(key)}))
    elif keys:
        from .memory_pages import print_keys

        print_keys(files, [key for key in keys if owner_of(key) == "you"])
        for owner, title in _TITLES.items():
            if own := [key for key in keys if owner_of(key) == owner]:
                click.echo(title)
                print_keys(files, own)
    else:
        click.echo("Nothing is remembered yet; `prefrontal memory store KEY TEXT` keeps a text.")


@memory.command()
@click.argument("key", metavar="KEY", shell_complete=memory_keys)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the text.")
@home_options()
def get(key: str, as_json: bool, home: Home) -> None:
    """Print the text under KEY as it was stored."""
    files = home.memory()
    text = files.retrieve(key)
    if text is None:
        rule = "be one that `prefrontal memory list` shows"
        raise InputError(f"key must {rule}, got {key!r}{_nearest(key, files)}")
    if as_json:
        click.echo(json.dumps({"key": key, "modified": files.modified(key), "text": text}))
    else:
        click.echo(text, nl=not text.endswith("\n"))


@memory.command(short_help="Keep a text under a key.")
@click.argument("key", metavar="KEY", shell_complete=memory_keys)
@click.argument("text", metavar="[TEXT|-]", default="-")
@json_option
@home_options()
def store(key: str, text: str, as_json: bool, home: Home) -> None:
    """Keep TEXT (or what comes on standard input) under KEY, instead of what was there.

    \b
      prefrontal memory store shopping "Flour, two eggs"
      prefrontal memory store notes < notes.txt
    """
    files = home.memory()
    _refuse_own(key)
    content = _standard_input() if text == "-" else text
    replaced = files.retrieve(key) is not None
    files.store(key, content)
    verb = "Replaced" if replaced else "Stored"
    done = {"key": key, "replaced": replaced, "characters": len(content)}
    answer(as_json, done, f"{verb} {plain(key)}: {many(len(content), 'character')}.")


@memory.command(short_help="Delete a text, or a message.")
@click.argument("key", metavar="[KEY]", required=False, shell_complete=memory_keys)
@click.option("--message", type=int, metavar="ID", help="A message that a search shows.")
@json_option
@home_options()
def delete(key: str | None, message: int | None, as_json: bool, home: Home) -> None:
    """Delete the text under KEY, or one message of a conversation with what was made of it.

    Its facts go, its vector and its lines in notes; copies in backups that still hold it are named.
    `prefrontal ledger forget PEER` erases all messages of a peer, and what was made of them.

    \b
      prefrontal memory delete shopping
      prefrontal memory delete --message 1204
    """
    if (key is None) == (message is None):
        raise InputError("delete must be told a KEY or --message ID")
    if key is None:
        assert message is not None
        deletion = delete_message(home, message)
        answer(as_json, {**asdict(deletion), "deleted": True}, deletion.sentences())
        return
    files = home.memory()
    _refuse_own(key)
    if not files.delete(key):
        rule = "be one that `prefrontal memory list` shows"
        raise InputError(f"key must {rule}, got {key!r}{_nearest(key, files)}")
    answer(as_json, {"key": key, "deleted": True}, f"Deleted {plain(key)}.")


def _refuse_own(key: str) -> None:
    """Raise InputError for a key that the agent keeps."""
    owner = owner_of(key)
    if owner == "cortex":
        hint = "`prefrontal cortex pin` and `forget` change what it believes"
        raise InputError(f"key must not begin with cortex-: the cortex keeps those; {hint}")
    if owner == "session":
        rule = "must not begin with session-channels: the agent keeps there where peers wrote last"
        raise InputError(f"key {rule}")


memory.add_command(embed)
memory.add_command(facts)
memory.add_command(fact)
memory.add_command(repair)
memory.add_command(search)
memory.add_command(show)


def _standard_input() -> str:
    try:
        return input_bytes().read().decode()
    except UnicodeDecodeError as error:
        raise InputError(f"standard input must be text in UTF-8 ({error})") from None


def _nearest(key: str, files: TextMemory) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, files.keys(), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
