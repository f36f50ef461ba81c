"""What the operator may say: `prefrontal cortex forget`, `pin`, `approve`, `reject`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from getpass import getuser
from typing import TYPE_CHECKING

import click

from ...errors import InputError, shown
from ...plain_text import one_line
from ...plural import many
from ..answers import answer, json_option
from ..watch.modules import plain
from ..workspace import agent_process, home_options

if TYPE_CHECKING:
    from ...cortex.memory.wishes import OperatorWishes
    from ...settings.home import Home

LONGEST_KEY = 64
LONGEST_VALUE = 240
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@click.command(short_help="Hold a belief no longer.")
@click.argument("key", metavar="KEY")
@json_option
@home_options("cortex", "ledger")
def forget(key: str, as_json: bool, home: Home) -> None:
    """Hold the belief KEY no longer, pinned or not; a later reflection may form it anew."""
    if key in (home.config.get("cortex") or {}).get("pinned_beliefs", {}):
        rule = "be unpinned in prefrontal.yml (cortex.pinned_beliefs), where it stands"
        raise InputError(f"key must {rule}, got {key!r}")
    _among(key, _held(home), "key", "prefrontal cortex beliefs")
    with changing_wishes(home) as wishes:
        wishes.forget(key, time.time())
    _tell(as_json, "forgotten", key, home)


@click.command(short_help="Keep a belief, whatever reflections say.")
@click.argument("key", metavar="KEY")
@click.option("--value", metavar="TEXT", help="What it says; needed for a belief that is new.")
@json_option
@home_options("cortex", "ledger")
def pin(key: str, value: str | None, as_json: bool, home: Home) -> None:
    """Keep the belief KEY as it is, or as --value says: it never expires, and no reflection can
    change it.

    \b
      prefrontal cortex pin npub-7x9k
      prefrontal cortex pin house-rule --value "Quote no price before the scope is written down."
    """
    if value is None:
        _among(key, _held(home), "key", "prefrontal cortex beliefs", " (or have --value)")
    else:
        _check_new(key, value)
    with changing_wishes(home) as wishes:
        wishes.pin(key, value, time.time())
    _tell(as_json, "pinned", key, home)


@click.command(short_help="Let a quarantined belief or a directive pass.")
@click.argument("name", metavar="ID|KEY")
@click.option("--by", default="", metavar="NAME", help="Who approves.  [default: the user]")
@json_option
@home_options("cortex", "ledger")
def approve(name: str, by: str, as_json: bool, home: Home) -> None:
    """Let a belief out of quarantine, or let a directive go out that waits for approval.

    A belief in whose words others had a part becomes the agent's own: it then stands in every
    conversation, and not as a quote. `prefrontal cortex status` lists what waits; who approved is
    kept (--by).
    """
    _among(name, _waiting(home), "ID or KEY", "prefrontal cortex status")
    with changing_wishes(home) as wishes:
        wishes.approve(name, time.time(), one_line(by).strip() or getuser())
    _tell(as_json, "approved", name, home)


@click.command(short_help="Drop a quarantined belief or a directive.")
@click.argument("name", metavar="ID|KEY")
@json_option
@home_options("cortex", "ledger")
def reject(name: str, as_json: bool, home: Home) -> None:
    """Drop a belief in quarantine, or a directive that did not go out yet."""
    waiting = _waiting(home)
    _among(name, waiting, "ID or KEY", "prefrontal cortex status")
    with changing_wishes(home) as wishes:
        now = time.time()
        wishes.reject(name, now)
        if waiting[name] == "belief":
            wishes.forget(name, now)
    _tell(as_json, "rejected", name, home)


def _tell(as_json: bool, outcome: str, name: str, home: Home) -> None:
    done = {"outcome": outcome, "name": name, "running": agent_process(home) is not None}
    sentence = f"{outcome.capitalize()}: {plain(name)}. {when_taken_up(home)}"
    answer(as_json, done, sentence)


def ask_for_reflection(home: Home) -> None:
    """Leave word for the agent that is running."""
    with changing_wishes(home) as wishes:
        wishes.reflect_requested_at = time.time()


def _held(home: Home) -> list[str]:
    """Keys of the beliefs that are held or pinned."""
    from .reading import read_kept

    return [belief.key for belief, _ in read_kept(home).listed(time.time())]


def _waiting(home: Home) -> dict[str, str]:
    """What waits for a word: key of a belief or id of a directive -> which of the two it is."""
    from ...cortex.memory.directives import waiting_directives
    from .reading import read_kept

    state = read_kept(home)
    kinds = {
        belief.key: "belief"
        for belief, status in state.listed(time.time())
        if status == "quarantined" or belief.tainted
    }
    directives = waiting_directives(state.state.directives)
    return kinds | {each.directive.id: "directive" for each in directives}


@contextmanager
def changing_wishes(home: Home) -> Iterator[OperatorWishes]:
    """The wishes so far; what is changed in them is stored. One process at a time."""
    from ...cortex.memory.wishes import OPERATOR_KEY, OPERATOR_LOCK, OperatorWishes, wishes_damage
    from ...cortex.state import CORRUPT_SUFFIX
    from ...storage.lock_file import locked

    memory = home.memory()
    with locked(home.folder / OPERATOR_LOCK):
        text = memory.retrieve(OPERATOR_KEY)
        if why := wishes_damage(text):
            memory.store(OPERATOR_KEY + CORRUPT_SUFFIX, text or "")
            place = f"its text is under {OPERATOR_KEY + CORRUPT_SUFFIX}"
            click.echo(f"{OPERATOR_KEY} is read without what is damaged, {place}: {why}", err=True)
        wishes = OperatorWishes.from_text(text)
        yield wishes
        memory.store(OPERATOR_KEY, wishes.to_text())


def _among(name: str, known: Iterable[str], what: str, command: str, more: str = "") -> None:
    names = list(known)
    if name in names:
        return
    close = get_close_matches(name.casefold(), names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise InputError(f"{what} must be one that `{command}` shows{more}, got {shown(name)}{hint}")


def _check_new(key: str, value: str) -> None:
    if len(key) > LONGEST_KEY or not _KEBAB.fullmatch(key):
        rule = f"be lowercase words joined by -, at most {LONGEST_KEY} characters"
        raise InputError(f"key must {rule}, got {shown(key)}")
    if not value.strip() or len(value) > LONGEST_VALUE or not value.isprintable():
        rule = f"be one line of 1 to {LONGEST_VALUE} characters"
        length = many(len(value), "character")
        got = shown(value) + (f" ({length})" if len(value) > LONGEST_VALUE else "")
        raise InputError(f"--value must {rule}, got {got}")


def when_taken_up(home: Home) -> str:
    if agent_process(home) is None:
        return "The agent takes it up when it runs next."
    return "The running agent takes it up at its next look."
