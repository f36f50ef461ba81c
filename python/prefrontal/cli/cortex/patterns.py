"""`prefrontal cortex patterns`: what reflections tend to find, for other agents and from them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError, SourceError
from ...plural import many
from ...standard_input import input_bytes
from ..answers import answer, json_option
from ..watch.modules import plain
from ..workspace import home_options
from .operator import changing_wishes, when_taken_up

if TYPE_CHECKING:
    from ...settings.cortex_growth import Sharing
    from ...settings.home import Home
    from .reading import Kept


@click.group(short_help="What reflections find, for other agents.")
def patterns() -> None:
    """What reflections tend to find, as counts that name nobody, for other agents and from them.

    Off unless `cortex.sharing.enabled` is true. Files are signed with the secret that the variable
    PREFRONTAL_SHARING_KEY (or the one that `cortex.sharing.key_env` names) holds on both sides.
    """


@patterns.command("export", short_help="Write a signed file of findings.")
@click.argument("file", metavar="FILE|-", default="-")
@click.option("--insights", is_flag=True, help="Name peers and trust, for agents of one owner.")
@json_option
@home_options("cortex", "ledger")
def export_patterns(file: str, insights: bool, as_json: bool, home: Home) -> None:
    """Write a signed file of what the reflections so far found; `-` is standard output.

    It holds no text, no peer and no message: only how often a trigger led to a finding, for
    triggers with at least three reflections.
    """
    from ...cortex.sharing.patterns import export
    from .reading import read_kept

    sharing, key = _sharing(home)
    state = read_kept(home)
    if insights:
        text = _insights(state, sharing.source, key)
    else:
        text = export(state.history, key=key, source=sharing.source, now=time.time())
    if file == "-":
        click.echo(text)
        return
    from ...storage.files import write_atomic

    write_atomic(file, text + "\n")
    answer(as_json, {"file": file}, f"Wrote {file}.")


@patterns.command("import", short_help="Keep what another agent found, as hints.")
@click.argument("file", metavar="FILE|-")
@json_option
@home_options("cortex", "ledger")
def import_patterns(file: str, as_json: bool, home: Home) -> None:
    """Keep what another agent found as hints for the reflector, with where they come from.

    Hints of the same source are replaced. They set no trust; insights about a peer move a proposal
    by at most `cortex.sharing.weight`.
    """
    _, key = _sharing(home)
    hints = _hints(_text(file), key)
    sources = {each["source"] for each in hints}
    with changing_wishes(home) as wishes:
        others = [each for each in wishes.hints if each.get("source") not in sources]
        wishes.hints = [*others, *hints]
    named = plain(", ".join(sorted(sources))) or "nobody"
    done = {"hints": len(hints), "sources": sorted(sources)}
    answer(as_json, done, f"Imported {many(len(hints), 'hint')} of {named}. {when_taken_up(home)}")


def _sharing(home: Home) -> tuple[Sharing, str]:
    """Settings and key. Raises InputError unless sharing is switched on."""
    from ...settings.cortex import parse_cortex

    sharing = parse_cortex(home.config.get("cortex"))[0].sharing
    if not sharing.enabled:
        raise InputError("cortex.sharing.enabled must be true to share patterns, got false")
    key = os.environ.get(sharing.key_env, "")
    if not key:
        raise InputError(f"the variable {sharing.key_env} must hold the shared key; it is not set")
    return sharing, key


def _hints(text: str, key: str) -> list[dict[str, Any]]:
    """Hints of a file of patterns or of insights. Raises InputError for any other."""
    from ...cortex.sharing import insights, patterns
    from ...cortex.sharing.signing import verified

    hint = verified(text, key).get("format")
    kind = insights if hint == insights.FORMAT else patterns
    return [each.to_json() for each in kind.read(text, key)]


def _insights(state: Kept, source: str, key: str) -> str:
    """Where each peer stands, by the latest assessment that is kept; no rationale goes out."""
    from ...cortex.sharing.insights import Insight, export

    latest: dict[str, Insight] = {}
    for record in state.history:
        for each in record.assessments:
            trust, peer = each.get("clamped"), str(each.get("peer_id", ""))
            if each.get("outcome") == "recorded" and isinstance(trust, int) and peer:
                latest[peer] = Insight(source, peer, trust / 10, "", record.timestamp)
    return export(list(latest.values()), key=key, source=source)


def _text(file: str) -> str:
    try:
        return (input_bytes().read() if file == "-" else Path(file).read_bytes()).decode()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file} must be text in UTF-8 ({error})") from None
